import ctypes
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
    the size of whose structure is added. The library only reads what the parameters named in `const` point to.
    `least`: numbers of elements that arrays have, "alpha=2".
    """

    def __init__(self, name, result, parameters, *types, outputs=0, symbol=None, appended=(), const="",
                 least=""):
        self.__name__, self.result, self.parameters, self.types = name, result, parameters.split(), types
        self.outputs, self.symbol, self.appended, self.const = outputs, symbol or name, appended, const.split()
        self.least = {pair.split("=")[0]: int(pair.split("=")[1]) for pair in least.split()}
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


def _define(structure, *members):
    """The members of a structure, which other structures may name before it is complete."""
    structure._fields_ = [(name + "_" * keyword.iskeyword(name), kind) for name, kind in members]
