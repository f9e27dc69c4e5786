"""The first code cell of a notebook: are the files and packages here that it needs?

It is made at release and is no part of what is graded. Its words are read by somebody who has the
notebook and nothing else: on a laptop, in VS Code, which may run it in another folder, or in Colab,
where it takes the zip.
"""

import ast
from collections.abc import Iterable

from autograder.notebooks import READY, Source, SourceCell

__all__ = ["ready_cell"]

_TEXT = '''\
# Run this cell first: it says in words what is missing here, if anything is.
def _ready(name, download, files, packages):
    import importlib.util, os, sys, zipfile

    if "__vsc_ipynb_file__" in globals():  # VS Code may run it in another folder
        os.chdir(os.path.dirname(__vsc_ipynb_file__))
    if "google.colab" in sys.modules and not os.path.exists(files[0]):
        if not os.path.isdir(name):
            from google.colab import files as colab
            print(f"Choose {name}.zip. You get it from {download}.")
            for each in colab.upload():
                zipfile.ZipFile(each).extractall()
        os.chdir(name if os.path.isdir(name) else ".")
    sys.path.insert(0, os.getcwd())
    lost = ", ".join(each for each in files if not os.path.exists(each))
    absent = ", ".join(each for each in packages if importlib.util.find_spec(each) is None)
    said = [
        f"""This notebook cannot work alone. Missing beside it: {lost}.
Get {name}.zip from {download}, unpack it,
and open the notebook that lies in the unpacked folder.
(Looked in {os.getcwd()})""" if lost else "",
        f"""Not installed in this Python: {absent}.
In a terminal, in this notebook's folder: pip install -r requirements.txt
README.md beside it says more. (This Python: {sys.executable})""" if absent else "",
    ]
    if any(said):
        told = type("NotReady", (Exception,), {"_render_traceback_": lambda self: [str(self)]})
        raise told("\\n\\n".join(filter(None, said)))
    print("All that this notebook needs is here.")


'''


def ready_cell(
    source: Source, files: Iterable[str], packages: Iterable[str], download: str
) -> SourceCell:
    """The cell. files: what lies beside the notebook; packages: what students install."""
    tops = {each.partition("/")[0] for each in files}
    beside = ["checks", *sorted(tops - {"checks", "figures"})]
    needed = sorted(_imported(source).intersection(packages))
    given: tuple[str | list[str], ...] = (source.assignment, download, beside, needed)
    called = ", ".join(map(_written, given))
    return SourceCell("code", f"{_TEXT}_ready({called})", "given", READY, active=True)


def _written(value: str | list[str]) -> str:
    """As Python, with the quotes of the rest."""
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _imported(source: Source) -> set[str]:
    """What the notebook's cells import, by its first name."""
    names: set[str] = set()
    for cell in source.cells:
        for node in ast.walk(ast.parse(cell.source)) if cell.kind == "code" else ():
            if isinstance(node, ast.Import):
                names |= {each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module.partition(".")[0])
    return names
