"""The text of a header: where its declarations lie, which comment belongs to which, and the macros of its tables.

A parser of C drops comments and macros, so this reads them from the text. A comment belongs to the declaration in the
next line, or to the one that it follows in its line. A declaration without one shares that of the declaration above it
when no blank line lies between them.
"""
import json
import re
from bisect import bisect_right

COLUMNS = 120  # where comments are wrapped

TOKEN = re.compile(
    r"(?P<comment>/\*.*?\*/)"
    r'|"(?:\\.|[^"\\])*"'
    r"|(?P<guarded>^[ \t]*#\s*ifdef __cplusplus\n.*?^[ \t]*#\s*endif[^\n]*)"
    r"|(?P<directive>^[ \t]*#(?:\\\n|/\*.*?\*/|[^\n])*)", re.S | re.M)
HEADING = re.compile(r"---- (.*?) -{4,}\s*")


class Item:
    """A piece of the text, [start, end): a declaration or a #define.

    comment: what belongs to it; above: part of that is above it; shares: the item whose comment covers it too.
    """

    def __init__(self, start, end):
        self.start, self.end = start, end
        self.comment, self.above, self.shares = "", False, None


class Source:
    """A header. items: declarations and #defines in order; sections: (offset, title, text)."""

    def __init__(self, path):
        self.text = path.read_text(encoding="utf-8")
        self.starts = [0] + [m.end() for m in re.finditer("\n", self.text)]
        tokens = list(TOKEN.finditer(self.text))
        self.code = self._blank(tokens)
        self.comments = {m.start(): m.end() for m in tokens if m["comment"] and "clang-format" not in m[0]}
        pieces = self.split(0, len(self.text), ";")
        defines = [Item(m.start(), m.end()) for m in tokens if m["directive"] and "#define" in m[0]
                   and not any(piece.start < m.start() < piece.end for piece in pieces)]
        self.items = sorted(pieces + defines, key=lambda item: item.start)
        self.attach(self.items)
        self._share()
        self.sections = self._read_sections()

    def _blank(self, tokens):
        """The text with spaces in the place of comments, strings and directives."""
        code = list(self.text)
        for m in tokens:
            code[m.start():m.end()] = [c if c == "\n" else " " for c in m[0]]
        return "".join(code)

    def line(self, offset):
        """Number of the line, from 1."""
        return bisect_right(self.starts, offset)

    def split(self, start, end, separator):
        """The pieces of [start, end) that end with the separator, or with the body of a function."""
        pieces, depth, first, body = [], 0, None, False
        for i in range(start, end):
            c = self.code[i]
            if first is None and not c.isspace():
                first = i
            if c in "([{":
                body = body or depth == 0 and c == "{" and self.code[first:i].rstrip().endswith(")")
                depth += 1
            elif c in ")]}":
                depth -= 1
            if depth == 0 and first is not None and (c == separator or c == "}" and body):
                pieces.append(Item(first, i + 1))
                first, body = None, False
        if first is not None:
            pieces.append(Item(first, len(self.code[:end].rstrip())))
        return pieces

    def inside(self, item, separator):
        """The members of a structure, or the values of an enumeration."""
        first = self.code.index("{", item.start)
        pieces = self.split(first + 1, self._closing(first), separator)
        self.attach(pieces)
        return pieces

    def _closing(self, first):
        depth = 0
        for i in range(first, len(self.code)):
            depth += {"{": 1, "}": -1}.get(self.code[i], 0)
            if depth == 0:
                return i
        raise ValueError("a brace is not closed")

    def attach(self, items):
        """Gives items the comments above them, after them in their line, and after their opening brace."""
        for item in items:
            texts = []
            for start, end in self.comments.items():
                above = end <= item.start and self.text[end:item.start].strip(" ") in ("", "\n") \
                    and not self._code_before(start)
                after = start >= item.end and self.text[item.end:start].strip(" ") == ""
                brace = item.start < start < item.end and self._code_before(start).endswith("{") \
                    and self.line(start) == self.line(item.start)
                if above or after or brace:
                    texts.append(self.clean(start, end))
                    item.above = item.above or above
            item.comment = "\n".join(texts)

    def _code_before(self, offset):
        """What stands before the offset in its line."""
        return self.code[self.starts[self.line(offset) - 1]:offset].strip()

    def _share(self):
        for last, item in zip(self.items, self.items[1:]):
            gap = self.text[last.end:item.start]
            if not item.above and "\n\n" not in gap:
                item.shares = last.shares or last

    def _read_sections(self):
        """Headings, and the comments that stand alone, which introduce the declarations that follow."""
        sections = [[0, "", ""]]
        for start, end in self.comments.items():
            heading = HEADING.match(self.text[start + 3:end])
            if heading:
                sections.append([start, heading[1], ""])
                start += heading.end() - 1
                if self.text[start:end].strip(" -*/\n") == "":
                    continue
            elif self._code_before(start) or not self._stands_alone(end):
                continue
            sections[-1][2] = "\n\n".join(filter(None, [sections[-1][2], self.clean(start, end)]))
        return sections

    def _stands_alone(self, end):
        after = self.text[end:].lstrip(" ")
        return after.startswith("\n\n") or after.startswith("\n#ifndef RECHENWERK_")

    def section(self, offset):
        """Number of the section that the offset lies in."""
        return bisect_right([s[0] for s in self.sections], offset) - 1

    def clean(self, start, end):
        """A comment as text: a line for each paragraph, lines of examples indented by two spaces."""
        lines = self.text[start:end].split("\n")
        widths = [len(line) for line in lines]
        widths[0] += start - self.starts[self.line(start) - 1]
        starred = all(line.lstrip().startswith("*") for line in lines[1:])
        bare = [re.sub(r"^\s*\*(?!/) ?" if starred else r"^\s*", "", line) for line in lines[1:]]
        bare = [re.sub(r"\s*-*\*/$", "", line).rstrip() for line in [re.sub(r"^/?\* ?|^-+", "", lines[0])] + bare]
        return join(bare, widths)


