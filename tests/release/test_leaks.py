"""Plantings of every kind are found in whatever a student would get; what is found is refused."""

import base64
import gzip
import io
import json
import zipfile
import zlib
from pathlib import Path

import nbformat
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from autograder.notebooks.source import read_source
from autograder.release.leaks import leaks
from autograder.release.retold import Words, pieces

ROOT = Path(__file__).resolve().parents[2]
NAME = "a1_attention"
NOTEBOOK = f"{NAME}.ipynb"
SECRET = "a secret for the tests, and no other's"

# The same code of a solution and of a hidden check, each in another layout and with other names.
AS_WRITTEN = "weights = scores.masked_fill(~mask, lowest).softmax(dim=-1).masked_fill(~mask, 0.0)"
REFORMATTED = """\
weights = (
    scores
    .masked_fill(~mask, lowest)  # so that
    .softmax(dim = -1)
    .masked_fill(
        ~mask,
        0.,
    )
)
"""
RENAMED = "a = s.masked_fill(~allowed, low).softmax(dim=-1).masked_fill(~allowed, 0.0)"
RETURNED = "return((ids!=blank)[:,None,None,:])"  # return (tokens != pad_id)[:, None, None, :]
HIDDEN = "if not torch.allclose(w.sum(-1), torch.ones(BATCH, N_HEADS, T_Q, dtype=x.dtype)): pass"


@pytest.fixture(scope="module")
def source():
    return read_source(ROOT / "solutions" / NAME / f"{NAME}.py")


@pytest.fixture(scope="module")
def released():
    folder = ROOT / "assignments" / NAME
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def scan(files, source, **planted):
    files = files | {
        name.replace("__", "/").replace("_dot_", "."): x for name, x in planted.items()
    }
    return leaks(files, source, {*files}, SECRET)


def in_notebook(released, change):
    notebook = nbformat.reads(released[NOTEBOOK].decode(), as_version=4)
    change(notebook)
    return nbformat.writes(notebook).encode()


def png(said, packed):
    about = PngInfo()
    about.add_text("Software", said, zip=packed)
    data = io.BytesIO()
    Image.new("1", (2, 2)).save(data, "PNG", pnginfo=about)
    return data.getvalue()


def zipped(said):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner.py", said)
    return data.getvalue()


def add_output(notebook, said):
    cell = nbformat.v4.new_code_cell("1", id="planted")
    cell.outputs = [nbformat.v4.new_output("stream", text=said)]
    notebook.cells.append(cell)


def add_result(notebook, said):
    cell = nbformat.v4.new_code_cell("1", id="planted")
    data = {"text/html": f"<pre><b>{said.replace('=', '</b>=', 1)}</pre>"}
    cell.outputs = [nbformat.v4.new_output("display_data", data=data)]
    notebook.cells.append(cell)


def add_picture(notebook, said):
    cell = nbformat.v4.new_code_cell("1", id="planted")
    data = {"image/png": base64.encodebytes(png(said, packed=True)).decode()}
    cell.outputs = [nbformat.v4.new_output("display_data", data=data)]
    notebook.cells.append(cell)


def add_attachment(notebook, said):
    cell = nbformat.v4.new_markdown_cell("![](attachment:a.png)", id="planted")
    cell.attachments = {"a.png": {"image/png": base64.b64encode(png(said, packed=True)).decode()}}
    notebook.cells.append(cell)


def add_text_attached(notebook, said):
    cell = nbformat.v4.new_markdown_cell("see", id="planted")
    cell.attachments = {"a.txt": {"text/plain": base64.b64encode(said.encode()).decode()}}
    notebook.cells.append(cell)


