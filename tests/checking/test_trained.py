"""A file of weights that is handed in: read with bounds, never run, and told about in words."""

import contextlib
import os

import pytest
import torch
from safetensors.torch import save_file

from autograder.asking.student import StudentError
from autograder.checking.trained import read_weights
from autograder.course.result import Verdict

NAME = "weights.safetensors"
EXPECTED = {"one.weight": torch.zeros(3, 4), "one.bias": torch.zeros(3)}


def weights(**changes):
    return {"one.weight": torch.randn(3, 4), "one.bias": torch.randn(3)} | changes


def refusal(folder):
    with pytest.raises(StudentError) as caught:
        read_weights(folder, NAME, EXPECTED)
    return caught.value.verdict, str(caught.value)


def test_what_was_saved_is_read(tmp_path):
    saved = weights()
    save_file(saved, tmp_path / NAME, metadata={"format": "pt"})
    found = read_weights(tmp_path, NAME, EXPECTED)
    assert found.keys() == saved.keys()
    assert all(torch.equal(found[name], saved[name]) for name in saved)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"one.bias": torch.zeros(4)}, "has one.bias of shape (4,), not (3,)"),
        ({"one.weight": torch.zeros(4, 3)}, "has one.weight of shape (4, 3), not (3, 4)"),
        ({"one.bias": torch.zeros(3).double()}, "has one.bias of type F64, not F32"),
        ({"one.bias": torch.zeros(3).half()}, "has one.bias of type F16, not F32"),
        ({"one.bias": torch.zeros(3).int()}, "has one.bias of type I32, not F32"),
        ({"two.bias": torch.zeros(3)}, "has the unknown two.bias"),
        ({"one.bias": torch.tensor([0, torch.nan, 0])}, "one.bias has NaN or infinite values"),
        ({"one.weight": torch.full((3, 4), torch.inf)}, "one.weight has NaN or infinite values"),
    ],
)
def test_weights_of_something_else_are_wrong(tmp_path, changes, told):
    save_file(weights(**changes), tmp_path / NAME)
    verdict, message = refusal(tmp_path)
    assert verdict is Verdict.WRONG
    assert told in message


def test_missing_parameters_are_named_but_not_all_of_them(tmp_path):
    save_file({f"x{n}": torch.zeros(1) for n in range(9)}, tmp_path / NAME)
    assert refusal(tmp_path)[1].startswith(f"{NAME} lacks one.bias, one.weight. ")
    save_file(weights(**{f"x{n}": torch.zeros(1) for n in range(9)}), tmp_path / NAME)
    assert "has the unknown x0, x1, x2 and 6 more" in refusal(tmp_path)[1]


def test_no_file_is_missing(tmp_path):
    verdict, message = refusal(tmp_path)
    assert verdict is Verdict.MISSING
    assert f"no {NAME} beside the notebook" in message
    assert refusal(tmp_path / "no folder")[0] is Verdict.MISSING


def test_a_link_is_not_followed(tmp_path):
    save_file(weights(), tmp_path / "elsewhere")
    (tmp_path / NAME).symlink_to("elsewhere")
    verdict, message = refusal(tmp_path)
    assert verdict is Verdict.ERROR
    assert "or is a link" in message


def test_what_is_no_regular_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / NAME)
    assert refusal(tmp_path) == (Verdict.ERROR, f"{NAME} is not a regular file.")
    (tmp_path / NAME).unlink()
    (tmp_path / NAME).mkdir()
    assert refusal(tmp_path)[0] is Verdict.ERROR


def test_a_huge_file_is_not_read(tmp_path):
    with (tmp_path / NAME).open("wb") as file:
        file.truncate(200 << 30)
    verdict, message = refusal(tmp_path)
    assert verdict is Verdict.WRONG
    assert "has 214,748,364,800 bytes" in message


def test_a_file_cut_off_or_damaged_anywhere_is_no_fault_of_ours(tmp_path):
    save_file(weights(), tmp_path / NAME)
    data = (tmp_path / NAME).read_bytes()
    for at in range(len(data)):
        (tmp_path / NAME).write_bytes(data[:at])
        assert refusal(tmp_path)[0] is Verdict.ERROR
    generator = torch.Generator().manual_seed(0)
    for at in range(len(data)):
        for byte in torch.randint(256, (4,), generator=generator).tolist():
            damaged = data[:at] + bytes([byte]) + data[at + 1 :]
            (tmp_path / NAME).write_bytes(damaged)
            with contextlib.suppress(StudentError):  # and no other exception
                found = read_weights(tmp_path, NAME, EXPECTED)
                assert found.keys() == EXPECTED.keys()
