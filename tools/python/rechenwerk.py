"""Rechenwerk from Python: functions, structures and constants of the C headers by their own names, on ctypes.

    from rechenwerk import *
    device = rw_device_open(rw_context_create(), "auto")

docs/how-to/use-from-python.md; docs/reference/api.md. help(rw_device_open) prints the comment of the header. All names
come from api.json, the description of the API. The rules are general; nothing here is about a particular function,
except that rw_status, RW_OK and rw_message report failures:

- Names are those of C. A macro that appends sizes is a function of the name of the macro.
- `const char *` takes and gives text; other pointers are typed, those to incomplete structures too.
- A parameter at the end that is a pointer to a pointer, or to a structure that is not const, may be left out and is
  returned. Functions whose names say that they take one (destroy, close, free) have none of these, and a structure
  after a count is an array.
"""
import ctypes
import json
import keyword
import math
import os
import sys
import threading
from ctypes import CFUNCTYPE, POINTER, Array, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_int8, \
    c_int16, c_int32, c_int64, c_size_t, c_ubyte, c_uint, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p, sizeof
from enum import IntEnum
from pathlib import Path

_Function = type(CFUNCTYPE(None))
_libraries = {}


class _Raised(threading.local):
    """Exceptions of callbacks, until the function that called them returns."""

    def __init__(self):
        self.errors = []


_raised = _Raised()


class Error(Exception):
    """A function of the library returned a status other than RW_OK."""

    def __init__(self, status, message):
        super().__init__(f"{status.name}: {message}")
        self.status, self.message = status, message


def free(pointer):
    """free() of the C library, for texts and lists whose description says so."""
    ctypes.CDLL(None).free(ctypes.cast(pointer, c_void_p))


def _library(name):
    """Opens the library at $RECHENWERK_LIBRARY (librechenwerk-run: $RECHENWERK_LIBRARY_RUN), else that of the prefix
    in which this file is installed, else the one that the loader finds. librechenwerk-run is also looked for next to
    librechenwerk."""
    if name not in _libraries:
        file = f"lib{name}.so.{RW_VERSION_MAJOR}.{RW_VERSION_MINOR}"
        prefix = Path(__file__).resolve().parents[2]
        found = [*prefix.glob(f"lib*/{file}"), *prefix.glob(f"lib*/*/{file}")]
        if path := os.environ.get("RECHENWERK_LIBRARY"):
            found = [Path(path).with_name(f"lib{name}.so")]
        if path := os.environ.get("RECHENWERK_LIBRARY" + name.removeprefix("rechenwerk").replace("-", "_").upper()):
            found = [path]
        _libraries[name] = ctypes.CDLL(str(found[0]) if found else file)
    return _libraries[name]


def _symbol(name):
    """librechenwerk-run brings many libraries: it is opened with the first function that only it has."""
    try:
        return getattr(_library("rechenwerk"), name)
    except AttributeError:
        return getattr(_library("rechenwerk-run"), name)


_INTEGERS = {kind: f"{letter}{sizeof(kind)}" for letter, kinds in (
    ("i", (c_int8, c_int16, c_int32, c_int64)), ("u", (c_uint8, c_uint16, c_uint32, c_uint64))) for kind in kinds}
_LETTERS = {**_INTEGERS, c_bool: "b1", c_float: "f4", c_double: "f8"}  # types as NumPy writes them, without byte order
_ORDER = "<" if sys.byteorder == "little" else ">"


def _dtypes():
    """The element types of arrays as NumPy writes them. NumPy has no BF16: its bits."""
    return {RW_F32: "f4", RW_F64: "f8", RW_C64: "c8", RW_C128: "c16", RW_I8: "i1", RW_I16: "i2", RW_I32: "i4",
            RW_I64: "i8", RW_U8: "u1", RW_U16: "u2", RW_U32: "u4", RW_U64: "u8", RW_F16: "f2", RW_BF16: "u2",
            RW_BOOL: "b1"}


def _is_array(value):
    return hasattr(value, "__array_interface__")


