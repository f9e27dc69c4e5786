"""What lies beside a notebook for people, and for whoever installs: README, requirements."""

import ast
from collections.abc import Mapping
from pathlib import Path

import jinja2

from autograder.course import Assignment, Course, Handout

__all__ = ["for_course", "for_people"]

Files = Mapping[str, bytes]  # by name
_TEMPLATE = Path(__file__).with_name("README.md.jinja")
# The last release of torch for Intel Macs, and the numpy that it was built for.
_INTEL_MACS = 'numpy<2; sys_platform == "darwin" and platform_machine == "x86_64"'
_LOOK = "the look of the pictures"  # a name that is matplotlib's
_CONDA = {"torch": "pytorch-cpu"}  # what conda-forge calls it


def for_people(course: Course, assignment: Assignment, files: Files) -> dict[str, bytes]:
    """README.md, requirements.txt and environment.yml of an assignment; files: the others there."""
    return _filled(course, assignment.id, assignment.title, [assignment], files)


def for_course(course: Course, files: Files) -> dict[str, bytes]:
    """The same for a folder of all assignments."""
    return _filled(course, "course", course.name, list(course.assignments), files)


def _filled(
    course: Course, id: str, title: str, assignments: list[Assignment], files: Files
) -> dict[str, bytes]:
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    template = environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    own = {name for each in assignments for name in each.files} & files.keys()
    readme = template.render(
        course=course,
        id=id,
        title=title,
        assignments=assignments,
        one=assignments[0] if len(assignments) == 1 and id != "course" else None,
        lying=sorted({each.partition("/")[0] for each in files}),
        about={name: _about(name, files[name]) for name in own},
        handout=course.handout,
    )
    texts = {
        "README.md": readme.rstrip("\n") + "\n",
        "requirements.txt": _requirements(course.handout),
        "environment.yml": _environment(course.handout, id),
    }
    return {name: text.encode() for name, text in texts.items()}


def _about(name: str, data: bytes) -> str:
    """What a file is for: a module says so itself."""
    said = ast.get_docstring(ast.parse(data)) if name.endswith(".py") else None
    if said:
        return said.partition("\n")[0].removesuffix(".")
    return _LOOK if name == "matplotlibrc" else "the notebook reads it"


def _requirements(handout: Handout) -> str:
    # No bound above: over a torch that is newer, and made for the CPU, pip would put one for GPUs.
    lines = [f"# Python {handout.python} were tried."]
    lines.append("# The notebook's first cell asks for those alone that the notebook imports.")
    for name, tried in handout.packages.items():
        lowest, _, highest = tried.partition(" to ")
        said = lowest if lowest == highest else tried
        lines.append(f"{name}>={lowest}  # tried: {said}")
    if {"torch", "numpy"} <= handout.packages.keys():
        lines += ["# torch ends with 2.2 on Intel Macs, and knows numpy 1 alone.", _INTEL_MACS]
    return "\n".join(lines) + "\n"


def _environment(handout: Handout, name: str) -> str:
    lines = ["# conda env create -f environment.yml", f"name: {name}", "channels: [conda-forge]"]
    packages = {"python": handout.python} | handout.packages
    rows = (f'  - "{_CONDA.get(each, each)}{_range(tried)}"' for each, tried in packages.items())
    return "\n".join([*lines, "dependencies:", *rows]) + "\n"


def _range(tried: str) -> str:
    """What pip is told of "2.2 to 2.14": from the lowest on, and all of the highest."""
    lowest, _, highest = tried.partition(" to ")
    *before, last = highest.split(".")
    return f">={lowest},<{'.'.join([*before, str(int(last) + 1)])}"
