"""What every command owes whoever types it: groups, unsafe runs, other versions, errors as documents."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.commands.options import build_config
from gapsmith.app.errors import UserError
from gapsmith.app.overrides import override
from gapsmith.app.plugins.loader import load_problem
from gapsmith.app.setup.instances import user_splits

Command = Callable[..., Any]
Run = Callable[..., tuple[dict[str, Any], Path]]
MODELS = ["openai/one", "openai/two"]


@pytest.fixture
def command(tmp_path: Path, gapsmith: Command) -> Command:
    """Runs `gapsmith` on a wide terminal with its runs in the test's folder."""
    return partial(gapsmith, GAPSMITH_RUNS=str(tmp_path / "runs"), COLUMNS="200", TERM="dumb")


def test_settings_reach_the_models_that_the_command_line_names() -> None:
    """`model.key` holds for all, `model.1.key` for one; an unknown key and a missing model are told."""
    address = "model.base_url=http://127.0.0.1:9/v1"
    config = build_config("smtt", [address, "model.1.temperature=0.5"], model=MODELS)
    assert [str(model.base_url) for model in config.model] == ["http://127.0.0.1:9/v1"] * 2
    assert [model.temperature for model in config.model] == [None, 0.5]
    for wrong in (["model.bogus=1"], ["model.2.temperature=1"]):
        with pytest.raises(UserError, match=r"bogus|expected 0 to 1"):
            build_config("smtt", wrong, model=MODELS)
    with pytest.raises(UserError, match="no model"):
        build_config("smtt", [address])
    given = {"model": [{"spec": "openai/one"}]}
    override(given, [address])
    assert given == {"model": [{"spec": "openai/one"}]}


def test_a_parameter_of_the_problem_without_its_section_is_named_with_it() -> None:
    """A key that is no parameter of the problem gets an example of another section."""
    with pytest.raises(UserError, match=r"expected section\.key=value") as refused:
        build_config("smtt", ["jobs=10"])
    assert refused.value.hint == "write --set problem.jobs=10"
    with pytest.raises(UserError) as refused:
        build_config("smtt", ["bogus=10"])
    assert refused.value.hint == "e.g. --set sandbox.cpu_seconds=5"


def test_a_model_named_by_a_flag_keeps_its_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Address, key and prices stay, the weight is the flag's; tables left out are told, none named twice."""
    path = tmp_path / "mine.toml"
    path.write_text(
        '[[model]]\nspec = "openai/own"\nbase_url = "http://localhost:8000/v1"\napi_key_env = "OWN"\n'
        'price_in_usd_per_million = 1\n[[model]]\nspec = "openai/other"\n'
    )
    own, new = build_config(str(path), [], model=["openai/own=2", "openai/new"]).model
    assert (own.weight, own.base_url, own.api_key_env) == (2.0, "http://localhost:8000/v1", "OWN")
    assert own.price_in_usd_per_million == 1
    assert (new.spec, new.base_url) == ("openai/new", None)
    assert "left out openai/other" in " ".join(capsys.readouterr().err.split())
    assert build_config(str(path), [], model=["openai/own"]).model[0].base_url == own.base_url
    with pytest.raises(UserError, match="named twice"):
        build_config(str(path), [], model=["openai/own", "openai/own=2"])
    assert len(build_config("smtt", [], model=["openai/own", "openai/own"]).model) == 2


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[model]\nspec = "openai/x"\napi_key = "sk-secret"', r"\[model\]: expected .*\[\[model\]\]"),
        ('model = ["openai/x"]', r"\[model\] 0: got 'openai/x', expected a table"),
        ("model = 3", r"\[model\]: expected .*\[\[model\]\]"),
        ("campaign = 3", r"\[campaign\]: got 3, expected a table"),
        ("[[campaign]]\nseed = 1", r"\[campaign\]: got .*, expected a table"),
    ],
)
def test_what_is_no_table_where_one_belongs_is_named(tmp_path: Path, text: str, sentence: str) -> None:
    """Also where flags and settings would go into it; what may hold a key is not repeated."""
    path = tmp_path / "mine.toml"
    path.write_text(text)
    for assign in ([], ["campaign.seed=2" if "campaign" in text else "model.weight=2"]):
        with pytest.raises(UserError, match=sentence) as caught:
            build_config(str(path), assign, seed=3)
        assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize("verb", ["run", "doctor", "baselines"])
