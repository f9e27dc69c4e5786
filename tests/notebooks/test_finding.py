"""What lies in a student's folder: taken, or refused with a sentence; no link is ever followed."""

import os

import pytest
from first_notebook import NAME, RELEASED
from rights import closed

from autograder.notebooks import (
    UnreadableSubmission,
    find_submission,
    has_handed_in,
    lie_beside,
    refuse_links,
    student_name,
)


@pytest.fixture
def ana(tmp_path):
    folder = tmp_path / "submitted" / "ana"
    folder.mkdir(parents=True)
    return folder


def hand_in(student, name=f"{NAME}/{NAME}.ipynb", text=RELEASED):
    path = student / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def refusal(student):
    assert has_handed_in(student, NAME)
    with pytest.raises(UnreadableSubmission) as caught:
        find_submission(student / NAME, NAME)
    said = str(caught.value)
    said.encode()
    assert len(said) < 400
    return said


def test_the_notebook_of_the_name_is_taken_whatever_lies_beside_it(ana):
    path = hand_in(ana)
    hand_in(ana, f"{NAME}/Untitled.ipynb")
    hand_in(ana, f"{NAME}/data.zip")
    assert find_submission(ana / NAME, NAME) == path
    assert find_submission(path, NAME) == path
    assert lie_beside(path) == ("Untitled.ipynb", "data.zip")


def test_the_only_notebook_is_taken_under_any_name(ana):
    path = hand_in(ana, f"{NAME}/{NAME} (1).ipynb")
    hand_in(ana, f"{NAME}/.ipynb_checkpoints/{NAME} (1)-checkpoint.ipynb")
    hand_in(ana, f"{NAME}/plot.png")
    assert find_submission(ana / NAME, NAME) == path
    assert lie_beside(path) == ()


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            [f"{NAME}/{NAME}.zip"],
            f"no {NAME}.ipynb, but there is {NAME}.zip. Put the",
        ),
        ([f"{NAME}/{NAME}/{NAME}.ipynb"], f"but there is {NAME}/{NAME}.ipynb."),
        ([f"{NAME}/one.ipynb", f"{NAME}/two.ipynb"], "but there are one.ipynb, two.ipynb."),
        ([f"{NAME}/mail.txt"], "but there is mail.txt."),
        ([f"{NAME}/mail.txt", f"{NAME}/timestamp.txt"], "but there is mail.txt."),
        ([f"{NAME}/timestamp.txt"], "nor anything else"),
        (
            [f"{NAME}/{n}.txt" for n in range(9)],
            "there are 0.txt, 1.txt, 2.txt, 3.txt, 4.txt, ....",
        ),
        ([f"{NAME}.zip"], f"there is no folder {NAME}, but there is {NAME}.zip."),
        ([f"{NAME} (1)/{NAME}.ipynb"], f"there is no folder {NAME}, but there is {NAME} (1)."),
        ([f"{NAME}/\x1b[31mred.txt"], "but there is \ufffd[31mred.txt."),
    ],
)
def test_what_a_person_would_sort_out_is_told(ana, files, said):
    for name in files:
        hand_in(ana, name)
    assert said in refusal(ana)


def test_an_empty_folder_is_told(ana):
    (ana / NAME).mkdir()
    assert "nor anything else" in refusal(ana)


def test_who_has_handed_in_nothing_of_it_is_not_asked(ana):
    hand_in(ana, f"{NAME}0/{NAME}0.ipynb")  # another assignment's
    hand_in(ana, "notes.txt")
    assert not has_handed_in(ana, NAME)
    assert not has_handed_in(ana / "notes.txt", NAME)


def test_no_link_is_followed_on_the_way_to_a_notebook(ana):
    solutions = ana.parents[1] / "solutions"
    hand_in(solutions)
    eve = ana.parent / "eve"
    eve.symlink_to(solutions)
    (ana / NAME).symlink_to(solutions / NAME)
    assert "eve is a link, and links are not followed" in refusal(eve)
    assert f"{NAME} is a link, and links are not followed" in refusal(ana)
    eve.unlink()
    eve.symlink_to(ana.parent / "nowhere")
    assert "eve is a link" in refusal(eve)


def test_what_is_below_a_link_is_not_even_looked_for(ana):
    elsewhere = hand_in(ana.parents[1] / "elsewhere")
    hand_in(ana, f"{NAME}/mine.txt")
    (ana / NAME / "more").symlink_to(elsewhere.parent)
    assert "but there are mine.txt, more." in refusal(ana)


def test_a_file_beside_the_notebook_that_is_a_link_is_refused(ana):
    folder = hand_in(ana).parent
    refuse_links(folder, ["weights"])
    (folder / "weights").symlink_to("/dev/zero")
    with pytest.raises(UnreadableSubmission, match="weights is a link"):
        refuse_links(folder, ["other", "weights"])


@pytest.mark.parametrize("what", ["", NAME])
def test_a_closed_folder_is_told(ana, what):
    hand_in(ana)
    with closed(ana / what):
        assert "cannot be looked at: Permission denied" in refusal(ana)


@pytest.mark.parametrize("name", ["ana", "Müller, Jürgen (12)", "o'brien@x.org", "李", "a" * 200])
def test_a_name_is_kept(name):
    assert student_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        *("a" * 250, "李" * 80, os.fsdecode(b"ana\xff"), "\x1b[31mana", "an\na", "<b>ana"),
        *("[red]ana", "\u202eana", "ana~0123abcd"),
    ],
)
def test_a_name_that_nothing_can_bear_is_replaced(name, ana):
    made = student_name(name)
    assert made.encode()
    assert made.isprintable()
    assert not set(made) & set("<>[]")
    assert len(made.encode()) <= 200
    assert made != student_name(f"{name}a")
    if len(name.encode(errors="surrogateescape")) < 255:
        hand_in(ana.with_name(name))
        assert f"{made!r}" in refusal(ana.with_name(name))
    else:
        assert student_name(made) != made  # nobody else has it


def test_a_folder_of_many_names_is_looked_at_for_a_moment_only(ana, monkeypatch):
    for number in range(1200):
        hand_in(ana, f"{NAME}/{number}/{number}.txt")
    looks, scandir = [], os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: looks.append(path) or scandir(path))
    assert "but there are " in refusal(ana)
    assert len(looks) < 30
