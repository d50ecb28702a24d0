"""What a job costs the campaign's process when its worker has nothing to do: `python benchmarks/pipe.py`.

A worker process waits for some time and sends a ready reply, so that nothing is left but the threads, the
pipe and the codec. Jobs follow one another; figures are medians over rounds that alternate between the kinds
of replies. Beside them stands the codec alone, without any process.
"""

from __future__ import annotations

import argparse
import os
import time
from contextlib import ExitStack, closing
from fractions import Fraction
from statistics import median
from unittest.mock import patch

from gapsmith.app.setup import workers
from gapsmith.evaluators.base import Evaluation, EvaluationStatus, ReferenceKind, Score, ScoreStatus
from gapsmith.evolve.executor import EvaluationJob
from gapsmith.evolve.remote.executor import RemoteExecutor
from gapsmith.evolve.remote.protocol import decode_reply, encode_reply, encode_work
from gapsmith.sandbox.base import MAIN_FILE, Program

WORKER = """
import sys, time
for line in sys.stdin:
    time.sleep(WAIT)
    number = line[line.index(":") : line.index(",")]
    sys.stdout.write('{"job"' + number + REST + "\\n")
    sys.stdout.flush()
"""
JOB = EvaluationJob(Program({MAIN_FILE: "x = 1  # a line\n" * 150}, "solve"), "train", whole=True)


def reply(scores: int) -> str:
    """The line of an evaluation with so many scores (count)."""
    rows = [
        Score(
            f"train-{n}", ScoreStatus.OK, 5 + n, 5, ReferenceKind.OPTIMUM, Fraction(n, 5), n, 0.01, "0a" * 16
        )
        for n in range(scores)
    ]
    return encode_reply(1, Evaluation("train", tuple(rows), EvaluationStatus.COMPLETE, -0.25))


def opened(scores: int, wait: float) -> RemoteExecutor:
    """An executor over one worker that waits (seconds) and sends a ready reply."""
    line = reply(scores)
    source = WORKER.replace("WAIT", str(wait)).replace("REST", repr(line[line.index(",") :]))
    with patch.object(workers, "COMMAND", ("-c", source)):
        return RemoteExecutor([workers.PipeWorker(1)], lambda lost: lost)


def codec(scores: int, jobs: int) -> float:
    """CPU milliseconds to write a job and to read its reply."""
    line, cpu = reply(scores), time.process_time()
    for number in range(jobs):
        encode_work(number, JOB)
        decode_reply(line)
    return (time.process_time() - cpu) * 1000 / jobs


def one_round(executor: RemoteExecutor, jobs: int) -> float:
    """CPU milliseconds of this process per job."""
    cpu = time.process_time()
    for _ in range(jobs):
        executor.submit(JOB).result()
    return (time.process_time() - cpu) * 1000 / jobs


def main() -> None:
    """Measures and prints a row for each kind of reply."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=200, help="of a round (count)")
    parser.add_argument("--rounds", type=int, default=5, help="count")
    options = parser.parse_args()
    kinds = [(scores, wait) for scores in (1, 40) for wait in (0.0, 0.01)]
    with ExitStack() as stack:
        executors = {kind: stack.enter_context(closing(opened(*kind))) for kind in kinds}
        rounds = [
            {kind: one_round(one, options.jobs) for kind, one in executors.items()}
            for _ in range(options.rounds + 1)
        ][1:]  # the first one warms up
    print(f"load {os.getloadavg()[0]:.1f}")
    print("scores | wait, ms | driver CPU, ms a job | of that the codec, without any wait")
    for scores, wait in kinds:
        cpu = median(one[scores, wait] for one in rounds)
        print(f"{scores} | {1000 * wait:g} | {cpu:.3f} | {codec(scores, options.jobs):.3f}")


if __name__ == "__main__":
    main()
