"""The description of the API against the headers, by other means than those that made it.

    api_test.py SOURCE GENERATED

Each RW_API name is described once, on the page too; each function has a comment, or shares that of the declaration
above it; each structure has the size and the offsets that the C compiler gives it; each constant has its value. What
the headers have little of (macros that append sizes, comments of all places) is described from a small header.
"""
import ctypes
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

source, generated = Path(sys.argv[1]), Path(sys.argv[2])
sys.path.insert(0, str(source / "tools/api"))
import headers  # noqa: E402
import tables  # noqa: E402

rechenwerk = tables.load(generated / "docs/reference/api.json")

# Their names say all.
bad = []
api = json.loads((generated / "docs/reference/api.json").read_text(encoding="utf-8"))
page = (generated / "docs/reference/api.md").read_text(encoding="utf-8")
described = [d for h in api["headers"] for s in h["sections"] for d in s["declarations"]]
by_name = {d["name"]: d for d in described}


def check_names():
    declared = []
    for path in sorted((source / "include/rechenwerk").glob("*.h")):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
        text = re.sub(r"^[ \t]*#\s*define RW_API.*", "", text, flags=re.M)
        found = re.findall(r"RW_API [^;]*?\b(rw_\w+)\(", text)
        if len(found) != text.count("RW_API "):
            bad.append(f"{path.name}: {text.count('RW_API ')} times RW_API, {len(found)} names")
        declared += found
    functions = Counter(d["name"] for d in described if d["kind"] == "function")
    for name in sorted(set(declared) ^ set(functions)):
        bad.append(f"{name}: in the headers or in api.json only")
    for name, n in Counter(d["name"] for d in described).items():
        if n != 1:
            bad.append(f"{name}: {n} times in api.json")
    for name in functions:
        if f"{name}(" not in page:
            bad.append(f"{name}: not in api.md")
        if not hasattr(rechenwerk, name):
            bad.append(f"{name}: not in rechenwerk.py")
    if len(functions) < 250:
        bad.append(f"only {len(functions)} functions")


def check_comments():
    for d in described:
        shared = by_name[d["shares"]] if "shares" in d else {}
        commented = "comment" in d or "comment" in shared
        if d["kind"] in ("function", "inline", "macro") and not commented:
            bad.append(f"{d['name']} has no comment, and none above it to share")
        if d["kind"] in ("function", "macro"):
            text = d.get("comment", shared.get("comment", ""))
            if text not in getattr(rechenwerk, d["name"]).__doc__:
                bad.append(f"{d['name']}: rechenwerk.py has another comment")


def check_layouts():
    """Sizes, offsets and constants, as the compiler sees them."""
    lines, expected = [], []
    for d in described:
        if "members" in d:
            kind = getattr(rechenwerk, d["name"])
            lines.append(f"sizeof({d['name']})")
            expected.append((f"sizeof({d['name']})", ctypes.sizeof(kind)))
            for m, field in zip(d["members"], getattr(kind, "_fields_")):
                lines.append(f"offsetof({d['name']}, {m['name']})")
                expected.append((lines[-1], getattr(kind, field[0]).offset))
        for v in d.get("values", []):
            if isinstance(v["number"], int):
                lines.append(v["name"])
                expected.append((v["name"], getattr(rechenwerk, v["name"])))
    program = "#include <stdio.h>\n#include \"rechenwerk.h\"\nint main(void)\n{\n" + "".join(
        f'    printf("%lld\\n", (long long)({line}));\n' for line in lines) + "}\n"
    command = [os.environ.get("CC", "cc"), f"-I{source}/include", "-xc", "-", "-o", str(generated / "layouts")]
    subprocess.run(command, input=program, check=True, encoding="utf-8")
    numbers = subprocess.run([generated / "layouts"], check=True, capture_output=True, encoding="utf-8").stdout.split()
    for number, (what, value) in zip(numbers, expected, strict=True):
        if int(number) != value:
            bad.append(f"{what} is {number} in C and {value} in rechenwerk.py")


