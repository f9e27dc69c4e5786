"""What is told of each mistake, and of what several items are told alike."""

from export_samples import NAMED, SCORED, UNKNOWN, assignment, graded, with_mistakes

from autograder.course.result import Mistake, Place, SmallestExample, Verdict
from autograder.export.cards import as_text, cards_of, evidence, line, told_in
from autograder.export.grids import grids, side_by_side


def text_of(*mistakes):
    of, result = with_mistakes()
    result = result.model_copy(update={"mistakes": mistakes})
    cards = cards_of(result, "diagnosis")
    return [as_text(card, of.max_score) for card in cards[: len(mistakes)]]


def test_a_named_mistake_where_it_stands_and_what_to_think_about():
    assert text_of(NAMED) == [
        "1. The scores are not scaled.\n"
        "   In line 3 of the cell attention:\n"
        "     scores = q @ k.mT\n"
        "   How large is a dot product?\n"
        "   These are its numbers in all cases.\n"
        "   Costs 2 of 6.5 points, at Attention scale. Touches also: Attention mask."
    ]


def test_an_unknown_one_with_its_example_beside_what_is_right():
    assert text_of(UNKNOWN) == [
        "1. Not yet explained: Attention output\n"
        "   No known mistake gives these numbers.\n"
        "   The smallest example found:\n"
        "     f(x=[[1, 2]])\n"
        "     output\n"
        "       yours   right\n"
        "       2*  1   1  1\n"
        "   Costs 3 of 6.5 points, at Attention output."
    ]


def test_of_several_that_nothing_tells_apart_each_has_its_question():
    (text,) = text_of(NAMED.model_copy(update={"what": ("One.", "Two."), "think": ("1?", "2?")}))
    assert "\n   - One.\n     1?\n   - Two.\n     2?\n" in text


def test_a_line_and_an_exception_name_the_line():
    place = Place(cell="attention", line=14, source="return q @ k")
    about = {"items": ("attention_scale",), "costs": {}, "place": place}
    there, raised = text_of(
        Mistake(kind="line", what=("with another value there all is right",), **about),
        Mistake(kind="error", what=("NameError: no q",), **about),
    )
    for text in (there, raised):
        assert "\n   In line 14 of the cell attention:\n     return q @ k\n" in text
        assert text.endswith("Costs nothing by itself. Touches: Attention scale.")
    assert "\n   with another value there all is right\n" in there
    assert raised.startswith("2. NameError: no q\n")


def test_items_that_are_told_alike_are_told_once():
    of = assignment(first=3.0, second=2.0, third=1.0)
    result = graded("s042", of, [Verdict.MISSING, Verdict.MISSING, Verdict.WRONG])
    said = [f"What {each.item} asks for.\nthe cell f is still the stub." for each in result.items]
    items = tuple(
        each.model_copy(update={"message": text})
        for each, text in zip(result.items, said, strict=True)
    )
    result = result.model_copy(update={"items": items})

    stub, wrong = cards_of(result, "diagnosis")

    assert stub.heading == "The cell f is still the stub."
    assert [each.item for each in stub.items] == ["first", "second"]
    assert stub.costs == 5
    assert wrong.said == (f"Asked: {said[2]}",)
    assert evidence(items[0], told=True) == (f"Asked: {said[0]}",)  # it does not hold, either
    alone = items[0].model_copy(update={"message": "There is no cell f."})
    assert evidence(alone, told=True) == ("There is no cell f.",)
    assert told_in([stub, wrong])["second"] == [stub]


def test_what_touches_only_what_was_dropped_does_not_count_and_stands_last():
    of = assignment(first=0.0, second=2.0)
    result = graded("s042", of, [Verdict.WRONG, Verdict.MISSING])
    second, first = cards_of(result, "diagnosis")
    assert [each.item for each in first.items] == ["first"]
    assert (second.number, first.number) == (1, 2)
    assert as_text(first, 2.0).endswith("Does not count. Touches: First.")
    assert as_text(second, 2.0).endswith("Costs 2 of 2 points, at Second.")


def test_every_item_that_lost_points_is_told_of():
    of = assignment(**{f"item_{verdict}": 2.0 for verdict in SCORED})
    result = graded("s042", of, SCORED)
    told = told_in(cards_of(result, "diagnosis"))
    assert {each.item for each in result.items if each.score == 0} == set(told)


def test_without_a_score_or_a_course_that_tells_there_are_no_cards():
    of, result = with_mistakes()
    assert cards_of(result, "message") == cards_of(result, "verdict") == []
    lost = graded("s042", of, [Verdict.WRONG, Verdict.INTERNAL, Verdict.PASSED])
    assert cards_of(lost, "diagnosis") == []


def test_what_a_mistake_tells_is_no_evidence_of_its_items():
    _, result = with_mistakes()
    told = {"diagnosis": "what this mistake gives", "known": "known", "hint": "Where?"}
    wrong = result.items[0].model_copy(update=told)
    message = "Asked: why attention_output is wrong"
    assert evidence(wrong, told=True) == (message,)
    assert evidence(wrong, told=False) == (message, "what this mistake gives", "known")
    hinted = wrong.model_copy(update={"diagnosis": None})
    assert evidence(hinted, told=True) == (message, "Where?")


def test_an_item_is_a_line():
    _, result = with_mistakes()
    told = told_in(cards_of(result, "diagnosis"))
    assert [line(each, told[each.item]) for each in result.items] == [
        "attention_output: wrong (0 of 3), mistake 2",
        "attention_scale: wrong (0 of 2), mistake 1",
        "attention_mask: carried (1.5 of 1.5), right except for mistake 1",
    ]
    assert line(result.items[2], []) == "attention_mask: carried (1.5 of 1.5), by an earlier part"


def example(shape, expected, got):
    about = {"call": "f()", "problem": "wrong", "of": "output"}
    return SmallestExample(shape=shape, expected=expected, got=got, **about)


def test_a_number_and_a_row_are_grids_too():
    for shape, texts in (((), ("1",)), ((3,), ("1", "2", "3"))):
        (grid,) = grids(example(shape, texts, texts))
        assert grid.rows == (tuple((each, each) for each in texts),)
    assert grids(example((), (), ())) == []


def test_of_more_axes_each_grid_has_its_place():
    found = grids(example((2, 1, 1, 2), tuple("abcd"), tuple("abcx")))
    assert [(each.at, each.rows) for each in found] == [
        ("[0, 0]", ((("a", "a"), ("b", "b")),)),
        ("[1, 0]", ((("c", "c"), ("x", "d")),)),
    ]


def test_columns_stand_one_below_the_other():
    assert side_by_side(example((2, 2), ("1", "20", "3", "4"), ("1", "2", "300", "4"))) == [
        "yours      right",
        "  1   2*   1  20",
        "300*  4    3   4",
    ]
