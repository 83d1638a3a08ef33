"""Writes docs/reference/api.json, docs/reference/api.md, tools/python/rechenwerk.py and src/core/members.h
(tools/api/make.sh).

    make.py SOURCE BUILD OUTPUT     SOURCE: the checkout; BUILD: with the shared libraries; OUTPUT: where to write
"""
import sys
from pathlib import Path

import ctypes_module
import headers
import members
import reference
import tables


def main(source, build, output):
    api = headers.describe(Path(source, "include"))
    tables.add(api, build)
    files = {"docs/reference/api.json": headers.dump(api) + "\n", "docs/reference/api.md": reference.page(api),
             "tools/python/rechenwerk.py": ctypes_module.module(api), "src/core/members.h": members.text(api)}
    for name, text in files.items():
        path = Path(output, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except headers.Unknown as error:
        sys.exit(f"tools/api: {error}")
