"""The description of the API as a module of Python on ctypes: runtime.py, then a line for each thing that it describes.

The rules are general; nothing here or in runtime.py is about a particular function, except that rw_status, RW_OK and
rw_message report failures:

- Names are those of C. A macro that appends sizes is a function of the name of the macro.
- `const char *` takes and gives text; other pointers are typed, those to incomplete structures too.
- A parameter at the end that is a pointer to a pointer, or to a structure that is not const, may be left out and is
  returned. Functions whose names say that they take one (destroy, close, free) have none of these, and a structure
  after a count is an array.
"""
from pathlib import Path

from headers import declarations

NAMES = {"void": "None", "unsigned": "c_uint", "unsigned int": "c_uint", "unsigned char": "c_ubyte",
         "sig_atomic_t": "c_int"}
HEAD = '''"""Rechenwerk from Python: functions, structures and constants of the C headers by their own names, on ctypes.

    from rechenwerk import *
    device = rw_device_open(rw_context_create(), "auto")

docs/how-to/use-from-python.md; docs/reference/api.md. Generated from the headers by tools/api/make.sh.
"""
'''


class Writer:
    def __init__(self, api):
        self.api = api
        self.enumerations = {d["name"] for d in declarations(api, "enumeration")}
        self.structures = {d["name"]: d for d in declarations(api, "struct")}
        self.callbacks = {d["name"] for d in declarations(api, "callback")}
        self.lines = []

    def module(self):
        runtime = Path(__file__).with_name("runtime.py").read_text(encoding="utf-8")
        self.lines = [HEAD + runtime]
        for d in declarations(self.api, "constants", "enumeration"):
            self.constants(d)
        for name in self.structures:
            self.lines.append(f"class {name}(_Struct):\n    pass\n\n")
        for d in declarations(self.api, "callback"):
            self.lines.append(wrap(f"{d['name']} = ", [self.function_type(d)])[:-1])
        for name, d in self.structures.items():
            if "members" in d:
                self.structure(name, d["members"])
        for d in declarations(self.api, "function", "macro"):
            self.function(d)
        for d in declarations(self.api, "inline"):
            self.inline(d)
        return "\n".join(self.lines) + "\n"

    # ---- types -------------------------------------------------------------------------------------------------------

    def type(self, t, parameter=False):
        if isinstance(t, str):
            return self.name(t)
        if "array" in t:
            inner = self.type(t["array"])
            return f"POINTER({inner})" if parameter or t["length"] is None else f"{inner} * {t['length']}"
        if "function" in t:
            return self.function_type(t["function"])
        target = t["pointer"]
        if isinstance(target, str) and target in self.callbacks or isinstance(target, dict) and "function" in target:
            return self.type(target)
        if target == "char":
            return "c_char_p" if not parameter or t.get("const") else "POINTER(c_char)"
        return "c_void_p" if target == "void" else f"POINTER({self.type(target)})"

    def name(self, name):
        if name in self.enumerations:
            return "c_int"
        if name in self.structures or name in self.callbacks:
            return name
        return NAMES.get(name) or "c_" + name.removesuffix("_t" if name != "size_t" else "")

    def function_type(self, f):
        types = [self.result(f["returns"])] + [self.type(p["type"], True) for p in f["parameters"]]
        return f"_function_type({', '.join(types)})"

    def result(self, t):
        return t if t == "rw_status" else self.type(t)

    # ---- declarations ------------------------------------------------------------------------------------------------

    def constants(self, d):
        if d["kind"] == "constants":
            self.lines += [f"{v['name']} = {v['number']!r}" for v in d["values"]]
            return
        self.lines += ["", "", f"class {d['name']}(IntEnum):"]
        self.lines += [f"    {v['name']} = {v['number']}" for v in d["values"]]
        self.lines += ["", "", f"globals().update({d['name']}.__members__)"]

    def structure(self, name, members):
        pairs = []
        for m in members:
            t = m["type"]
            if isinstance(t, dict) and "struct" in t:
                inner = f"{name}_{m['name']}"
                self.lines.append(f"class {inner}(_Struct):\n    pass\n\n")
                self.structure(inner, t["struct"])
                pairs.append(f'("{m["name"]}", {inner})')
            else:
                pairs.append(f'("{m["name"]}", {self.type(t)})')
        self.lines.append(wrap("_define(", [name] + pairs))

    def function(self, d):
        outputs = self.outputs(d)
        arguments = [f'"{d["name"]}"', self.result(d["returns"])]
        arguments.append('"' + " ".join(p["name"] for p in d["parameters"]) + '"')
        arguments += [self.type(p["type"], True) for p in d["parameters"]]
        arguments += [f"outputs={outputs}"] if outputs else []
        const = " ".join(p["name"] for p in d["parameters"] if self.reads_values(p["type"]))
        arguments += [f'const="{const}"'] if const else []
        least = " ".join(f"{p['name']}={p['type']['length']}" for p in d["parameters"]
                         if isinstance(p["type"], dict) and "array" in p["type"] and p["type"]["length"])
        arguments += [f'least="{least}"'] if least else []
        if d["kind"] == "macro":
            sizes = [f"sizeof({self.name(a['sizeof'])})" if "sizeof" in a else
                     f'"{a["sizeof_target"]}"' if "sizeof_target" in a else str(a["value"]) for a in d["appends"]]
            arguments += [f'symbol="{d["calls"]}"', f"appended=({', '.join(sizes)},)"]
        self.lines.append(wrap(f"{d['name']} = _Call(", arguments))

    def reads_values(self, t):
        """Is it a pointer to numbers, or to void, that the function only reads?"""
        target = t.get("pointer") if isinstance(t, dict) and t.get("const") else None
        return isinstance(target, str) and target != "char" and target not in self.structures

    def outputs(self, d):
        """How many parameters at the end are results."""
        if d["name"].rsplit("_", 1)[1] in ("destroy", "close", "free") or d["returns"] != "rw_status":
            return 0
        n, parameters = 0, d["parameters"]
        for before, p in reversed(list(zip([None] + parameters, parameters))):
            target = p["type"].get("pointer") if isinstance(p["type"], dict) and "const" not in p["type"] else None
            structure = self.structures.get(target) if isinstance(target, str) else None
            one = structure and "members" in structure and not (before and before["name"].startswith("n"))
            if not (isinstance(target, dict) and "pointer" in target or one):
                break
            n += 1
        return n

    def inline(self, d):
        members = [f"{m['name']}={self.initial(v)}" for m, v in
                   zip(self.structures[d["returns"]]["members"], d["result"])]
        parameters = ", ".join(p["name"] for p in d["parameters"])
        self.lines += ["", "", f"def {d['name']}({parameters}):", wrap(f"    return {d['returns']}(", members)]

    @staticmethod
    def initial(value):
        return value["parameter"] if isinstance(value, dict) else repr(value)


def wrap(head, arguments):
    """head, then the arguments and a bracket, in lines of up to 120 columns."""
    lines, pieces = [""], (head + ", ".join(arguments) + ")").split(", ")
    indent = " " * (4 + len(head) - len(head.lstrip()))
    for i, piece in enumerate(pieces):
        piece += ", " if i + 1 < len(pieces) else ""
        if len(lines[-1] + piece.rstrip()) > 120:
            lines.append(indent)
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines)


def module(api):
    return Writer(api).module()
