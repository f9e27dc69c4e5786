"""What an author gets wrong is told with the file and the name, and never costs a student."""

import re
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from autograder.checking import ChecksBroken
from autograder.cli import app
from autograder.course import assignment_folder, read_course, source_path
from autograder.grading import prepare
from autograder.notebooks import read_source
from autograder.proof import grade_samples, open_pool, prove, read_samples
from autograder.proof.mutants import mutants
from autograder.release import ReleaseError, build
from autograder.sandbox import walls

NAME = "squares"
CHECK = '# %% active="ipynb" check="distances"'
OVERLAY = "wrong/multiplied_out.py"
ROOTLESS = "return differences.square().sum(dim=-1)\n"


@pytest.fixture
def slip(tiny):
    """Replaces a text in one of the assignment's files."""

    def slip(file, old, new):
        path = assignment_folder(tiny.root, NAME) / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))
        return path

    return slip


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "draw: Draw) -> None:",
            "drawn) -> None:",
            r"checks.py:26, fa.*asks for drawn; there are st",
        ),
        (
            'agree("distances", draw',
            'agre("distances", draw',
            r"checks.py:\d+, failed by itself: Na",
        ),
        ("N, M, D =", "N, M =", r"checks.py:\d+: ValueError"),
        (
            'distances", public=True',
            'distances", pulic=True',
            r"checks.py:\d+: test_distances: @item takes public, hint, fits, notebook, crowded, "
            r"not 'pulic'",
        ),
        (
            "test_distances_far",
            "test_distances() -> None: ...\ndef test_far",
            r"of that of line \d+",
        ),
        (
            '@item("distances", public',
            '@item("distance", public',
            r"checks.py:26: test_distances: no item 'distance' in squares \(did you mean",
        ),
        ("@item(", "@pytest.mark.skipif(0, reason=", r"\d+: test_distances: it names no item: put"),
        (
            '", public=True',
            "\", fits=['odd']",
            r"checks.py:\d+: test_distances: a hint fits one of",
        ),
        ("def test_distances(", "def test_distances((", r"checks.py:27: SyntaxError"),
    ],
)
def test_a_check_that_cannot_work(tiny, slip, old, new, said):
    slip("checks.py", old, new)
    with pytest.raises(ChecksBroken, match=said):
        prepare(tiny, NAME, "for the tests alone")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            'of = "distances"',
            'of = "areas"',
            "16: Distances.of: areas is defined by no solution cell; they define d",
        ),
        ('item = "distances"', "", "31: WithoutTheRoot lacks its item, as in"),
        (
            "    How far is (3, 4) from the origin: 5, or 25?\n",
            "",
            "31: WithoutTheRoot lacks a thou",
        ),
        ("item =", "sides = 4\n    item =", "31: WithoutTheRoot overrides no step of Distances"),
        (
            'item = "distances"',
            'item = "distance"',
            "31: WithoutTheRoot.item: no item 'distance' in squares (did you mean distances?); it",
        ),
        ("class With", "clas With", "31: the cell faults/distances.py raises SyntaxError"),
        ("class With", "import nowhere\nclass With", "31: the cell faults/distances.py raises Mo"),
    ],
)
def test_a_fault_that_is_none(tiny, slip, old, new, said):
    file = slip("faults/distances.py", old, new)
    done = CliRunner().invoke(app, ["release", "--course", str(tiny.root)])
    assert done.exit_code == 2
    told = "".join(done.stderr.split())  # wherever the console breaks its lines
    assert f"{file}:" in told
    assert said.replace(" ", "") in told


def test_a_fault_whose_file_says_nothing_of_itself(tiny):
    path = assignment_folder(tiny.root, NAME) / "faults" / "distances.py"
    path.write_text(path.read_text().split('"""', 2)[2])
    (component,) = prepare(tiny, NAME, "for the tests alone").bank.components
    assert "class Distances:" in component.cell_with(component.faults)


def test_an_item_without_a_cell(tiny, slip):
    slip(f"{NAME}.py", CHECK, CHECK.replace("check=", "figure="))
    with pytest.raises(ReleaseError, match='squares: no cell has check="distances"'):
        build(tiny, NAME)


@pytest.mark.parametrize(
    ("role", "meant"), [("check", "in squares (did you mean distances?)"), ("manual", "in squares")]
)
def test_a_cell_of_an_item_that_is_not_there(tiny, slip, role, meant):
    slip(f"{NAME}.py", 'check("distances")', 'check("distance")')
    marked = CHECK.replace('check="distances', f'{role}="distance')
    path = slip(f"{NAME}.py", CHECK, marked)
    line = path.read_text().splitlines().index(marked) + 1
    said = rf'{path}:{line}: {role}="distance": no .* {re.escape(meant)}; it has: '
    with pytest.raises(ReleaseError, match=said):
        build(tiny, NAME)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("banned: [torch.sqrt]", "banned forbids: write"),
        ("banned_in: {distances: [torch.sqrt]}", "banned_in forbids: write"),
    ],
)
def test_a_reference_that_does_what_is_banned(tiny, key, said):
    course_yml = tiny.root / "course.yml"
    course_yml.write_text(course_yml.read_text() + f"    {key}\n")
    line = len(course_yml.read_text().splitlines())
    where = r'squares.py:\d+: solution="distances": distances leads to torch.sqrt, which '
    with pytest.raises(ReleaseError, match=f"{where}course.yml:{line}: assign.*{said}"):
        build(read_course(tiny.root), NAME)


