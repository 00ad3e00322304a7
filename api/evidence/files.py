"""Files of a bundle as one zip file or a folder: the same files give the same bytes."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path

from events.errors import BadInput
from events.store.passing import clear, passing_folder

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The first date that a zip file can tell: when a bundle was packed is nobody's to read there."""

_MODE = 0o644 << 16
_LEVEL = 6
_PART = ".part"


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

    One that is new is there whole or not at all. Where they cannot all be written into one that
    was there, none is left: the next try finds the folder as this one did.
    """
    check_folder(folder)
    if folder.exists():
        try:
            _write(files, folder)
        except BaseException:
            for one in folder.iterdir():
                shutil.rmtree(one) if one.is_dir() else one.unlink()
            raise
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    clear(folder.parent, _PART)
    with passing_folder(folder.parent, _PART) as fresh:
        _write(files, fresh)
        fresh.rename(folder)


def _write(files: Mapping[str, bytes], folder: Path) -> None:
    for name in ("entries", "withheld", "proofs", "disclosures"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
