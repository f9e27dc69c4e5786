"""What comes back through the walls, as an answer: of a stranger's word nothing is believed."""

from autograder.asking.student import Question
from autograder.sandbox import wire
from autograder.sandbox.modules import Watched
from autograder.sandbox.session import Answer

# What reading an answer may raise that was made to be misread.
NO_ANSWER = (
    *(wire.WireError, LookupError, TypeError, ValueError),
    *(OverflowError, RecursionError),
)


def read_answer(reply: wire.Header, tensors: wire.Tensors, question: Question) -> Answer:
    """A reply as an answer to a question.

    Raises one of NO_ANSWER for what was made to be misread.
    """
    inputs = len(question.args) + len(question.kwargs)
    changed = tuple(int(each) for each in reply["changed"])
    if any(not 0 <= each < inputs for each in changed):
        raise ValueError("it names inputs that were not given")
    gradients = tuple(wire.unpack(each, tensors) for each in reply["gradients"])
    there = tuple(bool(each) for each in reply["elsewhere"])
    return Answer(
        wire.unpack(reply["value"], tensors),
        gradients,
        changed,
        elsewhere=there,
        read=tuple(wire.unpack(each, tensors) for each in reply["read"]),
        watched=tuple(Watched(int(n), bool(g), bool(t)) for n, g, t in reply["watched"]),
        mode_changed=bool(reply["mode_changed"]),
        operations=int(reply["operations"]),
        multiplications=int(reply["multiplications"]),
    )
