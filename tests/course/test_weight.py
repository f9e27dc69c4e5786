"""What an assignment counts in the course's total."""

from good_course import GOOD, edited

SECOND = "\n".join(GOOD[8:]).replace("a1_attention", "a2_heads")


def two(first="", second=""):
    ends = (f"    weight: {each}\n" if each else "" for each in (first, second))
    return edited({}) + next(ends) + SECOND + "\n" + next(ends)


def test_assignments_have_a_weight_or_count_their_points(read):
    assert [each.weight for each in read(two()).assignments] == [None, None]
    assert [each.weight for each in read(two("2.5", "0")).assignments] == [2.5, 0]


def test_all_have_one_or_none(refusal):
    (told,) = refusal(two("2"))
    assert told.startswith("course.yml:8: assignments must all have a weight, or none: a2_heads")
    (told,) = refusal(two("2", "-1"))
    assert "a2_heads.weight must be at least 0, got -1" in told
