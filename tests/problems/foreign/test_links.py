"""Links in the folder of another tool's task: nothing outside of the folder is read, sent or opened."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from gapsmith.app.errors import ProblemError
from gapsmith.app.plugins.foreign import load_foreign, source_of_task
from gapsmith.app.plugins.scaffold import takeover
from gapsmith.sandbox import trusted_evaluator as workshops
from gapsmith.sandbox.base import Limits, Program, SandboxError
from gapsmith.sandbox.policy import Policy
from gapsmith.sandbox.trusted_evaluator import EvaluatorTask, Workshop, open_workshop

Make = Callable[..., Path]
EVALUATOR = "\ndef evaluate(path):\n    return {'combined_score': 1.0}\n"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A folder of the user's with a file in it, beside the task."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "secret.txt").write_text("my secret")
    (folder / "initial_program.py").write_text("def radius():\n    return 'my secret'\n")
    (folder / "config.yaml").write_text("prompt:\n  system_message: my secret\n")
    return folder


@pytest.mark.parametrize(
    "target", ["{home}", "{home}/secret.txt", "../home", "/", "/proc/self", "missing/../../home"]
)
@pytest.mark.parametrize("name", ["data", "data.txt", "evaluator.json"])
def test_a_link_out_of_the_folder_is_refused(task: Make, secret: Path, target: str, name: str) -> None:
    """Wherever an entry of the folder leads, the task is refused by name before anything is run."""
    folder = task(EVALUATOR)
    (folder / name).symlink_to(target.format(home=secret))
    for load in (lambda spec: load_foreign(spec, {}), takeover):
        with pytest.raises(ProblemError, match=f"{name}: a link that leads out of the task's folder"):
            load(f"openevolve:{folder}")


@pytest.mark.parametrize("name", ["initial_program.py", "evaluator.py"])
@pytest.mark.parametrize("inside", [False, True])
def test_a_program_that_is_a_link_is_refused(task: Make, secret: Path, name: str, inside: bool) -> None:
    """A start program is sent to a model: it is a file of the folder, or there is no task."""
    folder = task(EVALUATOR)
    (folder / name).rename((folder if inside else secret) / "other.py")
    (folder / name).symlink_to((folder if inside else secret) / "other.py")
    with pytest.raises(ProblemError, match="link"):
        load_foreign(f"openevolve:{folder}", {})


def test_a_configuration_that_is_a_link_is_not_read(task: Make, secret: Path) -> None:
    """Neither the usual file nor one that is named, by a link or by a path with dots."""
    folder = task(EVALUATOR)
    (folder / ".config.yaml").symlink_to(secret / "config.yaml")
    for name in (".config.yaml", "../home/config.yaml", str(secret / "config.yaml")):
        with pytest.raises(ProblemError, match=r"problem\.config"):
            load_foreign(f"openevolve:{folder}", {"config": name})
    (folder / "hidden").mkdir()
    (folder / "hidden" / "config.yaml").symlink_to(secret / "config.yaml")
    with pytest.raises(ProblemError, match=r"problem\.config"):
        load_foreign(f"openevolve:{folder}", {"config": "hidden/config.yaml"})


def test_an_evaluator_s_folder_that_is_a_link_is_refused(tmp_path: Path, secret: Path) -> None:
    """SkyDiscover's evaluators lie in a folder of their own, which is one of the task."""
    folder = tmp_path / "sky"
    folder.mkdir()
    (folder / "initial_program.py").write_text("def radius():\n    return 1\n")
    (secret / "evaluator.py").write_text("def evaluate(path):\n    return {}\n")
    (folder / ".real").symlink_to(secret)
    (folder / "evaluator").symlink_to(".real")
    with pytest.raises(ProblemError, match="link"):
        load_foreign(f"skydiscover:{folder}", {})


def test_a_statement_behind_a_link_is_not_read(tmp_path: Path, secret: Path) -> None:
    """`run_evo.py` of a ShinkaEvolve task, too, is a file of the folder."""
    folder = tmp_path / "shinka"
    folder.mkdir()
    (folder / "initial.py").write_text("def radius():\n    return 1\n")
    (folder / "evaluate.py").write_text("print(1)\n")
    (folder / ".run_evo.py").write_text("task_sys_msg = 'my secret'\n")
    (folder / "run_evo.py").symlink_to(".run_evo.py")
    with pytest.raises(ProblemError, match=r"run_evo\.py: a link"):
        load_foreign(f"shinka:{folder}", {})


@pytest.mark.parametrize("kind", ["link to a device", "pipe"])
def test_a_digest_reads_plain_files_alone(task: Make, kind: str) -> None:
    """The digest of a task is made before anybody trusts it, and never waits or grows without end."""
    folder = task(EVALUATOR)
    digest = source_of_task(f"openevolve:{folder}").digest
    if kind == "pipe":
        os.mkfifo(folder / "more.py")
    else:
        (folder / "more.py").symlink_to("/dev/zero")
    assert source_of_task(f"openevolve:{folder}").digest == digest


DRIVER = """
import os
def drive(path, folder, instance, options, seed, report):
    found = {}
    for name in options["names"]:
        try:
            with open(os.path.join(folder, name)) as file:
                found[name] = file.read()
        except OSError as error:
            found[name] = type(error).__name__
    report(found)
"""


def test_a_workshop_follows_no_link_out(task: Make, secret: Path) -> None:
    """Also where the folder was not looked at before: links at the top and below open nothing outside."""
    folder = task(EVALUATOR)
    (folder / "data").symlink_to(secret)
    (folder / "plain").mkdir()
    (folder / "plain" / "data.txt").write_text("of the task")
    (folder / "plain" / "far").symlink_to(secret)
    (folder / "near").symlink_to("plain")
    names = ["data/secret.txt", "plain/far/secret.txt", "near/data.txt", "plain/data.txt"]
    with Workshop(EvaluatorTask(folder, DRIVER, {"names": names}), Policy()) as workshop:
        done = workshop.execute(Program({"program.py": ""}, "f"), b"{}", Limits(30.0, 1 << 30), 1)
    refused = dict.fromkeys(names[:2], "PermissionError")
    assert done.answer == {**refused, **dict.fromkeys(names[2:], "of the task")}


def test_the_self_test_is_made_for_each_task(
    task: Make, secret: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder whose rules are too wide is refused, though another task of the same process was tested."""
    other = tmp_path / "other"
    other.mkdir()
    open_workshop(EvaluatorTask(other, DRIVER)).close()
    folder = task(EVALUATOR)
    (folder / "data").symlink_to(secret)
    monkeypatch.setattr(workshops, "_readable", lambda folder: [str(entry) for entry in folder.iterdir()])
    with pytest.raises(SandboxError, match="link out of the task"):
        open_workshop(EvaluatorTask(folder, DRIVER))


def test_the_command_says_what_to_do(
    task: Make, secret: Path, gapsmith: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """One line with the link and its target, and no traceback."""
    folder = task(EVALUATOR)
    (folder / "data").symlink_to(secret)
    done = gapsmith("problems", "check", f"openevolve:{folder}")
    assert done.returncode == 3
    assert "a link that leads out of the task's folder" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