def test_an_unknown_layer_of_the_sandbox_is_a_mistake(
    command: Command, problem: str, tmp_path: Path, verb: str
) -> None:
    """It names the layers that there are, is no bug, and leaves no run."""
    words = [verb] if verb == "doctor" else [verb, problem]
    done = command(*words, "--unsafe-without", "bogus")
    assert (done.returncode, "expected one of rlimits" in done.stderr, "bug" in done.stderr) == (
        3,
        True,
        False,
    )
    assert not list((tmp_path / "runs").glob("*"))


@pytest.mark.slow
def test_an_unsafe_run_says_so_wherever_its_results_are_shown(
    campaign: Run, command: Command, problem: str, tmp_path: Path
) -> None:
    """Text on either stream, documents, the list and the program that is written."""
    campaign("loose", budget={"iterations": 2}, sandbox={"without": ["landlock"]})
    for words in (
        ("show", "loose", "best"),
        ("best", "loose"),
        ("lineage", "loose"),
        ("verify", "loose", "--unsafe-without", "landlock"),
        ("list",),
        ("baselines", problem, "--unsafe-without", "landlock"),
    ):
        done = command(*words)
        assert "UNSAFE" in done.stdout + done.stderr, words
    for words in (
        ("show", "loose"),
        ("show", "loose", "best"),
        ("best", "loose"),
        ("verify", "loose", "--unsafe-without", "landlock"),
    ):
        assert json.loads(command(*words, "--json").stdout)["unsafe_without"] == ["landlock"]
    assert json.loads(command("list", "--json").stdout)[0]["unsafe_without"] == ["landlock"]
    target = tmp_path / "mine.py"
    command("best", "loose", "-o", str(target))
    assert "UNSAFE: run without sandbox layer landlock" in target.read_text()
    scored = command("evaluate", problem, str(target), "--unsafe-without", "landlock", "--json")
    assert json.loads(scored.stdout)["unsafe_without"] == ["landlock"]


@pytest.mark.slow
def test_a_group_is_reported_run_by_run_and_refused_where_one_run_is_meant(
    command: Command, problem: str, tmp_path: Path
) -> None:
    """A folder for each report; `stop` names the members, `resume` goes through them; a path will do."""
    done = command("run", problem, "--iterations", "2", "--repeat", "2", "--json")
    group = json.loads(done.stdout)["group"]
    target = tmp_path / "reports"
    written = json.loads(command("report", group, "-o", str(target), "--json").stdout)["written"]
    assert sorted({Path(name).parent.name for name in written}) == [f"{group}-s1", f"{group}-s2"]
    assert all(Path(name).is_file() for name in written)
    done = command("stop", group)
    assert (done.returncode, "a group of 2 runs, expected one run" in done.stderr) == (2, True)
    done = command("resume", group)
    assert (done.returncode, f"all 2 runs of {group} are completed" in done.stderr) == (0, True)
    assert json.loads(command("show", f"{group}-s2", "--json").stdout)["run"] == f"{group}-s2"
    path = str(tmp_path / "runs" / group)
    assert json.loads(command("show", path, "--json").stdout)["summary"]["runs"] == 2


def test_a_date_is_the_beginning_of_a_runs_name(finished: Path, command: Command) -> None:
    """Also where the problem's name begins with an s, as a member of a group ends."""
    date, rest = finished.name.split("-smtt")
    assert rest
    assert command("stop", date).returncode == 0


def test_a_run_of_another_version_is_called_so(finished: Path, command: Command) -> None:
    """Not an edited file, though its keys are others; a completed one is shown as ever."""
    with sqlite3.connect(finished / "archive.sqlite") as store:
        (text,) = store.execute("SELECT value FROM run WHERE key = 'config'").fetchone()
        config = json.loads(text)
        config["search"] = {"race_level": 0.05, "a_key_of_long_ago": 1}
        store.execute("UPDATE run SET value = ? WHERE key = 'config'", (json.dumps(config),))
        versions = json.dumps({"gapsmith": "0.0.1"})
        store.execute("UPDATE run SET value = ? WHERE key = 'versions'", (versions,))
    store.close()
    done = command("resume", finished.name, "--iterations", "4")
    assert (done.returncode, "begun with Gapsmith 0.0.1" in done.stderr) == (2, True), done.stderr
    done = command("resume", finished.name)
    assert (done.returncode, f"{finished.name} is completed (iterations)" in done.stderr) == (0, True), (
        done.stderr
    )


