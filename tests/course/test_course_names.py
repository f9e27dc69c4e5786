"""What course.yml names must be there: banned calls, and the sources of assignments."""

import re

import pytest
from good_course import A1, GOOD, edited

from autograder.course import ManifestError, read_course
from autograder.grading import prepare
from autograder.template import plan

BANNED = {
    "torch.nn.Multiheadattention": "which is not there; did you mean torch.nn.MultiheadAttention?",
    "torch.nn.functional.attention_of_mine": "which is not there",
    "torch.nnn.Linear": "which is not there; did you mean torch.nn?",
    "tensorflow.linalg": "and there is no module tensorflow here",
    "torch.Tensor.softmax": "which is a method: whose it is cannot be read from a call, so it "
    "would not be caught; name functions and classes of modules",
    "torch.nn.functional": "which is a module: name each function and class that is not to be used",
    "math.pi": "which is a float: name each function and class that is not to be used",
}


@pytest.mark.parametrize("name", BANNED)
def test_a_ban_that_would_be_none_is_told(refusal, name):
    said = f"names {name}, {BANNED[name]}"
    assert refusal(edited({17: f"- {name}"})) == [f"course.yml:17: {A1}.banned {said}"]
    entry = {14: f"banned_in:\n      Layer:\n      - {name}\n    limits:"}
    assert refusal(edited(entry)) == [f"course.yml:16: {A1}.banned_in.Layer {said}"]


def test_each_ban_is_told(refusal):
    names = "banned: [torch.nn.Linear, torch.nn.Linea, math.sqrt, math.sqr]"
    second, first = refusal(edited({16: names, 17: ""}))
    assert "torch.nn.Linea, which is not there; did you mean torch.nn.Linear?" in first
    assert "math.sqr, which is not there; did you mean math.sqrt?" in second


def test_what_can_be_banned(read):
    names = "torch.cdist", "torch.nn.GRU", "math.sqrt", "torch.nn.functional.layer_norm"
    (assignment,) = read(edited({16: f"banned: [{', '.join(names)}]", 17: ""})).assignments
    assert assignment.banned == names


def test_an_assignment_that_is_renamed_in_the_file_alone(tmp_path):
    (tmp_path / "course.yml").write_text("\n".join(GOOD))
    source = tmp_path / "solutions" / "a1_attention" / "a1_attention.py"
    source.parent.mkdir(parents=True)
    source.touch()
    (source.parent / "checks.py").touch()
    read_course(tmp_path)
    source.parent.rename(tmp_path / "solutions" / "a1")
    with pytest.raises(ManifestError) as caught:
        read_course(tmp_path)
    where = "solutions/a1_attention/a1_attention.py"
    said = f"course.yml:9: {A1} has no source: {where} is not there"
    assert str(caught.value) == said
    (tmp_path / "solutions" / "a1" / "a1_attention.py").rename(
        tmp_path / "solutions" / "a1" / "a1.py"
    )
    with pytest.raises(ManifestError) as caught:
        read_course(tmp_path)
    assert str(caught.value) == f"{said}; solutions/ has a1, which course.yml has not"


def test_a_name_that_nobody_writes(tmp_path):
    """Something banned in it would be banned nowhere."""
    plan(tmp_path, "squares").write()
    manifest = tmp_path / "course.yml"
    entry = "    banned_in: {\n      distance: [torch.norm]}\n    items:\n"
    manifest.write_text(manifest.read_text().replace("    items:\n", entry))
    line = manifest.read_text().splitlines().index("      distance: [torch.norm]}") + 1
    said = f"course.yml:{line}: assignments.squares.banned_in.distance is no name that"
    with pytest.raises(ManifestError, match=re.escape(said)):
        prepare(read_course(tmp_path), "squares", "x")
    manifest.write_text(manifest.read_text().replace("distance:", "distances:"))
    assert prepare(read_course(tmp_path), "squares", "x").assignment.banned_in
