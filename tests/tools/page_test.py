"""Runs the python blocks of a page as one program, statement by statement, and compares what `print(…)  # text` prints
with the text. A block whose import of a third-party package fails is skipped and named; nothing else may be.

    page_test.py PAGE
"""
import ast
import contextlib
import io
import re
import sys

OPTIONAL = {"h5py", "pandas", "xarray", "h5netcdf", "matplotlib", "pyvista", "scipy"}


def blocks(text):
    """(number of the first line, source) of each python block."""
    for m in re.finditer(r"^```python\n(.*?)^```$", text, re.S | re.M):
        yield text[:m.start()].count("\n") + 2, m[1]


def run(page, first, source, names):
    """Number of lines whose output was compared."""
    lines, compared = source.split("\n"), 0
    for statement in ast.parse(source).body:
        output = io.StringIO()
        code = compile(ast.Module([statement], []), page, "exec")
        with contextlib.redirect_stdout(output):
            exec(code, names)
        printed = output.getvalue().rstrip("\n")
        expected = [m[1] for line in lines[statement.lineno - 1:statement.end_lineno]
                    if (m := re.match(r"\s*print\(.*\)  # (.*)$", line))]
        if printed != "\n".join(expected):
            sys.exit(f"{page}:{first + statement.lineno - 1}: prints {printed!r}, the page says {expected}")
        compared += len(expected)
    return compared


def main():
    page, names, compared, ran, skipped = sys.argv[1], {}, 0, 0, []
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for first, source in blocks(text):
        try:
            compared += run(page, first, source, names)
            ran += 1
        except ModuleNotFoundError as error:
            package = error.name.split(".")[0]
            if package not in OPTIONAL:
                raise
            skipped.append(f"{page}:{first}: python has no {package}")
        except ValueError as error:  # raised by xarray
            if "unrecognized engine" not in str(error):
                raise
            skipped.append(f"{page}:{first}: {error}")
        except NameError as error:
            if not skipped:
                raise
            skipped.append(f"{page}:{first}: {error}, since a block above is skipped")
    for line in skipped:
        print("skipped:", line)
    print(f"{ran} blocks run, {len(skipped)} skipped, {compared} outputs compared")
    sys.exit(0 if ran and compared else 1)


main()
