#!/usr/bin/env python3
"""What else one would use for image filters: the operations of `rechenwerk bench image` with OpenCV, scikit-image, \
SciPy's ndimage and
libvips on the processor, with CuPy's ndimage and NPP on a CUDA device.

Ours is called through the shared library in the same process, on the same images, with as many threads. Everyone has
one turn a round, slow peers in fewer rounds, on a GPU ten calls a turn; times are medians, ratios (the peer's time over
ours: above 1 we are faster) medians within the rounds. Arrays stay where they are computed: on the device, no transfer
is timed. libvips writes its result to new memory; the others, where they can, to an array that is there. `largest` is
the largest difference from our result, in parts of white, without a frame of 16 pixels: libvips reduces with a filter
that grows with the factor, and SciPy cuts off instead of rounding to integers.

    image_peers.py [-d cpu|cuda:0] [--rounds 20] [--size 4096] [--threads N] [--only TEXT] [--markdown]

$RECHENWERK_LIBRARY is the path of librechenwerk.so (default: build/librechenwerk.so).
"""
import argparse
import ctypes
import os
import statistics
import sys
import time
from ctypes import Structure, byref, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p

F32, U8, I16 = 1, 9, 6  # rw_dtype
FRAME = 16


class Region(Structure):
    _fields_ = [("x", c_int64), ("y", c_int64), ("width", c_int64), ("height", c_int64)]


class Spec(Structure):  # rw_image_spec
    _fields_ = [("text", c_char_p), ("ops", c_void_p), ("nops", c_int), ("dtype", c_int), ("y_dtype", c_int),
                ("width", c_int64), ("height", c_int64), ("channels", c_int), ("planar", c_bool), ("region", Region)]


class Info(Structure):  # rw_image_info
    _fields_ = [("passes", c_int), ("width", c_int64), ("height", c_int64), ("channels", c_int), ("dtype", c_int),
                ("bytes", c_int64), ("work_bytes", c_int64)]


# name; texts of our filter for u8 and f32; size as a part of --size; deep: the result of u8 is i16
OPERATIONS = [
    ("gauss sigma 3", "gauss:sigma=3", "gauss:sigma=3", 1, False),
    ("gauss sigma 1", "gauss:sigma=1", "gauss:sigma=1", 1, False),
    ("box 5", "box:size=5", "box:size=5", 1, False),
    ("sobel x", "sobel:direction=x", "sobel:direction=x", 1, True),
    ("median 3x3", "median:size=3", "median:size=3", 1, False),
    ("median 5x5", "median:size=5", "median:size=5", 1, False),
    ("mask 3x3", "mask:mask=0 -1 0/-1 5 -1/0 -1 0", "mask:mask=0 -1 0/-1 5 -1/0 -1 0", 1, False),
    ("erode 5", "erode:size=5", "erode:size=5", 1, False),
    ("threshold", "threshold:level=102", "threshold:level=0.4", 1, False),
    ("bilateral 13", "bilateral:sigma=2:range=51", "bilateral:sigma=2:range=0.2", 4, False),
    ("resize 0.5", "resize:factor=0.5", "resize:factor=0.5", 1, False),
    ("equalize", "equalize", None, 1, False),
    ("gauss|sobel|normalize", "gauss:sigma=1|sobel|normalize", "gauss:sigma=1|sobel|normalize", 1, False),
]
MASK = [[0, -1, 0], [-1, 5, -1], [0, -1, 0]]