def _elements(value, letters, read_only, what):
    """The memory of a NumPy array as an array of ctypes. letters: the type asked for; None: any. Where the library only
    reads, another type or layout is converted, if no value changes; elsewhere it is an error."""
    import numpy

    letters = letters or value.dtype.str[1:]
    wanted = numpy.dtype(letters)
    fits = value.dtype == wanted and value.flags.c_contiguous
    if not fits and read_only and numpy.can_cast(value.dtype, wanted, "safe"):
        value = numpy.ascontiguousarray(value, wanted)
        fits = True
    if not fits or not read_only and not value.flags.writeable:
        layout = "" if value.flags.c_contiguous else ", not contiguous"
        layout += "" if value.flags.writeable else ", read-only"
        raise TypeError(f"{what}: an array of {value.dtype}{layout} is given; a contiguous "
                        f"{'' if read_only else 'writable '}array of {wanted} is needed: "
                        f"numpy.ascontiguousarray(a, numpy.{wanted})")
    kind = c_double if letters[0] == "c" else next((k for k, t in _LETTERS.items() if t == letters), c_uint16)
    memory = (kind * (value.nbytes // sizeof(kind))).from_address(value.__array_interface__["data"][0])
    memory.owner = value  # lives as long as the memory is referred to
    return memory


def _convert(kind, value, read_only=True, letters=None, what="a pointer"):
    """A Python value as ctypes takes it for this type: text as bytes, sequences and NumPy arrays as arrays, functions
    as callbacks."""
    if isinstance(value, str):
        return value.encode()
    if _is_array(value):
        if getattr(value, "ndim", 1) == 0:
            return value.item()
        if isinstance(kind, type) and issubclass(kind, Array):
            value = value.tolist()
        elif kind is c_void_p:
            return _elements(value, letters, read_only, what)
        elif getattr(kind, "_type_", None) in _LETTERS:
            return _elements(value, _LETTERS[kind._type_], read_only, what)
    if kind is c_void_p and letters and isinstance(value, (list, tuple)):
        import numpy

        return _elements(numpy.asarray(value, letters), letters, read_only, what)
    if isinstance(kind, _Function) and not isinstance(value, kind):
        return kind() if value is None else kind(_callback(kind, value))
    if isinstance(value, (list, tuple)) and hasattr(kind, "_type_"):
        kind = kind if issubclass(kind, Array) else kind._type_ * len(value)
        return kind(*(_convert(kind._type_, v) for v in value))
    return value


def _callback(kind, function):
    """Where a status is returned, None is RW_OK, and an exception becomes an error of the function that was called."""
    def call(*arguments):
        try:
            return function(*arguments) or 0
        except Exception as error:
            _raised.errors.append(error)
            return int(RW_ERR_INTERNAL)
    return call if getattr(kind, "status", False) else function


def _function_type(result, *arguments):
    base = CFUNCTYPE(c_int if result is rw_status else result, *arguments)
    return type("function", (base,), {"_flags_": base._flags_, "_restype_": base._restype_,
                                      "_argtypes_": base._argtypes_, "status": result is rw_status})


class _Struct(Structure):
    """A structure; members that are not given are 0. A member whose name is a word of Python ends in _: in_."""

    def __setattr__(self, name, value):
        kind = dict(self._fields_).get(name)
        if not kind:
            raise AttributeError(f"{type(self).__name__} has no member {name}")
        super().__setattr__(name, _convert(kind, value, what=f"{type(self).__name__}.{name}"))


class _Memory:
    """A pointer to the elements of an rw_array: `value` is the address, numpy.asarray(pointer) an array on this memory.
    It is no c_void_p, whose own eight bytes NumPy would take for the elements."""

    def __init__(self, pointer, array, read_only):
        self._as_parameter_, self.value, self.array, self.read_only = pointer, pointer.value, array, read_only

    @property
    def __array_interface__(self):
        array = self.array
        shape = tuple(rw_array_shape(array, i) for i in range(rw_array_ndim(array)))
        letters = _dtypes()[rw_dtype(rw_array_dtype(array))]
        order = "|" if letters[1:] == "1" else _ORDER
        return {"version": 3, "shape": shape, "typestr": order + letters, "data": (self.value or 0, self.read_only)}


def from_numpy(device, values, mode=0):
    """An rw_array with the type, shape and values of a NumPy array, or of a list. mode: RW_COPY, or RW_BORROW, where
    the array lies in the memory of `values`: keep those until it is destroyed."""
    import numpy

    if mode == RW_COPY:
        values = numpy.ascontiguousarray(values)
    letters = values.dtype.str[1:]
    dtype = next((d for d, known in _dtypes().items() if known == letters), None)
    if dtype is None:
        raise TypeError(f"from_numpy: rw_array has no elements of type {values.dtype}")
    return rw_array_create_from(device, dtype, max(values.ndim, 1), values.shape or (1,), values.reshape(-1), mode)


def to_numpy(array):
    """The current values of an rw_array, as a NumPy array of their own."""
    import numpy

    if not rw_array_is_contiguous(array):
        shape = [rw_array_shape(array, i) for i in range(rw_array_ndim(array))]
        packed = rw_array_create(rw_array_device(array), rw_array_dtype(array), len(shape), shape, RW_MEMORY_DEVICE)
        rw_array_copy(packed, array, rw_device_queue(rw_array_device(array)))
        values = to_numpy(packed)
        rw_array_destroy(packed)
        return values
    return numpy.array(rw_array_read(array))


class _Call:
    """A function of the library.

    Its last parameters, as many as `outputs`, may be left out: they are allocated and returned. A status other than
    RW_OK raises Error. `appended` are arguments that a macro of the header adds: numbers, or the name of a parameter,
    the size of whose structure is added. The library only reads what the parameters in `const` point to. `least`:
    numbers of elements that arrays have.
    """

    def __init__(self, d, outputs, comment):
        kinds = {p["name"]: p["type"] for p in d["parameters"]}
        self.__name__, self.parameters, self.outputs = d["name"], list(kinds), outputs
        self.result = rw_status if d["returns"] == "rw_status" else _type(d["returns"])
        self.types = [_type(t, True) for t in kinds.values()]
        self.symbol = d.get("calls", d["name"])
        self.appended = [sizeof(_named(a["sizeof"])) if "sizeof" in a else a.get("sizeof_target", a.get("value"))
                         for a in d.get("appends", ())]
        self.const = [name for name, t in kinds.items() if _reads_values(t)]
        self.least = {name: t["length"] for name, t in kinds.items() if isinstance(t, dict) and t.get("length")}
        self.__doc__ = f"{d['name']}({', '.join(kinds)})\n\n{comment}"
        self.function = None

    def _open(self):
        self.function = _symbol(self.symbol)
        self.function.argtypes = [*self.types, *(c_size_t for _ in self.appended)]
        self.function.restype = c_int if self.result is rw_status else self.result

    def _size(self, arguments, name):
        """Of the structure that this argument is, or points to."""
        argument = arguments[self.parameters.index(name)]
        return sizeof(getattr(argument, "_obj", getattr(argument, "contents", argument)))

    def _values(self, arguments):
        """The arguments as ctypes takes them. Values that a void pointer points to have the type `dtype`, if the
        function has such a parameter. What had to be copied lives until the function returns, so an array that is to
        keep its memory (`mode`) is not created from it."""
        named = dict(zip(self.parameters, arguments))
        letters = _dtypes().get(named.get("dtype")) if isinstance(named.get("dtype"), int) else None
        converted = []
        for kind, (name, value) in zip(self.types, named.items()):
            what = f"{self.__name__}: {name}"
            read_only = name in self.const
            given = value.size if _is_array(value) else len(value) if hasattr(value, "__len__") else math.inf
            if given < self.least.get(name, 0):
                raise TypeError(f"{what}: {given} elements are given, {self.least[name]} are needed")
            if isinstance(value, (list, tuple)) and kind is c_void_p and named.get("mode", RW_COPY) != RW_COPY:
                raise TypeError(f"{what}: a list has no memory that the array could keep: RW_COPY, or a NumPy array")
            converted.append(_convert(kind, value, read_only, letters if kind is c_void_p else None, what))
        return converted

    def __call__(self, *arguments):
        missing = len(self.types) - len(arguments)
        if not 0 <= missing <= self.outputs:
            raise TypeError(f"{self.__name__}({', '.join(self.parameters)}): {len(arguments)} arguments given")
        if not self.function:
            self._open()
        outputs = [kind._type_() for kind in self.types[len(arguments):]]
        before = len(_raised.errors)
        given = self._values((*arguments, *outputs))
        appended = [self._size(given, a) if isinstance(a, str) else a for a in self.appended]
        result = self.function(*given, *appended)
        errors, _raised.errors[before:] = _raised.errors[before:], []
        if self.result is rw_status and result != RW_OK:
            raise Error(rw_status(result), rw_message(None)) from (errors[-1] if errors else None)
        if outputs and self.parameters == ["array", "data"]:
            return _Memory(outputs[0], arguments[0], self.__name__ == "rw_array_read")
        if outputs:
            return outputs[0] if missing == 1 else tuple(outputs)
        if self.result is rw_status:
            return None
        return result.decode() if isinstance(result, bytes) else result


# ---- the description as types and functions --------------------------------------------------------------------------

_NAMES = {"void": None, "unsigned": c_uint, "unsigned int": c_uint, "unsigned char": c_ubyte, "sig_atomic_t": c_int}


def _named(name):
    if name in _NAMES:
        return _NAMES[name]
    kind = globals().get(name)
    if kind is None:
        return getattr(ctypes, "c_" + (name if name == "size_t" else name.removesuffix("_t")))
    return c_int if issubclass(kind, IntEnum) else kind


def _type(t, parameter=False):
    """The type of ctypes for a type of the description (tools/api/headers.py)."""
    if isinstance(t, str):
        return _named(t)
    if "array" in t:
        inner = _type(t["array"])
        return POINTER(inner) if parameter or t["length"] is None else inner * t["length"]
    if "function" in t:
        return _function_of(t["function"])
    target = t["pointer"]
    if isinstance(target, dict) and "function" in target or isinstance(globals().get(str(target)), _Function):
        return _type(target)
    if target == "char":
        return c_char_p if not parameter or t.get("const") else POINTER(c_char)
    return c_void_p if target == "void" else POINTER(_type(target))


def _function_of(f):
    result = rw_status if f["returns"] == "rw_status" else _type(f["returns"])
    return _function_type(result, *(_type(p["type"], True) for p in f["parameters"]))


def _is_struct(name):
    return isinstance(name, str) and isinstance(globals().get(name), type(_Struct))


def _reads_values(t):
    """Is it a pointer to numbers, or to void, that the function only reads?"""
    target = t.get("pointer") if isinstance(t, dict) and t.get("const") else None
    return isinstance(target, str) and target != "char" and not _is_struct(target)


def _outputs(d):
    """How many parameters at the end are results."""
    if d["name"].rsplit("_", 1)[1] in ("destroy", "close", "free") or d["returns"] != "rw_status":
        return 0
    n, parameters = 0, d["parameters"]
    for before, p in reversed(list(zip([None] + parameters, parameters))):
        target = p["type"].get("pointer") if isinstance(p["type"], dict) and "const" not in p["type"] else None
        one = _is_struct(target) and hasattr(globals()[target], "_fields_") and not (
            before and before["name"].startswith("n"))
        if not (isinstance(target, dict) and "pointer" in target or one):
            break
        n += 1
    return n


def _complete(structure, members):
    """Gives a structure its members, which other structures may name before it is complete."""
    fields = []
    for m in members:
        if isinstance(m["type"], dict) and "struct" in m["type"]:
            kind = type(f"{structure.__name__}_{m['name']}", (_Struct,), {"__module__": __name__})
            globals()[kind.__name__] = kind
            _complete(kind, m["type"]["struct"])
        else:
            kind = _type(m["type"])
        fields.append((m["name"] + "_" * keyword.iskeyword(m["name"]), kind))
    structure._fields_ = fields


def _inline(d, members):
    """An inline function, which returns a structure of its arguments and constants."""
    names = [p["name"] for p in d["parameters"]]

    def call(*arguments):
        if len(arguments) != len(names):
            raise TypeError(f"{d['name']}({', '.join(names)}): {len(arguments)} arguments given")
        given = dict(zip(names, arguments))
        return globals()[d["returns"]](**{
            m["name"]: given[v["parameter"]] if isinstance(v, dict) else v for m, v in zip(members, d["result"])})
    call.__name__, call.__doc__ = d["name"], d.get("comment")
    return call


def _define(description):
    """Defines all names of the description."""
    known = globals()
    every = [d for header in description["headers"] for section in header["sections"]
             for d in section["declarations"]]
    by_name = {d["name"]: d for d in every}
    structures = {name: d for name, d in by_name.items() if d["kind"] == "struct"}
    of = {}
    for d in every:
        of.setdefault(d["kind"], []).append(d)
    for d in of.get("constants", []):
        known.update((v["name"], v["number"]) for v in d["values"])
    for d in of.get("enumeration", []):
        known[d["name"]] = IntEnum(d["name"], [(v["name"], v["number"]) for v in d["values"]], module=__name__)
        known.update(known[d["name"]].__members__)
    for name, d in structures.items():
        known[name] = type(name, (_Struct,), {"__module__": __name__, "__doc__": d.get("comment")})
    for d in of.get("callback", []):
        known[d["name"]] = _function_of(d)
    for name, d in structures.items():
        if "members" in d:
            _complete(known[name], d["members"])
    for d in of.get("function", []) + of.get("macro", []):
        shared = by_name[d["shares"]] if "shares" in d else {}
        known[d["name"]] = _Call(d, _outputs(d), d.get("comment", shared.get("comment", "")))
    for d in of.get("inline", []):
        known[d["name"]] = _inline(d, structures[d["returns"]]["members"])


def _description():
    """api.json lies next to this file, in a checkout in docs/reference."""
    here = Path(__file__).resolve().parent
    path = here / "api.json"
    return path if path.exists() else here.parents[1] / "docs/reference/api.json"


_define(json.loads(_description().read_text(encoding="utf-8")))
