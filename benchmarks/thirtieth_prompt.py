"""A scripted campaign and its thirtieth prompt, which docs/explanation/prompts.md shows whole.

    python benchmarks/thirtieth_prompt.py            prints the prompt
    python benchmarks/thirtieth_prompt.py --write    writes it into docs/explanation/prompts.md

The campaign packs bins. Its model is a script that tries ideas of the textbook, some of them bad, with other
constants each time. Programs run in this process, and each execution counts a thousandth of a CPU second, so
the prompt is the same on every machine.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gapsmith.evaluators.base import Evaluation, ProofKind, Reference
from gapsmith.evaluators.evaluator import GapEvaluator
from gapsmith.evolve.admission import Admission
from gapsmith.evolve.archive import settled
from gapsmith.evolve.budget import Budget
from gapsmith.evolve.campaign import Campaign, Ports
from gapsmith.evolve.course import Pace
from gapsmith.evolve.executor import EvaluationJob
from gapsmith.evolve.history import CandidateRegistry
from gapsmith.evolve.llm.base import Model, Request
from gapsmith.evolve.llm.caller import Caller
from gapsmith.evolve.llm.cassette import Cassette
from gapsmith.evolve.llm.ledger import Ledger
from gapsmith.evolve.llm.prompt_scores import Explanations
from gapsmith.evolve.llm.proposer import PromptedProposer
from gapsmith.evolve.llm.settings import ModelSettings, PromptSettings
from gapsmith.evolve.measures import MeasureSpace
from gapsmith.evolve.search import PopulationSettings, Search, SearchSettings
from gapsmith.evolve.store.store import Store
from gapsmith.evolve.types import Completion, Context, Elite, Origin, Prompt, Proposal
from gapsmith.problems.base import Instance, Json
from gapsmith.problems.bin_packing.offline import BinPacking
from gapsmith.prompts.builder import Builder
from gapsmith.sandbox.base import (
    Description,
    Execution,
    ExecutionStatus,
    Led,
    Limits,
    Program,
    SandboxDialogue,
)

ITERATIONS = 30
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")
DEFAULT = PromptSettings()
PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "prompts.md"
BEGIN, END = "<!-- thirtieth prompt: begin -->\n", "<!-- thirtieth prompt: end -->\n"

_ONE_BY_ONE = '''"""{title}"""

{constants}


def pack(sizes: list[int], capacity: int) -> list[int]:
    """Items by falling size; each goes to the open bin with the best score."""
    order = sorted(range(len(sizes)), key=lambda j: -sizes[j])
    residuals: list[int] = []
    bins = [0] * len(sizes)
    for j in order:
        item, best, highest = sizes[j], -1, float("-inf")
        for b, residual in enumerate(residuals):
            if item <= residual:
                gap = (residual - item) / capacity
                score = {score}
                if score > highest:
                    best, highest = b, score
        if best < 0:
            best = len(residuals)
            residuals.append(capacity)
        residuals[best] -= item
        bins[j] = best
    return bins
'''
_BIN_BY_BIN = '''"""{title}"""

{constants}


def pack(sizes: list[int], capacity: int) -> list[int]:
    """Bins one after another; each takes the set of items that leaves the least space."""
    left = sorted(range(len(sizes)), key=lambda j: -sizes[j])
    bins = [0] * len(sizes)
    number = 0
    while left:
        chosen = [left[0]]
        room = capacity - sizes[left[0]]
        {fill}
        for j in chosen:
            bins[j] = number
            left.remove(j)
        number += 1
    return bins
'''
_GREEDY = """for j in left[1:]:
            if sizes[j] <= room * LARGEST_SHARE:
                chosen.append(j)
                room -= sizes[j]"""
_PAIRS = """best = (room, ())
        for a, i in enumerate(left[1:REACH]):
            if sizes[i] <= room and room - sizes[i] < best[0]:
                best = room - sizes[i], (i,)
            for j in left[a + 2 : REACH]:
                if 0 <= room - sizes[i] - sizes[j] < best[0]:
                    best = room - sizes[i] - sizes[j], (i, j)
        chosen += best[1]
        room = best[0]
        for j in left[REACH:]:
            if sizes[j] <= room:
                chosen.append(j)
                room -= sizes[j]"""
_SCORES = (
    ("Best fit: the gap that remains is small.", "-gap ** POWER", "POWER"),
    ("Worst fit keeps room for later items.", "gap ** POWER", "POWER"),
    ("A gap of a middle size is waste; a large one is not.", "abs(gap - WASTE)", "WASTE"),
    ("Old bins are closed first, so that few stay open.", "-b - gap * WEIGHT", "WEIGHT"),
)


def reply_of(number: int) -> str:
    """The scripted reply to an iteration (1-based)."""
    if number % 11 == 5:
        return "I would sort the items by size first and look at the gaps that remain."
    if number % 7 == 3:
        code = _BIN_BY_BIN.format(
            title="Greedy filling of one bin.",
            constants=f"LARGEST_SHARE = {0.5 + number / 60:.2f}",
            fill=_GREEDY,
        )
        return _reply("Each bin is filled greedily, so that large items never wait.", code)
    if number % 3 == 0:
        code = _BIN_BY_BIN.format(
            title="Pairs that fill a bin.", constants=f"REACH = {6 + number}", fill=_PAIRS
        )
        return _reply(f"Looks for the pair of items that closes a bin, {6 + number} items ahead.", code)
    if number % 13 == 4:
        return _reply(
            "Two items a bin at the most.", "def pack(sizes, capacity):\n    return sizes[:number]\n"
        )
    idea, score, name = _SCORES[number % len(_SCORES)]
    code = _ONE_BY_ONE.format(title=idea, constants=f"{name} = {0.1 + number / 25:.2f}", score=score)
    return _reply(idea, code)


def _reply(idea: str, code: str) -> str:
    return f"{idea}\n\n```python\n{code}```\n"


def notes_of(number: int) -> str:
    """The scripted page of notes that an iteration writes."""
    return (
        f"What works (after {number - 1} iterations)\n"
        "- pairs of items that close a bin; a longer reach helps on t60\n\n"
        "What does not work\n- worst fit, whatever the exponent\n- two items a bin\n\n"
        "What to try next\n- triples where all items are between a quarter and a half of the capacity"
    )


class InProcess:
    """A sandbox that calls programs here; every execution takes a thousandth of a CPU second."""

    def execute(
        self,
        program: Program,
        instance: bytes,
        limits: Limits,
        seed: int,
        dialogue: SandboxDialogue | Led | None = None,
    ) -> Execution:
        """See `Sandbox`."""
        scope: dict[str, Any] = {}
        try:
            exec(program.main, scope)
            answer: Json = json.loads(json.dumps(scope[program.entry_point](**json.loads(instance))))
        except Exception as error:
            return Execution(
                ExecutionStatus.RAISED, error=f"{type(error).__name__}: {error}", cpu_seconds=0.001
            )
        return Execution(ExecutionStatus.OK, answer=answer, cpu_seconds=0.001)

    def describe(self, text: str, entry_point: str) -> Description:
        """See `Sandbox`; the size is that of the numbers in the text."""
        if ":" not in text:
            return Description(error="expected ':'", error_line=1)
        return Description(
            entry_point=f"def {entry_point}(" in text,
            token_digest=hashlib.sha256(text.encode()).hexdigest(),
            shape_digest=hashlib.sha256(
                NUMBER.sub(lambda number: f"{float(number[0]):.2g}", text).encode()
            ).hexdigest(),
            nodes=40 * len(NUMBER.findall(text)),
        )

    def close(self) -> None:
        """See `Sandbox`."""


@dataclass(frozen=True, slots=True)
class InTurn:
    """An executor that does a job at once."""

    evaluator: GapEvaluator
    sandbox: InProcess

    def submit(self, job: EvaluationJob) -> Future[Evaluation]:
        """See `Executor`."""
        future: Future[Evaluation] = Future()
        future.set_result(
            self.evaluator.evaluate(
                job.program, job.split, self.sandbox, stop_at_failure=not job.whole, race=job.race
            )
        )
        return future

    def close(self) -> None:
        """See `Executor`."""


@dataclass(slots=True)
class Scripted:
    """A model that answers by number of iteration, and keeps what it was asked."""

    name: str = "scripted"
    requests: list[Request] = field(default_factory=list)

    def complete(self, request: Request) -> Completion:
        """See `Model`."""
        self.requests.append(request)
        text = notes_of(request.iteration) if request.round == 0 else reply_of(request.iteration)
        return Completion(text, self.name, 10, 10, finish_reason="stop")


def volume_bound(instance: Instance) -> Reference:
    """The bins that the volume of all items needs."""
    public = instance.public
    bins = -(-sum(public["sizes"]) // public["capacity"])
    return Reference.proven_bound(bins, ProofKind.ARITHMETIC, "volume", "1", None, "by volume")


def run(
    folder: Path,
    model: Model,
    settings: PromptSettings = DEFAULT,
    iterations: int = ITERATIONS,
    watch: Callable[[Campaign], None] = lambda campaign: None,
) -> tuple[Campaign, Cassette]:
    """Runs the campaign into an empty folder; one iteration after another, nothing is tuned."""
    problem = BinPacking("mixed", {"train": 1, "valid": 1, "test": 1})
    splits = {split: problem.instances(split, 1) for split in ("train", "valid", "test")}
    evaluator = GapEvaluator(problem, splits, volume_bound, limits=Limits(1.0), seed=1, policy="")
    sandbox, cassette = InProcess(), Cassette()
    executor, admission = InTurn(evaluator, sandbox), Admission(sandbox, problem.entry_point, ("math",))
    store, (text,) = Store(folder), problem.start_programs().values()
    try:
        examined = admission.examined(Proposal({"heuristic.py": text}, Origin.START, "start"))
        assert isinstance(examined, Proposal)
        start = CandidateRegistry(()).admit(examined, (), 0, 0)
        evaluation = executor.submit(EvaluationJob(evaluator.program(examined.files), "train")).result()
        instances = evaluator.instances("train")
        archive = settled(
            MeasureSpace.of(("size",), evaluation, instances, evaluator.loss), 1, [(start, evaluation)]
        )
        store.put_instances([i for split in splits.values() for i in split], evaluator.references)
        store.put_start(start, evaluation, "")
        elite = archive.elite(start, evaluation, 0)
        search = Search(
            archive,
            elite,
            Context(problem, 0, instances, elite, modules=("math",), cpu_seconds=1.0),
            seed=1,
            population=PopulationSettings(islands=1),
            settings=SearchSettings(fresh_share=0.0, fresh_until=0, tune_share=0.0),
            guided=True,
            notes_every=settings.notes,
        )

        def explained(of: Elite, instance: str) -> str:
            digest = next(s.answer_digest for s in of.evaluation.scores if s.instance == instance)
            return evaluator.explain(evaluator.program(of.candidate.files), instance, sandbox, digest)

        caller = Caller(model, ModelSettings(spec="scripted"), Ledger(), cassette, 1)
        proposer = PromptedProposer(
            [caller], Builder(settings.tokens), settings, admission.examine, Explanations([], explained)
        )
        campaign = Campaign(
            search,
            Ports(evaluator, proposer, executor, admission, store),
            Budget(iterations=iterations),
            Pace(1, waits=True),
            stop_file=folder / "STOP",
            observe=watch,
        )
        try:
            campaign.run()
        finally:
            campaign.close()
        return campaign, cassette
    finally:
        store.close()
        evaluator.close()


def thirtieth() -> Prompt:
    """The prompt of the last iteration's own question."""
    model = Scripted()
    with tempfile.TemporaryDirectory() as place:
        run(Path(place), model)
    return next(r.prompt for r in model.requests if (r.iteration, r.round) == (ITERATIONS, 1))


def block(prompt: Prompt) -> str:
    """The prompt as the page shows it: both texts in fences that are longer than those inside."""
    texts = f"System:\n\n`````text\n{prompt.system}`````\n\nUser:\n\n`````text\n{prompt.user}`````\n"
    return f"{BEGIN}\n{texts}\n{END}"


def main() -> None:
    """Prints the prompt, or writes it into the page."""
    prompt = thirtieth()
    if "--write" not in sys.argv:
        print(prompt.system, prompt.user, sep="\n")
        return
    text = PAGE.read_text("utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    PAGE.write_text(before + block(prompt) + after, "utf-8")


if __name__ == "__main__":
    main()
