"""The public headers as data: functions, structures, enumerations, constants, macros, each with its comment.

describe(include) parses rechenwerk/*.h as a compiler does, after the preprocessor, and takes comments and tables of
constants from the text (source.py). Types are names ("int64_t", "rw_array") or one of

    {"pointer": T, "const": true}        const: what it points to
    {"array": T, "length": 3}            length null: not stated
    {"function": {"returns": T, "parameters": […]}}
    {"struct": [members]}                without a name

Needs pycparser and a C compiler ($CC, default cc).
"""
import json
import operator
import os
import re
import subprocess
import tempfile
from pathlib import Path

from pycparser import c_ast, c_generator, c_parser

from source import Source, macro, rows, value, words

# Types of the system headers, which are replaced by empty ones.
PRELUDE = "typedef _Bool bool; typedef unsigned long size_t; typedef int sig_atomic_t; " + " ".join(
    f"typedef int int{bits}_t; typedef unsigned uint{bits}_t;" for bits in (8, 16, 32, 64)) + "\n"
OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "<<": operator.lshift, "|": operator.or_}
PLAIN = {"NULL": None, "true": True, "false": False}


class Unknown(Exception):
    """Something in a header that cannot be described."""


def preprocess(include, names):
    """The text of all headers, with line markers and without the headers of the system."""
    with tempfile.TemporaryDirectory() as empty:
        for name in names:
            for system in re.findall(r"#include <(.*?)>", (include / name).read_text(encoding="utf-8")):
                Path(empty, system).touch()
        text = PRELUDE + "".join(f'#include "{name}"\n' for name in names)
        command = [os.environ.get("CC", "cc"), "-E", "-U__GNUC__", "-nostdinc", f"-I{empty}", f"-I{include}",
                   "-xc", "-"]
        return subprocess.run(command, input=text, check=True, capture_output=True, encoding="utf-8").stdout