class Ours:
    def __init__(self, device):
        here = os.path.dirname(os.path.abspath(__file__))
        self.lib = ctypes.CDLL(os.environ.get("RECHENWERK_LIBRARY", os.path.join(here, "../../build/librechenwerk.so")))
        self.lib.rw_message.restype, self.lib.rw_message.argtypes = c_char_p, [c_void_p]
        self.lib.rw_device_queue.restype, self.lib.rw_device_queue.argtypes = c_void_p, [c_void_p]
        self.lib.rw_queue_wait.argtypes = [c_void_p]
        self.lib.rw_image_filter_execute.argtypes = [c_void_p] * 4
        self.lib.rw_version.restype = c_char_p
        self.context, self.device, self.gpu = c_void_p(), c_void_p(), device.startswith("cuda")
        self.call("rw_context_create", byref(self.context))
        self.call("rw_device_open", self.context, device.encode(), byref(self.device))
        self.queue = c_void_p(self.lib.rw_device_queue(self.device))

    def call(self, function, *arguments):
        if getattr(self.lib, function)(*arguments) != 0:
            raise RuntimeError(self.lib.rw_message(self.context).decode())

    def array(self, dtype, height, width):
        a = c_void_p()
        self.call("rw_array_create", self.device, c_int(dtype), c_int(2), (c_int64 * 2)(height, width), c_int(0),
                  byref(a))
        return a

    def filter(self, np, text, x, deep):
        """A function that filters x, one that gives the result as an array of NumPy, and one that frees what they
        use."""
        dtype = U8 if x.dtype == np.uint8 else F32
        spec = Spec(text=text.encode(), dtype=dtype, y_dtype=I16 if deep else 0, width=x.shape[1], height=x.shape[0])
        f, info, data = c_void_p(), Info(), c_void_p()
        self.call("rw_image_filter_create", self.device, byref(spec), byref(f))
        self.call("rw_image_filter_get_info", f, byref(info))
        a, b = self.array(dtype, *x.shape), self.array(info.dtype, info.height, info.width)
        self.call("rw_array_write", a, byref(data))
        ctypes.memmove(data, x.ctypes.data, x.nbytes)

        def run():
            self.lib.rw_image_filter_execute(f, a, b, self.queue)

        def result():
            run()
            p = c_void_p()
            self.call("rw_array_read", b, byref(p))
            kind = {U8: np.uint8, F32: np.float32, I16: np.int16}[info.dtype]
            n = info.height * info.width
            bytes_ = (ctypes.c_char * (n * np.dtype(kind).itemsize)).from_address(p.value)
            return np.frombuffer(bytes_, dtype=kind).reshape(info.height, info.width).copy()

        def free():
            self.lib.rw_image_filter_destroy(byref(f))
            self.lib.rw_array_destroy(byref(a)), self.lib.rw_array_destroy(byref(b))

        return run, result, free

    def wait(self):
        self.call("rw_queue_wait", self.queue)


# ---- peers of the processor: each gives a function for an operation and an image that returns its result, or None ----

