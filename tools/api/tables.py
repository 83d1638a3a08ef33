"""Adds to the description what only the built libraries know: the rows of the parameter tables, and which library has a
function. Tables are read from the functions that return `const rw_params *`, through the Python module."""
import os
import types
from pathlib import Path

from headers import Unknown, declarations

TEXTS = ("name", "unit", "line", "condition", "brief")


def load(description):
    """The Python module with the names of this file instead of its own api.json."""
    path = Path(__file__).parents[1] / "python/rechenwerk.py"
    module = types.ModuleType("rechenwerk")
    module.__file__ = str(description)
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), vars(module))
    return module


def add(api, build, description):
    """build: the folder with the shared libraries; description: the file that has `api` already."""
    os.environ["RECHENWERK_LIBRARY"] = str(Path(build, "librechenwerk.so"))
    os.environ.pop("RECHENWERK_LIBRARY_RUN", None)
    names = vars(load(description))
    structures = {d["name"]: d for d in declarations(api, "struct")}
    for d in declarations(api, "function"):
        if not hasattr(names["_library"]("rechenwerk"), d["name"]):
            d["library"] = "rechenwerk-run"
        if d["returns"] == {"pointer": "rw_params", "const": True} and not d["parameters"]:
            table(names, structures, d["name"], names[d["name"]]().contents)


def table(names, structures, function, params):
    """Describes a table, and each member of its structure that a row sets."""
    structure = structures[params.type.decode()]
    structure["parameters"] = {"function": function, "name": params.name.decode(), "line": params.line.decode()}
    fields = getattr(names[structure["name"]], "_fields_")
    offsets = {getattr(names[structure["name"]], f[0]).offset: m for f, m in zip(fields, structure["members"])}
    rows = [params.row[i] for i in range(params.n)]
    first = offsets.get(rows[0].offset, {}).get("type")
    methods = {}  # the constants of the first member, where it is an enumeration, by number
    if rows[0].kind == names["RW_PARAM_ENUM"] and first:
        methods = {int(v): v.name for v in names[first]}
    for row in rows:
        if row.offset not in offsets:
            raise Unknown(f"{function}: the row {row.name.decode()} is no member of {structure['name']}: build the "
                          "libraries from these headers first")
        member = offsets[row.offset]
        member["parameter"] = describe(names, row, methods)
        if member["parameter"]["name"] == member["name"]:
            del member["parameter"]["name"]


def describe(names, row, methods):
    """A row as data; what is empty is left out."""
    kind = names["rw_param_kind"](row.kind).name.removeprefix("RW_PARAM_")
    text = {key: (getattr(row, key) or b"").decode() for key in (*TEXTS, "standard", "allowed")}
    found = {"name": text["name"], "kind": kind, "required": row.required}
    found["example" if row.required else "default"] = text["standard"]
    if kind == "ENUM":
        found["choices"] = [choice for choice in text["allowed"].split("|") if choice]
    else:
        found["allowed"] = text["allowed"]
    found |= {key: text[key] for key in TEXTS[1:-1]}
    found["brief"] = None if row.brief is None else text["brief"]
    found["methods"] = [name for number, name in methods.items() if row.methods >> number & 1]
    if kind == "TABLE":
        found["table"] = row.table().contents.type.decode()
    return {key: v for key, v in found.items() if v or key == "brief" and v is not None}
