"""Two sets of fonts with other widths and heights: layouts must not depend on a machine's fonts."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

import pytest

TREE = Path(__file__).parents[2] / "api" / "web" / "fonts"

WIDE: Final = "dejavu"
"""DejaVu Sans for everything: very wide, and Debian's default if no other is installed."""

NARROW: Final = "source"
"""Source Sans and Serif: a fifth narrower and a tenth higher at the same size."""

FONT_SETS: Final = (WIDE, NARROW)

UNDER_BOTH_FONT_SETS = pytest.mark.parametrize("fonts", FONT_SETS)
"""For tests that measure a page: they take `fonts` and pass it to `new_context`."""

_PACKAGES = ("font_source_sans_pro", "font_source_serif_pro")

_CONFIG = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
{folders}
<cachedir>{cache}</cachedir>
{families}
</fontconfig>
"""


def folders_of(fonts: str) -> list[Path] | None:
    """The folders of a set's files; None if its packages are not installed."""
    if fonts == WIDE:
        return [TREE]
    found: list[Path] = []
    for package in _PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            return None
        found.append(Path(spec.origin).parent / "files")
    return found


def font_config(fonts: str, folder: Path) -> Path:
    """A file for `FONTCONFIG_FILE`, in `folder`, that names only the fonts of this set."""
    folders = folders_of(fonts)
    assert folders is not None, fonts
    sans, serif = {
        WIDE: ("DejaVu Sans", "DejaVu Sans"),
        NARROW: ("Source Sans Pro", "Source Serif Pro"),
    }[fonts]
    generic = {"sans-serif": sans, "system-ui": sans, "monospace": sans, "serif": serif}
    config = folder / f"{fonts}.conf"
    config.write_text(
        _CONFIG.format(
            folders="\n".join(f"<dir>{escape(str(one))}</dir>" for one in folders),
            cache=escape(str(folder / f"{fonts}-cache")),
            families="\n".join(
                f"<alias binding='same'><family>{name}</family>"
                f"<prefer><family>{font}</family></prefer></alias>"
                for name, font in generic.items()
            ),
        ),
        "utf-8",
    )
    return config
