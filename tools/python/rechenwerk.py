"""Rechenwerk from Python: functions, structures and constants of the C headers by their own names, on ctypes.

    from rechenwerk import *
    device = rw_device_open(rw_context_create(), "auto")

docs/how-to/use-from-python.md; docs/reference/api.md. Generated from the headers by tools/api/make.sh.
"""
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



class rw_status(IntEnum):
    RW_OK = 0
    RW_ERR_ARGUMENT = 1
    RW_ERR_INPUT = 2
    RW_ERR_FILE = 3
    RW_ERR_MEMORY = 4
    RW_ERR_DEVICE = 5
    RW_ERR_COMPILE = 6
    RW_ERR_LAUNCH = 7
    RW_ERR_CHECK = 8
    RW_ERR_UNSUPPORTED = 9
    RW_ERR_NOT_CONVERGED = 10
    RW_ERR_INTERRUPTED = 11
    RW_ERR_INTERNAL = 12
    RW_FATAL_DEVICE_LOST = 100


globals().update(rw_status.__members__)
RW_VERSION_MAJOR = 0
RW_VERSION_MINOR = 1
RW_VERSION_PATCH = 0
RW_VERSION = '0.1.0'


class rw_log_level(IntEnum):
    RW_LOG_ERROR = 0
    RW_LOG_WARNING = 1
    RW_LOG_INFO = 2
    RW_LOG_DEBUG = 3


globals().update(rw_log_level.__members__)


class rw_dtype(IntEnum):
    RW_DTYPE_DEFAULT = 0
    RW_F32 = 1
    RW_F64 = 2
    RW_C64 = 3
    RW_C128 = 4
    RW_I8 = 5
    RW_I16 = 6
    RW_I32 = 7
    RW_I64 = 8
    RW_U8 = 9
    RW_U16 = 10
    RW_U32 = 11
    RW_U64 = 12
    RW_F16 = 13
    RW_BF16 = 14
    RW_BOOL = 15


globals().update(rw_dtype.__members__)
RW_MAX_NDIM = 8
RW_OFF = -1
RW_ZERO = -0.0


class rw_switch(IntEnum):
    RW_SWITCH_DEFAULT = 0
    RW_SWITCH_ON = 1
    RW_SWITCH_OFF = 2


globals().update(rw_switch.__members__)


class rw_param_kind(IntEnum):
    RW_PARAM_INT = 0
    RW_PARAM_REAL = 1
    RW_PARAM_BOOL = 2
    RW_PARAM_SWITCH = 3
    RW_PARAM_TEXT = 4
    RW_PARAM_PATH = 5
    RW_PARAM_CHOICE = 6
    RW_PARAM_ENUM = 7
    RW_PARAM_SIZES = 8
    RW_PARAM_TABLE = 9
    RW_PARAM_INTS = 10
    RW_PARAM_REALS = 11
    RW_PARAM_CHOICES = 12
    RW_PARAM_TEXTS = 13
    RW_PARAM_NODE = 14


globals().update(rw_param_kind.__members__)


class rw_memory(IntEnum):
    RW_MEMORY_DEVICE = 0
    RW_MEMORY_PINNED = 1
    RW_MEMORY_MANAGED = 2
    RW_MEMORY_MAPPED = 3


globals().update(rw_memory.__members__)


class rw_copy_mode(IntEnum):
    RW_COPY = 0
    RW_BORROW = 1
    RW_OWN = 2


globals().update(rw_copy_mode.__members__)


class rw_tensor_device(IntEnum):
    RW_TENSOR_CPU = 1
    RW_TENSOR_CUDA = 2
    RW_TENSOR_CUDA_HOST = 3
    RW_TENSOR_OPENCL = 4
    RW_TENSOR_CUDA_MANAGED = 13


globals().update(rw_tensor_device.__members__)


class rw_tensor_code(IntEnum):
    RW_TENSOR_INT = 0
    RW_TENSOR_UINT = 1
    RW_TENSOR_FLOAT = 2
    RW_TENSOR_HANDLE = 3
    RW_TENSOR_BFLOAT = 4
    RW_TENSOR_COMPLEX = 5
    RW_TENSOR_BOOL = 6


globals().update(rw_tensor_code.__members__)


class rw_reduce_op(IntEnum):
    RW_REDUCE_OP_SUM = 0
    RW_REDUCE_OP_DOT = 1
    RW_REDUCE_OP_MIN = 2
    RW_REDUCE_OP_MAX = 3
    RW_REDUCE_OP_NORM1 = 4
    RW_REDUCE_OP_NORM2 = 5
    RW_REDUCE_OP_NORMMAX = 6


globals().update(rw_reduce_op.__members__)


class rw_boundary_kind(IntEnum):
    RW_BOUNDARY_NEAREST = 0
    RW_BOUNDARY_DIRICHLET = 1
    RW_BOUNDARY_NEUMANN = 2
    RW_BOUNDARY_ROBIN = 3
    RW_BOUNDARY_PERIODIC = 4
    RW_BOUNDARY_REFLECT101 = 5
    RW_BOUNDARY_REFLECT = 6
    RW_BOUNDARY_CONSTANT = 7
    RW_BOUNDARY_KINDS = 8
    RW_BOUNDARY_REPLICATE = 0
    RW_BOUNDARY_WRAP = 4


globals().update(rw_boundary_kind.__members__)


class rw_surface_kind(IntEnum):
    RW_SURFACE_CYLINDER = 0
    RW_SURFACE_SPHERE = 1
    RW_SURFACE_CUSTOM = 2


globals().update(rw_surface_kind.__members__)


class rw_mapping(IntEnum):
    RW_MAPPING_TRANSFINITE = 0
    RW_MAPPING_TRILINEAR = 1


globals().update(rw_mapping.__members__)


class rw_blocks_place(IntEnum):
    RW_BLOCKS_CELLS = 0
    RW_BLOCKS_POINTS = 1


globals().update(rw_blocks_place.__members__)


class rw_fft_kind(IntEnum):
    RW_FFT_COMPLEX = 0
    RW_FFT_REAL = 1
    RW_FFT_DCT1 = 2
    RW_FFT_DCT2 = 3
    RW_FFT_DCT3 = 4
    RW_FFT_DCT4 = 5
    RW_FFT_DST1 = 6
    RW_FFT_DST2 = 7
    RW_FFT_DST3 = 8
    RW_FFT_DST4 = 9
    RW_FFT_KINDS = 10


globals().update(rw_fft_kind.__members__)


class rw_convolution_mode(IntEnum):
    RW_CONVOLUTION_FULL = 0
    RW_CONVOLUTION_SAME = 1
    RW_CONVOLUTION_VALID = 2
    RW_CONVOLUTION_PERIODIC = 3
    RW_CONVOLUTION_MODES = 4


globals().update(rw_convolution_mode.__members__)


class rw_op(IntEnum):
    RW_OP_NONE = 0
    RW_OP_TRANSPOSE = 1
    RW_OP_CONJUGATE = 2


globals().update(rw_op.__members__)


class rw_sparse_format(IntEnum):
    RW_SPARSE_DEFAULT = 0
    RW_SPARSE_COO = 1
    RW_SPARSE_CSR = 2
    RW_SPARSE_BCSR = 3
    RW_SPARSE_VBCSR = 4
    RW_SPARSE_DIA = 5
    RW_SPARSE_ELL = 6
    RW_SPARSE_BELL = 7
    RW_SPARSE_SELL = 8
    RW_SPARSE_BSELL = 9
    RW_SPARSE_FORMATS = 10


globals().update(rw_sparse_format.__members__)
RW_SPARSE_BLOCK_MOST = 16


class rw_duplicates(IntEnum):
    RW_DUPLICATES_REFUSE = 0
    RW_DUPLICATES_SUM = 1


globals().update(rw_duplicates.__members__)
RW_SPARSE_CANDIDATES = 40
RW_PATTERN_BLOCKS = 8


class rw_colormap(IntEnum):
    RW_COLORMAP_SEQUENTIAL = 0
    RW_COLORMAP_DIVERGING = 1
    RW_COLORMAP_GREY = 2
    RW_COLORMAP_CYCLIC = 3
    RW_COLORMAPS = 4


globals().update(rw_colormap.__members__)


class rw_figure_style(IntEnum):
    RW_FIGURE_LINE = 0
    RW_FIGURE_DASHED = 1
    RW_FIGURE_POINTS = 2
    RW_FIGURE_LINE_POINTS = 3


globals().update(rw_figure_style.__members__)


class rw_image_method(IntEnum):
    RW_IMAGE_METHOD_NONE = 0
    RW_IMAGE_GAUSS = 1
    RW_IMAGE_BOX = 2
    RW_IMAGE_SOBEL = 3
    RW_IMAGE_SCHARR = 4
    RW_IMAGE_LAPLACE = 5
    RW_IMAGE_SHARPEN = 6
    RW_IMAGE_UNSHARP = 7
    RW_IMAGE_MASK = 8
    RW_IMAGE_MEDIAN = 9
    RW_IMAGE_ERODE = 10
    RW_IMAGE_DILATE = 11
    RW_IMAGE_OPEN = 12
    RW_IMAGE_CLOSE = 13
    RW_IMAGE_GRADIENT = 14
    RW_IMAGE_TOPHAT = 15
    RW_IMAGE_BLACKHAT = 16
    RW_IMAGE_BILATERAL = 17
    RW_IMAGE_THRESHOLD = 18
    RW_IMAGE_INVERT = 19
    RW_IMAGE_LINEAR = 20
    RW_IMAGE_GAMMA = 21
    RW_IMAGE_CLIP = 22
    RW_IMAGE_GREY = 23
    RW_IMAGE_COLOUR = 24
    RW_IMAGE_NORMALIZE = 25
    RW_IMAGE_EQUALIZE = 26
    RW_IMAGE_OTSU = 27
    RW_IMAGE_HISTOGRAM = 28
    RW_IMAGE_LOWPASS = 29
    RW_IMAGE_HIGHPASS = 30
    RW_IMAGE_BANDPASS = 31
    RW_IMAGE_SPECTRUM = 32
    RW_IMAGE_RESIZE = 33
    RW_IMAGE_WARP = 34
    RW_IMAGE_ROTATE = 35
    RW_IMAGE_FLIP = 36
    RW_IMAGE_TRANSPOSE = 37
    RW_IMAGE_CROP = 38
    RW_IMAGE_PAD = 39
    RW_IMAGE_METHODS = 40
    RW_IMAGE_OWN = 40


globals().update(rw_image_method.__members__)


class rw_image_border(IntEnum):
    RW_IMAGE_BORDER_DEFAULT = 0
    RW_IMAGE_BORDER_REFLECT101 = 1
    RW_IMAGE_BORDER_REFLECT = 2
    RW_IMAGE_BORDER_REPLICATE = 3
    RW_IMAGE_BORDER_WRAP = 4
    RW_IMAGE_BORDER_CONSTANT = 5
    RW_IMAGE_BORDER_SKIP = 6
    RW_IMAGE_BORDERS = 7


globals().update(rw_image_border.__members__)


class rw_image_direction(IntEnum):
    RW_IMAGE_DIRECTION_DEFAULT = 0
    RW_IMAGE_MAGNITUDE = 1
    RW_IMAGE_X = 2
    RW_IMAGE_Y = 3


globals().update(rw_image_direction.__members__)


class rw_image_element(IntEnum):
    RW_IMAGE_ELEMENT_DEFAULT = 0
    RW_IMAGE_RECTANGLE = 1
    RW_IMAGE_CROSS = 2
    RW_IMAGE_ELLIPSE = 3


globals().update(rw_image_element.__members__)


class rw_image_threshold(IntEnum):
    RW_IMAGE_THRESHOLD_DEFAULT = 0
    RW_IMAGE_BINARY = 1
    RW_IMAGE_BINARY_INVERSE = 2
    RW_IMAGE_TRUNCATE = 3
    RW_IMAGE_TO_ZERO = 4
    RW_IMAGE_TO_ZERO_INVERSE = 5


globals().update(rw_image_threshold.__members__)


class rw_image_interpolation(IntEnum):
    RW_IMAGE_INTERPOLATION_DEFAULT = 0
    RW_IMAGE_INTERPOLATION_NEAREST = 1
    RW_IMAGE_INTERPOLATION_LINEAR = 2
    RW_IMAGE_INTERPOLATION_CUBIC = 3
    RW_IMAGE_INTERPOLATION_LANCZOS = 4
    RW_IMAGE_INTERPOLATION_AREA = 5


globals().update(rw_image_interpolation.__members__)


class rw_image_flip(IntEnum):
    RW_IMAGE_FLIP_DEFAULT = 0
    RW_IMAGE_FLIP_X = 1
    RW_IMAGE_FLIP_Y = 2
    RW_IMAGE_FLIP_BOTH = 3


globals().update(rw_image_flip.__members__)


class rw_image_colour(IntEnum):
    RW_IMAGE_COLOUR_DEFAULT = 0
    RW_IMAGE_YCBCR = 1
    RW_IMAGE_YCBCR_INVERSE = 2
    RW_IMAGE_HSV = 3
    RW_IMAGE_HSV_INVERSE = 4
    RW_IMAGE_XYZ = 5
    RW_IMAGE_XYZ_INVERSE = 6
    RW_IMAGE_SWAP = 7


globals().update(rw_image_colour.__members__)


class rw_image_response(IntEnum):
    RW_IMAGE_RESPONSE_DEFAULT = 0
    RW_IMAGE_RESPONSE_GAUSSIAN = 1
    RW_IMAGE_RESPONSE_BUTTERWORTH = 2
    RW_IMAGE_RESPONSE_IDEAL = 3


globals().update(rw_image_response.__members__)


class rw_image_scale(IntEnum):
    RW_IMAGE_SCALE_DEFAULT = 0
    RW_IMAGE_SCALE_LOG = 1
    RW_IMAGE_SCALE_LINEAR = 2


globals().update(rw_image_scale.__members__)


class rw_image_alpha(IntEnum):
    RW_IMAGE_ALPHA_DEFAULT = 0
    RW_IMAGE_ALPHA_KEEP = 1
    RW_IMAGE_ALPHA_FILTER = 2


globals().update(rw_image_alpha.__members__)


class rw_image_algorithm(IntEnum):
    RW_IMAGE_ALGORITHM_DEFAULT = 0
    RW_IMAGE_ALGORITHM_AUTO = 1
    RW_IMAGE_ALGORITHM_TAPS = 2
    RW_IMAGE_ALGORITHM_FFT = 3
    RW_IMAGE_ALGORITHM_RECURSIVE = 4


globals().update(rw_image_algorithm.__members__)


class rw_precond_method(IntEnum):
    RW_PRECOND_NONE = 0
    RW_PRECOND_JACOBI = 1
    RW_PRECOND_SSOR = 2
    RW_PRECOND_ILU = 3
    RW_PRECOND_MILU = 4
    RW_PRECOND_ILUT = 5
    RW_PRECOND_CHEBYSHEV = 6
    RW_PRECOND_AMG = 7
    RW_PRECOND_ICC = 8
    RW_PRECOND_METHODS = 9


globals().update(rw_precond_method.__members__)


class rw_precond_order(IntEnum):
    RW_ORDER_AUTO = 0
    RW_ORDER_NATURAL = 1
    RW_ORDER_COLOURS = 2


globals().update(rw_precond_order.__members__)
RW_PRECOND_BLOCK_AUTO = -1


class rw_krylov_method(IntEnum):
    RW_KRYLOV_DEFAULT = 0
    RW_KRYLOV_CG = 1
    RW_KRYLOV_BICGSTAB = 2
    RW_KRYLOV_GMRES = 3
    RW_KRYLOV_FGMRES = 4
    RW_KRYLOV_IDR = 5
    RW_KRYLOV_METHODS = 6


globals().update(rw_krylov_method.__members__)


class rw_krylov_orthogonal(IntEnum):
    RW_KRYLOV_ORTHOGONAL_DEFAULT = 0
    RW_KRYLOV_CLASSICAL = 1
    RW_KRYLOV_MODIFIED = 2


globals().update(rw_krylov_orthogonal.__members__)


class rw_krylov_reason(IntEnum):
    RW_KRYLOV_CONVERGED = 0
    RW_KRYLOV_ITERATIONS = 1
    RW_KRYLOV_STAGNATION = 2
    RW_KRYLOV_BREAKDOWN = 3
    RW_KRYLOV_INDEFINITE = 4
    RW_KRYLOV_NOT_FINITE = 5
    RW_KRYLOV_INTERRUPTED = 6
    RW_KRYLOV_RANGE = 7


