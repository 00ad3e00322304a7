"""Fixtures for the golden cases of the rule sets: where they lie, and how an answer is compared."""

from __future__ import annotations

import sys
from pathlib import Path

# Helpers of this folder and the table of the folds' tests are plain modules beside the tests.
for folder in (Path(__file__).parent, Path(__file__).parents[1] / "projections"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