class Reader:
    """Turns the declarations of the parser into data."""

    def __init__(self, include):
        self.names = sorted(f"rechenwerk/{path.name}" for path in (include / "rechenwerk").glob("*.h"))
        self.sources = {name: Source(include / name) for name in self.names}
        self.tree = c_parser.CParser().parse(preprocess(include, self.names), "headers")
        self.write = c_generator.CGenerator().visit
        self.numbers = {}  # of enumerators
        self.found = {}  # (header, item) -> declaration
        self.order = []  # headers, those that others need first

    def read(self):
        for node in self.tree.ext:
            path = str(node.coord.file)
            header = next((name for name in self.names if path.endswith("/" + name)), None)
            if header:
                if header not in self.order:
                    self.order.append(header)
                self.declaration(header, node)
        self.order += [name for name in self.names if name not in self.order]
        for header in self.order:
            self.macros(header)
        self.complete_enumerations()
        return [self.header(name) for name in self.order]

    def item(self, header, node):
        source, line = self.sources[header], node.coord.line
        for item in source.items:
            if source.line(item.start) <= line <= source.line(item.end - 1):
                return item
        raise Unknown(f"{header}:{line}: a declaration without text")

    def add(self, item, kind, name, **more):
        if item in self.found:
            self.found[item] |= more  # a structure that was declared first
        else:
            self.found[item] = {"kind": kind, "name": name, **more}

    # ---- declarations ------------------------------------------------------------------------------------------------

    def declaration(self, header, node):
        item = self.item(header, node)
        if isinstance(node, c_ast.FuncDef):
            self.add(item, "inline", node.decl.name, **self.function(node.decl.type), result=self.result(node))
        elif isinstance(node.type, c_ast.FuncDecl):
            kind = "callback" if isinstance(node, c_ast.Typedef) else "function"
            self.add(item, kind, node.name, **self.function(node.type))
        elif isinstance(node.type, c_ast.Enum):
            self.enumeration(header, item, node.type)
        elif isinstance(node, c_ast.Typedef) and isinstance(node.type.type, c_ast.Enum):
            self.enumeration(header, item, node.type.type)
        elif isinstance(node.type, c_ast.Struct) or isinstance(node.type.type, c_ast.Struct):
            self.structure(header, item, node.type if isinstance(node.type, c_ast.Struct) else node.type.type)
        elif isinstance(node, c_ast.Typedef):
            self.add(item, "alias", node.name, type=self.type(node.type))
        else:
            raise Unknown(f"{node.coord}: neither a function nor a type")

    def function(self, node):
        parameters = [p for p in (node.args.params if node.args else []) if not self.is_void(p)]
        variadic = any(isinstance(p, c_ast.EllipsisParam) for p in parameters)
        return {"returns": self.type(node.type), "parameters": [
            {"name": p.name, "type": self.type(p.type)} for p in parameters[:-1 if variadic else None]],
            **({"variadic": True} if variadic else {})}

    @staticmethod
    def is_void(node):
        names = getattr(getattr(node, "type", None), "type", None)
        return isinstance(node, c_ast.Typename) and getattr(names, "names", None) == ["void"]

    def type(self, node):
        if isinstance(node, c_ast.PtrDecl):
            if isinstance(node.type, c_ast.FuncDecl):
                return {"pointer": self.type(node.type)}
            inner = node.type
            while isinstance(inner, c_ast.ArrayDecl):
                inner = inner.type
            return {"pointer": self.type(node.type)} | {q: True for q in ("const", "volatile") if q in inner.quals}
        if isinstance(node, c_ast.ArrayDecl):
            return {"array": self.type(node.type), "length": node.dim and self.number(node.dim)}
        if isinstance(node, c_ast.FuncDecl):
            return {"function": self.function(node)}
        base = node.type
        if isinstance(base, c_ast.Struct) and not base.name:
            return {"struct": [self.member(d) for d in base.decls]}
        return base.name if isinstance(base, (c_ast.Struct, c_ast.Enum)) else " ".join(base.names)

    def member(self, node):
        return {"name": node.name, "type": self.type(node.type)}

    def structure(self, header, item, node):
        earlier = [d for d in self.found.values() if d["kind"] == "struct" and d["name"] == node.name]
        if node.decls is None:
            if not earlier:
                self.add(item, "struct", node.name, opaque=True)
            return
        source, members = self.sources[header], [self.member(d) for d in node.decls]
        for piece in source.inside(item, ";"):
            first, last = source.line(piece.start), source.line(piece.end - 1)
            for member, decl in zip(members, node.decls):
                if first <= decl.coord.line <= last:
                    member |= {"comment": piece.comment} if piece.comment else {}
        for d in earlier:
            del d["opaque"]
        self.add(item, "struct", node.name, members=members)

    def enumeration(self, header, item, node):
        values, number = [], -1
        for v in node.values.enumerators:
            number = self.number(v.value) if v.value else number + 1
            self.numbers[v.name] = number
            values.append({"name": v.name, "number": number})
        for piece in self.sources[header].inside(item, ","):
            name = re.match(r"\w*", self.sources[header].code[piece.start:piece.end])[0]
            for v in values:
                if v["name"] == name and piece.comment:
                    v["comment"] = piece.comment
        self.add(item, "enumeration" if node.name else "constants", node.name or values[0]["name"], values=values)

    def number(self, node):
        """The value of a constant expression."""
        if isinstance(node, c_ast.ID):
            return self.numbers[node.name]
        if isinstance(node, c_ast.Constant):
            return int(node.value.rstrip("uUlL"), 0)
        if isinstance(node, c_ast.UnaryOp) and node.op == "-":
            return -self.number(node.expr)
        if isinstance(node, c_ast.BinaryOp) and node.op in OPERATORS:
            return OPERATORS[node.op](self.number(node.left), self.number(node.right))
        raise Unknown(f"{node.coord}: no constant: {self.write(node)}")

    def result(self, node):
        """The members of the structure that an inline function returns: constants or {"parameter": name}."""
        body = node.body.block_items
        init = body[0].init if isinstance(body[0], c_ast.Decl) else body[0].expr.init
        if len(body) > 2 or not isinstance(init, c_ast.InitList):
            raise Unknown(f"{node.coord}: {node.decl.name} is not `T a = {{…}}; return a;`")
        parameters = [p.name for p in node.decl.type.args.params]
        return [self.initial(parameters, e) for e in init.exprs]

    def initial(self, parameters, node):
        while isinstance(node, c_ast.Cast):
            node = node.expr
        text = self.write(node)
        return {"parameter": text} if text in parameters else PLAIN[text] if text in PLAIN else value(text)

    # ---- macros ------------------------------------------------------------------------------------------------------

    def macros(self, header):
        for item in self.sources[header].items:
            found = macro(self.sources[header].text[item.start:item.end])
            if not found:
                continue
            name, parameters, body = found
            if name.startswith("rw_") and parameters is not None:
                self.add(item, "macro", name, **self.call(header, item, parameters, body))
            elif parameters is None and (body.startswith('"') or not isinstance(value(body), str)):
                self.add(item, "constants", name, values=[{"name": name, "number": value(body)}])

    def call(self, header, item, parameters, body):
        """A macro that calls a function and appends arguments: sizes of types, or constants."""
        m = re.fullmatch(r"(rw_\w+)\((.*)\)", body, re.S)
        function = m and next((d for d in self.found.values() if d["name"] == m[1]), None)
        if not function:
            raise Unknown(f"{header}:{self.sources[header].line(item.start)}: the macro calls no function: {body}")
        appended = []
        for argument in words(m[2]):
            size = re.fullmatch(r"sizeof\s*\(\s*([\w ]+?)\s*\)", str(argument))
            pointed = re.fullmatch(r"sizeof\s*\*\s*\(\s*(\w+)\s*\)", str(argument))
            if size or pointed or not isinstance(argument, str):
                appended.append({"sizeof": size[1]} if size else {"sizeof_target": pointed[1]} if pointed
                                else {"value": argument})
            elif appended or argument.strip("() ") not in ["__VA_ARGS__", *parameters]:
                raise Unknown(f"{header}: {body}: neither an argument of the macro nor sizeof(type) after these")
        return {"calls": m[1], "appends": appended, "returns": function["returns"],
                "parameters": function["parameters"][:-len(appended) or None]}

    # ---- enumerations from tables ------------------------------------------------------------------------------------

    def complete_enumerations(self):
        """Texts of values from the tables RW_X_LIST, which may contain earlier ones, and what is said above a table."""
        enumerations = [d for d in self.found.values() if d["kind"] == "enumeration"]
        bodies = {}
        for header in self.order:
            source = self.sources[header]
            for item in source.items:
                found = macro(source.text[item.start:item.end])
                if found and found[1] == ["X"]:
                    name, _, body = found
                    bodies[name] = re.sub(r"\b(RW_\w+)\(X\)", lambda inner: bodies[inner[1]], body)
                    self.table(source, item, name, bodies[name], enumerations)

    def table(self, source, item, name, body, enumerations):
        table = rows(body)
        use = re.search(r"#define RW_X\(([^)]*)\) (\w*)##(\w+)[^#]*?\b" + name + r"\(RW_X\)", source.text)
        if use:
            columns = [c.strip() for c in use[1].replace(", ...", "").split(",")]
            prefix, key = use[2], use[3]
        else:
            columns, prefix, key = ["name", "text"], None, "name"
        for row in table:
            named = dict(zip(columns, row))
            last = str(named.pop(key))
            for d in enumerations:
                for v in d["values"]:
                    if v["name"] == prefix + last if prefix else self.ends(d, v, last, table):
                        v["columns"] = {c: w for c, w in named.items() if w != v["number"] or c != "value"}
                        d["about"] = self.about(source, item, len(columns))

    @staticmethod
    def ends(declaration, candidate, last, table):
        """Whether the value is PREFIX_LAST in an enumeration that has all rows of the table."""
        names = [v["name"] for v in declaration["values"]]
        prefix = candidate["name"].removesuffix("_" + last)
        return prefix != candidate["name"] and all(f"{prefix}_{row[0]}" in names for row in table)

    @staticmethod
    def about(source, item, ncolumns):
        """The comment above a table, without the names of its columns."""
        before = [end for end in source.comments if end < item.start]
        start = before[-1] if before else 0
        gap = source.text[source.comments.get(start, 0):item.start]
        if not before or gap.replace("/* clang-format off */", "").strip() or "\n\n" in gap:
            return ""
        clauses = re.split(r"(?<=[;:.]) ", source.clean(start, source.comments[start]))
        clauses = [c for c in clauses if len(c.split(", ")) != ncolumns]
        text = " ".join(clauses).rstrip(":;.")
        return text[:1].upper() + text[1:] + "." if text else ""

    # ---- result ------------------------------------------------------------------------------------------------------

    def header(self, name):
        source = self.sources[name]
        sections = [{"title": title, "comment": text, "declarations": []} for _, title, text in source.sections]
        for item in source.items:
            if item in self.found and self.found[item].keys() != {"kind", "name"}:
                sections[source.section(item.start)]["declarations"].append(self.finished(item))
        return {"name": name, "sections": sections}

    def finished(self, item):
        d = self.found[item]
        about = d.pop("about", "")
        comment = "\n".join(filter(None, [item.comment, about]))
        d |= {"comment": comment} if comment else {}
        if item.shares in self.found:
            d["shares"] = self.found[item.shares]["name"]
        return d


