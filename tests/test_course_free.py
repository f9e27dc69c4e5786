"""The engine knows no course: nothing in it names what this one is about."""

import re
from pathlib import Path

import pytest

from autograder.course import read_course, source_path
from autograder.diagnosis import read_components
from autograder.notebooks import read_source

ROOT = Path(__file__).resolve().parents[1]
ENGINE = sorted(
    path
    for path in (ROOT / "autograder").rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
)
# What the story is about, in the words of the field.
WORDS = (
    *("attention", "attend", "causal", "cross-entropy", "decoder", "embedding", "encoder"),
    *("feed-forward", "greedy", "heads", "mask", "masks", "pad_id", "padding mask"),
    *("query", "queries", "residual", "sentence alone", "sines", "smoothing", "spanish", "token"),
    *("tokens", "transformer", "transformers", "translate", "translation", "translator"),
    *("vocabulary", "warm-up", "d_model", "d_ff", "d_k", "d_v", "n_heads", "t_q", "t_k"),
)
# torch's own names for what can be banned: the grader knows torch, whatever the course. And two
# arguments of torch's embedding, which mutants exchange.
TORCHS = {
    "sandbox/refusal.py": r'"(torch\.)?[\w.]*(attention|transformer|layer_norm)[\w.]*"',
    "sandbox/modules.py": r"nn\.Embedding",
    "proof/mutations.py": r"embedding_dim num_embeddings|masked_fill",
}
EVERYDAY = {"arguments", "train"}  # names of this course that are everybody's


def names_of_the_course():
    """Ids and names that only this course has."""
    course = read_course(ROOT)
    for assignment in course.assignments:
        source = read_source(source_path(ROOT, assignment.id))
        yield from (assignment.id, *(item.id for item in (*assignment.items, *assignment.manual)))
        yield from (component.name for component in read_components(source))
        yield from source.defined_in
        yield from (cell.name for cell in source.reference if cell.solution)


NAMES = sorted({*names_of_the_course()} - EVERYDAY)
PATTERN = re.compile(rf"(?<![\w])({'|'.join(map(re.escape, (*NAMES, *WORDS)))})(?![\w])", re.I)


@pytest.mark.parametrize("path", ENGINE, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_in_the_engine_is_a_word_of_this_course(path):
    text = path.read_text()
    torchs = TORCHS.get(path.relative_to(ROOT / "autograder").as_posix())
    text = re.sub(torchs, "", text, flags=re.I) if torchs else text
    lines = [line for line in text.splitlines() if PATTERN.search(line)]
    assert not lines, [(PATTERN.search(line)[0], line.strip()) for line in lines]


def test_the_test_would_see_one():
    assert len(NAMES) > 100
    for line in ("# as in a4_layers", "the mask blocks", "def greedy_decode(", "loss_value: wrong"):
        assert PATTERN.search(line)