globals().update(rw_krylov_reason.__members__)
RW_MULTIBLOCK_UNKNOWNS = 5
RW_MULTIBLOCK_ALL = -1


class rw_multiblock_stencil(IntEnum):
    RW_MULTIBLOCK_EULER3D = 0
    RW_MULTIBLOCK_EULER2D = 1
    RW_MULTIBLOCK_NS2D = 2
    RW_MULTIBLOCK_NS3D = 3
    RW_MULTIBLOCK_STENCILS = 4


globals().update(rw_multiblock_stencil.__members__)


class rw_multiblock_mode(IntEnum):
    RW_MULTIBLOCK_TRUNCATED = 0
    RW_MULTIBLOCK_INNER = 1
    RW_MULTIBLOCK_FULL = 2
    RW_MULTIBLOCK_MODES = 3


globals().update(rw_multiblock_mode.__members__)


class rw_multiblock_index(IntEnum):
    RW_MULTIBLOCK_COMPACT = 0
    RW_MULTIBLOCK_EXTENDED = 1
    RW_MULTIBLOCK_STORED = 2
    RW_MULTIBLOCK_INDICES = 3


globals().update(rw_multiblock_index.__members__)


class rw_multiblock_placeholder(IntEnum):
    RW_MULTIBLOCK_EMPTY = 0
    RW_MULTIBLOCK_SENTINEL = 1


globals().update(rw_multiblock_placeholder.__members__)


class rw_ode_method(IntEnum):
    RW_ODE_DEFAULT = 0
    RW_ODE_RK4 = 1
    RW_ODE_RKC2 = 2
    RW_ODE_RKL2 = 3
    RW_ODE_ROCK2 = 4
    RW_ODE_ROCK4 = 5
    RW_ODE_DP5 = 6
    RW_ODE_AUTO = 7


globals().update(rw_ode_method.__members__)
RW_ODE_STATE = 16


class rw_sample_kind(IntEnum):
    RW_SAMPLE_DEFAULT = 0
    RW_SAMPLE_U8 = 1
    RW_SAMPLE_S16 = 2
    RW_SAMPLE_S24 = 3
    RW_SAMPLE_S32 = 4
    RW_SAMPLE_F32 = 5
    RW_SAMPLE_F64 = 6
    RW_SAMPLE_KINDS = 7


globals().update(rw_sample_kind.__members__)


class rw_signal_container(IntEnum):
    RW_SIGNAL_DEFAULT = 0
    RW_SIGNAL_WAV = 1
    RW_SIGNAL_RAW = 2


globals().update(rw_signal_container.__members__)


class rw_signal_method(IntEnum):
    RW_SIGNAL_METHOD_DEFAULT = 0
    RW_SIGNAL_LOWPASS = 1
    RW_SIGNAL_HIGHPASS = 2
    RW_SIGNAL_BANDPASS = 3
    RW_SIGNAL_BANDSTOP = 4
    RW_SIGNAL_FIR = 5
    RW_SIGNAL_GAIN = 6
    RW_SIGNAL_METHODS = 7


globals().update(rw_signal_method.__members__)


class rw_signal_window(IntEnum):
    RW_SIGNAL_WINDOW_DEFAULT = 0
    RW_SIGNAL_HANN = 1
    RW_SIGNAL_HAMMING = 2
    RW_SIGNAL_BLACKMAN = 3
    RW_SIGNAL_KAISER = 4
    RW_SIGNAL_RECTANGULAR = 5
    RW_SIGNAL_WINDOWS = 6


globals().update(rw_signal_window.__members__)


class rw_frame_layout(IntEnum):
    RW_FRAME_PIXELS = 0
    RW_FRAME_420 = 1
    RW_FRAME_422 = 2
    RW_FRAME_444 = 3
    RW_FRAME_LAYOUTS = 4


globals().update(rw_frame_layout.__members__)


class rw_chroma_siting(IntEnum):
    RW_CHROMA_CENTRE = 0
    RW_CHROMA_LEFT = 1
    RW_CHROMA_PALDV = 2


globals().update(rw_chroma_siting.__members__)


class rw_stream_action(IntEnum):
    RW_STREAM_CONTINUE = 0
    RW_STREAM_PAUSE = 1
    RW_STREAM_END = 2


globals().update(rw_stream_action.__members__)
class rw_context(_Struct):
    pass


class rw_cancel(_Struct):
    pass


class rw_param(_Struct):
    pass


class rw_params(_Struct):
    pass


class rw_device(_Struct):
    pass


class rw_queue(_Struct):
    pass


class rw_event(_Struct):
    pass


class rw_sequence(_Struct):
    pass


class rw_device_properties(_Struct):
    pass


class rw_counters(_Struct):
    pass


class rw_array(_Struct):
    pass


class rw_tensor(_Struct):
    pass


class rw_managed_tensor(_Struct):
    pass


class rw_reducer(_Struct):
    pass


class rw_boundary(_Struct):
    pass


class rw_grid(_Struct):
    pass


class rw_expr_field(_Struct):
    pass


class rw_expr_scalar(_Struct):
    pass


class rw_expr_external(_Struct):
    pass


class rw_expr_function(_Struct):
    pass


class rw_expr_tables(_Struct):
    pass


class rw_expr_stencil(_Struct):
    pass


class rw_expr_spec(_Struct):
    pass


class rw_expr(_Struct):
    pass


class rw_expr_plan(_Struct):
    pass


class rw_surface(_Struct):
    pass


class rw_on_surface(_Struct):
    pass


class rw_coarse_mesh(_Struct):
    pass


class rw_blocks_spec(_Struct):
    pass


class rw_blocks(_Struct):
    pass


class rw_block(_Struct):
    pass


class rw_blocks_slice(_Struct):
    pass


class rw_depgraph(_Struct):
    pass


class rw_partition(_Struct):
    pass


class rw_fft_spec(_Struct):
    pass


class rw_fft(_Struct):
    pass


class rw_fft_info(_Struct):
    pass


class rw_fft_tuning(_Struct):
    pass


class rw_fft_tuned(_Struct):
    pass


class rw_convolution_spec(_Struct):
    pass


class rw_convolution(_Struct):
    pass


class rw_operator(_Struct):
    pass


class rw_operator_spec(_Struct):
    pass


class rw_operator_info(_Struct):
    pass


class rw_sparse_layout(_Struct):
    pass


class rw_sparse_blocks(_Struct):
    pass


class rw_sparse_size(_Struct):
    pass


class rw_entries(_Struct):
    pass


class rw_sparse_candidate(_Struct):
    pass


class rw_sparse_choice(_Struct):
    pass


class rw_pattern(_Struct):
    pass


class rw_sparse(_Struct):
    pass


class rw_sparse_arrays(_Struct):
    pass


class rw_figure_axis(_Struct):
    pass


class rw_figure_page(_Struct):
    pass


class rw_figure_field(_Struct):
    pass


class rw_figure_series(_Struct):
    pass


class rw_figure_lines(_Struct):
    pass


class rw_figure_bars(_Struct):
    pass


class rw_figure_volume(_Struct):
    pass


class rw_figure_image(_Struct):
    pass


class rw_image_own(_Struct):
    pass


class rw_image_op(_Struct):
    pass


class rw_image_spec(_Struct):
    pass


class rw_image_filter(_Struct):
    pass


class rw_image_info(_Struct):
    pass


class rw_image_tags(_Struct):
    pass


class rw_precond_spec(_Struct):
    pass


class rw_precond_info(_Struct):
    pass


class rw_precond(_Struct):
    pass


class rw_precond_bytes(_Struct):
    pass


class rw_krylov_spec(_Struct):
    pass


class rw_krylov_result(_Struct):
    pass


class rw_krylov(_Struct):
    pass


class rw_multiblock_spec(_Struct):
    pass


class rw_multiblock_size(_Struct):
    pass


class rw_multiblock(_Struct):
    pass


class rw_ode_spec(_Struct):
    pass


class rw_ode(_Struct):
    pass


class rw_ode_statistics(_Struct):
    pass


class rw_program(_Struct):
    pass


class rw_kernel(_Struct):
    pass


class rw_define(_Struct):
    pass


class rw_arg(_Struct):
    pass


class rw_cache_info(_Struct):
    pass


class rw_run_progress(_Struct):
    pass


class rw_run_options(_Struct):
    pass


class rw_run_report(_Struct):
    pass


class rw_plot_options(_Struct):
    pass


class rw_word(_Struct):
    pass


class rw_selftest_result(_Struct):
    pass


class rw_signal_format(_Struct):
    pass


class rw_signal_op(_Struct):
    pass


class rw_signal_report(_Struct):
    pass


class rw_signal_spec(_Struct):
    pass


class rw_spectrogram_report(_Struct):
    pass


class rw_spectrogram_spec(_Struct):
    pass


class rw_frame_format(_Struct):
    pass


class rw_stream_file(_Struct):
    pass


class rw_stream_format(_Struct):
    pass


class rw_stream_report(_Struct):
    pass


class rw_stream_view(_Struct):
    pass


class rw_stream_spec(_Struct):
    pass


class rw_stream_window(_Struct):
    pass


class rw_stream_window_spec(_Struct):
    pass


rw_log_function = _function_type(None, c_void_p, c_int, c_char_p)
rw_integrand = _function_type(c_double, c_void_p, POINTER(c_double), c_double, POINTER(c_double), c_double,
    POINTER(c_double))
rw_krylov_monitor = _function_type(rw_status, c_void_p, c_int64, c_double)
rw_run_progress_function = _function_type(rw_status, c_void_p, POINTER(rw_run_progress))
rw_plot_function = _function_type(rw_status, c_void_p, c_char_p)
_define(rw_cancel, ("requested", c_int))
_define(rw_param, ("name", c_char_p), ("kind", c_int), ("offset", c_size_t), ("size", c_size_t), ("required", c_bool),
    ("standard", c_char_p), ("allowed", c_char_p), ("unit", c_char_p), ("line", c_char_p), ("condition", c_char_p),
    ("methods", c_uint64), ("brief", c_char_p), ("table", _function_type(POINTER(rw_params))))
_define(rw_params, ("name", c_char_p), ("type", c_char_p), ("line", c_char_p), ("size", c_size_t), ("row",
    POINTER(rw_param)), ("n", c_int64))
_define(rw_device_properties, ("name", c_char * 32), ("also", c_char * 32), ("kind", c_char * 16), ("hardware",
    c_char * 128), ("driver", c_char * 160), ("unusable", c_char * 256), ("identity", c_char * 64), ("units", c_int),
    ("clock_mhz", c_int), ("memory", c_int64), ("memory_free", c_int64), ("shared_memory", c_int64), ("cache", c_int64),
    ("group_max", c_int), ("cluster", c_int), ("width", c_int), ("f64", c_bool), ("managed", c_bool), ("mapped",
    c_bool), ("gpu", c_bool), ("version", c_char * 32))
_define(rw_counters, ("copies_in", c_int64), ("copies_out", c_int64), ("copies_device", c_int64), ("bytes_in", c_int64),
    ("bytes_out", c_int64), ("bytes_device", c_int64), ("launches", c_int64), ("replays", c_int64), ("compilations",
    c_int64), ("cache_hits", c_int64), ("shared", c_int64), ("bytes_allocated", c_int64), ("bytes_allocated_peak",
    c_int64), ("compile_seconds", c_double))
_define(rw_tensor, ("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32), ("code",
    c_uint8), ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
    ("byte_offset", c_uint64))
_define(rw_managed_tensor, ("tensor", rw_tensor), ("owner", c_void_p), ("deleter", _function_type(None,
    POINTER(rw_managed_tensor))))
_define(rw_boundary, ("kind", c_int), ("a", c_char_p), ("b", c_char_p), ("c", c_char_p))
_define(rw_grid, ("ndim", c_int), ("size", c_int64 * 3), ("spacing", c_double * 3), ("origin", c_double * 3),
    ("global_size", c_int64 * 3), ("first", c_int64 * 3))
_define(rw_expr_field, ("name", c_char_p), ("dtype", c_int), ("boundary", rw_boundary * 6))
_define(rw_expr_scalar, ("name", c_char_p), ("is_complex", c_bool), ("value", c_double), ("imaginary", c_double),
    ("state", c_bool))
_define(rw_expr_external, ("name", c_char_p), ("dtype", c_int), ("make", _function_type(rw_status, c_void_p,
    POINTER(rw_device), POINTER(POINTER(rw_array)))), ("user", c_void_p))
_define(rw_expr_function, ("name", c_char_p), ("arguments", c_int), ("call", _function_type(c_double, c_void_p,
    POINTER(c_double))), ("user", c_void_p))
_define(rw_expr_tables, ("width", c_int), ("cell", POINTER(rw_array)), ("weight", POINTER(rw_array)), ("area",
    POINTER(rw_array)), ("conductance", POINTER(rw_array)))
_define(rw_expr_stencil, ("make", _function_type(rw_status, c_void_p, POINTER(rw_expr_tables))), ("user", c_void_p),
    ("conducts", c_bool))
_define(rw_expr_spec, ("name", c_char_p), ("line", c_int), ("column", c_int), ("text", c_char_p), ("grid", rw_grid),
    ("order", c_int), ("fields", POINTER(rw_expr_field)), ("nfields", c_int64), ("scalars", POINTER(rw_expr_scalar)),
    ("nscalars", c_int64), ("externals", POINTER(rw_expr_external)), ("nexternals", c_int64), ("stencil",
    POINTER(rw_expr_stencil)), ("functions", POINTER(rw_expr_function)), ("nfunctions", c_int64), ("reassociate",
    c_bool), ("trace", c_int))
_define(rw_expr_plan, ("passes", c_int64), ("stores", c_int64), ("reductions", c_int64), ("bytes", c_int64),
    ("bytes_per_cell", c_double), ("flops_per_cell", c_double), ("evaluator", c_bool), ("function", c_char_p))
_define(rw_surface, ("kind", c_int), ("centre", c_double * 3), ("axis", c_double * 3), ("radius", c_double), ("project",
    _function_type(None, c_void_p, POINTER(c_double))), ("user", c_void_p))
_define(rw_on_surface, ("surface", c_int), ("n", c_int), ("vertex", c_int * 4))
_define(rw_coarse_mesh, ("nvertices", c_int64), ("nblocks", c_int64), ("nsurfaces", c_int64), ("ncurved", c_int64),
    ("vertices", POINTER(c_double * 3)), ("blocks", POINTER(c_int * 8)), ("surfaces", POINTER(rw_surface)), ("curved",
    POINTER(rw_on_surface)))
_define(rw_blocks_spec, ("mesh", rw_coarse_mesh), ("cells", c_int * 3), ("cells_of", POINTER(c_int * 3)), ("mapping",
    c_int))
_define(rw_block, ("corner", c_int * 8), ("cells", c_int * 3), ("first_cell", c_int64))
_define(rw_blocks_slice, ("axis", c_int), ("at", c_double), ("lower", c_double * 2), ("upper", c_double * 2), ("n",
    c_int * 2))
_define(rw_partition, ("ntasks", c_int64), ("nparts", c_int64), ("part", POINTER(c_int)), ("name", POINTER(c_char_p)),
    ("accepted", c_bool), ("reason", c_char_p), ("path", POINTER(c_int)), ("npath", c_int64), ("level", POINTER(c_int)),
    ("nlevels", c_int), ("structure", POINTER(c_int)), ("nstructures", c_int), ("nlaunches", c_int64))
_define(rw_fft_spec, ("kind", c_int), ("inverse", c_bool), ("single", c_bool), ("ndim", c_int), ("shape", c_int64 * 8),
    ("axes", c_uint), ("scale", c_double), ("x_dtype", c_int), ("y_dtype", c_int), ("x_shape", c_int64 * 8), ("y_shape",
    c_int64 * 8), ("x_stride", c_int64 * 8), ("y_stride", c_int64 * 8), ("load", c_char_p), ("store", c_char_p),
    ("naxes", c_int), ("axis", c_int * 8), ("ortho", c_bool))
_define(rw_fft_info, ("passes", c_int64), ("programs", c_int64), ("work_bytes", c_int64), ("bytes", c_int64),
    ("table_bytes", c_int64))
_define(rw_fft_tuning, ("seconds", c_double), ("report", _function_type(rw_status, c_void_p, c_char_p, c_char_p,
    c_double, c_bool)), ("user", c_void_p))