def opencv(np, threads):
    import cv2
    cv2.setNumThreads(threads)
    border = cv2.BORDER_REFLECT_101

    def make(name, x):
        white = 255 if x.dtype == np.uint8 else 1
        y = np.empty_like(x)
        deep = cv2.CV_16S if x.dtype == np.uint8 else cv2.CV_32F
        d = np.empty(x.shape, np.int16 if x.dtype == np.uint8 else np.float32)
        half = np.empty((x.shape[0] // 2, x.shape[1] // 2), x.dtype)
        gx, gy, m = (np.empty(x.shape, np.float32) for _ in range(3))
        mask = np.array(MASK, np.float32)
        block = np.ones((5, 5), np.uint8)

        def chain():
            cv2.GaussianBlur(x, (7, 7), 1, dst=y, borderType=border)
            cv2.Sobel(y, cv2.CV_32F, 1, 0, dst=gx, ksize=3, borderType=border)
            cv2.Sobel(y, cv2.CV_32F, 0, 1, dst=gy, ksize=3, borderType=border)
            cv2.magnitude(gx, gy, magnitude=m)
            return cv2.normalize(m, y, 0, white, cv2.NORM_MINMAX,
                                 dtype=cv2.CV_8U if x.dtype == np.uint8 else cv2.CV_32F)

        calls = {
            "gauss sigma 3": lambda: cv2.GaussianBlur(x, (19, 19), 3, dst=y, borderType=border),
            "gauss sigma 1": lambda: cv2.GaussianBlur(x, (7, 7), 1, dst=y, borderType=border),
            "box 5": lambda: cv2.blur(x, (5, 5), dst=y, borderType=border),
            "sobel x": lambda: cv2.Sobel(x, deep, 1, 0, dst=d, ksize=3, borderType=border),
            "median 3x3": lambda: cv2.medianBlur(x, 3, dst=y),
            "median 5x5": lambda: cv2.medianBlur(x, 5, dst=y),
            "mask 3x3": lambda: cv2.filter2D(x, -1, mask, dst=y, borderType=border),
            "erode 5": lambda: cv2.erode(x, block, dst=y, borderType=border),
            "threshold": lambda: cv2.threshold(x, 102 if white == 255 else 0.4, white, cv2.THRESH_BINARY, dst=y)[1],
            "bilateral 13": lambda: cv2.bilateralFilter(x, 13, 0.2 * white, 2, dst=y, borderType=border),
            "resize 0.5": lambda: cv2.resize(x, (x.shape[1] // 2, x.shape[0] // 2), dst=half,
                                             interpolation=cv2.INTER_LINEAR),
            "equalize": lambda: cv2.equalizeHist(x, dst=y),
            "gauss|sobel|normalize": chain,
        }
        return calls.get(name)
    return "OpenCV", cv2.__version__, make


def skimage(np, threads):
    import skimage
    from skimage import exposure, filters, morphology, restoration, transform

    def make(name, x):
        u8 = x.dtype == np.uint8
        block = np.ones((5, 5), np.uint8)

        def chain():
            y = filters.gaussian(x, 1, truncate=3, mode="mirror", preserve_range=True)
            return exposure.rescale_intensity(filters.sobel(y, mode="mirror"),
                                              out_range=(0, 255 if u8 else 1)).astype(x.dtype)

        return {
            "gauss sigma 3": lambda: filters.gaussian(x, 3, truncate=3, mode="mirror", preserve_range=True),
            "gauss sigma 1": lambda: filters.gaussian(x, 1, truncate=3, mode="mirror", preserve_range=True),
            "sobel x": (lambda: 4 * filters.sobel_v(x)) if not u8 else None,
            "median 3x3": lambda: filters.median(x, np.ones((3, 3)), mode="mirror"),
            "median 5x5": lambda: filters.median(x, np.ones((5, 5)), mode="mirror"),
            "erode 5": lambda: morphology.erosion(x, block),
            "bilateral 13": (lambda: restoration.denoise_bilateral(x, win_size=13, sigma_color=0.2,
                                                                   sigma_spatial=2)) if not u8 else None,
            "resize 0.5": lambda: transform.resize(x, (x.shape[0] // 2, x.shape[1] // 2), order=1,
                                                   preserve_range=True, anti_aliasing=False),
            "equalize": lambda: 255 * exposure.equalize_hist(x),
            "gauss|sobel|normalize": chain,
        }.get(name)
    return "scikit-image", skimage.__version__, make


def ndimage_calls(np, ndimage, x):
    """SciPy's functions, or CuPy's of the same names."""
    u8 = x.dtype == np.uint8
    y = np.empty_like(x)
    d = np.empty(x.shape, np.int16 if u8 else np.float32)
    mask = np.array(MASK, np.float32)

    def chain():
        b = ndimage.gaussian_filter(x, 1, truncate=3, mode="mirror", output=np.float32)
        m = np.hypot(ndimage.sobel(b, 1, mode="mirror"), ndimage.sobel(b, 0, mode="mirror"))
        low, high = m.min(), m.max()
        return ((m - low) * ((255 if u8 else 1) / (high - low))).astype(x.dtype)

    return {
        "gauss sigma 3": lambda: ndimage.gaussian_filter(x, 3, truncate=3, mode="mirror", output=y),
        "gauss sigma 1": lambda: ndimage.gaussian_filter(x, 1, truncate=3, mode="mirror", output=y),
        "box 5": lambda: ndimage.uniform_filter(x, 5, mode="mirror", output=y),
        "sobel x": lambda: ndimage.sobel(x, 1, mode="mirror", output=d),
        "median 3x3": lambda: ndimage.median_filter(x, 3, mode="mirror", output=y),
        "median 5x5": lambda: ndimage.median_filter(x, 5, mode="mirror", output=y),
        "mask 3x3": (lambda: ndimage.correlate(x, mask, mode="mirror", output=y)) if not u8 else None,
        "erode 5": lambda: ndimage.grey_erosion(x, size=(5, 5), mode="mirror", output=y),
        "threshold": lambda: np.where(x > (102 if u8 else 0.4), x.dtype.type(255 if u8 else 1), x.dtype.type(0)),
        "resize 0.5": lambda: ndimage.zoom(x, 0.5, order=1, mode="mirror", grid_mode=True),
        "gauss|sobel|normalize": chain,
    }


def scipy(np, threads):
    import scipy
    from scipy import ndimage
    return "SciPy", scipy.__version__, lambda name, x: ndimage_calls(np, ndimage, x).get(name)


def libvips(np, threads):
    os.environ["VIPS_CONCURRENCY"] = str(threads)
    import pyvips
    pyvips.cache_set_max(0)

    def make(name, x):
        u8 = x.dtype == np.uint8
        image = pyvips.Image.new_from_memory(x, x.shape[1], x.shape[0], 1, "uchar" if u8 else "float")
        mask = pyvips.Image.new_from_array(MASK)
        sobel = pyvips.Image.new_from_array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
        precision = "integer" if u8 else "float"
        # of this least amplitude the mask has radius 9 (sigma 3) and 3 (sigma 1)
        sobel_y = pyvips.Image.new_from_array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]])
        gauss = {sigma: pyvips.Image.gaussmat(sigma, 0.0111, separable=True, precision=precision) for sigma in (1, 3)}

        def chain():
            smooth = image.convsep(gauss[1], precision="float")
            edges = (smooth.conv(sobel, precision="float") ** 2 + smooth.conv(sobel_y, precision="float") ** 2) ** 0.5
            least, most = edges.min(), edges.max()
            y = (edges - least) * ((255 if u8 else 1) / (most - least))
            return y.rint().cast("uchar") if u8 else y.cast("float")

        calls = {
            "gauss|sobel|normalize": chain,
            "gauss sigma 3": lambda: image.convsep(gauss[3], precision=precision),
            "gauss sigma 1": lambda: image.convsep(gauss[1], precision=precision),
            "box 5": lambda: image.conv(pyvips.Image.new_from_array([[1] * 5] * 5, scale=25), precision=precision),
            "sobel x": lambda: image.conv(sobel, precision="float"),
            "median 3x3": lambda: image.rank(3, 3, 4),
            "median 5x5": lambda: image.rank(5, 5, 12),
            "mask 3x3": lambda: image.conv(mask, precision=precision),
            "erode 5": lambda: image.rank(5, 5, 0),
            "threshold": (lambda: image > 102) if u8 else (lambda: (image > 0.4) / 255),
            "resize 0.5": lambda: image.resize(0.5, kernel="linear"),
            "equalize": lambda: image.hist_equal(),
        }
        if name not in calls:
            return None
        kinds = {"uchar": np.uint8, "float": np.float32, "short": np.int16, "int": np.int32, "double": np.float64}

        def run():
            y = calls[name]()
            return np.frombuffer(y.write_to_memory(), kinds[y.format]).reshape(y.height, y.width)
        return run
    return "libvips", ".".join(str(pyvips.version(i)) for i in range(3)), make


# ---- peers of a CUDA device ------------------------------------------------------------------------------------------

def cupy_ndimage(cp, threads):
    from cupyx.scipy import ndimage
    return "CuPy", cp.__version__, lambda name, x: ndimage_calls(cp, ndimage, x).get(name)


def npp(cp, threads):
    class Size(Structure):
        _fields_ = [("width", c_int), ("height", c_int)]

    class Rectangle(Structure):
        _fields_ = [("x", c_int), ("y", c_int), ("width", c_int), ("height", c_int)]

    class Context(Structure):  # NppStreamContext
        _fields_ = [("stream", c_void_p), ("device", c_int), ("multiprocessors", c_int), ("threads", c_int),
                    ("block_threads", c_int), ("shared", c_size_t), ("major", c_int), ("minor", c_int),
                    ("flags", ctypes.c_uint), ("reserved", c_int)]

    def load(name):
        for pattern in ("lib%s.so.13", "lib%s.so.12", "lib%s.so", "/usr/local/cuda/lib64/lib%s.so"):
            try:
                return ctypes.CDLL(pattern % name)
            except OSError:
                pass
        raise ImportError(f"lib{name}.so not found")

    filters, morphology, statistics_, geometry, logic = (load(n) for n in ("nppif", "nppim", "nppist", "nppig",
                                                                           "nppitc"))
    properties = cp.cuda.runtime.getDeviceProperties(0)
    context = Context(device=0, multiprocessors=properties["multiProcessorCount"],
                      threads=properties["maxThreadsPerMultiProcessor"], block_threads=properties["maxThreadsPerBlock"],
                      shared=properties["sharedMemPerBlock"], major=properties["major"], minor=properties["minor"])
    replicate = c_int(2)  # the only border of most of its functions

    def make(name, x):
        u8 = x.dtype == cp.uint8
        kind = "8u" if u8 else "32f"
        h, w = x.shape
        size, zero = Size(w, h), Rectangle
        y = cp.empty_like(x)
        d = cp.empty(x.shape, cp.int16 if u8 else cp.float32)
        half = cp.empty((h // 2, w // 2), x.dtype)
        source, step = c_void_p(x.data.ptr), c_int(x.strides[0])

        def border(library, function, out, *more):
            f = getattr(library, function)
            arguments = (source, step, size, ctypes.c_uint64(0), c_void_p(out.data.ptr), c_int(out.strides[0]),
                         size) + more + (replicate, context)

            def run():
                status = f(*arguments)
                if status < 0:
                    raise RuntimeError(f"{function}: {status}")
                return out
            return run

        if name == "box 5":
            return border(filters, f"nppiFilterBoxBorder_{kind}_C1R_Ctx", y, Size(5, 5), ctypes.c_uint64(2 | 2 << 32))
        if name == "sobel x" and u8:
            return border(filters, "nppiFilterSobelVertBorder_8u16s_C1R_Ctx", d, c_int(200))  # NPP_MASK_SIZE_3_X_3
        if name == "sobel x":
            return border(filters, "nppiFilterSobelVertBorder_32f_C1R_Ctx", d)
        if name == "bilateral 13":
            white = 255 if u8 else 1
            return border(filters, f"nppiFilterBilateralGaussBorder_{kind}_C1R_Ctx", y, c_int(6), c_int(1),
                          ctypes.c_float((0.2 * white) ** 2), ctypes.c_float(4))
        if name in ("gauss sigma 1", "gauss sigma 3"):
            sigma = int(name[-1])
            taps = cp.exp(-cp.arange(-3 * sigma, 3 * sigma + 1, dtype=cp.float64) ** 2 / (2 * sigma**2))
            taps = (taps / taps.sum()).astype(cp.float32)
            run = border(filters, f"nppiFilterGaussAdvancedBorder_{kind}_C1R_Ctx", y, c_int(taps.size),
                         c_void_p(taps.data.ptr))
            run.taps = taps
            return run
        if name == "erode 5":
            ones = cp.ones((5, 5), cp.uint8)
            run = border(morphology, f"nppiErodeBorder_{kind}_C1R_Ctx", y, c_void_p(ones.data.ptr), Size(5, 5),
                         ctypes.c_uint64(2 | 2 << 32))
            run.ones = ones
            return run
        if name == "resize 0.5":
            f = getattr(geometry, f"nppiResize_{kind}_C1R_Ctx")
            arguments = (source, step, size, zero(0, 0, w, h), c_void_p(half.data.ptr), c_int(half.strides[0]),
                         Size(w // 2, h // 2), zero(0, 0, w // 2, h // 2), c_int(2), context)  # NPPI_INTER_LINEAR

            def resize():
                if f(*arguments) < 0:
                    raise RuntimeError("nppiResize")
                return half
            return resize
        return None
    return "NPP", f"of CUDA {cp.cuda.runtime.runtimeGetVersion()}", make


# ---- rounds ----------------------------------------------------------------------------------------------------------

def load_peers(np, table, threads):
    peers = []
    for peer in table:
        try:
            peers.append(peer(np, threads))
        except (ImportError, OSError, AttributeError) as e:
            print(f"{peer.__name__}: left out: {e}", file=sys.stderr)
    return peers


def difference(np, a, b, white):
    if a.shape != b.shape:
        return float("nan")
    a, b = (np.asarray(v)[FRAME:-FRAME, FRAME:-FRAME].astype(np.float64) for v in (a, b))
    return float(np.abs(a - b).max()) / white


def take_turns(calls, rounds, wait, loops):
    """name -> seconds of a call in its rounds, `loops` calls each; slow ones stop earlier; a first call of each does
    not count."""
    seconds, most = {name: [] for name in calls}, {}
    for name, call in calls.items():
        start = time.perf_counter()
        call()
        wait()
        took = time.perf_counter() - start
        most[name] = 3 if took > 1.5 else 7 if took > 0.2 else rounds
    for r in range(rounds):
        for name, call in calls.items():
            if r >= most[name]:
                continue
            start = time.perf_counter()
            for _ in range(loops):
                call()
            wait()
            seconds[name].append((time.perf_counter() - start) / loops)
    return seconds


def cells_of(name, seconds, bytes_):
    s, own = seconds[name], seconds["ours"]
    q = statistics.quantiles(s, n=4) if len(s) > 2 else [min(s), statistics.median(s), max(s)]
    m = statistics.median(s)
    return [f"{1e3 * m:.3f}", f"{100 * (q[0] / m - 1):+.1f} {100 * (q[2] / m - 1):+.1f} %", f"{bytes_ / m / 1e9:.2f}",
            f"{statistics.median(a / b for a, b in zip(s, own)):.2f}"]


HEAD = ["operation", "library", "ms", "quartiles", "GB/s", "its time / ours", "largest", "rounds"]
WIDTHS = [32, 12, 10, 18, 8, 15, 8, 6]


def print_row(row, markdown):
    if markdown:
        print("| " + " | ".join(str(c).replace("|", "\\|") for c in row) + " |", flush=True)
    else:
        print("  ".join(str(c).ljust(n) if i < 2 else str(c).rjust(n)
                        for i, (c, n) in enumerate(zip(row, WIDTHS))).rstrip(), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-d", "--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--only", default="", help="operations whose name has this text")
    parser.add_argument("--markdown", action="store_true")
    a = parser.parse_args()
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # threads of others do not wait at full speed
    import numpy
    gpu = a.device.startswith("cuda")
    if gpu:
        import cupy as xp
    else:
        xp = numpy
    ours = Ours(a.device if gpu else f"cpu:{a.threads}")
    peers = load_peers(xp, (cupy_ndimage, npp) if gpu else (opencv, skimage, scipy, libvips), a.threads)
    print(f"rechenwerk {ours.lib.rw_version().decode()} on {a.device}" + ("" if gpu else f", {a.threads} threads") +
          ", " + ", ".join(f"{name} {version}" for name, version, _ in peers))
    random = numpy.random.default_rng(11)
    if a.markdown:
        print()
    print_row(HEAD, a.markdown)
    if a.markdown:
        print("|" + "---|" * len(HEAD), flush=True)

    def wait():
        ours.wait()
        if gpu:
            xp.cuda.runtime.deviceSynchronize()

    for name, text_u8, text_f32, part, deep in OPERATIONS:
        n = a.size // part
        for text, kind in ((text_u8, numpy.uint8), (text_f32, numpy.float32)):
            if not text or a.only not in name:
                continue
            x = (random.integers(0, 256, (n, n), numpy.uint8) if kind == numpy.uint8
                 else random.random((n, n), numpy.float32))
            there = xp.asarray(x)
            run, result, free = ours.filter(numpy, text, x, deep and kind == numpy.uint8)
            own, calls, largest = result(), {"ours": run}, {"ours": 0.0}
            for who, _, make in peers:
                try:
                    call = make(name, there)
                    if call:
                        y = call()
                        largest[who] = difference(numpy, xp.asnumpy(y) if gpu else y, own,
                                                  255 if kind == numpy.uint8 else 1)
                        calls[who] = call
                except Exception as e:  # an operation that one version of a peer lacks
                    print(f"{who}: {name} {numpy.dtype(kind).name} left out: {e}", file=sys.stderr)
            seconds = take_turns(calls, a.rounds, wait, 10 if gpu else 1)
            bytes_ = x.nbytes + own.nbytes
            for who in calls:
                what = f"{name} {'u8' if kind == numpy.uint8 else 'f32'}, {n}²" if who == "ours" else ""
                print_row([what, who] + cells_of(who, seconds, bytes_) + [f"{largest[who]:.1e}", len(seconds[who])],
                          a.markdown)
            free()


if __name__ == "__main__":
    main()