def test_a_total_below_what_was_used_is_refused(finished: Path, command: Command) -> None:
    """Seconds too: the run would end at once and call that its reason."""
    with sqlite3.connect(finished / "archive.sqlite") as store:
        store.execute("UPDATE run SET value = '16.493' WHERE key = 'search_seconds'")
    store.close()
    done = command("resume", finished.name, "--seconds", "1")
    assert (done.returncode, "at least the 16.5" in done.stderr) == (2, True), done.stderr
    assert "--budget 17.5s" in done.stderr


@pytest.mark.slow
def test_seconds_are_those_of_the_whole_command(problem: str, command: Command, tmp_path: Path) -> None:
    """A line before the search says what it takes with preparation, validation and test."""
    done = command("run", problem, "--seconds", "1")
    assert done.returncode == 0, done.stderr
    assert " in all: " in done.stderr or " in all, " in done.stderr
    assert " of preparation, " in done.stderr
    (store,) = (tmp_path / "runs").glob("*/archive.sqlite")
    with sqlite3.connect(store) as opened:
        ((prepared,),) = opened.execute("SELECT value FROM run WHERE key = 'prepared_seconds'").fetchall()
    opened.close()
    assert float(prepared) > 0


@pytest.mark.slow
def test_a_run_goes_on_only_above_the_limit_that_ended_it(campaign: Run, command: Command) -> None:
    """The note and the error name that limit's option, and with a larger total of it the run goes on."""
    campaign("tried", budget={"executions": 30})
    done = command("resume", "tried")
    assert (done.returncode, "to go on, give it more: --budget Nexec" in done.stderr) == (0, True)
    done = command("resume", "tried", "--iterations", "300")
    assert (done.returncode, "was ended by its budget of executions" in done.stderr) == (2, True), done.stderr
    done = command("resume", "tried", "--executions", "20")
    assert (done.returncode, "is a total, expected at least" in done.stderr) == (2, True), done.stderr
    before = json.loads(command("show", "tried", "--json").stdout)
    done = command("resume", "tried", "--executions", "90", "--json")
    after = json.loads(done.stdout)
    assert (after["stop_reason"], after["iterations"] > before["iterations"]) == ("executions", True)


def test_figures_of_a_run_are_the_same_in_all_documents(finished: Path, command: Command) -> None:
    """Splits of a baseline stand below its name, executions are counted once, offline costs nothing."""
    shown = json.loads(command("show", finished.name, "--json").stdout)
    watched = json.loads(command("watch", finished.name, "--json").stdout)
    assert shown["executions"] == watched["executions"]
    assert shown["usage"]["cost_usd"] == 0
    assert shown["baselines"]
    for splits in shown["baselines"].values():
        assert list(splits) == ["train", "valid", "test"]
        assert splits["test"]["instances"] > 0