_define(rw_fft_tuned, ("before", c_double), ("after", c_double), ("tried", c_int))
_define(rw_convolution_spec, ("mode", c_int), ("correlate", c_bool), ("dtype", c_int), ("ndim", c_int), ("a_shape",
    c_int64 * 8), ("b_shape", c_int64 * 8), ("axes", c_uint), ("scale", c_double), ("a_stride", c_int64 * 8),
    ("y_stride", c_int64 * 8))
_define(rw_operator_spec, ("rows", c_int64), ("columns", c_int64), ("type", c_int), ("multiply",
    _function_type(rw_status, c_void_p, c_int, POINTER(rw_array), POINTER(rw_array), POINTER(rw_queue))), ("direct",
    c_bool), ("transposes", c_bool), ("hermitian", c_bool), ("diagonal", _function_type(rw_status, c_void_p,
    POINTER(rw_array))), ("destroy", _function_type(None, c_void_p)), ("user", c_void_p))
_define(rw_operator_info, ("rows", c_int64), ("columns", c_int64), ("type", c_int), ("any_vector", c_bool),
    ("transposes", c_bool), ("adjoint", c_bool), ("diagonal", c_bool), ("direct", c_bool))
_define(rw_sparse_layout, ("format", c_int), ("values", c_int), ("block_rows", c_int), ("block_columns", c_int),
    ("columns", c_bool), ("slice", c_int), ("sort", c_int), ("section", c_int), ("index_bits", c_int), ("scaled",
    c_bool), ("reserved", c_int64 * 4))
_define(rw_sparse_blocks, ("rows", c_int64), ("columns", c_int64), ("first", POINTER(c_int64)), ("column",
    POINTER(c_int64)), ("row_size", POINTER(c_int32)), ("column_size", POINTER(c_int32)))
_define(rw_sparse_size, ("rows", c_int64), ("columns", c_int64), ("blocks", c_int64), ("stored", c_int64), ("bytes",
    c_int64))
_define(rw_entries, ("rows", c_int64), ("columns", c_int64), ("n", c_int64), ("is_complex", c_bool), ("row",
    POINTER(c_int64)), ("column", POINTER(c_int64)), ("value", POINTER(c_double)))
_define(rw_sparse_candidate, ("layout", rw_sparse_layout), ("refused", c_bool), ("size", rw_sparse_size), ("fill",
    c_double), ("moved", c_double), ("cost", c_double))
_define(rw_sparse_choice, ("candidate", rw_sparse_candidate * 40), ("n", c_int64), ("best", c_int64), ("reason",
    c_char * 200))
_define(rw_pattern, ("rows", c_int64), ("columns", c_int64), ("entries", c_int64), ("is_complex", c_bool),
    ("same_pattern", c_bool), ("symmetric", c_bool), ("skew", c_bool), ("hermitian", c_bool), ("lower", c_int64),
    ("upper", c_int64), ("diagonals", c_int64), ("row_min", c_int64), ("row_max", c_int64), ("empty_rows", c_int64),
    ("no_diagonal", c_int64), ("zeros", c_int64), ("blocks", c_int64 * 9), ("formats", rw_sparse_candidate * 40),
    ("nformats", c_int64), ("best", c_int64))
_define(rw_sparse_arrays, ("block_rows", c_int64), ("block_columns", c_int64), ("block", c_int), ("first",
    POINTER(rw_array)), ("column", POINTER(rw_array)), ("value", POINTER(rw_array)))
_define(rw_figure_axis, ("label", c_char_p), ("min", c_double), ("max", c_double), ("log", c_bool))
_define(rw_figure_page, ("width", c_int), ("height", c_int), ("title", c_char_p), ("subtitle", c_char_p), ("text",
    c_double))
_define(rw_figure_field, ("nx", c_size_t), ("ny", c_size_t), ("values", POINTER(c_double)), ("x0", c_double), ("x1",
    c_double), ("y0", c_double), ("y1", c_double), ("x_label", c_char_p), ("y_label", c_char_p), ("value",
    rw_figure_axis), ("map", c_int), ("stretch", c_bool), ("down", c_bool))
_define(rw_figure_series, ("name", c_char_p), ("n", c_size_t), ("x", POINTER(c_double)), ("y", POINTER(c_double)),
    ("style", c_int))
_define(rw_figure_lines, ("x", rw_figure_axis), ("y", rw_figure_axis), ("n", c_int64), ("series",
    POINTER(rw_figure_series)), ("scale", c_double))
_define(rw_figure_bars, ("value", rw_figure_axis), ("ngroups", c_int64), ("nseries", c_int64), ("group",
    POINTER(c_char_p)), ("series", POINTER(c_char_p)), ("values", POINTER(c_double)), ("pale", c_int))
_define(rw_figure_volume, ("n", c_size_t * 3), ("values", POINTER(c_double)), ("lower", c_double * 3), ("upper",
    c_double * 3), ("label", c_char_p * 3), ("choose", c_bool), ("at", c_double * 3), ("value", rw_figure_axis), ("map",
    c_int))
_define(rw_figure_image, ("title", c_char_p), ("image", POINTER(rw_array)))
_define(rw_image_own, ("name", c_char_p), ("line", c_char_p), ("create", _function_type(rw_status, POINTER(rw_device),
    c_char_p, c_int, c_int64, c_int64, c_int, c_bool, POINTER(c_void_p))), ("execute", _function_type(rw_status,
    c_void_p, POINTER(rw_array), POINTER(rw_array), POINTER(rw_queue))), ("destroy", _function_type(None, c_void_p)))
_define(rw_image_op, ("method", c_int), ("border", c_int), ("value", c_double), ("sigma", c_double), ("sigma_y",
    c_double), ("algorithm", c_int), ("response", c_int), ("cutoff", c_double), ("cutoff_high", c_double), ("order",
    c_int), ("magnitudes", c_int), ("truncate", c_double), ("size", c_int), ("size_y", c_int), ("direction", c_int),
    ("element", c_int), ("amount", c_double), ("range", c_double), ("threshold", c_int), ("level", c_double), ("gain",
    c_double), ("offset", c_double), ("power", c_double), ("low", c_double), ("high", c_double), ("colour", c_int),
    ("width", c_int64), ("height", c_int64), ("factor", c_double), ("interpolation", c_int), ("angle", c_double),
    ("axis", c_int), ("left", c_int64), ("top", c_int64), ("bins", c_int), ("anchor_x", c_int), ("anchor_y", c_int),
    ("scale", c_double), ("mask", c_char_p), ("own", POINTER(rw_image_own)), ("options", c_char_p), ("matrix",
    c_char_p), ("alpha", c_int))
class rw_image_spec_region(_Struct):
    pass


_define(rw_image_spec_region, ("x", c_int64), ("y", c_int64), ("width", c_int64), ("height", c_int64))
_define(rw_image_spec, ("text", c_char_p), ("ops", POINTER(rw_image_op)), ("nops", c_int64), ("dtype", c_int),
    ("y_dtype", c_int), ("width", c_int64), ("height", c_int64), ("channels", c_int), ("planar", c_bool), ("region",
    rw_image_spec_region), ("alpha", c_bool))
_define(rw_image_info, ("passes", c_int64), ("width", c_int64), ("height", c_int64), ("channels", c_int), ("dtype",
    c_int), ("bytes", c_int64), ("work_bytes", c_int64), ("spreads", c_bool))
_define(rw_image_tags, ("orientation", c_int), ("pages", c_int), ("profile", c_void_p), ("profile_bytes", c_int64),
    ("reserved", c_int64 * 2))
_define(rw_precond_spec, ("method", c_int), ("level", c_int), ("drop", c_double), ("fill", c_int), ("omega", c_double),
    ("degree", c_int), ("theta", c_double), ("order", c_int), ("iterations", c_int), ("sweeps", c_int), ("f32", c_bool),
    ("scaled", c_bool), ("block", c_int), ("cancel", POINTER(rw_cancel)), ("reserved", c_int64 * 4))
_define(rw_precond_info, ("bytes", c_int64), ("blocks", c_int64), ("levels", c_int64), ("seconds", c_double), ("block",
    c_int), ("shift", c_double), ("shift_row", c_int64))
_define(rw_precond_bytes, ("device", c_int64), ("least", c_int64), ("most", c_int64), ("device_setup", c_int64),
    ("host_setup", c_int64))
_define(rw_krylov_spec, ("method", c_int), ("rtol", c_double), ("atol", c_double), ("iterations", c_int64), ("restart",
    c_int), ("orthogonal", c_int), ("precond", rw_precond_spec), ("inner", POINTER(rw_krylov_spec)),
    ("precond_operator", POINTER(rw_operator)), ("monitor", rw_krylov_monitor), ("user", c_void_p), ("cancel",
    POINTER(rw_cancel)))
_define(rw_krylov_result, ("reason", c_int), ("iterations", c_int64), ("first", c_double), ("residual", c_double),
    ("estimate", c_double), ("right_side", c_double), ("seconds", c_double))
_define(rw_multiblock_spec, ("cells", c_int64 * 3), ("blocks", c_int64 * 3), ("stencil", c_int), ("mode", c_int),
    ("periodic", c_bool), ("is_complex", c_bool), ("omega", c_double), ("seed", c_uint64), ("zeros", c_bool))
_define(rw_multiblock_size, ("grid_blocks", c_int64), ("cells", c_int64), ("extended", c_int64), ("rows", c_int64),
    ("columns", c_int64), ("blocks", c_int64), ("values", c_int64), ("entries", c_int64), ("vector", c_int64),
    ("value_bytes", c_int64), ("index_bytes", c_int64))
_define(rw_ode_spec, ("name", c_char_p), ("line", c_int), ("column", c_int), ("equations", c_char_p), ("grid", rw_grid),
    ("order", c_int), ("fields", POINTER(rw_expr_field)), ("nfields", c_int64), ("scalars", POINTER(rw_expr_scalar)),
    ("nscalars", c_int64), ("method", c_int), ("start", c_double), ("end", c_double), ("step", c_double), ("rtol",
    c_double), ("atol", c_double), ("initial_step", c_double), ("max_step", c_double), ("max_stages", c_int),
    ("damping", c_double), ("spectral_radius", c_char_p), ("record", c_int), ("dense", c_bool), ("cancel",
    POINTER(rw_cancel)))
_define(rw_ode_statistics, ("steps", c_int64), ("rejected", c_int64), ("rhs", c_int64), ("spectral_rhs", c_int64),
    ("spectral_radius", c_double), ("stages", c_int), ("max_stages", c_int), ("step", c_double), ("error", c_double),
    ("undone", c_int64))
_define(rw_define, ("name", c_char_p), ("value", c_char_p))
_define(rw_arg, ("array", POINTER(rw_array)), ("re", c_double), ("im", c_double), ("integer", c_int64), ("is_integer",
    c_bool), ("is_memory", c_bool))
_define(rw_cache_info, ("folder", c_char * 1024), ("entries", c_int64), ("bytes", c_int64))
_define(rw_run_progress, ("step", c_int64), ("time", c_double), ("start", c_double), ("end", c_double), ("seconds",
    c_double), ("steps_per_second", c_double), ("points_per_second", c_double), ("seconds_left", c_double), ("outputs",
    c_int64), ("compiling", c_char_p), ("compilations", c_int64), ("compilations_known", c_int64), ("redrawing",
    c_char_p), ("redrawn", c_int64), ("redraws", c_int64))
_define(rw_run_options, ("folder", c_char_p), ("device", c_char_p), ("set", POINTER(c_char_p)), ("nset", c_int64),
    ("restart", c_bool), ("force", c_bool), ("cancel", POINTER(rw_cancel)), ("progress", rw_run_progress_function),
    ("user", c_void_p))
_define(rw_run_report, ("folder", c_char * 1024), ("reason", c_char * 32), ("problem", c_char * 32), ("device",
    c_char * 32), ("method", c_char * 16), ("method_reason", c_char * 240), ("time", c_double), ("end", c_double),
    ("step", c_int64), ("outputs", c_int64), ("pictures", c_int64), ("checks", c_int64), ("checks_passed", c_int64),
    ("seconds", c_double))
_define(rw_plot_options, ("field", c_char_p), ("at_time", c_bool), ("time", c_double), ("output", c_char_p), ("set",
    POINTER(c_char_p)), ("nset", c_int64), ("force", c_bool))
_define(rw_word, ("name", c_char_p), ("line", c_char_p))
_define(rw_selftest_result, ("name", c_char * 64), ("passed", c_bool), ("error", c_double), ("tolerance", c_double),
    ("seconds", c_double), ("note", c_char * 256))
_define(rw_signal_format, ("container", c_int), ("kind", c_int), ("channels", c_int), ("rate", c_double), ("count",
    c_int64), ("reserved", c_int64 * 2))
_define(rw_signal_op, ("method", c_int), ("cutoff", c_double), ("cutoff_high", c_double), ("taps", c_int64), ("window",
    c_int), ("beta", c_double), ("factor", c_double), ("db", c_double), ("file", c_char_p))
_define(rw_signal_report, ("samples", c_int64), ("blocks", c_int64), ("seconds", c_double), ("latency", c_double),
    ("latency_99", c_double), ("latency_max", c_double), ("deadline", c_double), ("late", c_int64), ("taps", c_int64),
    ("delay", c_int64), ("block", c_int64), ("batch", c_int), ("in", rw_signal_format), ("out", rw_signal_format))
_define(rw_signal_spec, ("text", c_char_p), ("in", rw_signal_format), ("container", c_int), ("kind", c_int),
    ("keep_delay", c_bool), ("wide", c_bool), ("block", c_int64), ("batch", c_int), ("queues", c_int), ("depth", c_int),
    ("real_time", c_bool), ("deadline", c_double), ("progress", _function_type(rw_status, c_void_p,
    POINTER(rw_signal_report))), ("user", c_void_p), ("cancel", POINTER(rw_cancel)))
_define(rw_spectrogram_report, ("samples", c_int64), ("frames", c_int64), ("bins", c_int64), ("low", c_double), ("high",
    c_double), ("seconds", c_double), ("in", rw_signal_format))
_define(rw_spectrogram_spec, ("in", rw_signal_format), ("length", c_int64), ("hop", c_int64), ("window", c_int),
    ("beta", c_double), ("channel", c_int), ("high", c_double), ("low", c_double), ("figure", c_bool), ("wide", c_bool))
_define(rw_frame_format, ("layout", c_int), ("width", c_int64), ("height", c_int64), ("channels", c_int), ("dtype",
    c_int), ("bits", c_int), ("full_range", c_bool), ("rate", c_int * 2), ("count", c_int64), ("aspect", c_int * 2),
    ("interlacing", c_char), ("siting", c_ubyte), ("limited_range", c_bool), ("states_sampling", c_bool), ("reserved",
    c_ubyte * 4))
_define(rw_stream_format, ("name", c_char_p), ("line", c_char_p), ("endings", c_char_p * 8), ("is",
    _function_type(c_bool, POINTER(c_ubyte), c_size_t)), ("by_name", c_bool), ("luma", c_bool), ("open",
    _function_type(rw_status, POINTER(rw_context), c_char_p, POINTER(rw_stream_file), POINTER(rw_frame_format),
    POINTER(c_void_p))), ("read", _function_type(rw_status, c_void_p, c_void_p, POINTER(c_bool))), ("create",
    _function_type(rw_status, POINTER(rw_context), c_char_p, POINTER(rw_stream_file), POINTER(rw_frame_format),
    POINTER(c_void_p))), ("write", _function_type(rw_status, c_void_p, c_void_p)), ("holds", _function_type(c_bool,
    POINTER(rw_frame_format))), ("destroy", _function_type(None, c_void_p)))
_define(rw_stream_report, ("frames", c_int64), ("seconds", c_double), ("bytes_in", c_int64), ("bytes_out", c_int64),
    ("latency", c_double), ("latency_99", c_double), ("latency_max", c_double), ("late", c_int64), ("deadline",
    c_double), ("depth", c_double), ("depth_max", c_int), ("in", rw_frame_format), ("out", rw_frame_format), ("shown",
    c_int64))
_define(rw_stream_view, ("frame", c_int64), ("in", c_void_p), ("out", c_void_p), ("x", POINTER(rw_array)), ("y",
    POINTER(rw_array)), ("report", POINTER(rw_stream_report)))
