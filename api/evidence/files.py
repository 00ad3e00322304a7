"""Files of a bundle as one zip file or a folder: the same files give the same bytes."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path

from events.errors import BadInput

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The first date that a zip file can tell: when a bundle was packed is nobody's to read there."""

_MODE = 0o644 << 16
_LEVEL = 6


def zipped(files: Mapping[str, bytes], *, folder: str) -> bytes:
    """The files in one folder of a zip file, in order; no date, user or machine is told in it."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(f"{folder}/{name}", _EPOCH)
            info.external_attr = _MODE
            info.create_system = 3
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, files[name], compresslevel=_LEVEL)
    return made.getvalue()


def check_folder(folder: Path) -> None:
    """Refuse a folder with something in it. Errors: BadInput, OSError."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{folder} is there already: name a new folder, or a file that ends in .zip")


def write_folder(files: Mapping[str, bytes], folder: Path) -> None:
    """The files in a folder that does not exist yet or is empty. Errors: BadInput, OSError.

    Where they cannot all be written, none is left: the next try finds the folder as this one did.
    """
    check_folder(folder)
    is_new = not folder.exists()
    try:
        for name in ("entries", "withheld", "proofs", "disclosures"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except BaseException:
        _empty(folder, itself=is_new)
        raise


def _empty(folder: Path, *, itself: bool) -> None:
    for one in folder.iterdir() if folder.is_dir() else ():
        shutil.rmtree(one) if one.is_dir() else one.unlink()
    if itself and folder.is_dir():
        folder.rmdir()