def test_a_run_is_known_by_its_folder_from_within(
    finished: Path, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`.` is the run's name in documents and hints; an empty store is no run."""
    monkeypatch.chdir(finished)
    assert json.loads(command("show", ".", "--json").stdout)["run"] == finished.name
    empty = tmp_path / "runs" / "empty"
    shutil.copytree(finished, empty)
    (empty / "archive.sqlite").write_bytes(b"")
    done = command("show", "empty")
    assert (done.returncode, "an empty file" in done.stderr) == (3, True), done.stderr


def test_hints_name_the_folder_of_the_runs(command: Command, problem: str, tmp_path: Path) -> None:
    """What is printed after `run --runs DIR` can be copied and works."""
    done = command("run", problem, "--iterations", "1", "--runs", str(tmp_path / "my runs"))
    hints = [line.split("  ")[1] for line in done.stdout.splitlines() if line.startswith("  gapsmith show")]
    assert len(hints) == 2
    assert all(f"--runs '{tmp_path / 'my runs'}'" in hint for hint in hints)


def test_an_option_before_the_verb_fails_with_a_document(command: Command) -> None:
    """With `--json` every failure is one, also when the verb was not reached."""
    done = command("--bogus", "--json")
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (2, 2)
    assert "--bogus" in json.loads(done.stdout)["error"]["message"]


def test_csv_of_baselines_holds_plain_cells(command: Command, problem: str, tmp_path: Path) -> None:
    """An interval is two columns, counts of references are words; nothing is Python's text."""
    target = tmp_path / "table.csv"
    assert command("baselines", problem, "--csv", str(target)).returncode == 0
    header, first = target.read_text().splitlines()[:2]
    assert "mean_gap_ci95_percent_low,mean_gap_ci95_percent_high" in header
    assert not set("(){}'") & set(first)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("search.islands", "[search] islands: unknown key, did you mean archive.islands?"),
        ("selection.islands", "[selection]: unknown table, did you mean archive.islands?"),
        ("search.pol", "[search] pol: unknown key, did you mean pool?"),
        ("sandboxes.nothing", "[sandboxes]: unknown table, did you mean sandbox?"),
    ],
)
def test_a_key_of_another_table_is_named_with_its_table(command: Command, key: str, said: str) -> None:
    """A mistyped name is corrected; a right one in a wrong table more so."""
    done = command("run", "smtt", "--set", f"{key}=1")
    assert (done.returncode, said in done.stderr) == (3, True), done.stderr


def test_a_campaign_may_take_a_named_set() -> None:
    """`--instances n=20` is split by stratum like a file; three sets are the splits."""
    loaded = load_problem("smtt", {})
    whole = {instance.digest for instance in loaded.instances("n=20", 1)}
    split = user_splits(loaded, ["n=20"], 1)
    assert {name: len(found) for name, found in split.items()} == {"train": 200, "valid": 100, "test": 100}
    assert {instance.digest for found in split.values() for instance in found} == whole
    three = user_splits(loaded, ["n=20", "n=50", "n=100"], 1)
    assert [len(found[0].public["due_dates"]) for found in three.values()] == [20, 50, 100]
    with pytest.raises(UserError, match="expected one or three"):
        user_splits(loaded, ["n=20", "n=50"], 1)


def test_a_file_with_too_few_instances_says_how_many_and_what_to_do(tmp_path: Path) -> None:
    """Two instances cannot become three splits, but a file of one instance can be a split."""
    loaded, two = load_problem("smtt", {}), tmp_path / "two.csv"
    two.write_text("instance,p,d\na,5,10\na,3,4\nb,2,3\nb,7,6\n")
    with pytest.raises(UserError, match=r"two\.csv: got 2 instances, expected at least 4 to split") as caught:
        user_splits(loaded, [str(two)], 1)
    assert "--instances three times" in str(caught.value.hint)
    one = tmp_path / "one.csv"
    one.write_text("instance,p,d\nc,1,9\nc,8,2\n")
    three = user_splits(loaded, [str(two), str(one), str(one)], 1)
    assert [len(instances) for instances in three.values()] == [2, 1, 1]


@pytest.mark.slow
def test_small_answers_are_clear(command: Command, problem: str, tmp_path: Path) -> None:
    """Versions are called so, failures alike are one line, no table is lost, a wrong model is exit 2."""
    assert "\nreferences: version 1\n" in command("problems", "show", problem).stdout
    broken, table = tmp_path / "broken.py", tmp_path / "table.csv"
    broken.write_text("def order(times, weights):\n    return 1 / 0\n")
    assert "\ntest-0 and 1 more: raised: " in command("evaluate", problem, str(broken)).stdout
    table.write_text("mine")
    done = command("baselines", problem, "--csv", str(table))
    assert (done.returncode, table.read_text()) == (2, "mine")
    assert command("baselines", problem, "--csv", str(table), "--force").returncode == 0
    done = command("doctor", "--model", "foo")
    assert (done.returncode, "got 'foo', expected one of" in done.stderr) == (2, True)