FORMAT = {
    "order": "Headers, and declarations in them, stand after those that they need by value.",
    "kind": "function, inline, macro, callback (type of a function), struct, enumeration, alias, constants (which "
            "have the name of the first).",
    "type": "A name; {pointer: type, const: what it points to}; {array: type, length: null if not stated}; "
            "{function: {returns, parameters}}; {struct: members without a name}.",
    "library": "Of a function: librechenwerk, or librechenwerk-run where it says so.",
    "shares": "The declaration whose comment covers this one too.",
    "appends": "Of a macro: the arguments that it adds to its own and passes to the function that it calls.",
    "result": "Of an inline function: the members of the structure that it returns.",
    "columns": "Of a value: its text and what else the table of the enumeration has.",
    "parameter": "Of a member: its row in the parameter table: kind, default, allowed values, unit, line, methods.",
    "comment": "Text of the header. Lines that begin with two spaces are an example.",
}


def describe(include):
    return {"format": FORMAT, "headers": Reader(Path(include)).read()}


def declarations(api, *kinds):
    """All declarations of these kinds, or all, those that others need first."""
    for header in api["headers"]:
        for section in header["sections"]:
            for d in section["declarations"]:
                if not kinds or d["kind"] in kinds:
                    yield d


def dump(value, indent=0):
    """JSON with a line for each declaration, and for each member and value."""
    lists = [] if not isinstance(value, dict) else [
        k for k in ("format", "headers", "sections", "declarations", "values", "members") if k in value]
    if not lists:
        return json.dumps(value, ensure_ascii=False)
    pad, parts = " " * (indent + 1), []
    for key, v in value.items():
        inner = json.dumps(v, ensure_ascii=False)
        if key in lists and v:
            opening, closing = ("[", "]") if isinstance(v, list) else ("{", "}")
            items = [dump(item, indent + 2) for item in v] if isinstance(v, list) else [
                f"{json.dumps(k)}: {json.dumps(w, ensure_ascii=False)}" for k, w in v.items()]
            inner = opening + ",".join(f"\n{pad} {item}" for item in items) + f"\n{pad}" + closing
        parts.append(f"{json.dumps(key)}: {inner}")
    return "{" + f",\n{pad}".join(parts) + "}"
