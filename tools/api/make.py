"""Writes docs/reference/api.json, docs/reference/api.md and src/core/members.h (tools/api/make.sh).

    make.py SOURCE BUILD OUTPUT     SOURCE: the checkout; BUILD: with the shared libraries; OUTPUT: where to write
"""
import sys
from pathlib import Path

import headers
import members
import reference
import tables


def main(source, build, output):
    api = headers.describe(Path(source, "include"))
    description = Path(output, "docs/reference/api.json")
    write(description, headers.dump(api) + "\n")
    tables.add(api, build, description)
    write(description, headers.dump(api) + "\n")
    write(Path(output, "docs/reference/api.md"), reference.page(api))
    write(Path(output, "src/core/members.h"), members.text(api))


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except headers.Unknown as error:
        sys.exit(f"tools/api: {error}")
