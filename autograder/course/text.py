"""The text of a file that an author wrote."""

from pathlib import Path

__all__ = ["text_of"]


def text_of(path: Path) -> str:
    """The text of a file. Raises ValueError, which names the line, for one that is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{error.object[error.start]:02x} is not UTF-8"
        raise ValueError(f"{path}:{line}: {what}: save the file as UTF-8") from error
