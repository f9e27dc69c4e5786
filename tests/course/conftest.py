"""What reads a text as a course.yml, and what gives the lines of its refusal."""

from collections.abc import Callable

import pytest

from autograder.course.manifest import Course, ManifestError, read_course

Read = Callable[[str | bytes], Course]
Refuse = Callable[[str | bytes], list[str]]


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Read:
    """Reads a text as the course.yml of a folder."""
    folder = tmp_path_factory.mktemp("course")

    def read(text: str | bytes) -> Course:
        (folder / "course.yml").write_bytes(text.encode() if isinstance(text, str) else text)
        return read_course(folder)

    return read


@pytest.fixture(scope="module")
def refusal(read: Read) -> Refuse:
    """The lines of the ManifestError that a text must raise."""

    def refusal(text: str | bytes) -> list[str]:
        with pytest.raises(ManifestError) as caught:
            read(text)
        return str(caught.value).splitlines()

    return refusal
