import ctypes
import keyword
import os
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


def _convert(kind, value):
    """A Python value as ctypes takes it for this type: text as bytes, sequences as arrays, functions as callbacks."""
    if isinstance(value, str):
        return value.encode()
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
        super().__setattr__(name, _convert(kind, value))


class _Call:
    """A function of the library.

    Its last parameters, as many as `outputs`, may be left out: they are allocated and returned. A status other than
    RW_OK raises Error. `appended` are arguments that a macro of the header adds: numbers, or the name of a parameter,
    the size of whose structure is added.
    """

    def __init__(self, name, result, parameters, *types, outputs=0, symbol=None, appended=()):
        self.__name__, self.result, self.parameters, self.types = name, result, parameters.split(), types
        self.outputs, self.symbol, self.appended = outputs, symbol or name, appended
        self.__doc__ = f"{name}({', '.join(self.parameters)}): docs/reference/api.md"
        self.function = None

    def _open(self):
        self.function = _symbol(self.symbol)
        self.function.argtypes = [*self.types, *(c_size_t for _ in self.appended)]
        self.function.restype = c_int if self.result is rw_status else self.result

    def _size(self, arguments, name):
        """Of the structure that this argument is, or points to."""
        argument = arguments[self.parameters.index(name)]
        return sizeof(getattr(argument, "_obj", getattr(argument, "contents", argument)))

    def __call__(self, *arguments):
        missing = len(self.types) - len(arguments)
        if not 0 <= missing <= self.outputs:
            raise TypeError(f"{self.__name__}({', '.join(self.parameters)}): {len(arguments)} arguments given")
        if not self.function:
            self._open()
        outputs = [kind._type_() for kind in self.types[len(arguments):]]
        before = len(_raised.errors)
        given = (*arguments, *outputs)
        appended = [self._size(given, a) if isinstance(a, str) else a for a in self.appended]
        result = self.function(*map(_convert, self.types, given), *appended)
        errors, _raised.errors[before:] = _raised.errors[before:], []
        if self.result is rw_status and result != RW_OK:
            raise Error(rw_status(result), rw_message(None)) from (errors[-1] if errors else None)
        if outputs:
            return outputs[0] if missing == 1 else tuple(outputs)
        if self.result is rw_status:
            return None
        return result.decode() if isinstance(result, bytes) else result


def _define(structure, *members):
    """The members of a structure, which other structures may name before it is complete."""
    structure._fields_ = [(name + "_" * keyword.iskeyword(name), kind) for name, kind in members]
