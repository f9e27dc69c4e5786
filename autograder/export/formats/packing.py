"""Files in a zip."""

import io
import zipfile
from collections.abc import Mapping

__all__ = ["packed"]


def packed(files: Mapping[str, str | bytes], stored: bool = False) -> bytes:
    """The zip of files by their names; what begins with "#!" can be run. The same, each time.

    stored: nothing is compressed, so that it is the same with every machine's library, too.
    """
    how = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in files.items():
            raw = content.encode() if isinstance(content, str) else content
            about = zipfile.ZipInfo(name)  # of no time
            about.create_system = 3  # as on Linux, wherever it is made
            about.external_attr = (0o755 if raw.startswith(b"#!") else 0o644) << 16
            archive.writestr(about, raw, how)
    return made.getvalue()