SAMPLE = """/* A sample. */
#include "rechenwerk/core.h"

/* ---- sizes ---- */

/* Introduces the section.
 *
 *   an_example(); */

enum { RW_SAMPLE_MOST = 1 << 1 };

typedef struct rw_sample rw_sample;
typedef struct rw_sample_spec {
    /* above */
    int64_t n; /* after */
    struct {
        double x[RW_SAMPLE_MOST];
    } inner;
} rw_sample_spec;

/* Creates a sample
 * of a size.
 * Errors: none. */
RW_API rw_status rw_sample_create_sized(const rw_sample_spec *spec, rw_sample **sample, size_t size, int64_t version);
#define rw_sample_create(...) \\
    rw_sample_create_sized(__VA_ARGS__, sizeof(rw_sample_spec), 7)
RW_API void rw_sample_destroy(rw_sample **sample); /* NULL is allowed */

RW_API int64_t rw_sample_size(const rw_sample *sample);
"""
SAMPLE_C = """#include "rechenwerk/sample.h"
const char *rw_message(const rw_context *context) { return (void)context, "as asked"; }
rw_status rw_sample_create_sized(const rw_sample_spec *spec, rw_sample **sample, size_t size, int64_t version)
{
    if (spec->n < 0) return RW_ERR_INPUT;
    *sample = (rw_sample *)(intptr_t)(1000 * size + 10 * version + spec->n);
    return RW_OK;
}
int64_t rw_sample_size(const rw_sample *sample) { return (intptr_t)sample; }
"""


def check_sample():
    """Describes a header of its own and calls its functions."""
    include = generated / "include/rechenwerk"
    include.mkdir(parents=True)
    (include / "core.h").write_text((source / "include/rechenwerk/core.h").read_text(encoding="utf-8"))
    (include / "sample.h").write_text(SAMPLE)
    sample = headers.describe(generated / "include")
    found = {d["name"]: d for d in headers.declarations(sample)}
    section = sample["headers"][1]["sections"][1]
    expected = [
        (section["title"], "sizes"), (section["comment"], "Introduces the section.\n\n  an_example();"),
        (found["rw_sample_spec"]["members"][0]["comment"], "above\nafter"),
        (found["rw_sample_create_sized"]["comment"], "Creates a sample of a size.\nErrors: none."),
        (found["rw_sample_create"]["shares"], "rw_sample_create_sized"),
        (found["rw_sample_create"]["appends"], [{"sizeof": "rw_sample_spec"}, {"value": 7}]),
        (found["rw_sample_destroy"]["comment"], "NULL is allowed"),
        ("comment" in found["rw_sample_size"] or "shares" in found["rw_sample_size"], False)]
    bad.extend(f"sample.h: {is_!r} instead of {wanted!r}" for is_, wanted in expected if is_ != wanted)

    library = generated / "libsample.so"
    command = [os.environ.get("CC", "cc"), "-shared", "-fPIC", f"-I{generated}/include", "-xc", "-", "-o", library]
    subprocess.run(command, input=SAMPLE_C, check=True, encoding="utf-8")
    os.environ["RECHENWERK_LIBRARY"] = str(library)
    (include / "api.json").write_text(headers.dump(sample), encoding="utf-8")
    names = vars(tables.load(include / "api.json"))
    handle = names["rw_sample_create"](names["rw_sample_spec"](n=3))
    if names["rw_sample_size"](handle) != 24073:
        bad.append(f"rw_sample_create appends {names['rw_sample_size'](handle)}")
    try:
        names["rw_sample_create"](names["rw_sample_spec"](n=-1))
        bad.append("rw_sample_create: no error")
    except names["Error"] as error:
        if str(error) != "RW_ERR_INPUT: as asked":
            bad.append(str(error))


check_names()
check_comments()
check_layouts()
check_sample()
print("\n".join(bad) or f"{len(described)} declarations")
sys.exit(bool(bad))
