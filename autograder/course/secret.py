"""The course's secret, from which the hidden inputs are drawn.

Every student gets the same inputs, a regrade gets them again, and nobody outside can know them.
"""

import contextlib
import hashlib
import os
import secrets
import tempfile
from pathlib import Path

VARIABLE = "AUTOGRADER_SECRET"
FILE = ".autograder_secret"
_MIN_CHARACTERS = 16
PUBLIC = "public cases"  # the seed of what students may see; no secret


def read_secret(root: Path) -> str:
    """The secret: the environment variable, else the course's file, made on first use.

    Raises ValueError when there is one that is too short to be a secret.
    """
    path = root / FILE
    found, where = os.environ.get(VARIABLE), f"the environment variable {VARIABLE}"
    if found is None:
        where = str(path)
        if not path.exists():
            _make(path)
        found = path.read_text(encoding="utf-8")
    found = found.strip()
    if len(found) < _MIN_CHARACTERS:
        raise ValueError(f"{where} holds {len(found)} characters; {_MIN_CHARACTERS} are needed")
    return found


def known_secret(root: Path) -> str | None:
    """The secret if there is one; none is made."""
    if VARIABLE in os.environ or (root / FILE).exists():
        return read_secret(root)
    return None


def _make(path: Path) -> None:
    """Make the file, for its owner alone; whole, and only if nobody else was quicker."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")  # mode 0600
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(secrets.token_hex(32) + "\n")
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        os.unlink(draft)


def fingerprint(secret: str) -> str:
    """Twelve characters that tell two secrets apart and give neither away."""
    return hashlib.sha256(f"fingerprint {secret}".encode()).hexdigest()[:12]


def seed(secret: str, assignment: str, item: str, case: str) -> int:
    """The seed of one case, below 2**63."""
    text = "\0".join((secret, assignment, item, case))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) >> 1
