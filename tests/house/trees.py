"""Syntax trees of Python files, each read once a run, for rules of the house and measures."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a Python file."""
    return ast.parse(path.read_text("utf-8"))


@cache
def nodes_of(tree: ast.Module) -> tuple[ast.AST, ...]:
    """Every node of a file's tree, in no order that matters: a dozen rules look at them all."""
    return tuple(ast.walk(tree))
