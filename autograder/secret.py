"""The course's secret, from which the hidden inputs are drawn.

Every student gets the same inputs, a regrade gets them again, and nobody outside can know them.
"""

import hashlib
import os
import secrets
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
        try:
            # Made readable by its owner alone, and only by whoever comes first.
            with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
                file.write(secrets.token_hex(32) + "\n")
        except FileExistsError:
            pass
        found = path.read_text(encoding="utf-8")
    found = found.strip()
    if len(found) < _MIN_CHARACTERS:
        raise ValueError(f"{where} holds {len(found)} characters; {_MIN_CHARACTERS} are needed")
    return found


def fingerprint(secret: str) -> str:
    """Twelve characters that tell two secrets apart and give neither away."""
    return hashlib.sha256(f"fingerprint {secret}".encode()).hexdigest()[:12]


def seed(secret: str, assignment: str, item: str, case: str) -> int:
    """The seed of one case, below 2**63."""
    text = "\0".join((secret, assignment, item, case))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) >> 1
