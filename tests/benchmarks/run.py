"""One command for every benchmark: `uv run python tests/benchmarks/run.py [name ...]`.

Each puts a peer beside us in the same run and prints ratios (design §7). Nothing is asserted.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from machine import built

HERE = Path(__file__).parent


def main(wanted: list[str]) -> int:
    """Run the named benchmarks, or all of them, one after the other."""
    known = {path.stem.removeprefix("bench_"): path for path in sorted(HERE.glob("bench_*.py"))}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        print(f"no such benchmark: {', '.join(unknown)}; there are: {', '.join(known)}")
        return 2
    print(f"{built()}\n")
    for name, path in known.items():
        if wanted and name not in wanted:
            continue
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        # Registered under its name: a benchmark's server process imports it again by that name.
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
        print(f"## {name}: {(module.__doc__ or '').splitlines()[0]}\n")
        sys.argv = [path.name]
        module.main()
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
