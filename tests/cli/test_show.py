"""One submission in the terminal: by mistake, then by item."""

import pytest
from export_samples import NAMED, UNKNOWN, graded, with_mistakes
from rich.console import Console

from autograder.cli.show import print_result
from autograder.course.result import Verdict


def printed(result, **options):
    out = Console(width=100, highlight=False)
    with out.capture() as captured:
        print_result(out, result, **options)
    return captured.get()


def test_mistakes_come_first_and_the_items_point_to_them():
    _, result = with_mistakes()
    said = printed(result)
    first, items = said.split("\n\nattention_output: ")
    assert first.startswith("a1_attention: 1.5 of 6.5\n\n1. The scores are not scaled.\n")
    assert "\n\n2. Not yet explained: Attention output\n" in first
    for text in (NAMED.what[0], NAMED.think[0], UNKNOWN.proof, UNKNOWN.example.call):
        assert said.count(text) == 1
    assert items.startswith("wrong (0 of 3), mistake 2\n  Asked: why attention_output is wrong\n")
    assert items.endswith("attention_mask: carried (1.5 of 1.5), right except for mistake 1\n")


def test_evidence_is_printed_once_for_each_mistake():
    _, result = with_mistakes()
    both = NAMED.model_copy(update={"items": ("attention_output", "attention_scale")})
    said = printed(result.model_copy(update={"mistakes": (both,)}))
    paying, other = "why attention_scale is wrong", "why attention_output is wrong"
    assert paying in said
    assert other not in said


@pytest.mark.parametrize("feedback", ["message", "verdict"])
def test_a_student_reads_no_more_than_the_course_tells(feedback):
    _, result = with_mistakes()
    said = printed(result, feedback=feedback)
    assert "mistake" not in said
    assert NAMED.what[0] not in said
    assert ("why attention_scale is wrong" in said) == (feedback == "message")


def test_what_a_program_says_is_no_markup():
    of, result = with_mistakes()
    mistake = NAMED.model_copy(update={"what": ("[red]x[/red] [[1, 2]]",)})
    said = printed(result.model_copy(update={"mistakes": (mistake,)}))
    assert "[red]x[/red] [[1, 2]]" in said
    ours = graded("s042", of, [Verdict.INTERNAL, Verdict.WRONG, Verdict.PASSED])
    assert printed(ours).startswith("a1_attention: no score: needs staff\n")