def source_of(course):
    return read_source(source_path(course.root, NAME))


@pytest.mark.parametrize(
    "file", ["checks.py", f"{NAME}.py", "faults/distances.py", "faults/equivalent.yml", OVERLAY]
)
def test_a_file_that_is_no_utf_8(tiny, file):
    path = assignment_folder(tiny.root, NAME) / file
    line = path.read_text().count("\n") + 1
    path.write_bytes(path.read_bytes() + b"# \xe4\n")
    said = f"{path}:{line}: byte 0xe4 is not UTF-8: save the file as UTF-8"
    with pytest.raises((ChecksBroken, ValueError), match=f"^{re.escape(said)}$"):
        _ = prepare(tiny, NAME, "x"), read_samples(tiny, NAME), mutants(source_of(tiny))


def rubric(*points):
    lines = "".join(f"          - {{points: {each}, text: A line.}}\n" for each in points)
    return (
        f"    manual:\n      report:\n        title: T\n        points: 3\n        rubric:\n{lines}"
    )


def test_a_rubric_that_gives_less_than_its_part_is_worth(tiny):
    course_yml = tiny.root / "course.yml"
    before = course_yml.read_text()
    course_yml.write_text(before + rubric(1, 1, -1))
    line = course_yml.read_text().splitlines().index("        rubric:") + 1
    said = f"course.yml:{line}: .*report.rubric gives 2 points in all, and the part is worth 3: let"
    with pytest.raises(ReleaseError, match=said):
        build(read_course(tiny.root), NAME)
    for alternatives in ((3, 2, 1), (-1, -2), (1.5, 1.5)):
        course_yml.write_text(before + rubric(*alternatives))
        with pytest.raises(ReleaseError, match='no cell has manual="report"'):
            build(read_course(tiny.root), NAME)


def test_a_component_whose_steps_are_not_the_references(tiny, slip):
    slip("faults/distances.py", "x[:, None] - y", "x[:, None] + y")
    with open_pool(tiny, walls.choose(), 1) as pool:
        proof = prove(tiny, NAME, pool, lambda done, total: None, lambda faults: False)
    (problem,) = proof.problems
    assert problem == (
        "distances without a fault loses or is told of distances: its steps are not what the "
        "reference does"
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (ROOTLESS, "return nowhere\n", ["40: distances.WithoutTheRoot fails by itself"]),
        (ROOTLESS, "import nowhere\n", ["40: distances.WithoutTheRoot fails by itself"]),
        (ROOTLESS, 'raise NameError("x")\n', []),
        ("x[:, None] - y", "z[:, None] - y", ["22: distances without a fault fails by itself"]),
    ],
)
def test_a_fault_that_fails_by_a_slip_of_its_author(tiny, slip, old, new, said):
    slip("faults/distances.py", old, new)
    with open_pool(tiny, walls.choose(), 1) as pool:
        proof = prove(tiny, NAME, pool, lambda done, total: None)
    assert len(proof.slips) == len(said)
    for told, each in zip(proof.slips, said, strict=True):
        assert told.startswith(f"faults/distances.py:{each}, not by its mistake: ")
        assert told in proof.problems


def test_a_sample_of_a_cell_that_is_not_there(tiny, slip):
    path = slip(OVERLAY, 'solution="distances"', 'solution="areas"')
    with pytest.raises(ValueError, match=re.escape(f"{path}: the notebook has no cell 'sol")):
        read_samples(tiny, NAME)


def test_a_sample_that_loses_an_item_that_is_not_there(tiny, slip):
    path = slip(OVERLAY, "# fails: distances", "# fails: distances, distance")
    said = f"{path}:2: # fails: no item 'distance' in squares (did you mean distances?); it has:"
    with pytest.raises(ValueError, match=re.escape(said)):
        read_samples(tiny, NAME)


def test_a_wrong_sample_that_does_not_get_what_it_says(tiny):
    right, wrong, _ = read_samples(tiny, NAME)
    results = grade_samples(tiny, NAME, [right, wrong], walls.choose(), 1, lambda done, of: None)
    assert right.misjudged(results[right.name]) is None
    assert wrong.misjudged(results[wrong.name]) is None
    silent = replace(wrong, fails=frozenset())
    assert silent.misjudged(results[wrong.name]).startswith("does not say what it loses")
    mistaken = replace(right, kind="wrong", fails=wrong.fails)
    assert mistaken.misjudged(results[right.name]) == "does not lose distances"


def test_reasons_for_mutants_that_are_no_yaml(tiny, slip):
    path = slip("faults/equivalent.yml", "#", "distances: [\n#")
    with pytest.raises(ValueError, match=re.escape(f"{path}: cannot be read as YAML")):
        mutants(read_source(source_path(tiny.root, NAME)))
