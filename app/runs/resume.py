"""What a new or resumed run takes from a stored run: its configuration, and its elites as start programs."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...evolve.llm.settings import AGENT
from ...evolve.store.reader import Reader
from ...evolve.store.statistics import (
    admitted,
    budgeted_cpu_seconds,
    budgeted_executions,
    calls,
    made_otherwise,
    paid,
)
from ..config import SECTIONS, Config, constants, parse, read
from ..errors import INVALID, USAGE, UserError
from ..formatting import AMOUNTS, amount
from ..overrides import choose_models
from ..versions import refuse_earlier_search, refuse_other_version
from .folders import CONFIG_NAME, MOST_MEMBERS, OPEN, Group
from .record import open_record
from .stored_run import asked_iterations
from .trust import NO_TRUST, Trust, Use, granted

_ELITES = 5


def ended(folder: Path) -> str | None:
    """The reason why a finished run ended; None if `resume` can continue the run without a new total."""
    reader = Reader.open(folder)
    try:
        reason: str | None = reader.record("stop_reason")
    finally:
        reader.close()
    return None if reason in ("interrupted", "stop_file", "provider", OPEN) else reason


def budget_key(reason: str) -> str:
    """The key of `[budget]` whose limit a stop reason names."""
    return {"cpu": "cpu_seconds", "cost": "usd"}.get(reason, reason)


def stored_config(
    folder: Path,
    totals: Mapping[str, Any],
    workers: int | str | None,
    trust: Trust = NO_TRUST,
    uses: Collection[Use] = (Use.MODELS, Use.TEMPLATES),
    models: Sequence[str] = (),
) -> Config:
    """A run's configuration with new budget totals, and where it has a workbench with models.

    Raises:
        UserError: the run has no configuration, another version began it, its `campaign.toml` was edited, a
            total is below what is done, or the record asks for more than its user or the caller allows; or
            it takes no models.
    """
    with open_record(folder) as record:
        reader = record.reader
        document = reader.record("config")
        done = used(reader)
        if document is None or reader.record("created") is None:
            raise UserError(
                INVALID,
                f"{folder.name}: ended before its search began, so nothing of it is stored",
                "start it again with `gapsmith run`, and delete this folder",
            )
        refuse_other_version(reader.record("versions") or {}, folder.name)  # it has other keys: no edits
        refuse_earlier_search(reader, folder.name)
        config = granted(record, trust, uses)
        if models:
            config = _with_models(folder, reader, config, models)
    refuse_edits(folder, document)
    _refuse_less(folder, done, totals)
    _refuse_none(folder, totals)
    return _with_totals(config, totals, workers)


def used(reader: Reader) -> dict[str, Any]:
    """Key of `[budget]` → how much of it the run has used."""
    return {
        "iterations": asked_iterations(reader),
        "evaluations": admitted(reader),
        "seconds": reader.record("search_seconds") or 0,
        "executions": budgeted_executions(reader),
        "cpu_seconds": budgeted_cpu_seconds(reader),
        "tokens": calls(reader).tokens,
        "usd": paid(reader),
    }


def _with_models(folder: Path, reader: Reader, config: Config, models: Sequence[str]) -> Config:
    """A configuration that asks models from now on.

    A replay must know who made each text, so programs of a model may follow those that a person submitted,
    and no others.

    Raises:
        UserError: the run has no workbench, or another proposer made programs in it.
    """
    if reader.record("bench") is None:
        raise UserError(
            USAGE,
            f"{folder.name}: --model: a campaign keeps the proposer that it began with",
            f"begin another with its best: `gapsmith run PROBLEM --start {folder.name} --model SPEC`",
        )
    specs = {str(spec) for spec in reader.record("model") or ()}
    specs = {spec for spec in specs if not spec.startswith(AGENT)}  # what agents bring is submitted
    if made_otherwise(reader) or (config.uses_models and not specs <= {*models}):
        raise UserError(
            USAGE,
            f"{folder.name}: --model: {', '.join(sorted(specs))} made programs in this run",
            "go on with that, or begin another run from the best programs of this one (--start)",
        )
    document, _ = choose_models(config.model_dump(mode="json"), models)
    del document["campaign"]["in_flight"]  # its default depends on whether models are asked
    return parse(document, folder.name, recorded=True)


def _with_totals(config: Config, totals: Mapping[str, Any], workers: int | str | None) -> Config:
    changes = {key: value for key, value in totals.items() if value is not None}
    budget = replace(config.budget, **changes)
    run = config.run if workers is None else replace(config.run, workers=workers)
    return config.model_copy(update={"budget": budget, "run": run})


def stored_group(name: str, members: Sequence[Path], trust: Trust = NO_TRUST) -> Group:
    """The group of these runs, with the number of members that the first one recorded.

    Raises:
        UserError: the number is not one of a group, or a foreign record has runs begun that are not here.
    """
    with open_record(members[0]) as record:
        planned: int | None = record.reader.record("members")
        foreign = record.foreign
    number = max(map(_number, members)) if planned is None else planned
    if not len(members) <= number <= MOST_MEMBERS:
        raise UserError(
            INVALID,
            f"{name}: a group of {number} runs in the record, expected {len(members)} to {MOST_MEMBERS}",
            "resume the runs one by one",
        )
    if foreign and number > len(members) and not trust.run:
        raise UserError(
            USAGE,
            f"{name} is foreign (this user did not sign it); its record asks for {number} runs, of which "
            f"{len(members)} are here",
            "--trust-run begins the others too; or resume the runs one by one",
        )
    return Group(name, number)


def missing_member(
    number: int, other: Path, totals: Mapping[str, Any], workers: int | str | None, trust: Trust = NO_TRUST
) -> tuple[Config, dict[str, dict[str, str]]]:
    """Configuration and start programs of a group member that never began, taken from another member.

    Raises:
        UserError: as for `stored_config`.
    """
    config = _with_totals(stored_config(other, {}, None, trust, [*Use]), totals, workers)
    seed = config.campaign.seed + number - _number(other)
    reader = Reader.open(other)
    try:
        starts = start_programs_of(reader) or reader.record("given_starts") or {}
    finally:
        reader.close()
    return config.model_copy(update={"campaign": replace(config.campaign, seed=seed)}), starts


def start_programs_of(reader: Reader) -> dict[str, dict[str, str]]:
    """Name → files of the start programs of a run, without the baselines among its founders."""
    ids = reader.record("start_programs") or reader.record("starts") or ()
    starts = [reader.candidate(id) for id in ids]
    return {candidate.operator: dict(candidate.files) for candidate in starts if candidate is not None}


def _number(member: Path) -> int:
    return int(member.name.rpartition("-s")[2])


def _refuse_less(folder: Path, done: Mapping[str, float], totals: Mapping[str, Any]) -> None:
    """Refuses a total below the amount used: it would end the campaign and use the test split at once."""
    for key, count in done.items():
        if (total := totals.get(key)) is not None and total < count:
            raise UserError(
                USAGE,
                f"{folder.name}: --budget {amount(key, total)} is a total, expected at least the "
                f"{_short(count)} of before",
                f"for {total:g} more: --budget {amount(key, float(_short(count + total)))}",
            )


def _refuse_none(folder: Path, totals: Mapping[str, Any]) -> None:
    """Refuses new totals that leave out the limit that ended the campaign: it would end again at once."""
    reason = ended(folder)
    named = {key for key, total in totals.items() if total is not None}
    if reason is not None and named and (wanted := budget_key(reason)) not in named:
        raise UserError(
            USAGE,
            f"{folder.name}: was ended by its budget of {wanted.replace('_', ' ')}, got new totals of "
            "others only",
            f"name a larger total of it too: --budget N{AMOUNTS.get(wanted, '')}",
        )


def _short(number: float) -> str:
    """A total as text for an option: integers unchanged, other numbers rounded up to hundredths."""
    return (
        str(number) if isinstance(number, int) else f"{math.ceil(100 * number) / 100:.2f}".removesuffix(".00")
    )


def refuse_edits(folder: Path, stored: Mapping[str, Any]) -> None:
    """Refuses a `campaign.toml` that differs from the stored configuration.

    Raises:
        UserError: a key differs; the message names the first one.
    """
    path = folder / CONFIG_NAME
    if not path.exists():
        return
    written = parse(read(path), str(path), recorded=True).document()
    for section, table in stored.items():
        if isinstance(table, dict):
            # Only stored keys are compared: a key that a later version added holds its default.
            fixed = constants(section) if section in SECTIONS else ()
            keys = [k for k, value in table.items() if k not in fixed and value != written[section].get(k)]
        else:
            keys = [] if table == written[section] else ["*"]
        if keys:
            raise UserError(
                INVALID,
                f"{path} [{section}] {keys[0]}: edited after the run began; the store counts",
                "give new totals as options of `gapsmith resume`, or start a new run from the file",
            )


def elites_of(folder: Path) -> dict[str, dict[str, str]]:
    """The best candidates of a run as start programs, best first.

    Raises:
        UserError: the run has no feasible candidate.
    """
    reader = Reader.open(folder)
    try:
        best = [id for id, _ in reader.best("valid") or reader.best("train")][:_ELITES]
        candidates = [candidate for id in best if (candidate := reader.candidate(id)) is not None]
    finally:
        reader.close()
    if not candidates:
        raise UserError(INVALID, f"{folder.name}: no feasible candidate to start from")
    return {candidate.id: dict(candidate.files) for candidate in candidates}