_define(rw_stream_spec, ("text", c_char_p), ("in_format", c_char_p), ("out_format", c_char_p), ("frames",
    rw_frame_format), ("luma", c_bool), ("queues", c_int), ("depth", c_int), ("rate", c_double), ("deadline", c_double),
    ("frames_max", c_int64), ("progress", _function_type(rw_status, c_void_p, POINTER(rw_stream_report))), ("user",
    c_void_p), ("show", _function_type(rw_status, c_void_p, POINTER(rw_stream_view), POINTER(c_int))), ("show_user",
    c_void_p), ("cancel", POINTER(rw_cancel)))
_define(rw_stream_window_spec, ("width", c_int), ("height", c_int), ("title", c_char_p), ("screenshot", c_char_p))
rw_status_name = _Call("rw_status_name", c_char_p, "status", c_int)
rw_status_text = _Call("rw_status_text", c_char_p, "status", c_int)
rw_status_exit_code = _Call("rw_status_exit_code", c_int, "status", c_int)
rw_log_level_name = _Call("rw_log_level_name", c_char_p, "value", c_int)
rw_log_level_parse = _Call("rw_log_level_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_context_create = _Call("rw_context_create", rw_status, "context", POINTER(POINTER(rw_context)), outputs=1)
rw_context_destroy = _Call("rw_context_destroy", None, "context", POINTER(POINTER(rw_context)))
rw_message = _Call("rw_message", c_char_p, "context", POINTER(rw_context))
rw_context_set_log = _Call("rw_context_set_log", None, "context level function user", POINTER(rw_context), c_int,
    rw_log_function, c_void_p)
rw_context_set_cache = _Call("rw_context_set_cache", rw_status, "context enabled folder trace", POINTER(rw_context),
    c_bool, c_char_p, c_bool)
rw_context_set_reproducible = _Call("rw_context_set_reproducible", None, "context on", POINTER(rw_context), c_bool)
rw_context_get_cache = _Call("rw_context_get_cache", rw_status, "context enabled folder trace", POINTER(rw_context),
    POINTER(c_bool), POINTER(c_char_p), POINTER(c_bool))
rw_context_get_reproducible = _Call("rw_context_get_reproducible", rw_status, "context on", POINTER(rw_context),
    POINTER(c_bool))
rw_context_fail = _Call("rw_context_fail", rw_status, "context status format", POINTER(rw_context), c_int, c_char_p)
rw_cancel_request = _Call("rw_cancel_request", None, "cancel", POINTER(rw_cancel))
rw_cancel_reset = _Call("rw_cancel_reset", None, "cancel", POINTER(rw_cancel))
rw_cancel_requested = _Call("rw_cancel_requested", c_bool, "cancel", POINTER(rw_cancel))
rw_abandon = _Call("rw_abandon", None, "")
rw_within = _Call("rw_within", c_char_p, "")
rw_free = _Call("rw_free", None, "pointer", c_void_p)
rw_nearest_word = _Call("rw_nearest_word", c_char_p, "given names n", c_char_p, POINTER(c_char_p), c_int64)
rw_version = _Call("rw_version", c_char_p, "")
rw_dtype_name = _Call("rw_dtype_name", c_char_p, "value", c_int)
rw_dtype_parse = _Call("rw_dtype_parse", rw_status, "context name value", POINTER(rw_context), c_char_p, POINTER(c_int))
rw_dtype_size = _Call("rw_dtype_size", c_size_t, "dtype", c_int)
rw_dtype_is_complex = _Call("rw_dtype_is_complex", c_bool, "dtype", c_int)
rw_dtype_is_integer = _Call("rw_dtype_is_integer", c_bool, "dtype", c_int)
rw_dtype_is_number = _Call("rw_dtype_is_number", c_bool, "dtype", c_int)
rw_params_parse_sized = _Call("rw_params_parse_sized", rw_status, "context params text spec spec_size",
    POINTER(rw_context), POINTER(rw_params), c_char_p, c_void_p, c_size_t)
rw_params_parse = _Call("rw_params_parse", rw_status, "context params text spec", POINTER(rw_context),
    POINTER(rw_params), c_char_p, c_void_p, symbol="rw_params_parse_sized", appended=("spec",))
rw_params_set_sized = _Call("rw_params_set_sized", rw_status, "context params where name text spec spec_size",
    POINTER(rw_context), POINTER(rw_params), c_char_p, c_char_p, c_char_p, c_void_p, c_size_t)
rw_params_set = _Call("rw_params_set", rw_status, "context params where name text spec", POINTER(rw_context),
    POINTER(rw_params), c_char_p, c_char_p, c_char_p, c_void_p, symbol="rw_params_set_sized", appended=("spec",))
rw_params_resolve_sized = _Call("rw_params_resolve_sized", rw_status, "context params where spec spec_size",
    POINTER(rw_context), POINTER(rw_params), c_char_p, c_void_p, c_size_t)
rw_params_resolve = _Call("rw_params_resolve", rw_status, "context params where spec", POINTER(rw_context),
    POINTER(rw_params), c_char_p, c_void_p, symbol="rw_params_resolve_sized", appended=("spec",))
rw_params_print_sized = _Call("rw_params_print_sized", None, "params spec text size spec_size", POINTER(rw_params),
    c_void_p, POINTER(c_char), c_size_t, c_size_t, const="spec")
rw_params_print = _Call("rw_params_print", None, "params spec text size", POINTER(rw_params), c_void_p, POINTER(c_char),
    c_size_t, const="spec", symbol="rw_params_print_sized", appended=("spec",))
rw_device_list_sized = _Call("rw_device_list_sized", rw_status, "context list count element_size", POINTER(rw_context),
    POINTER(POINTER(rw_device_properties)), POINTER(c_int64), c_size_t)
rw_device_list = _Call("rw_device_list", rw_status, "context list count", POINTER(rw_context),
    POINTER(POINTER(rw_device_properties)), POINTER(c_int64), symbol="rw_device_list_sized",
    appended=(sizeof(rw_device_properties),))
rw_device_list_free = _Call("rw_device_list_free", None, "list", POINTER(POINTER(rw_device_properties)))
rw_device_open = _Call("rw_device_open", rw_status, "context name device", POINTER(rw_context), c_char_p,
    POINTER(POINTER(rw_device)), outputs=1)
rw_device_open_native = _Call("rw_device_open_native", rw_status, "context name native device", POINTER(rw_context),
    c_char_p, c_void_p, POINTER(POINTER(rw_device)), outputs=1)
rw_device_get_native = _Call("rw_device_get_native", rw_status, "device native", POINTER(rw_device), POINTER(c_void_p),
    outputs=1)
rw_device_close = _Call("rw_device_close", None, "device", POINTER(POINTER(rw_device)))
rw_device_info = _Call("rw_device_info", POINTER(rw_device_properties), "device", POINTER(rw_device))
rw_device_context = _Call("rw_device_context", POINTER(rw_context), "device", POINTER(rw_device))
rw_device_get_counters_sized = _Call("rw_device_get_counters_sized", rw_status, "device counters counters_size",
    POINTER(rw_device), POINTER(rw_counters), c_size_t)
rw_device_get_counters = _Call("rw_device_get_counters", rw_status, "device counters", POINTER(rw_device),
    POINTER(rw_counters), outputs=1, symbol="rw_device_get_counters_sized", appended=(sizeof(rw_counters),))
rw_device_queue = _Call("rw_device_queue", POINTER(rw_queue), "device", POINTER(rw_device))
rw_queue_create = _Call("rw_queue_create", rw_status, "device queue", POINTER(rw_device), POINTER(POINTER(rw_queue)),
    outputs=1)
rw_queue_destroy = _Call("rw_queue_destroy", None, "queue", POINTER(POINTER(rw_queue)))
rw_queue_wait = _Call("rw_queue_wait", rw_status, "queue", POINTER(rw_queue))
rw_queue_import = _Call("rw_queue_import", rw_status, "device native queue", POINTER(rw_device), c_void_p,
    POINTER(POINTER(rw_queue)), outputs=1)
rw_queue_get_native = _Call("rw_queue_get_native", rw_status, "queue native", POINTER(rw_queue), POINTER(c_void_p),
    outputs=1)
rw_event_create = _Call("rw_event_create", rw_status, "device event", POINTER(rw_device), POINTER(POINTER(rw_event)),
    outputs=1)
rw_event_destroy = _Call("rw_event_destroy", None, "event", POINTER(POINTER(rw_event)))
rw_event_record = _Call("rw_event_record", rw_status, "event queue", POINTER(rw_event), POINTER(rw_queue))
rw_event_wait = _Call("rw_event_wait", rw_status, "event", POINTER(rw_event))
rw_queue_wait_event = _Call("rw_queue_wait_event", rw_status, "queue event", POINTER(rw_queue), POINTER(rw_event))
rw_event_import = _Call("rw_event_import", rw_status, "device native event", POINTER(rw_device), c_void_p,
    POINTER(POINTER(rw_event)), outputs=1)
rw_event_get_native = _Call("rw_event_get_native", rw_status, "event native", POINTER(rw_event), POINTER(c_void_p),
    outputs=1)
rw_event_seconds = _Call("rw_event_seconds", rw_status, "start stop seconds", POINTER(rw_event), POINTER(rw_event),
    POINTER(c_double))
rw_record_begin = _Call("rw_record_begin", rw_status, "queue", POINTER(rw_queue))
rw_record_end = _Call("rw_record_end", rw_status, "queue sequence", POINTER(rw_queue), POINTER(POINTER(rw_sequence)),
    outputs=1)
rw_sequence_replay = _Call("rw_sequence_replay", rw_status, "sequence queue", POINTER(rw_sequence), POINTER(rw_queue))
rw_sequence_destroy = _Call("rw_sequence_destroy", None, "sequence", POINTER(POINTER(rw_sequence)))
rw_memory_name = _Call("rw_memory_name", c_char_p, "value", c_int)
rw_memory_parse = _Call("rw_memory_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_array_create = _Call("rw_array_create", rw_status, "device dtype ndim shape memory array", POINTER(rw_device), c_int,
    c_int, POINTER(c_int64), c_int, POINTER(POINTER(rw_array)), outputs=1, const="shape")
rw_array_create_from = _Call("rw_array_create_from", rw_status, "device dtype ndim shape data mode array",
    POINTER(rw_device), c_int, c_int, POINTER(c_int64), c_void_p, c_int, POINTER(POINTER(rw_array)), outputs=1,
    const="shape")
rw_array_destroy = _Call("rw_array_destroy", None, "array", POINTER(POINTER(rw_array)))
rw_array_dtype = _Call("rw_array_dtype", c_int, "array", POINTER(rw_array))
rw_array_ndim = _Call("rw_array_ndim", c_int, "array", POINTER(rw_array))
rw_array_shape = _Call("rw_array_shape", c_int64, "array axis", POINTER(rw_array), c_int)
rw_array_stride = _Call("rw_array_stride", c_int64, "array axis", POINTER(rw_array), c_int)
rw_array_offset = _Call("rw_array_offset", c_int64, "array", POINTER(rw_array))
rw_array_size = _Call("rw_array_size", c_int64, "array", POINTER(rw_array))
rw_array_is_contiguous = _Call("rw_array_is_contiguous", c_bool, "array", POINTER(rw_array))
rw_array_device = _Call("rw_array_device", POINTER(rw_device), "array", POINTER(rw_array))
rw_array_read = _Call("rw_array_read", rw_status, "array data", POINTER(rw_array), POINTER(c_void_p), outputs=1)
rw_array_write = _Call("rw_array_write", rw_status, "array data", POINTER(rw_array), POINTER(c_void_p), outputs=1)
rw_array_update = _Call("rw_array_update", rw_status, "array data", POINTER(rw_array), POINTER(c_void_p), outputs=1)
rw_array_send = _Call("rw_array_send", rw_status, "array queue", POINTER(rw_array), POINTER(rw_queue))
rw_array_fetch = _Call("rw_array_fetch", rw_status, "array queue", POINTER(rw_array), POINTER(rw_queue))
rw_array_copy = _Call("rw_array_copy", rw_status, "dst src queue", POINTER(rw_array), POINTER(rw_array),
    POINTER(rw_queue))
rw_array_swap = _Call("rw_array_swap", rw_status, "a b", POINTER(rw_array), POINTER(rw_array))
rw_array_zero = _Call("rw_array_zero", rw_status, "array queue", POINTER(rw_array), POINTER(rw_queue))
rw_array_view = _Call("rw_array_view", rw_status, "array dtype ndim shape strides offset view", POINTER(rw_array),
    c_int, c_int, POINTER(c_int64), POINTER(c_int64), c_int64, POINTER(POINTER(rw_array)), outputs=1,
    const="shape strides")
rw_array_slice = _Call("rw_array_slice", rw_status, "array axis first end step view", POINTER(rw_array), c_int, c_int64,
    c_int64, c_int64, POINTER(POINTER(rw_array)), outputs=1)
rw_array_transpose = _Call("rw_array_transpose", rw_status, "array axes view", POINTER(rw_array), POINTER(c_int),
    POINTER(POINTER(rw_array)), outputs=1, const="axes")
rw_array_select = _Call("rw_array_select", rw_status, "array axis index view", POINTER(rw_array), c_int, c_int64,
    POINTER(POINTER(rw_array)), outputs=1)
rw_array_reshape = _Call("rw_array_reshape", rw_status, "array ndim shape view", POINTER(rw_array), c_int,
    POINTER(c_int64), POINTER(POINTER(rw_array)), outputs=1, const="shape")
rw_array_import = _Call("rw_array_import", rw_status, "device tensor array", POINTER(rw_device),
    POINTER(rw_managed_tensor), POINTER(POINTER(rw_array)), outputs=2)
rw_array_export = _Call("rw_array_export", rw_status, "array queue tensor", POINTER(rw_array), POINTER(rw_queue),
    POINTER(POINTER(rw_managed_tensor)), outputs=1)
rw_array_load = _Call("rw_array_load", rw_status, "device path dtype array", POINTER(rw_device), c_char_p, c_int,
    POINTER(POINTER(rw_array)), outputs=1)
rw_array_save = _Call("rw_array_save", rw_status, "array path", POINTER(rw_array), c_char_p)
rw_reduce_op_name = _Call("rw_reduce_op_name", c_char_p, "value", c_int)
rw_reduce_op_parse = _Call("rw_reduce_op_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_reducer_create = _Call("rw_reducer_create", rw_status, "device op dtype group reducer", POINTER(rw_device), c_int,
    c_int, c_int, POINTER(POINTER(rw_reducer)), outputs=1)
rw_reducer_destroy = _Call("rw_reducer_destroy", None, "reducer", POINTER(POINTER(rw_reducer)))
rw_reducer_run = _Call("rw_reducer_run", rw_status, "reducer queue x y result slot", POINTER(rw_reducer),
    POINTER(rw_queue), POINTER(rw_array), POINTER(rw_array), POINTER(rw_array), c_int64)
rw_reducer_value = _Call("rw_reducer_value", rw_status, "reducer queue x y re im", POINTER(rw_reducer),
    POINTER(rw_queue), POINTER(rw_array), POINTER(rw_array), POINTER(c_double), POINTER(c_double))
rw_boundary_kind_name = _Call("rw_boundary_kind_name", c_char_p, "value", c_int)
rw_boundary_kind_parse = _Call("rw_boundary_kind_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_expr_create_sized = _Call("rw_expr_create_sized", rw_status,
    "device spec expr spec_size field_size scalar_size external_size function_size", POINTER(rw_device),
    POINTER(rw_expr_spec), POINTER(POINTER(rw_expr)), c_size_t, c_size_t, c_size_t, c_size_t, c_size_t)
rw_expr_create = _Call("rw_expr_create", rw_status, "device spec expr", POINTER(rw_device), POINTER(rw_expr_spec),
    POINTER(POINTER(rw_expr)), outputs=1, symbol="rw_expr_create_sized", appended=(sizeof(rw_expr_spec),
    sizeof(rw_expr_field), sizeof(rw_expr_scalar), sizeof(rw_expr_external), sizeof(rw_expr_function),))
rw_expr_destroy = _Call("rw_expr_destroy", None, "expr", POINTER(POINTER(rw_expr)))
rw_expr_bind = _Call("rw_expr_bind", rw_status, "expr field array", POINTER(rw_expr), c_char_p, POINTER(rw_array))
rw_expr_set = _Call("rw_expr_set", rw_status, "expr scalar value", POINTER(rw_expr), c_char_p, c_double)
rw_expr_set_complex = _Call("rw_expr_set_complex", rw_status, "expr scalar re im", POINTER(rw_expr), c_char_p, c_double,
    c_double)
rw_expr_run = _Call("rw_expr_run", rw_status, "expr queue", POINTER(rw_expr), POINTER(rw_queue))
rw_expr_get = _Call("rw_expr_get", rw_status, "expr scalar re im", POINTER(rw_expr), c_char_p, POINTER(c_double),
    POINTER(c_double))
rw_expr_get_array = _Call("rw_expr_get_array", rw_status, "expr field array", POINTER(rw_expr), c_char_p,
    POINTER(POINTER(rw_array)), outputs=1)
rw_expr_get_grid = _Call("rw_expr_get_grid", rw_status, "expr grid", POINTER(rw_expr), POINTER(rw_grid), outputs=1)
rw_expr_trace = _Call("rw_expr_trace", rw_status, "expr values rows names columns runs", POINTER(rw_expr),
    POINTER(POINTER(c_double)), POINTER(c_int64), POINTER(POINTER(c_char_p)), POINTER(c_int64), POINTER(c_int64))
rw_expr_get_plan_sized = _Call("rw_expr_get_plan_sized", rw_status, "expr plan plan_size", POINTER(rw_expr),
    POINTER(rw_expr_plan), c_size_t)
rw_expr_get_plan = _Call("rw_expr_get_plan", rw_status, "expr plan", POINTER(rw_expr), POINTER(rw_expr_plan), outputs=1,
    symbol="rw_expr_get_plan_sized", appended=(sizeof(rw_expr_plan),))
rw_expr_explain = _Call("rw_expr_explain", rw_status, "expr text", POINTER(rw_expr), POINTER(c_char_p), outputs=1)
rw_surface_kind_name = _Call("rw_surface_kind_name", c_char_p, "value", c_int)
rw_surface_kind_parse = _Call("rw_surface_kind_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_mapping_name = _Call("rw_mapping_name", c_char_p, "value", c_int)
rw_mapping_parse = _Call("rw_mapping_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_blocks_create_sized = _Call("rw_blocks_create_sized", rw_status, "ctx spec grid spec_size", POINTER(rw_context),
    POINTER(rw_blocks_spec), POINTER(POINTER(rw_blocks)), c_size_t)
rw_blocks_create = _Call("rw_blocks_create", rw_status, "ctx spec grid", POINTER(rw_context), POINTER(rw_blocks_spec),
    POINTER(POINTER(rw_blocks)), outputs=1, symbol="rw_blocks_create_sized", appended=(sizeof(rw_blocks_spec),))
rw_blocks_box = _Call("rw_blocks_box", rw_status, "ctx length cells grid", POINTER(rw_context), POINTER(c_double),
    POINTER(c_int), POINTER(POINTER(rw_blocks)), outputs=1, least="length=3 cells=3")
rw_blocks_cylinder = _Call("rw_blocks_cylinder", rw_status, "ctx radius core length cells grid", POINTER(rw_context),
    c_double, c_double, c_double, POINTER(c_int), POINTER(POINTER(rw_blocks)), outputs=1, least="cells=3")
rw_blocks_read_gmsh = _Call("rw_blocks_read_gmsh", rw_status, "ctx path cells surfaces nsurfaces grid",
    POINTER(rw_context), c_char_p, POINTER(c_int), POINTER(rw_surface), c_int64, POINTER(POINTER(rw_blocks)), outputs=1,
    least="cells=3")
rw_blocks_destroy = _Call("rw_blocks_destroy", None, "grid", POINTER(POINTER(rw_blocks)))
rw_blocks_count = _Call("rw_blocks_count", c_int64, "grid", POINTER(rw_blocks))
rw_blocks_get_block = _Call("rw_blocks_get_block", rw_status, "grid block info", POINTER(rw_blocks), c_int,
    POINTER(rw_block), outputs=1)
rw_blocks_cells = _Call("rw_blocks_cells", c_int64, "grid", POINTER(rw_blocks))
rw_blocks_points = _Call("rw_blocks_points", c_int64, "grid", POINTER(rw_blocks))
rw_blocks_coordinates = _Call("rw_blocks_coordinates", POINTER(c_double * 3), "grid", POINTER(rw_blocks))
rw_blocks_point = _Call("rw_blocks_point", c_int64, "grid block i j k", POINTER(rw_blocks), c_int, c_int, c_int, c_int)
rw_blocks_cell_points = _Call("rw_blocks_cell_points", None, "grid cell points", POINTER(rw_blocks), c_int64,
    POINTER(c_int64), least="points=8")
rw_blocks_find = _Call("rw_blocks_find", c_int, "grid cell place", POINTER(rw_blocks), c_int64, POINTER(c_int),
    least="place=3")
rw_blocks_centres = _Call("rw_blocks_centres", rw_status, "grid centres", POINTER(rw_blocks), POINTER(c_double * 3))
rw_blocks_volumes = _Call("rw_blocks_volumes", rw_status, "grid volumes", POINTER(rw_blocks), POINTER(c_double))
rw_blocks_neighbours = _Call("rw_blocks_neighbours", None, "grid neighbours", POINTER(rw_blocks), POINTER(c_int32 * 6))
rw_integrand_mass = _Call("rw_integrand_mass", c_double, "user x v dv w dw", c_void_p, POINTER(c_double), c_double,
    POINTER(c_double), c_double, POINTER(c_double), least="x=3 dv=3 dw=3")
rw_integrand_stiffness = _Call("rw_integrand_stiffness", c_double, "user x v dv w dw", c_void_p, POINTER(c_double),
    c_double, POINTER(c_double), c_double, POINTER(c_double), least="x=3 dv=3 dw=3")
rw_blocks_local = _Call("rw_blocks_local", rw_status, "grid f user gauss matrices", POINTER(rw_blocks), rw_integrand,
    c_void_p, c_int, POINTER(c_double * 8 * 8))
rw_blocks_integrate = _Call("rw_blocks_integrate", None, "grid matrices values", POINTER(rw_blocks),
    POINTER(c_double * 8 * 8), POINTER(c_double))
rw_blocks_cut = _Call("rw_blocks_cut", rw_status, "grid slice cell", POINTER(rw_blocks), POINTER(rw_blocks_slice),
    POINTER(c_int64))
rw_blocks_extent = _Call("rw_blocks_extent", None, "grid lower upper", POINTER(rw_blocks), POINTER(c_double),
    POINTER(c_double), least="lower=3 upper=3")
rw_blocks_set_memory = _Call("rw_blocks_set_memory", None, "grid memory", POINTER(rw_blocks), c_int)
rw_blocks_array = _Call("rw_blocks_array", rw_status, "grid device place dtype array", POINTER(rw_blocks),
    POINTER(rw_device), c_int, c_int, POINTER(POINTER(rw_array)), outputs=1)
rw_blocks_expr_create_sized = _Call("rw_blocks_expr_create_sized", rw_status,
    "grid device place spec expr spec_size field_size scalar_size external_size function_size", POINTER(rw_blocks),
    POINTER(rw_device), c_int, POINTER(rw_expr_spec), POINTER(POINTER(rw_expr)), c_size_t, c_size_t, c_size_t, c_size_t,
    c_size_t)
rw_blocks_expr_create = _Call("rw_blocks_expr_create", rw_status, "grid device place spec expr", POINTER(rw_blocks),
    POINTER(rw_device), c_int, POINTER(rw_expr_spec), POINTER(POINTER(rw_expr)), outputs=1,
    symbol="rw_blocks_expr_create_sized", appended=(sizeof(rw_expr_spec), sizeof(rw_expr_field), sizeof(rw_expr_scalar),
    sizeof(rw_expr_external), sizeof(rw_expr_function),))
rw_depgraph_create = _Call("rw_depgraph_create", rw_status, "context graph", POINTER(rw_context),
    POINTER(POINTER(rw_depgraph)), outputs=1)
rw_depgraph_destroy = _Call("rw_depgraph_destroy", None, "graph", POINTER(POINTER(rw_depgraph)))
rw_depgraph_add_task = _Call("rw_depgraph_add_task", rw_status, "graph kind label task", POINTER(rw_depgraph), c_char_p,
    c_char_p, POINTER(c_int))
rw_depgraph_add_dependency = _Call("rw_depgraph_add_dependency", rw_status, "graph task needed", POINTER(rw_depgraph),
    c_int, c_int)
rw_depgraph_tasks = _Call("rw_depgraph_tasks", c_int64, "graph", POINTER(rw_depgraph))
rw_depgraph_dependencies = _Call("rw_depgraph_dependencies", c_int64, "graph", POINTER(rw_depgraph))
rw_depgraph_kind = _Call("rw_depgraph_kind", c_char_p, "graph task", POINTER(rw_depgraph), c_int)
rw_depgraph_label = _Call("rw_depgraph_label", c_char_p, "graph task", POINTER(rw_depgraph), c_int)
rw_depgraph_find_path = _Call("rw_depgraph_find_path", rw_status, "graph from nfrom to nto path n",
    POINTER(rw_depgraph), POINTER(c_int), c_int64, POINTER(c_int), c_int64, POINTER(POINTER(c_int)), POINTER(c_int64),
    const="from to")
rw_depgraph_check_separate = _Call("rw_depgraph_check_separate", rw_status, "graph set nset path n",
    POINTER(rw_depgraph), POINTER(c_int), c_int64, POINTER(POINTER(c_int)), POINTER(c_int64), const="set")
rw_depgraph_partition = _Call("rw_depgraph_partition", rw_status, "graph part nparts names partition",
    POINTER(rw_depgraph), POINTER(c_int), c_int64, POINTER(c_char_p), POINTER(POINTER(rw_partition)), outputs=1,
    const="part")
rw_partition_destroy = _Call("rw_partition_destroy", None, "partition", POINTER(POINTER(rw_partition)))
rw_depgraph_dot = _Call("rw_depgraph_dot", rw_status, "graph partition text", POINTER(rw_depgraph),
    POINTER(rw_partition), POINTER(c_char_p), outputs=1)
rw_fft_kind_name = _Call("rw_fft_kind_name", c_char_p, "value", c_int)
rw_fft_kind_parse = _Call("rw_fft_kind_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_fft_create_sized = _Call("rw_fft_create_sized", rw_status, "device spec fft spec_size", POINTER(rw_device),
    POINTER(rw_fft_spec), POINTER(POINTER(rw_fft)), c_size_t)
rw_fft_create = _Call("rw_fft_create", rw_status, "device spec fft", POINTER(rw_device), POINTER(rw_fft_spec),
    POINTER(POINTER(rw_fft)), outputs=1, symbol="rw_fft_create_sized", appended=(sizeof(rw_fft_spec),))
rw_fft_destroy = _Call("rw_fft_destroy", None, "fft", POINTER(POINTER(rw_fft)))
rw_fft_get_spec_sized = _Call("rw_fft_get_spec_sized", rw_status, "fft spec spec_size", POINTER(rw_fft),
    POINTER(rw_fft_spec), c_size_t)
rw_fft_get_spec = _Call("rw_fft_get_spec", rw_status, "fft spec", POINTER(rw_fft), POINTER(rw_fft_spec), outputs=1,
    symbol="rw_fft_get_spec_sized", appended=(sizeof(rw_fft_spec),))
rw_fft_get_info_sized = _Call("rw_fft_get_info_sized", rw_status, "fft info info_size", POINTER(rw_fft),
    POINTER(rw_fft_info), c_size_t)
rw_fft_get_info = _Call("rw_fft_get_info", rw_status, "fft info", POINTER(rw_fft), POINTER(rw_fft_info), outputs=1,
    symbol="rw_fft_get_info_sized", appended=(sizeof(rw_fft_info),))
rw_fft_set_work = _Call("rw_fft_set_work", rw_status, "fft work", POINTER(rw_fft), POINTER(rw_array))
rw_fft_execute = _Call("rw_fft_execute", rw_status, "fft x y queue", POINTER(rw_fft), POINTER(rw_array),
    POINTER(rw_array), POINTER(rw_queue))
rw_fft_tune_sized = _Call("rw_fft_tune_sized", rw_status,
    "device spec options result spec_size options_size result_size", POINTER(rw_device), POINTER(rw_fft_spec),
    POINTER(rw_fft_tuning), POINTER(rw_fft_tuned), c_size_t, c_size_t, c_size_t)
rw_fft_tune = _Call("rw_fft_tune", rw_status, "device spec options result", POINTER(rw_device), POINTER(rw_fft_spec),
    POINTER(rw_fft_tuning), POINTER(rw_fft_tuned), outputs=1, symbol="rw_fft_tune_sized", appended=(sizeof(rw_fft_spec),
    sizeof(rw_fft_tuning), sizeof(rw_fft_tuned),))
rw_fft_wisdom_export = _Call("rw_fft_wisdom_export", rw_status, "device text", POINTER(rw_device), POINTER(c_char_p),
    outputs=1)
rw_fft_wisdom_import = _Call("rw_fft_wisdom_import", rw_status, "device text n", POINTER(rw_device), c_char_p, c_int64)
rw_fft_wisdom_load = _Call("rw_fft_wisdom_load", rw_status, "device path", POINTER(rw_device), c_char_p)
rw_fft_wisdom_save = _Call("rw_fft_wisdom_save", rw_status, "device path", POINTER(rw_device), c_char_p)
rw_fft_wisdom_forget = _Call("rw_fft_wisdom_forget", rw_status, "device", POINTER(rw_device))
rw_convolution_mode_name = _Call("rw_convolution_mode_name", c_char_p, "value", c_int)
rw_convolution_mode_parse = _Call("rw_convolution_mode_parse", rw_status, "context name value", POINTER(rw_context),
    c_char_p, POINTER(c_int))
rw_convolution_shape_sized = _Call("rw_convolution_shape_sized", rw_status, "context spec shape spec_size",
    POINTER(rw_context), POINTER(rw_convolution_spec), POINTER(c_int64), c_size_t, least="shape=8")
rw_convolution_shape = _Call("rw_convolution_shape", rw_status, "context spec shape", POINTER(rw_context),
    POINTER(rw_convolution_spec), POINTER(c_int64), least="shape=8", symbol="rw_convolution_shape_sized",
    appended=(sizeof(rw_convolution_spec),))
rw_convolution_create_sized = _Call("rw_convolution_create_sized", rw_status, "device spec convolution spec_size",
    POINTER(rw_device), POINTER(rw_convolution_spec), POINTER(POINTER(rw_convolution)), c_size_t)
rw_convolution_create = _Call("rw_convolution_create", rw_status, "device spec convolution", POINTER(rw_device),
    POINTER(rw_convolution_spec), POINTER(POINTER(rw_convolution)), outputs=1, symbol="rw_convolution_create_sized",
    appended=(sizeof(rw_convolution_spec),))
rw_convolution_destroy = _Call("rw_convolution_destroy", None, "convolution", POINTER(POINTER(rw_convolution)))
rw_convolution_set = _Call("rw_convolution_set", rw_status, "convolution b queue", POINTER(rw_convolution),
    POINTER(rw_array), POINTER(rw_queue))
rw_convolution_execute = _Call("rw_convolution_execute", rw_status, "convolution a y queue", POINTER(rw_convolution),
    POINTER(rw_array), POINTER(rw_array), POINTER(rw_queue))
rw_convolution_get_spec_sized = _Call("rw_convolution_get_spec_sized", rw_status, "convolution spec spec_size",
    POINTER(rw_convolution), POINTER(rw_convolution_spec), c_size_t)
rw_convolution_get_spec = _Call("rw_convolution_get_spec", rw_status, "convolution spec", POINTER(rw_convolution),
    POINTER(rw_convolution_spec), outputs=1, symbol="rw_convolution_get_spec_sized",
    appended=(sizeof(rw_convolution_spec),))
rw_convolution_get_info_sized = _Call("rw_convolution_get_info_sized", rw_status, "convolution info info_size",
    POINTER(rw_convolution), POINTER(rw_fft_info), c_size_t)
rw_convolution_get_info = _Call("rw_convolution_get_info", rw_status, "convolution info", POINTER(rw_convolution),
    POINTER(rw_fft_info), outputs=1, symbol="rw_convolution_get_info_sized", appended=(sizeof(rw_fft_info),))
rw_convolution_set_work = _Call("rw_convolution_set_work", rw_status, "convolution work", POINTER(rw_convolution),
    POINTER(rw_array))
rw_op_name = _Call("rw_op_name", c_char_p, "value", c_int)
rw_op_parse = _Call("rw_op_parse", rw_status, "context name value", POINTER(rw_context), c_char_p, POINTER(c_int))
rw_operator_create_sized = _Call("rw_operator_create_sized", rw_status, "device spec op spec_size", POINTER(rw_device),
    POINTER(rw_operator_spec), POINTER(POINTER(rw_operator)), c_size_t)
rw_operator_create = _Call("rw_operator_create", rw_status, "device spec op", POINTER(rw_device),
    POINTER(rw_operator_spec), POINTER(POINTER(rw_operator)), outputs=1, symbol="rw_operator_create_sized",
    appended=(sizeof(rw_operator_spec),))
rw_operator_destroy = _Call("rw_operator_destroy", None, "op", POINTER(POINTER(rw_operator)))
rw_operator_get_info_sized = _Call("rw_operator_get_info_sized", rw_status, "op info info_size", POINTER(rw_operator),
    POINTER(rw_operator_info), c_size_t)
rw_operator_get_info = _Call("rw_operator_get_info", rw_status, "op info", POINTER(rw_operator),
    POINTER(rw_operator_info), outputs=1, symbol="rw_operator_get_info_sized", appended=(sizeof(rw_operator_info),))
rw_operator_device = _Call("rw_operator_device", POINTER(rw_device), "op", POINTER(rw_operator))
rw_operator_multiply = _Call("rw_operator_multiply", rw_status, "op transpose alpha x beta y queue",
    POINTER(rw_operator), c_int, POINTER(c_double), POINTER(rw_array), POINTER(c_double), POINTER(rw_array),
    POINTER(rw_queue), least="alpha=2 beta=2")
rw_operator_get_diagonal = _Call("rw_operator_get_diagonal", rw_status, "op diagonal", POINTER(rw_operator),
    POINTER(rw_array))
rw_sparse_format_name = _Call("rw_sparse_format_name", c_char_p, "value", c_int)
rw_sparse_format_parse = _Call("rw_sparse_format_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_sparse_params = _Call("rw_sparse_params", POINTER(rw_params), "")
rw_sparse_layout_parse = _Call("rw_sparse_layout_parse", rw_status, "context text layout", POINTER(rw_context),
    c_char_p, POINTER(rw_sparse_layout), outputs=1)
rw_sparse_layout_print = _Call("rw_sparse_layout_print", None, "layout text size", POINTER(rw_sparse_layout),
    POINTER(c_char), c_size_t)
rw_sparse_estimate = _Call("rw_sparse_estimate", rw_status, "context layout blocks size", POINTER(rw_context),
    POINTER(rw_sparse_layout), POINTER(rw_sparse_blocks), POINTER(rw_sparse_size), outputs=1)
rw_duplicates_name = _Call("rw_duplicates_name", c_char_p, "value", c_int)
rw_duplicates_parse = _Call("rw_duplicates_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_entries_read = _Call("rw_entries_read", rw_status, "context path duplicates entries", POINTER(rw_context), c_char_p,
    c_int, POINTER(rw_entries), outputs=1)
rw_entries_free = _Call("rw_entries_free", None, "entries", POINTER(rw_entries))
rw_sparse_predict = _Call("rw_sparse_predict", rw_status, "device entries vectors n candidates", POINTER(rw_device),
    POINTER(rw_entries), c_int, c_int64, POINTER(rw_sparse_candidate))
rw_sparse_choose_sized = _Call("rw_sparse_choose_sized", rw_status, "device entries values vectors choice choice_size",
    POINTER(rw_device), POINTER(rw_entries), c_int, c_int, POINTER(rw_sparse_choice), c_size_t)
rw_sparse_choose = _Call("rw_sparse_choose", rw_status, "device entries values vectors choice", POINTER(rw_device),
    POINTER(rw_entries), c_int, c_int, POINTER(rw_sparse_choice), outputs=1, symbol="rw_sparse_choose_sized",
    appended=(sizeof(rw_sparse_choice),))
rw_pattern_find_sized = _Call("rw_pattern_find_sized", rw_status, "context entries pattern pattern_size",
    POINTER(rw_context), POINTER(rw_entries), POINTER(rw_pattern), c_size_t)
rw_pattern_find = _Call("rw_pattern_find", rw_status, "context entries pattern", POINTER(rw_context),
    POINTER(rw_entries), POINTER(rw_pattern), outputs=1, symbol="rw_pattern_find_sized", appended=(sizeof(rw_pattern),))
rw_sparse_create = _Call("rw_sparse_create", rw_status, "device layout blocks matrix", POINTER(rw_device),
    POINTER(rw_sparse_layout), POINTER(rw_sparse_blocks), POINTER(POINTER(rw_sparse)), outputs=1)
rw_sparse_destroy = _Call("rw_sparse_destroy", None, "matrix", POINTER(POINTER(rw_sparse)))
rw_sparse_add_blocks = _Call("rw_sparse_add_blocks", rw_status, "matrix n row column values", POINTER(rw_sparse),
    c_int64, POINTER(c_int64), POINTER(c_int64), c_void_p, const="row column values")
rw_sparse_add_blocks_of = _Call("rw_sparse_add_blocks_of", rw_status, "matrix type n row column values",
    POINTER(rw_sparse), c_int, c_int64, POINTER(c_int64), POINTER(c_int64), c_void_p, const="row column values")
rw_sparse_zero = _Call("rw_sparse_zero", rw_status, "matrix", POINTER(rw_sparse))
rw_sparse_from_entries = _Call("rw_sparse_from_entries", rw_status, "device layout entries matrix", POINTER(rw_device),
    POINTER(rw_sparse_layout), POINTER(rw_entries), POINTER(POINTER(rw_sparse)), outputs=1)
rw_sparse_read = _Call("rw_sparse_read", rw_status, "device layout path matrix", POINTER(rw_device),
    POINTER(rw_sparse_layout), c_char_p, POINTER(POINTER(rw_sparse)), outputs=1)
rw_sparse_write = _Call("rw_sparse_write", rw_status, "matrix path", POINTER(rw_sparse), c_char_p)
rw_sparse_convert = _Call("rw_sparse_convert", rw_status, "matrix device layout converted", POINTER(rw_sparse),
    POINTER(rw_device), POINTER(rw_sparse_layout), POINTER(POINTER(rw_sparse)), outputs=1)
rw_sparse_transpose = _Call("rw_sparse_transpose", rw_status, "matrix conjugate transposed", POINTER(rw_sparse), c_bool,
    POINTER(POINTER(rw_sparse)), outputs=1)
rw_sparse_entries = _Call("rw_sparse_entries", rw_status, "matrix n row column values", POINTER(rw_sparse),
    POINTER(c_int64), POINTER(POINTER(c_int64)), POINTER(POINTER(c_int64)), POINTER(POINTER(c_double)), outputs=3)
rw_sparse_free_entries = _Call("rw_sparse_free_entries", None, "row column values", POINTER(POINTER(c_int64)),
    POINTER(POINTER(c_int64)), POINTER(POINTER(c_double)))
rw_sparse_get_layout = _Call("rw_sparse_get_layout", POINTER(rw_sparse_layout), "matrix", POINTER(rw_sparse))
rw_sparse_get_size = _Call("rw_sparse_get_size", rw_status, "matrix size", POINTER(rw_sparse), POINTER(rw_sparse_size),
    outputs=1)
rw_sparse_device = _Call("rw_sparse_device", POINTER(rw_device), "matrix", POINTER(rw_sparse))
rw_sparse_get_arrays = _Call("rw_sparse_get_arrays", rw_status, "matrix arrays", POINTER(rw_sparse),
    POINTER(rw_sparse_arrays), outputs=1)
rw_sparse_operator = _Call("rw_sparse_operator", POINTER(rw_operator), "matrix", POINTER(rw_sparse))
rw_sparse_multiply = _Call("rw_sparse_multiply", rw_status, "matrix op alpha x beta y queue", POINTER(rw_sparse), c_int,
    POINTER(c_double), POINTER(rw_array), POINTER(c_double), POINTER(rw_array), POINTER(rw_queue),
    least="alpha=2 beta=2")
rw_colormap_name = _Call("rw_colormap_name", c_char_p, "value", c_int)
rw_colormap_parse = _Call("rw_colormap_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_figure_style_name = _Call("rw_figure_style_name", c_char_p, "value", c_int)
rw_figure_style_parse = _Call("rw_figure_style_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_figure_write_field_sized = _Call("rw_figure_write_field_sized", rw_status,
    "context path page field page_size field_size", POINTER(rw_context), c_char_p, POINTER(rw_figure_page),
    POINTER(rw_figure_field), c_size_t, c_size_t)
rw_figure_write_field = _Call("rw_figure_write_field", rw_status, "context path page field", POINTER(rw_context),
    c_char_p, POINTER(rw_figure_page), POINTER(rw_figure_field), symbol="rw_figure_write_field_sized",
    appended=(sizeof(rw_figure_page), sizeof(rw_figure_field),))
rw_figure_write_surface_sized = _Call("rw_figure_write_surface_sized", rw_status,
    "context path page field page_size field_size", POINTER(rw_context), c_char_p, POINTER(rw_figure_page),
    POINTER(rw_figure_field), c_size_t, c_size_t)
rw_figure_write_surface = _Call("rw_figure_write_surface", rw_status, "context path page field", POINTER(rw_context),
    c_char_p, POINTER(rw_figure_page), POINTER(rw_figure_field), symbol="rw_figure_write_surface_sized",
    appended=(sizeof(rw_figure_page), sizeof(rw_figure_field),))
rw_figure_write_lines_sized = _Call("rw_figure_write_lines_sized", rw_status,
    "context path page lines page_size lines_size", POINTER(rw_context), c_char_p, POINTER(rw_figure_page),
    POINTER(rw_figure_lines), c_size_t, c_size_t)
rw_figure_write_lines = _Call("rw_figure_write_lines", rw_status, "context path page lines", POINTER(rw_context),
    c_char_p, POINTER(rw_figure_page), POINTER(rw_figure_lines), symbol="rw_figure_write_lines_sized",
    appended=(sizeof(rw_figure_page), sizeof(rw_figure_lines),))
rw_figure_write_bars_sized = _Call("rw_figure_write_bars_sized", rw_status,
    "context path page bars page_size bars_size", POINTER(rw_context), c_char_p, POINTER(rw_figure_page),
    POINTER(rw_figure_bars), c_size_t, c_size_t)
rw_figure_write_bars = _Call("rw_figure_write_bars", rw_status, "context path page bars", POINTER(rw_context), c_char_p,
    POINTER(rw_figure_page), POINTER(rw_figure_bars), symbol="rw_figure_write_bars_sized",
    appended=(sizeof(rw_figure_page), sizeof(rw_figure_bars),))
rw_figure_write_volume_sized = _Call("rw_figure_write_volume_sized", rw_status,
    "context path page volume page_size volume_size", POINTER(rw_context), c_char_p, POINTER(rw_figure_page),
    POINTER(rw_figure_volume), c_size_t, c_size_t)
rw_figure_write_volume = _Call("rw_figure_write_volume", rw_status, "context path page volume", POINTER(rw_context),
    c_char_p, POINTER(rw_figure_page), POINTER(rw_figure_volume), symbol="rw_figure_write_volume_sized",
    appended=(sizeof(rw_figure_page), sizeof(rw_figure_volume),))
rw_figure_write_images_sized = _Call("rw_figure_write_images_sized", rw_status, "context path page n images page_size",
    POINTER(rw_context), c_char_p, POINTER(rw_figure_page), c_int64, POINTER(rw_figure_image), c_size_t)
rw_figure_write_images = _Call("rw_figure_write_images", rw_status, "context path page n images", POINTER(rw_context),
    c_char_p, POINTER(rw_figure_page), c_int64, POINTER(rw_figure_image), symbol="rw_figure_write_images_sized",
    appended=(sizeof(rw_figure_page),))
rw_figure_write_residuals = _Call("rw_figure_write_residuals", rw_status,
    "context path title n residual right_side tolerance", POINTER(rw_context), c_char_p, c_char_p, c_int64,
    POINTER(c_double), c_double, c_double, const="residual")
rw_figure_write_pattern = _Call("rw_figure_write_pattern", rw_status, "context path title entries", POINTER(rw_context),
    c_char_p, c_char_p, POINTER(rw_entries))
rw_image_method_name = _Call("rw_image_method_name", c_char_p, "value", c_int)
rw_image_method_parse = _Call("rw_image_method_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_image_border_name = _Call("rw_image_border_name", c_char_p, "value", c_int)
rw_image_border_parse = _Call("rw_image_border_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_image_direction_name = _Call("rw_image_direction_name", c_char_p, "value", c_int)
rw_image_direction_parse = _Call("rw_image_direction_parse", rw_status, "context name value", POINTER(rw_context),
    c_char_p, POINTER(c_int))
rw_image_element_name = _Call("rw_image_element_name", c_char_p, "value", c_int)
rw_image_element_parse = _Call("rw_image_element_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_image_threshold_name = _Call("rw_image_threshold_name", c_char_p, "value", c_int)
rw_image_threshold_parse = _Call("rw_image_threshold_parse", rw_status, "context name value", POINTER(rw_context),
    c_char_p, POINTER(c_int))
rw_image_interpolation_name = _Call("rw_image_interpolation_name", c_char_p, "value", c_int)
rw_image_interpolation_parse = _Call("rw_image_interpolation_parse", rw_status, "context name value",
    POINTER(rw_context), c_char_p, POINTER(c_int))
rw_image_flip_name = _Call("rw_image_flip_name", c_char_p, "value", c_int)
rw_image_flip_parse = _Call("rw_image_flip_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_image_colour_name = _Call("rw_image_colour_name", c_char_p, "value", c_int)
rw_image_colour_parse = _Call("rw_image_colour_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_image_response_name = _Call("rw_image_response_name", c_char_p, "value", c_int)
rw_image_response_parse = _Call("rw_image_response_parse", rw_status, "context name value", POINTER(rw_context),
    c_char_p, POINTER(c_int))
rw_image_scale_name = _Call("rw_image_scale_name", c_char_p, "value", c_int)
rw_image_scale_parse = _Call("rw_image_scale_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_image_alpha_name = _Call("rw_image_alpha_name", c_char_p, "value", c_int)
rw_image_alpha_parse = _Call("rw_image_alpha_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_image_algorithm_name = _Call("rw_image_algorithm_name", c_char_p, "value", c_int)
rw_image_algorithm_parse = _Call("rw_image_algorithm_parse", rw_status, "context name value", POINTER(rw_context),
    c_char_p, POINTER(c_int))
rw_image_own_register = _Call("rw_image_own_register", rw_status, "context operation", POINTER(rw_context),
    POINTER(rw_image_own))
rw_image_own_get = _Call("rw_image_own_get", POINTER(rw_image_own), "i", c_int)
rw_image_op_params = _Call("rw_image_op_params", POINTER(rw_params), "")
rw_image_op_parse_sized = _Call("rw_image_op_parse_sized", rw_status, "context text op op_size", POINTER(rw_context),
    c_char_p, POINTER(rw_image_op), c_size_t)
rw_image_op_parse = _Call("rw_image_op_parse", rw_status, "context text op", POINTER(rw_context), c_char_p,
    POINTER(rw_image_op), outputs=1, symbol="rw_image_op_parse_sized", appended=(sizeof(rw_image_op),))
rw_image_filter_create_sized = _Call("rw_image_filter_create_sized", rw_status, "device spec filter spec_size op_size",
    POINTER(rw_device), POINTER(rw_image_spec), POINTER(POINTER(rw_image_filter)), c_size_t, c_size_t)
rw_image_filter_create = _Call("rw_image_filter_create", rw_status, "device spec filter", POINTER(rw_device),
    POINTER(rw_image_spec), POINTER(POINTER(rw_image_filter)), outputs=1, symbol="rw_image_filter_create_sized",
    appended=(sizeof(rw_image_spec), sizeof(rw_image_op),))
rw_image_filter_destroy = _Call("rw_image_filter_destroy", None, "filter", POINTER(POINTER(rw_image_filter)))
rw_image_filter_get_info_sized = _Call("rw_image_filter_get_info_sized", rw_status, "filter info info_size",
    POINTER(rw_image_filter), POINTER(rw_image_info), c_size_t)
rw_image_filter_get_info = _Call("rw_image_filter_get_info", rw_status, "filter info", POINTER(rw_image_filter),
    POINTER(rw_image_info), outputs=1, symbol="rw_image_filter_get_info_sized", appended=(sizeof(rw_image_info),))
rw_image_filter_explain = _Call("rw_image_filter_explain", rw_status, "filter text", POINTER(rw_image_filter),
    POINTER(c_char_p), outputs=1)
rw_image_filter_execute = _Call("rw_image_filter_execute", rw_status, "filter x y queue", POINTER(rw_image_filter),
    POINTER(rw_array), POINTER(rw_array), POINTER(rw_queue))
rw_image_filter_tiles_sized = _Call("rw_image_filter_tiles_sized", rw_status,
    "device spec x y bytes info spec_size op_size info_size", POINTER(rw_device), POINTER(rw_image_spec), c_void_p,
    c_void_p, c_int64, POINTER(rw_image_info), c_size_t, c_size_t, c_size_t, const="x")
rw_image_filter_tiles = _Call("rw_image_filter_tiles", rw_status, "device spec x y bytes info", POINTER(rw_device),
    POINTER(rw_image_spec), c_void_p, c_void_p, c_int64, POINTER(rw_image_info), outputs=1, const="x",
    symbol="rw_image_filter_tiles_sized", appended=(sizeof(rw_image_spec), sizeof(rw_image_op), sizeof(rw_image_info),))
rw_image_load = _Call("rw_image_load", rw_status, "device path array", POINTER(rw_device), c_char_p,
    POINTER(POINTER(rw_array)), outputs=1)
rw_image_save = _Call("rw_image_save", rw_status, "array path deep", POINTER(rw_array), c_char_p, c_bool)
rw_image_load_tags = _Call("rw_image_load_tags", rw_status, "device path keep_orientation array tags",
    POINTER(rw_device), c_char_p, c_bool, POINTER(POINTER(rw_array)), POINTER(rw_image_tags), outputs=2)
rw_image_save_tags = _Call("rw_image_save_tags", rw_status, "array path deep tags", POINTER(rw_array), c_char_p, c_bool,
    POINTER(rw_image_tags))
rw_image_tags_free = _Call("rw_image_tags_free", None, "tags", POINTER(rw_image_tags))
rw_precond_method_name = _Call("rw_precond_method_name", c_char_p, "value", c_int)
rw_precond_method_parse = _Call("rw_precond_method_parse", rw_status, "context name value", POINTER(rw_context),
    c_char_p, POINTER(c_int))
rw_precond_order_name = _Call("rw_precond_order_name", c_char_p, "value", c_int)
rw_precond_order_parse = _Call("rw_precond_order_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_precond_params = _Call("rw_precond_params", POINTER(rw_params), "")
rw_precond_parse = _Call("rw_precond_parse", rw_status, "context text spec", POINTER(rw_context), c_char_p,
    POINTER(rw_precond_spec), outputs=1)
rw_precond_print = _Call("rw_precond_print", None, "spec text size", POINTER(rw_precond_spec), POINTER(c_char),
    c_size_t)
rw_precond_memory = _Call("rw_precond_memory", c_int64, "spec layout size vectors all", POINTER(rw_precond_spec),
    POINTER(rw_sparse_layout), POINTER(rw_sparse_size), c_int, POINTER(c_bool))
rw_precond_estimate_sized = _Call("rw_precond_estimate_sized", rw_status,
    "device spec layout entries vectors bytes bytes_size", POINTER(rw_device), POINTER(rw_precond_spec),
    POINTER(rw_sparse_layout), POINTER(rw_entries), c_int, POINTER(rw_precond_bytes), c_size_t)
rw_precond_estimate = _Call("rw_precond_estimate", rw_status, "device spec layout entries vectors bytes",
    POINTER(rw_device), POINTER(rw_precond_spec), POINTER(rw_sparse_layout), POINTER(rw_entries), c_int,
    POINTER(rw_precond_bytes), outputs=1, symbol="rw_precond_estimate_sized", appended=(sizeof(rw_precond_bytes),))
rw_precond_create = _Call("rw_precond_create", rw_status, "op vectors spec precond", POINTER(rw_operator), c_int,
    POINTER(rw_precond_spec), POINTER(POINTER(rw_precond)), outputs=1)
rw_precond_destroy = _Call("rw_precond_destroy", None, "precond", POINTER(POINTER(rw_precond)))
rw_precond_apply = _Call("rw_precond_apply", rw_status, "precond r z queue", POINTER(rw_precond), POINTER(rw_array),
    POINTER(rw_array), POINTER(rw_queue))
rw_precond_get_spec = _Call("rw_precond_get_spec", rw_status, "precond spec", POINTER(rw_precond),
    POINTER(rw_precond_spec), outputs=1)
rw_precond_get_info_sized = _Call("rw_precond_get_info_sized", rw_status, "precond info info_size", POINTER(rw_precond),
    POINTER(rw_precond_info), c_size_t)
rw_precond_get_info = _Call("rw_precond_get_info", rw_status, "precond info", POINTER(rw_precond),
    POINTER(rw_precond_info), outputs=1, symbol="rw_precond_get_info_sized", appended=(sizeof(rw_precond_info),))
rw_krylov_method_name = _Call("rw_krylov_method_name", c_char_p, "value", c_int)
rw_krylov_method_parse = _Call("rw_krylov_method_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_krylov_orthogonal_name = _Call("rw_krylov_orthogonal_name", c_char_p, "value", c_int)
rw_krylov_orthogonal_parse = _Call("rw_krylov_orthogonal_parse", rw_status, "context name value", POINTER(rw_context),
    c_char_p, POINTER(c_int))
rw_krylov_reason_text = _Call("rw_krylov_reason_text", c_char_p, "reason", c_int)
rw_krylov_params = _Call("rw_krylov_params", POINTER(rw_params), "")
rw_krylov_parse_sized = _Call("rw_krylov_parse_sized", rw_status, "context text spec spec_size", POINTER(rw_context),
    c_char_p, POINTER(rw_krylov_spec), c_size_t)
rw_krylov_parse = _Call("rw_krylov_parse", rw_status, "context text spec", POINTER(rw_context), c_char_p,
    POINTER(rw_krylov_spec), outputs=1, symbol="rw_krylov_parse_sized", appended=(sizeof(rw_krylov_spec),))
rw_krylov_create_sized = _Call("rw_krylov_create_sized", rw_status, "op vectors spec solver spec_size",
    POINTER(rw_operator), c_int, POINTER(rw_krylov_spec), POINTER(POINTER(rw_krylov)), c_size_t)
rw_krylov_create = _Call("rw_krylov_create", rw_status, "op vectors spec solver", POINTER(rw_operator), c_int,
    POINTER(rw_krylov_spec), POINTER(POINTER(rw_krylov)), outputs=1, symbol="rw_krylov_create_sized",
    appended=(sizeof(rw_krylov_spec),))
rw_krylov_destroy = _Call("rw_krylov_destroy", None, "solver", POINTER(POINTER(rw_krylov)))
rw_krylov_update = _Call("rw_krylov_update", rw_status, "solver", POINTER(rw_krylov))
rw_krylov_get_spec_sized = _Call("rw_krylov_get_spec_sized", rw_status, "solver spec spec_size", POINTER(rw_krylov),
    POINTER(rw_krylov_spec), c_size_t)
rw_krylov_get_spec = _Call("rw_krylov_get_spec", rw_status, "solver spec", POINTER(rw_krylov), POINTER(rw_krylov_spec),
    outputs=1, symbol="rw_krylov_get_spec_sized", appended=(sizeof(rw_krylov_spec),))
rw_krylov_get_operator = _Call("rw_krylov_get_operator", rw_status, "solver op", POINTER(rw_krylov),
    POINTER(POINTER(rw_operator)), outputs=1)
rw_krylov_get_precond_sized = _Call("rw_krylov_get_precond_sized", rw_status, "solver info info_size",
    POINTER(rw_krylov), POINTER(rw_precond_info), c_size_t)
rw_krylov_get_precond = _Call("rw_krylov_get_precond", rw_status, "solver info", POINTER(rw_krylov),
    POINTER(rw_precond_info), outputs=1, symbol="rw_krylov_get_precond_sized", appended=(sizeof(rw_precond_info),))
rw_krylov_solve_sized = _Call("rw_krylov_solve_sized", rw_status, "solver b x result result_size", POINTER(rw_krylov),
    POINTER(rw_array), POINTER(rw_array), POINTER(rw_krylov_result), c_size_t)
rw_krylov_solve = _Call("rw_krylov_solve", rw_status, "solver b x result", POINTER(rw_krylov), POINTER(rw_array),
    POINTER(rw_array), POINTER(rw_krylov_result), outputs=1, symbol="rw_krylov_solve_sized",
    appended=(sizeof(rw_krylov_result),))
rw_krylov_memory_sized = _Call("rw_krylov_memory_sized", c_int64, "spec n vectors spec_size", POINTER(rw_krylov_spec),
    c_int64, c_int, c_size_t)
rw_krylov_memory = _Call("rw_krylov_memory", c_int64, "spec n vectors", POINTER(rw_krylov_spec), c_int64, c_int,
    symbol="rw_krylov_memory_sized", appended=(sizeof(rw_krylov_spec),))
rw_multiblock_stencil_name = _Call("rw_multiblock_stencil_name", c_char_p, "value", c_int)
rw_multiblock_stencil_parse = _Call("rw_multiblock_stencil_parse", rw_status, "context name value", POINTER(rw_context),
    c_char_p, POINTER(c_int))
rw_multiblock_mode_name = _Call("rw_multiblock_mode_name", c_char_p, "value", c_int)
rw_multiblock_mode_parse = _Call("rw_multiblock_mode_parse", rw_status, "context name value", POINTER(rw_context),
    c_char_p, POINTER(c_int))
rw_multiblock_index_name = _Call("rw_multiblock_index_name", c_char_p, "value", c_int)
rw_multiblock_index_parse = _Call("rw_multiblock_index_parse", rw_status, "context name value", POINTER(rw_context),
    c_char_p, POINTER(c_int))
rw_multiblock_params = _Call("rw_multiblock_params", POINTER(rw_params), "")
rw_multiblock_measure_sized = _Call("rw_multiblock_measure_sized", rw_status,
    "context spec block index values size spec_size size_size", POINTER(rw_context), POINTER(rw_multiblock_spec),
    c_int64, c_int, c_int, POINTER(rw_multiblock_size), c_size_t, c_size_t)
rw_multiblock_measure = _Call("rw_multiblock_measure", rw_status, "context spec block index values size",
    POINTER(rw_context), POINTER(rw_multiblock_spec), c_int64, c_int, c_int, POINTER(rw_multiblock_size), outputs=1,
    symbol="rw_multiblock_measure_sized", appended=(sizeof(rw_multiblock_spec), sizeof(rw_multiblock_size),))
rw_multiblock_cell_sized = _Call("rw_multiblock_cell_sized", c_int64, "spec x theta r spec_size",
    POINTER(rw_multiblock_spec), c_int64, c_int64, c_int64, c_size_t)
rw_multiblock_cell = _Call("rw_multiblock_cell", c_int64, "spec x theta r", POINTER(rw_multiblock_spec), c_int64,
    c_int64, c_int64, symbol="rw_multiblock_cell_sized", appended=(sizeof(rw_multiblock_spec),))
rw_multiblock_pattern_sized = _Call("rw_multiblock_pattern_sized", rw_status,
    "context spec block index layout pattern spec_size", POINTER(rw_context), POINTER(rw_multiblock_spec), c_int64,
    c_int, POINTER(rw_sparse_layout), POINTER(rw_sparse_blocks), c_size_t)
rw_multiblock_pattern = _Call("rw_multiblock_pattern", rw_status, "context spec block index layout pattern",
    POINTER(rw_context), POINTER(rw_multiblock_spec), c_int64, c_int, POINTER(rw_sparse_layout),
    POINTER(rw_sparse_blocks), outputs=1, symbol="rw_multiblock_pattern_sized", appended=(sizeof(rw_multiblock_spec),))
rw_multiblock_free = _Call("rw_multiblock_free", None, "pattern", POINTER(rw_sparse_blocks))
rw_multiblock_assemble_sized = _Call("rw_multiblock_assemble_sized", rw_status,
    "device spec block index layout matrix spec_size", POINTER(rw_device), POINTER(rw_multiblock_spec), c_int64, c_int,
    POINTER(rw_sparse_layout), POINTER(POINTER(rw_sparse)), c_size_t)
rw_multiblock_assemble = _Call("rw_multiblock_assemble", rw_status, "device spec block index layout matrix",
    POINTER(rw_device), POINTER(rw_multiblock_spec), c_int64, c_int, POINTER(rw_sparse_layout),
    POINTER(POINTER(rw_sparse)), outputs=1, symbol="rw_multiblock_assemble_sized",
    appended=(sizeof(rw_multiblock_spec),))
rw_multiblock_trace_sized = _Call("rw_multiblock_trace_sized", rw_status,
    "context spec block placeholder trace spec_size", POINTER(rw_context), POINTER(rw_multiblock_spec), c_int64, c_int,
    POINTER(rw_sparse_blocks), c_size_t)
rw_multiblock_trace = _Call("rw_multiblock_trace", rw_status, "context spec block placeholder trace",
    POINTER(rw_context), POINTER(rw_multiblock_spec), c_int64, c_int, POINTER(rw_sparse_blocks), outputs=1,
    symbol="rw_multiblock_trace_sized", appended=(sizeof(rw_multiblock_spec),))
rw_multiblock_prepare = _Call("rw_multiblock_prepare", rw_status, "context trace stored row", POINTER(rw_context),
    POINTER(rw_sparse_blocks), POINTER(rw_sparse_blocks), POINTER(POINTER(c_int64)), outputs=2)
rw_multiblock_create_sized = _Call("rw_multiblock_create_sized", rw_status, "device spec layout op spec_size",
    POINTER(rw_device), POINTER(rw_multiblock_spec), POINTER(rw_sparse_layout), POINTER(POINTER(rw_multiblock)),
    c_size_t)
rw_multiblock_create = _Call("rw_multiblock_create", rw_status, "device spec layout op", POINTER(rw_device),
    POINTER(rw_multiblock_spec), POINTER(rw_sparse_layout), POINTER(POINTER(rw_multiblock)), outputs=1,
    symbol="rw_multiblock_create_sized", appended=(sizeof(rw_multiblock_spec),))
rw_multiblock_destroy = _Call("rw_multiblock_destroy", None, "op", POINTER(POINTER(rw_multiblock)))
rw_multiblock_matrix = _Call("rw_multiblock_matrix", POINTER(rw_sparse), "op block", POINTER(rw_multiblock), c_int64)
rw_multiblock_get_spec = _Call("rw_multiblock_get_spec", POINTER(rw_multiblock_spec), "op", POINTER(rw_multiblock))
rw_multiblock_vector = _Call("rw_multiblock_vector", rw_status, "op type vector", POINTER(rw_multiblock), c_int,
    POINTER(POINTER(rw_array)), outputs=1)
rw_multiblock_exchange = _Call("rw_multiblock_exchange", rw_status, "op x queue", POINTER(rw_multiblock),
    POINTER(rw_array), POINTER(rw_queue))
rw_multiblock_clear = _Call("rw_multiblock_clear", rw_status, "op x queue", POINTER(rw_multiblock), POINTER(rw_array),
    POINTER(rw_queue))
rw_multiblock_multiply = _Call("rw_multiblock_multiply", rw_status, "op alpha x beta y queue", POINTER(rw_multiblock),
    POINTER(c_double), POINTER(rw_array), POINTER(c_double), POINTER(rw_array), POINTER(rw_queue),
    least="alpha=2 beta=2")
rw_multiblock_operator = _Call("rw_multiblock_operator", rw_status, "op type whole", POINTER(rw_multiblock), c_int,
    POINTER(POINTER(rw_operator)), outputs=1)
rw_multiblock_read_cgns_sized = _Call("rw_multiblock_read_cgns_sized", rw_status, "context path spec spec_size",
    POINTER(rw_context), c_char_p, POINTER(rw_multiblock_spec), c_size_t)
rw_multiblock_read_cgns = _Call("rw_multiblock_read_cgns", rw_status, "context path spec", POINTER(rw_context),
    c_char_p, POINTER(rw_multiblock_spec), outputs=1, symbol="rw_multiblock_read_cgns_sized",
    appended=(sizeof(rw_multiblock_spec),))
rw_ode_method_name = _Call("rw_ode_method_name", c_char_p, "value", c_int)
rw_ode_method_parse = _Call("rw_ode_method_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_ode_params = _Call("rw_ode_params", POINTER(rw_params), "")
rw_ode_create_sized = _Call("rw_ode_create_sized", rw_status, "device spec ode spec_size field_size scalar_size",
    POINTER(rw_device), POINTER(rw_ode_spec), POINTER(POINTER(rw_ode)), c_size_t, c_size_t, c_size_t)
rw_ode_create = _Call("rw_ode_create", rw_status, "device spec ode", POINTER(rw_device), POINTER(rw_ode_spec),
    POINTER(POINTER(rw_ode)), outputs=1, symbol="rw_ode_create_sized", appended=(sizeof(rw_ode_spec),
    sizeof(rw_expr_field), sizeof(rw_expr_scalar),))
rw_ode_destroy = _Call("rw_ode_destroy", None, "ode", POINTER(POINTER(rw_ode)))
rw_ode_bind = _Call("rw_ode_bind", rw_status, "ode field array", POINTER(rw_ode), c_char_p, POINTER(rw_array))
rw_ode_set = _Call("rw_ode_set", rw_status, "ode scalar value", POINTER(rw_ode), c_char_p, c_double)
rw_ode_get = _Call("rw_ode_get", rw_status, "ode scalar value", POINTER(rw_ode), c_char_p, POINTER(c_double))
rw_ode_get_array = _Call("rw_ode_get_array", rw_status, "ode field array", POINTER(rw_ode), c_char_p,
    POINTER(POINTER(rw_array)), outputs=1)
rw_ode_get_spec_sized = _Call("rw_ode_get_spec_sized", rw_status, "ode spec spec_size", POINTER(rw_ode),
    POINTER(rw_ode_spec), c_size_t)
rw_ode_get_spec = _Call("rw_ode_get_spec", rw_status, "ode spec", POINTER(rw_ode), POINTER(rw_ode_spec), outputs=1,
    symbol="rw_ode_get_spec_sized", appended=(sizeof(rw_ode_spec),))
rw_ode_step = _Call("rw_ode_step", rw_status, "ode t_limit", POINTER(rw_ode), c_double)
rw_ode_time = _Call("rw_ode_time", c_double, "ode", POINTER(rw_ode))
rw_ode_interpolate = _Call("rw_ode_interpolate", rw_status, "ode t error", POINTER(rw_ode), c_double, POINTER(c_double))
rw_ode_restore = _Call("rw_ode_restore", rw_status, "ode", POINTER(rw_ode))
rw_ode_undo = _Call("rw_ode_undo", rw_status, "ode", POINTER(rw_ode))
rw_ode_get_method = _Call("rw_ode_get_method", rw_status, "ode method reason", POINTER(rw_ode), POINTER(c_int),
    POINTER(c_char_p), outputs=1)
rw_ode_get_statistics_sized = _Call("rw_ode_get_statistics_sized", rw_status, "ode statistics statistics_size",
    POINTER(rw_ode), POINTER(rw_ode_statistics), c_size_t)
rw_ode_get_statistics = _Call("rw_ode_get_statistics", rw_status, "ode statistics", POINTER(rw_ode),
    POINTER(rw_ode_statistics), outputs=1, symbol="rw_ode_get_statistics_sized", appended=(sizeof(rw_ode_statistics),))
rw_ode_save = _Call("rw_ode_save", None, "ode state", POINTER(rw_ode), POINTER(c_double), least="state=16")
rw_ode_load = _Call("rw_ode_load", rw_status, "ode state", POINTER(rw_ode), POINTER(c_double), least="state=16")
rw_ode_explain = _Call("rw_ode_explain", rw_status, "ode text", POINTER(rw_ode), POINTER(c_char_p), outputs=1)
rw_ode_depgraph = _Call("rw_ode_depgraph", rw_status, "ode stages graph tiles text", POINTER(rw_ode), c_int,
    POINTER(POINTER(rw_depgraph)), POINTER(POINTER(rw_partition)), POINTER(c_char_p), outputs=3)
rw_ode_bytes_sized = _Call("rw_ode_bytes_sized", c_int64, "spec spec_size field_size scalar_size", POINTER(rw_ode_spec),
    c_size_t, c_size_t, c_size_t)
rw_ode_bytes = _Call("rw_ode_bytes", c_int64, "spec", POINTER(rw_ode_spec), symbol="rw_ode_bytes_sized",
    appended=(sizeof(rw_ode_spec), sizeof(rw_expr_field), sizeof(rw_expr_scalar),))
rw_program_create = _Call("rw_program_create", rw_status, "device name text defines ndefines program",
    POINTER(rw_device), c_char_p, c_char_p, POINTER(rw_define), c_int64, POINTER(POINTER(rw_program)), outputs=1)
rw_program_destroy = _Call("rw_program_destroy", None, "program", POINTER(POINTER(rw_program)))
rw_program_kernel = _Call("rw_program_kernel", rw_status, "program name kernel", POINTER(rw_program), c_char_p,
    POINTER(POINTER(rw_kernel)), outputs=1)
rw_launch = _Call("rw_launch", rw_status, "queue kernel groups args nargs", POINTER(rw_queue), POINTER(rw_kernel),
    POINTER(c_int64), POINTER(rw_arg), c_int64, least="groups=3")
rw_cache_describe_sized = _Call("rw_cache_describe_sized", rw_status, "context info info_size", POINTER(rw_context),
    POINTER(rw_cache_info), c_size_t)
rw_cache_describe = _Call("rw_cache_describe", rw_status, "context info", POINTER(rw_context), POINTER(rw_cache_info),
    outputs=1, symbol="rw_cache_describe_sized", appended=(sizeof(rw_cache_info),))
rw_cache_clear = _Call("rw_cache_clear", rw_status, "context removed", POINTER(rw_context), POINTER(c_int64))
rw_run_case_sized = _Call("rw_run_case_sized", rw_status, "context path options report options_size report_size",
    POINTER(rw_context), c_char_p, POINTER(rw_run_options), POINTER(rw_run_report), c_size_t, c_size_t)
rw_run_case = _Call("rw_run_case", rw_status, "context path options report", POINTER(rw_context), c_char_p,
    POINTER(rw_run_options), POINTER(rw_run_report), outputs=1, symbol="rw_run_case_sized",
    appended=(sizeof(rw_run_options), sizeof(rw_run_report),))
rw_explain_case_sized = _Call("rw_explain_case_sized", rw_status, "context path options text options_size",
    POINTER(rw_context), c_char_p, POINTER(rw_run_options), POINTER(c_char_p), c_size_t)
rw_explain_case = _Call("rw_explain_case", rw_status, "context path options text", POINTER(rw_context), c_char_p,
    POINTER(rw_run_options), POINTER(c_char_p), outputs=1, symbol="rw_explain_case_sized",
    appended=(sizeof(rw_run_options),))
rw_explain_graph_sized = _Call("rw_explain_graph_sized", rw_status, "context path options stages dot text options_size",
    POINTER(rw_context), c_char_p, POINTER(rw_run_options), c_int, c_char_p, POINTER(c_char_p), c_size_t)
rw_explain_graph = _Call("rw_explain_graph", rw_status, "context path options stages dot text", POINTER(rw_context),
    c_char_p, POINTER(rw_run_options), c_int, c_char_p, POINTER(c_char_p), outputs=1, symbol="rw_explain_graph_sized",
    appended=(sizeof(rw_run_options),))
rw_plot_results_sized = _Call("rw_plot_results_sized", rw_status, "context path options written user options_size",
    POINTER(rw_context), c_char_p, POINTER(rw_plot_options), rw_plot_function, c_void_p, c_size_t)
rw_plot_results = _Call("rw_plot_results", rw_status, "context path options written user", POINTER(rw_context),
    c_char_p, POINTER(rw_plot_options), rw_plot_function, c_void_p, symbol="rw_plot_results_sized",
    appended=(sizeof(rw_plot_options),))
rw_list_words = _Call("rw_list_words", rw_status, "context kind words n", POINTER(rw_context), c_char_p,
    POINTER(POINTER(rw_word)), POINTER(c_int64))
rw_word_kinds = _Call("rw_word_kinds", POINTER(c_char_p), "")
rw_help = _Call("rw_help", rw_status, "context name text", POINTER(rw_context), c_char_p, POINTER(c_char_p), outputs=1)
rw_case_template = _Call("rw_case_template", rw_status, "context problem text", POINTER(rw_context), c_char_p,
    POINTER(c_char_p), outputs=1)
rw_describe = _Call("rw_describe", rw_status, "context json", POINTER(rw_context), POINTER(c_char_p), outputs=1)
rw_describe_fortran = _Call("rw_describe_fortran", rw_status, "context fortran", POINTER(rw_context), POINTER(c_char_p),
    outputs=1)
rw_describe_manual = _Call("rw_describe_manual", rw_status, "context roff", POINTER(rw_context), POINTER(c_char_p),
    outputs=1)
rw_selftest_sized = _Call("rw_selftest_sized", rw_status, "context device list count element_size", POINTER(rw_context),
    POINTER(rw_device), POINTER(POINTER(rw_selftest_result)), POINTER(c_int64), c_size_t)
rw_selftest = _Call("rw_selftest", rw_status, "context device list count", POINTER(rw_context), POINTER(rw_device),
    POINTER(POINTER(rw_selftest_result)), POINTER(c_int64), symbol="rw_selftest_sized",
    appended=(sizeof(rw_selftest_result),))
rw_selftest_free = _Call("rw_selftest_free", None, "list", POINTER(POINTER(rw_selftest_result)))
rw_sample_kind_name = _Call("rw_sample_kind_name", c_char_p, "value", c_int)
rw_sample_kind_parse = _Call("rw_sample_kind_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_signal_container_name = _Call("rw_signal_container_name", c_char_p, "value", c_int)
rw_signal_container_parse = _Call("rw_signal_container_parse", rw_status, "context name value", POINTER(rw_context),
    c_char_p, POINTER(c_int))
rw_signal_method_name = _Call("rw_signal_method_name", c_char_p, "value", c_int)
rw_signal_method_parse = _Call("rw_signal_method_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_signal_window_name = _Call("rw_signal_window_name", c_char_p, "value", c_int)
rw_signal_window_parse = _Call("rw_signal_window_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_signal_op_params = _Call("rw_signal_op_params", POINTER(rw_params), "")
rw_signal_design = _Call("rw_signal_design", rw_status, "context text rate taps n delay", POINTER(rw_context), c_char_p,
    c_double, POINTER(POINTER(c_double)), POINTER(c_int64), POINTER(c_int64))
rw_signal_run_sized = _Call("rw_signal_run_sized", rw_status, "device in out spec report spec_size report_size",
    POINTER(rw_device), c_char_p, c_char_p, POINTER(rw_signal_spec), POINTER(rw_signal_report), c_size_t, c_size_t)
rw_signal_run = _Call("rw_signal_run", rw_status, "device in out spec report", POINTER(rw_device), c_char_p, c_char_p,
    POINTER(rw_signal_spec), POINTER(rw_signal_report), outputs=1, symbol="rw_signal_run_sized",
    appended=(sizeof(rw_signal_spec), sizeof(rw_signal_report),))
rw_spectrogram_run_sized = _Call("rw_spectrogram_run_sized", rw_status,
    "device in out spec report spec_size report_size", POINTER(rw_device), c_char_p, c_char_p,
    POINTER(rw_spectrogram_spec), POINTER(rw_spectrogram_report), c_size_t, c_size_t)
rw_spectrogram_run = _Call("rw_spectrogram_run", rw_status, "device in out spec report", POINTER(rw_device), c_char_p,
    c_char_p, POINTER(rw_spectrogram_spec), POINTER(rw_spectrogram_report), outputs=1,
    symbol="rw_spectrogram_run_sized", appended=(sizeof(rw_spectrogram_spec), sizeof(rw_spectrogram_report),))
rw_operator_from_expr_sized = _Call("rw_operator_from_expr_sized", rw_status,
    "device spec from to op spec_size field_size scalar_size external_size function_size", POINTER(rw_device),
    POINTER(rw_expr_spec), c_char_p, c_char_p, POINTER(POINTER(rw_operator)), c_size_t, c_size_t, c_size_t, c_size_t,
    c_size_t)
rw_operator_from_expr = _Call("rw_operator_from_expr", rw_status, "device spec from to op", POINTER(rw_device),
    POINTER(rw_expr_spec), c_char_p, c_char_p, POINTER(POINTER(rw_operator)), outputs=1,
    symbol="rw_operator_from_expr_sized", appended=(sizeof(rw_expr_spec), sizeof(rw_expr_field), sizeof(rw_expr_scalar),
    sizeof(rw_expr_external), sizeof(rw_expr_function),))
rw_frame_layout_name = _Call("rw_frame_layout_name", c_char_p, "value", c_int)
rw_frame_layout_parse = _Call("rw_frame_layout_parse", rw_status, "context name value", POINTER(rw_context), c_char_p,
    POINTER(c_int))
rw_frame_bytes = _Call("rw_frame_bytes", c_int64, "format", POINTER(rw_frame_format))
rw_stream_file_context = _Call("rw_stream_file_context", POINTER(rw_context), "file", POINTER(rw_stream_file))
rw_stream_file_name = _Call("rw_stream_file_name", c_char_p, "file", POINTER(rw_stream_file))
rw_stream_file_read = _Call("rw_stream_file_read", rw_status, "file bytes n what end", POINTER(rw_stream_file),
    c_void_p, c_size_t, c_char_p, POINTER(c_bool))
rw_stream_file_write = _Call("rw_stream_file_write", rw_status, "file bytes n", POINTER(rw_stream_file), c_void_p,
    c_size_t, const="bytes")
rw_stream_format_register = _Call("rw_stream_format_register", rw_status, "context format", POINTER(rw_context),
    POINTER(rw_stream_format))
rw_stream_format_get = _Call("rw_stream_format_get", POINTER(rw_stream_format), "i", c_int)
rw_stream_is = _Call("rw_stream_is", c_bool, "name", c_char_p)
rw_stream_is_numbered = _Call("rw_stream_is_numbered", c_bool, "name", c_char_p)
rw_stream_find_output = _Call("rw_stream_find_output", rw_status, "context name path", POINTER(rw_context), c_char_p,
    POINTER(c_char_p), outputs=1)
rw_stream_run_sized = _Call("rw_stream_run_sized", rw_status, "device in out spec report spec_size report_size",
    POINTER(rw_device), c_char_p, c_char_p, POINTER(rw_stream_spec), POINTER(rw_stream_report), c_size_t, c_size_t)
rw_stream_run = _Call("rw_stream_run", rw_status, "device in out spec report", POINTER(rw_device), c_char_p, c_char_p,
    POINTER(rw_stream_spec), POINTER(rw_stream_report), outputs=1, symbol="rw_stream_run_sized",
    appended=(sizeof(rw_stream_spec), sizeof(rw_stream_report),))
rw_stream_window_create_sized = _Call("rw_stream_window_create_sized", rw_status, "device spec window spec_size",
    POINTER(rw_device), POINTER(rw_stream_window_spec), POINTER(POINTER(rw_stream_window)), c_size_t)
rw_stream_window_create = _Call("rw_stream_window_create", rw_status, "device spec window", POINTER(rw_device),
    POINTER(rw_stream_window_spec), POINTER(POINTER(rw_stream_window)), outputs=1,
    symbol="rw_stream_window_create_sized", appended=(sizeof(rw_stream_window_spec),))
rw_stream_window_show = _Call("rw_stream_window_show", rw_status, "show_user view action", c_void_p,
    POINTER(rw_stream_view), POINTER(c_int))
rw_stream_window_save = _Call("rw_stream_window_save", rw_status, "window path", POINTER(rw_stream_window), c_char_p)
rw_stream_window_destroy = _Call("rw_stream_window_destroy", None, "window", POINTER(POINTER(rw_stream_window)))


def rw_arg_array(array):
    return rw_arg(array=array, re=0, im=0, integer=0, is_integer=False, is_memory=False)


def rw_arg_memory(array):
    return rw_arg(array=array, re=0, im=0, integer=0, is_integer=False, is_memory=True)


def rw_arg_real(value):
    return rw_arg(array=None, re=value, im=0, integer=0, is_integer=False, is_memory=False)


def rw_arg_complex(re, im):
    return rw_arg(array=None, re=re, im=im, integer=0, is_integer=False, is_memory=False)


def rw_arg_int(value):
    return rw_arg(array=None, re=value, im=0, integer=value, is_integer=True, is_memory=False)
