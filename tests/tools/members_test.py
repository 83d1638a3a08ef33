"""Calls for test_members.sh: each public function that reads a structure, with one bad member at a time.

    members_test.py SOURCE      writes rows CALL(function, member, type, assignment, call)
"""
import json
import re
import sys
from pathlib import Path

# Functions without a check of their own: they read a finished object or only texts, or return no status.
EXEMPT = {
    "rw_params_parse", "rw_params_set", "rw_params_resolve",  # the table is the library's own
    "rw_image_own_register", "rw_stream_format_register",     # functions of a plugin
    "rw_launch",                                              # arguments are checked with the kernel's parameters
    "rw_depgraph_dot",                                        # a result of rw_depgraph_partition
}


def main(source):
    api = json.loads(Path(source, "docs/reference/api.json").read_text(encoding="utf-8"))
    checks = rows(Path(source, "src/core/members.h").read_text(encoding="utf-8"))
    macros = {d["name"] for d in declarations(api) if d["kind"] == "macro"}
    for function in declarations(api):
        if function["kind"] != "function" or function["returns"] != "rw_status":
            continue
        parameters = function["parameters"]
        name = function["name"].removesuffix("_sized")
        if name in EXEMPT:
            continue
        if name in macros:
            parameters = [p for p in parameters if not p["name"].endswith("_size")]
        elif name != function["name"]:
            name = function["name"]
        for i, parameter in enumerate(parameters):
            kind = parameter["type"]
            structure = isinstance(kind, dict) and kind.get("const") and kind.get("pointer")
            if not isinstance(structure, str):
                continue
            for member, assignment in checks.get(structure, []):
                call = ", ".join("&bad" if i == k else "1" if p["name"] == "n" + parameter["name"] else argument(p)
                                 for k, p in enumerate(parameters))
                print(f'CALL("{name}", "{member}", {structure}, {assignment}, {name}({call}))')


def declarations(api):
    return [d for header in api["headers"] for section in header["sections"] for d in section["declarations"]]


OBJECTS = {"rw_context": "ctx", "rw_device": "dev", "rw_operator": "operator", "rw_sparse": "matrix"}


def argument(parameter):
    kind = parameter["type"]
    if not isinstance(kind, dict):
        return "0"
    target = kind.get("pointer")
    return OBJECTS.get(target, "zeros") if isinstance(target, str) else "zeros"


def rows(text):
    """Structure: [(member in the message, assignment)]."""
    found = {}
    for structure, array, count in re.findall(r"RW_MEMBER_ARRAY\((\w+), (\w+), (\w+)\)", text):
        found.setdefault(structure, []).append((count, f"bad.{count} = 3"))
        found[structure].append((count, f"bad.{count} = -1"))
    for structure, path, least, most in re.findall(r"RW_MEMBER_ENUM\((\w+), ([^,]+), \w+, (-?\d+), (-?\d+)\)", text):
        for value in (int(least) - 1, int(most) + 1, 444):
            found.setdefault(structure, []).append((path, f"bad.{path} = {value}"))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