IN_NOTEBOOK = {
    "a text": lambda n, said: n.cells.append(nbformat.v4.new_markdown_cell(f"```\n{said}\n```")),
    "a cell": lambda n, said: n.cells.append(nbformat.v4.new_code_cell(said)),
    "commented out": lambda n, said: n.cells.append(
        nbformat.v4.new_code_cell("".join(f"# {line}\n" for line in said.splitlines()))
    ),
    "what was printed": add_output,
    "a result as HTML": add_result,
    "words in a picture": add_picture,
    "a cell's metadata": lambda n, said: n.cells[0].metadata.update(note=[{"old": said}]),
    "the notebook's metadata": lambda n, said: n.metadata.update(note={said: 1}),
    "base64 in metadata": lambda n, said: n.metadata.update(
        note=base64.b64encode(said.encode()).decode()
    ),
    "an attached picture": add_attachment,
    "an attached text": add_text_attached,
}
IN_FILES = {
    "a handout's docstring": ("given.py", lambda said: f'"""Once:\n\n{said}\n"""\n'.encode()),
    "a handout's code": ("own.py", lambda said: f"def f():\n    {said}\n".encode()),
    "a figure's source": ("figures/a.svg", lambda said: f"<svg><!-- {said} --></svg>".encode()),
    "a figure, escaped": (
        "figures/a.svg",
        lambda said: f"<svg><text>{said.replace('~', '&#126;')}</text></svg>".encode(),
    ),
    "a figure's program": ("figures/draw.py", str.encode),
    "a picture's words": ("figures/a.png", lambda said: png(said, packed=False)),
    "a picture's packed words": ("figures/a.png", lambda said: png(said, packed=True)),
    "a packed figure": ("figures/a.svgz", lambda said: gzip.compress(f"<svg>{said}".encode())),
    "a zip": ("data.zip", zipped),
    "a table": ("data.tsv", lambda said: f"1\t{said}\n".encode()),
    "the README": ("README.md", lambda said: f"\n    {said}\n".encode()),
}
TOLD = {"as written": AS_WRITTEN, "reformatted": REFORMATTED, "renamed": RENAMED, "hidden": HIDDEN}
every_telling = pytest.mark.parametrize("said", TOLD.values(), ids=TOLD)


def test_what_is_handed_out_is_clean(released, source):
    assert scan(released, source) == []
    assert AS_WRITTEN in (ROOT / "solutions" / NAME / f"{NAME}.py").read_text()


@every_telling
@pytest.mark.parametrize("plant", IN_NOTEBOOK.values(), ids=IN_NOTEBOOK)
def test_a_leak_in_a_notebook_is_found(released, source, plant, said):
    files = {NOTEBOOK: in_notebook(released, lambda notebook: plant(notebook, said))}
    (problem,) = leaks(files, source, {NOTEBOOK}, SECRET)
    assert problem.startswith(NOTEBOOK)
    owner = "checks.py" if said is HIDDEN else "the solution 'attention'"
    assert f"a line of {owner}" in problem


@every_telling
@pytest.mark.parametrize(("name", "made"), IN_FILES.values(), ids=IN_FILES)
def test_a_leak_in_a_file_is_found(source, name, made, said):
    (problem,) = leaks({name: made(said)}, source, {name}, SECRET)
    assert problem.startswith(name)


@pytest.mark.parametrize("plant", IN_NOTEBOOK.values(), ids=IN_NOTEBOOK)
def test_the_secret_is_found_everywhere(released, source, plant):
    files = {NOTEBOOK: in_notebook(released, lambda notebook: plant(notebook, SECRET))}
    (problem,) = leaks(files, source, {NOTEBOOK}, SECRET)
    assert problem == f"{NOTEBOOK}: the course's secret: (not shown)"


def test_a_short_answer_under_other_names_is_found_and_told(source):
    (problem,) = leaks({"a.py": RETURNED.encode()}, source, {"a.py"}, None)
    assert problem == (
        "a.py: a line of the solution 'padding_mask', 'return (tokens != pad_id)[:, None, None, :]'"
        ", told as: ids ! = blank [ : None None : ]"
    )


def test_the_place_in_a_notebook_is_told(released, source):
    data = in_notebook(released, lambda notebook: add_output(notebook, RENAMED))
    number = len(json.loads(data)["cells"]) - 1
    (problem,) = leaks({NOTEBOOK: data}, source, {NOTEBOOK}, None)
    assert problem.startswith(f"{NOTEBOOK} (cells[{number}].outputs[0].text): a line of the")


@pytest.mark.parametrize(
    "other",
    [
        "a = s.masked_fill(~allowed, low).softmax(dim=-1).masked_fill(~other, 0.0)",
        "a = s.masked_fill(~allowed, low).softmax(dim=-2).masked_fill(~allowed, 0.0)",
        "return (ids != blank)[:, None, :, None]",
        "return (ids != ids)[:, None, None, :]",
        "Fill the blocked scores with the lowest number, take the softmax, and fill them with 0.",
    ],
)
def test_other_code_is_no_leak(source, other):
    assert leaks({"a.py": other.encode()}, source, {"a.py"}, None) == []


def test_short_statements_tell_together():
    code = "a = x.mean()\nb = x.var()\nc = (x - a) / b\n"
    (first, *_) = pieces(code, (1, 2, 3))
    assert Words("m = t.mean(); v = t.var()\nreturn (t - m) / v").find(first) is None
    assert Words("m = t.mean(); v = t.var(); r = (t - m) / v").find(first)


def test_files_that_only_look_packed_are_read_as_they_are(source):
    for data in (b"\x1f\x8bnot", b"PK\x03\x04", b"\x89PNG\r\n", b"GIF", zlib.compress(b"x")):
        assert leaks({"a.bin": data}, source, {"a.bin"}, SECRET) == []
