"""Finds your own Transformer, if its notebook is near and right."""

import contextlib
import importlib.util
import io
import json
import sys
import types
from pathlib import Path

import torch

NAME = "a5_transformer"
PLACES = (Path(f"{NAME}.ipynb"), Path("..", NAME, f"{NAME}.ipynb"))
SIZES = {"d_model": 12, "n_heads": 3, "d_ff": 20, "n_layers": 2, "max_len": 9, "dropout": 0.1}
ALLOWED = 1e-4  # of a difference, in float32


def own_transformer(given):
    """Return your class Transformer when it computes what `given` does, otherwise `given`."""
    notebook = next((place for place in PLACES if place.is_file()), None)
    if notebook is None:
        print(f"There is no {NAME}.ipynb near: you train the Transformer that is given.")
        return given
    try:
        own = _run(notebook)
        problem = _difference(own, given)
    except Exception as error:
        problem = f"{type(error).__name__}: {error}" if str(error) else "it still has a stub"
    if problem:
        print(f"The Transformer of {notebook} is not right yet ({problem}).")
        print("You train the one that is given.")
        return given
    print(f"You train your own Transformer, from {notebook}.")
    return own


def _run(notebook):
    """The class Transformer of a notebook: what is given in it, your solutions, your own cells."""
    module = types.ModuleType(NAME)
    failed = None
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    with _given_beside(notebook), contextlib.redirect_stdout(io.StringIO()):
        for cell in cells:
            about = cell["metadata"].get("nbgrader", {})
            shown = about.get("grade_id", "").startswith("figure_")
            if cell["cell_type"] != "code" or about.get("grade") or shown:
                continue
            try:
                exec("".join(cell["source"]), vars(module))
            except Exception as error:  # perhaps it does not matter: a plot, a magic
                failed = failed or error
    if not hasattr(module, "Transformer"):
        why = f"; its first error is {failed!r}" if failed else ""
        raise NameError(f"it defines no Transformer{why}")
    return module.Transformer


@contextlib.contextmanager
def _given_beside(notebook):
    """Let the notebook import the `given` that lies beside it."""
    path, ours = notebook.with_name("given.py"), sys.modules["given"]
    if path.is_file():
        spec = importlib.util.spec_from_file_location("given", path)
        sys.modules["given"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["given"])
    try:
        yield
    finally:
        sys.modules["given"] = ours


@torch.no_grad()
def _difference(own, given):
    """What is different between the logits of two Transformers with the same weights, if any."""
    right, other = (kind(11, 13, **SIZES).eval() for kind in (given, own))
    other.load_state_dict(right.state_dict())
    generator = torch.Generator().manual_seed(0)
    source = torch.randint(3, 11, (2, 7), generator=generator)
    target = torch.randint(3, 13, (2, 5), generator=generator)
    source[0, 5:], target[1, 4:] = 0, 0
    memory = other.encode(source)
    found, expected = other(source, target), right(source, target)
    found, expected = found[target != 0], expected[target != 0]
    if not torch.allclose(found, expected, atol=ALLOWED):
        return "its logits differ"
    if not torch.allclose(memory[0, :5], right.encode(source)[0, :5], atol=ALLOWED):
        return "its memory differs"
    if not hasattr(other.decoder.layers[-1].cross_attn, "weights"):
        return "its attention keeps no weights"
    return None
