"""Campaigns by hand: prompts and replies are files."""

import os
import threading
import time

import pytest
from gapsmith.evolve.llm.base import SKIPPED, ModelError, Request
from gapsmith.evolve.llm.mailbox import MOST_BYTES, LetterState, ManualModel, _settled, letters, put_reply
from gapsmith.evolve.llm.registry import Surroundings, build_model
from gapsmith.evolve.llm.settings import ModelSettings
from gapsmith.evolve.types import Prompt


def complaint(text):
    """What is wrong with a reply that holds no code."""
    return None if "code" in text else "no_code: the reply holds no program"


class Asking:
    """A question that waits in a thread of its own."""

    def __init__(self, model, iteration, round=1, user="Improve this."):
        request = Request(Prompt("You write.", user), 100, 1.0, iteration, round, complaint)
        self.outcome = None
        self.thread = threading.Thread(target=self.work, args=(model, request), daemon=True)
        self.thread.start()

    def work(self, model, request):
        """Asks and keeps what came."""
        try:
            self.outcome = model.complete(request)
        except ModelError as error:
            self.outcome = error

    def result(self):
        """What came, within ten seconds."""
        self.thread.join(10)
        assert not self.thread.is_alive()
        return self.outcome


def until(found):
    """Waits until something is found, ten seconds at most."""
    end = time.monotonic() + 10
    while not (value := found()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return value


@pytest.fixture
def manual(tmp_path):
    """Models on one mailbox; closed with the test."""
    made = []

    def make():
        made.append(build_model(ModelSettings(spec="manual"), Surroundings(mailbox=tmp_path / "mailbox")))
        return made[-1]

    yield make
    for model in made:
        model.close()


def test_several_prompts_are_open_and_each_reply_finds_its_own(manual, tmp_path):
    """Prompts are numbered files; replies may come in any order."""
    model, box = manual(), tmp_path / "mailbox"
    first, second = Asking(model, 1, user="Question one"), Asking(model, 2, user="Question two")
    until(lambda: len(letters(box)) == 2)
    assert [letter.name for letter in letters(box)] == ["0001", "0002"]
    assert "Question two" in (box / "0002.md").read_text()
    assert "0002.reply.md" in (box / "0002.md").read_text()
    put_reply(box, "0002", "code two")
    assert second.result().text == "code two"
    put_reply(box, "0001", "code one")
    assert first.result().text == "code one"
    assert {letter.state for letter in letters(box)} == {LetterState.ANSWERED}


def test_prompts_are_listed_in_the_order_of_their_questions(tmp_path):
    """By iteration, whatever its number of digits: the page of notes, the question, its repair."""
    names = ["0009", "9999", "10000", "0012-notes", "0012", "0012-repair"]
    for name in names:
        (tmp_path / f"{name}.md").write_text("Question")
        (tmp_path / f"{name}.reply.md").write_text("Reply")
    assert [letter.name for letter in letters(tmp_path)] == [
        "0009", "0012-notes", "0012", "0012-repair", "9999", "10000",
    ]  # fmt: skip


def test_a_reply_that_cannot_be_used_is_explained_at_once(manual, tmp_path):
    """The complaint is a file beside the reply until the reply is changed."""
    model, box = manual(), tmp_path / "mailbox"
    asking = Asking(model, 7)
    until(lambda: letters(box))
    put_reply(box, "0007", "I would sort.")
    letter = until(lambda: [x for x in letters(box) if x.state is LetterState.PROBLEM])[0]
    assert letter.problem == "no_code: the reply holds no program"
    put_reply(box, "0007", "Now with code.")
    assert asking.result().text == "Now with code."
    assert not (box / "0007.problem.md").exists()


@pytest.mark.parametrize(
    ("data", "sentence"), [(b"\xff\xfe", "no UTF-8"), (b"x" * 300_000, "more than 262144 bytes")]
)
def test_a_file_that_is_no_text_is_explained(manual, tmp_path, data, sentence):
    """Wrong encoding and absurd size are complaints, not crashes."""
    model, box = manual(), tmp_path / "mailbox"
    Asking(model, 1)
    until(lambda: letters(box))
    (box / "0001.reply.md").write_bytes(data)
    assert sentence in until(lambda: letters(box)[0].problem)


def test_a_prompt_can_be_skipped(manual, tmp_path):
    """One word rejects the proposal, and the campaign goes on."""
    model, box = manual(), tmp_path / "mailbox"
    asking = Asking(model, 1)
    until(lambda: letters(box))
    put_reply(box, "0001", "Skip\n")
    assert asking.result().finish_reason == SKIPPED


def test_open_prompts_survive_a_restart(manual, tmp_path):
    """A reply given while no campaign runs is found by the next session."""
    box = tmp_path / "mailbox"
    model = manual()
    asking = Asking(model, 3, round=2)
    until(lambda: letters(box))
    model.close()
    assert asking.result().kind.value == "closed"
    assert letters(box)[0].state is LetterState.OPEN
    put_reply(box, "0003-repair", "code")
    assert Asking(manual(), 3, round=2).result().text == "code"


def test_a_reply_to_another_prompt_is_put_aside(manual, tmp_path):
    """When the prompt of a number changed, its old reply is no answer to it."""
    box = tmp_path / "mailbox"
    first = manual()
    Asking(first, 1, user="Old question")
    until(lambda: letters(box))
    first.close()
    put_reply(box, "0001", "old code")
    asking = Asking(manual(), 1, user="New question")
    until(lambda: (box / "0001.stale.md").exists())
    put_reply(box, "0001", "new code")
    assert asking.result().text == "new code"


def test_a_reply_that_still_grows_is_not_read(manual, tmp_path):
    """A file counts once it has not changed for a moment."""
    model, box = manual(), tmp_path / "mailbox"
    asking = Asking(model, 1)
    until(lambda: letters(box))
    reply = box / "0001.reply.md"
    for text in ("co", "cod", "code"):
        reply.write_text(text)
        os.utime(reply, (time.time() + 0.3,) * 2)
        time.sleep(0.1)
    assert asking.result().text == "code"


def test_a_reply_to_no_prompt_is_refused(tmp_path):
    """The verb that pastes replies needs a prompt of that name."""
    ManualModel(tmp_path / "mailbox").close()
    with pytest.raises(KeyError):
        put_reply(tmp_path / "mailbox", "0001", "code")


def test_a_mailbox_of_somebody_else_is_read_in_bounds(tmp_path):
    """Files of a terabyte and of other bytes than UTF-8 are listed; a reply of a terabyte is refused."""
    (tmp_path / "0001.md").write_bytes(b"\xff\xfe")
    (tmp_path / "0001.problem.md").write_bytes(b"\xff" * 9)
    (tmp_path / "0002.md").write_text("prompt")
    for name in ("0002.problem.md", "0002.reply.md"):
        with (tmp_path / name).open("wb") as stream:
            stream.truncate(2**40)
    found = letters(tmp_path)
    assert [letter.state for letter in found] == [LetterState.PROBLEM, LetterState.PROBLEM]
    assert len(found[1].problem) <= 2**20
    os.utime(tmp_path / "0002.reply.md", (0, 0))
    assert len(_settled(tmp_path / "0002.reply.md")) == MOST_BYTES + 1


def test_a_reply_from_a_clock_that_is_ahead_is_read(tmp_path):
    """A reply whose time lies an hour ahead is taken at once rather than in an hour."""
    reply = tmp_path / "0001.reply.md"
    reply.write_text("code")
    os.utime(reply, (time.time() + 3600,) * 2)
    assert _settled(reply) == b"code"
