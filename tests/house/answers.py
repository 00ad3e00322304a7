"""The API's answers as types for the browser's modules, generated from its description.

`uv run python -m tests.house.answers` rewrites them; a test checks that they are current. Written
are the shapes that a `types.d.ts` names, and the shapes inside these.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "api" / "web" / "static"
FILE = STATIC / "shared" / "answers.d.ts"
FIRST = "// What the API answers, made of its description by `python -m tests.house.answers`."

_NAMED = re.compile(r'(?:export|import) type \{([^}]*)\} from "[./a-z]*/answers"')
_REF = "#/components/schemas/"


def written() -> str:
    """The text of the file as the API is described now. Errors: KeyError for an unknown shape."""
    document = json.loads((ROOT / "openapi" / "openapi.json").read_text("utf-8"))
    schemas = document["components"]["schemas"]
    wanted, made = _named(), {}
    while wanted:
        name = wanted.pop()
        made[name] = _interface(name, schemas[name])
        wanted |= set(re.findall(f"{_REF}(\\w+)", json.dumps(schemas[name]))) - made.keys()
    return "\n\n".join([FIRST, *(made[name] for name in sorted(made))]) + "\n"


def _named() -> set[str]:
    """The shapes that the modules' own types name."""
    texts = "".join(file.read_text("utf-8") for file in STATIC.rglob("types.d.ts"))
    parts = [part.split() for names in _NAMED.findall(texts) for part in names.split(",")]
    return {part[0] for part in parts if part}


def _interface(name: str, schema: dict[str, Any]) -> str:
    lines = [f"/** {schema['description']} */", f"export interface {name} {{"]
    for member, value in schema["properties"].items():
        if "description" in value:
            lines.append(f"  /** {value['description']} */")
        mark = "" if member in schema["required"] else "?"
        lines.append(f"  {member}{mark}: {_type(value)};")
    return "\n".join([*lines, "}"])


def _type(schema: dict[str, Any]) -> str:
    """A schema as a type. Errors: KeyError where the description holds something new."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_REF)
    if "anyOf" in schema:
        return " | ".join(map(_type, schema["anyOf"]))
    if "const" in schema or "enum" in schema:
        return " | ".join(map(json.dumps, schema.get("enum", [schema.get("const")])))
    if schema["type"] == "array":
        item = _type(schema["items"])
        return f"({item})[]" if " " in item else f"{item}[]"
    if schema["type"] == "object":
        of = schema["additionalProperties"]
        return f"Record<string, {'any' if of is True else _type(of)}>"
    plain = {
        "integer": "number",
        "number": "number",
        "string": "string",
        "boolean": "boolean",
        "null": "null",
    }
    return plain[schema["type"]]


if __name__ == "__main__":
    FILE.write_text(written(), "utf-8")