def join(lines, widths):
    """Undoes the wrapping of lines of which `widths` are the widths in the header."""
    text, example, previous = [], False, 0
    for line, width in zip(lines, widths):
        indent = len(line) - len(line.lstrip())
        word = line.split(" ")[0] if line else ""
        if not line:
            text.append("")
        elif indent >= 2 and (example or not text or not text[-1] or indent < 4):
            text.append(line)
        elif not text or not text[-1] or example or indent < 2 and previous + 1 + len(word) <= COLUMNS \
                and text[-1][-1] in ".:;":
            text.append(line)
        else:
            text[-1] += " " + line.strip()
        example = bool(line) and text[-1] == line and indent >= 2 or example and not line
        previous = width
    return "\n".join(text).strip("\n")


def words(text):
    """What stands between the commas of a list of arguments: texts, numbers, names."""
    parts, depth, begin = [], 0, 0
    bare = re.sub(r'"(?:\\.|[^"\\])*"', lambda m: "_" * len(m[0]), text) + ","
    for i, c in enumerate(bare):
        depth += {"(": 1, ")": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append(value(text[begin:i].strip()))
            begin = i + 1
    return parts


def value(text):
    """A constant of C, in parentheses or not; any other text as it is."""
    number = re.fullmatch(r"\((-?[\d.]+)\)", text)
    if number:
        text = number[1]
    strings = re.findall(r'"(?:\\.|[^"\\])*"', text)
    if strings:
        return "".join(json.loads(s) for s in strings)
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", text):
        return int(text, 0)
    if re.fullmatch(r"-?(\d+\.\d*|\.\d+|\d+)(e[-+]?\d+)?", text):
        return float(text)
    return text


def macro(text):
    """Name, parameters (None: not like a function) and body of a #define; None: another text, or no body."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S).replace("\\\n", " ")
    m = re.match(r"\s*#\s*define\s+(\w+)(\(([^)]*)\))?\s*(.*)", text, re.S)
    if not m or not m[4].strip():
        return None
    parameters = None if m[2] is None else [p.strip() for p in m[3].split(",")]
    return m[1], parameters, m[4].strip()


def rows(body):
    """The rows X(…) of the body of a table; the X of a row is no part of a word or text."""
    return [words(m[1]) for m in re.finditer(r'\bX\(((?:"(?:\\.|[^"\\])*"|[^")])*)\)', body)]
