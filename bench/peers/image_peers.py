#!/usr/bin/env python3
"""What else one would use for image filters: the operations of `rechenwerk bench image`, and others, next to OpenCV, \
scikit-image, SciPy's ndimage and libvips on the processor, next to CuPy's ndimage and NPP on a CUDA device.

Ours is called in the same process, on the same images, with as many threads. Everyone has one turn a round, on a GPU of
ten calls; calls of more than 1.5 s stop after 3 rounds. Columns: the least and the median time, its quartiles, the
ratio (the peer's time over ours: above 1 we are faster) as the median within the rounds and of the least times.

Arrays stay where they are computed: on the device, no transfer is timed. libvips writes its result to new memory; the
others, where they can, to an array that is there.

`largest` is the largest difference from our result, in parts of white, without a frame of 16 pixels. u8 differs by 1
(3.9e-03) where libraries round halves up, we to even. libvips reduces with a filter that grows with the factor; SciPy
cuts off instead of rounding to integers.

    image_peers.py [-d cpu|cuda:0] [--rounds 20] [--size 4096 | --size 4000x3000] [--threads N] [--only TEXT]
                   [--peers OpenCV,SciPy] [--markdown]

$RECHENWERK_LIBRARY is the path of librechenwerk.so (default: build/librechenwerk.so). The functions of the library are
called through tools/python/rechenwerk.py.
"""
import argparse
import ctypes
import os
import statistics
import sys
import time
from ctypes import Structure, c_int, c_size_t, c_void_p
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/python"))
os.environ.setdefault("RECHENWERK_LIBRARY", str(ROOT / "build/librechenwerk.so"))

import rechenwerk as rw  # noqa: E402

FRAME = 16


class Row(NamedTuple):
    name: str
    u8: str  # text of our filter for u8
    f32: str | None = None  # for f32; None: the row has only u8
    part: int = 1  # --size is divided by it
    deep: bool = False  # the result of u8 is i16
    channels: int = 1
    kind: str = ""  # rows of one kind differ in size, channels or window
    window: int = 0  # its width and height


def same(name, text, **more):
    return Row(name, text, text, **more)


KINDS = {1: "grey", 3: "colour", 4: "four channels"}
FACTORS = {"1/2": 1 / 2, "1/3": 1 / 3, "0.4": 0.4}
OPERATIONS = [
    same("gauss sigma 3", "gauss:sigma=3"),
    same("gauss sigma 1", "gauss:sigma=1"),
    same("box 5", "box:size=5"),
    same("sobel x", "sobel:direction=x", deep=True),
    same("median 3x3", "median:size=3"),
    same("median 5x5", "median:size=5"),
    same("mask 3x3", "mask:mask=0 -1 0/-1 5 -1/0 -1 0"),
    *(same(f"{method} {n}", f"{method}:size={n}", kind=method, window=n)
      for method in ("erode", "dilate") for n in (3, 5, 9, 15)),
    Row("threshold", "threshold:level=102", "threshold:level=0.4"),
    Row("bilateral 13", "bilateral:sigma=2:range=51", "bilateral:sigma=2:range=0.2", part=4),
    same("resize 0.5", "resize:factor=0.5"),
    *(Row(f"area {factor} {kind}", f"resize:factor={FACTORS[factor]!r}:interpolation=area", channels=channels,
          kind="area") for factor in FACTORS for channels, kind in KINDS.items()),
    *(Row(f"rotate 20 {kind}", "rotate:angle=20", channels=channels, kind="rotate")
      for channels, kind in KINDS.items()),
    Row("equalize", "equalize"),
    same("gauss|sobel|normalize", "gauss:sigma=1|sobel|normalize"),
]
MASK = [[0, -1, 0], [-1, 5, -1], [0, -1, 0]]


class Ours:
    def __init__(self, device):
        self.device = rw.rw_device_open(rw.rw_context_create(), device)
        self.queue = rw.rw_device_queue(self.device)

    def filter(self, row, text, x):
        """A function that filters x, one that gives the result as an array of NumPy, and one that frees what they
        use."""
        a = rw.from_numpy(self.device, x)
        spec = rw.rw_image_spec(text=text, dtype=rw.rw_array_dtype(a), width=x.shape[1], height=x.shape[0],
                                channels=row.channels)
        if row.deep and x.dtype.itemsize == 1:
            spec.y_dtype = rw.RW_I16
        f = rw.rw_image_filter_create(self.device, spec)
        info = rw.rw_image_filter_get_info(f)
        shape = [info.height, info.width] + [info.channels] * (info.channels > 1)
        b = rw.rw_array_create(self.device, info.dtype, len(shape), shape, rw.RW_MEMORY_DEVICE)

        def run():
            rw.rw_image_filter_execute(f, a, b, self.queue)

        def result():
            run()
            return rw.to_numpy(b)

        def free():
            rw.rw_image_filter_destroy(f)
            rw.rw_array_destroy(a)
            rw.rw_array_destroy(b)

        return run, result, free

    def wait(self):
        rw.rw_queue_wait(self.queue)


# ---- peers of the processor ------------------------------------------------------------------------------------------
#
# make(row, x, shape): a function that returns the result, of this shape, for the image x; None: the library has none.

def opencv(np, threads):
    import cv2
    cv2.setNumThreads(threads)
    border = cv2.BORDER_REFLECT_101

    def make(row, x, shape):
        white = 255 if x.dtype == np.uint8 else 1
        y = np.empty_like(x)
        small = np.empty(shape, x.dtype)
        size = shape[1], shape[0]
        deep = cv2.CV_16S if x.dtype == np.uint8 else cv2.CV_32F
        d = np.empty(x.shape, np.int16 if x.dtype == np.uint8 else np.float32)
        gx, gy, m = (np.empty(x.shape, np.float32) for _ in range(3))
        mask = np.array(MASK, np.float32)
        centre = (x.shape[1] - 1) / 2, (x.shape[0] - 1) / 2
        turn = cv2.getRotationMatrix2D(centre, 20, 1)

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
            "threshold": lambda: cv2.threshold(x, 102 if white == 255 else 0.4, white, cv2.THRESH_BINARY, dst=y)[1],
            "bilateral 13": lambda: cv2.bilateralFilter(x, 13, 0.2 * white, 2, dst=y, borderType=border),
            "resize 0.5": lambda: cv2.resize(x, size, dst=small, interpolation=cv2.INTER_LINEAR),
            "area": lambda: cv2.resize(x, size, dst=small, interpolation=cv2.INTER_AREA),
            "rotate": lambda: cv2.warpAffine(x, turn, size, dst=y, flags=cv2.INTER_LINEAR, borderMode=border),
            "equalize": lambda: cv2.equalizeHist(x, dst=y),
            "gauss|sobel|normalize": chain,
        }
        if row.window:
            block = np.ones((row.window, row.window), np.uint8)
            call = {"erode": cv2.erode, "dilate": cv2.dilate}[row.kind]
            return lambda: call(x, block, dst=y, borderType=border)
        return calls.get(row.name, calls.get(row.kind))
    return "OpenCV", cv2.__version__, make


def skimage(np, threads):
    import skimage
    from skimage import exposure, filters, morphology, restoration, transform

    def make(row, x, shape):
        u8 = x.dtype == np.uint8
        if row.window:
            block = np.ones((row.window, row.window), np.uint8)
            call = {"erode": morphology.erosion, "dilate": morphology.dilation}[row.kind]
            return lambda: call(x, block)

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
            "bilateral 13": (lambda: restoration.denoise_bilateral(x, win_size=13, sigma_color=0.2,
                                                                   sigma_spatial=2)) if not u8 else None,
            "resize 0.5": lambda: transform.resize(x, shape, order=1, preserve_range=True, anti_aliasing=False),
            "equalize": lambda: 255 * exposure.equalize_hist(x),
            "gauss|sobel|normalize": chain,
        }.get(row.name)
    return "scikit-image", skimage.__version__, make


def ndimage_call(np, ndimage, row, x):
    """A function of SciPy, or that of CuPy of the same name."""
    u8 = x.dtype == np.uint8
    y = np.empty_like(x)
    d = np.empty(x.shape, np.int16 if u8 else np.float32)
    mask = np.array(MASK, np.float32)

    def chain():
        b = ndimage.gaussian_filter(x, 1, truncate=3, mode="mirror", output=np.float32)
        m = np.hypot(ndimage.sobel(b, 1, mode="mirror"), ndimage.sobel(b, 0, mode="mirror"))
        low, high = m.min(), m.max()
        return ((m - low) * ((255 if u8 else 1) / (high - low))).astype(x.dtype)

    if row.window:
        call = {"erode": ndimage.grey_erosion, "dilate": ndimage.grey_dilation}[row.kind]
        return lambda: call(x, size=(row.window, row.window), mode="mirror", output=y)
    return {
        "gauss sigma 3": lambda: ndimage.gaussian_filter(x, 3, truncate=3, mode="mirror", output=y),
        "gauss sigma 1": lambda: ndimage.gaussian_filter(x, 1, truncate=3, mode="mirror", output=y),
        "box 5": lambda: ndimage.uniform_filter(x, 5, mode="mirror", output=y),
        "sobel x": lambda: ndimage.sobel(x, 1, mode="mirror", output=d),
        "median 3x3": lambda: ndimage.median_filter(x, 3, mode="mirror", output=y),
        "median 5x5": lambda: ndimage.median_filter(x, 5, mode="mirror", output=y),
        "mask 3x3": (lambda: ndimage.correlate(x, mask, mode="mirror", output=y)) if not u8 else None,
        "threshold": lambda: np.where(x > (102 if u8 else 0.4), x.dtype.type(255 if u8 else 1), x.dtype.type(0)),
        "resize 0.5": lambda: ndimage.zoom(x, 0.5, order=1, mode="mirror", grid_mode=True),
        "gauss|sobel|normalize": chain,
    }.get(row.name)


def scipy(np, threads):
    import scipy
    from scipy import ndimage
    return "SciPy", scipy.__version__, lambda row, x, shape: ndimage_call(np, ndimage, row, x)


def libvips(np, threads):
    os.environ["VIPS_CONCURRENCY"] = str(threads)
    import pyvips
    pyvips.cache_set_max(0)

    def make(row, x, shape):
        if row.channels > 1:
            return None
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
            "threshold": (lambda: image > 102) if u8 else (lambda: (image > 0.4) / 255),
            "resize 0.5": lambda: image.resize(0.5, kernel="linear"),
            "equalize": lambda: image.hist_equal(),
        }
        calls["erode"] = lambda: image.rank(row.window, row.window, 0)
        calls["dilate"] = lambda: image.rank(row.window, row.window, row.window**2 - 1)
        call = calls.get(row.name, calls.get(row.kind))
        if not call:
            return None
        kinds = {"uchar": np.uint8, "float": np.float32, "short": np.int16, "int": np.int32, "double": np.float64}

        def run():
            y = call()
            return np.frombuffer(y.write_to_memory(), kinds[y.format]).reshape(y.height, y.width)
        return run
    return "libvips", ".".join(str(pyvips.version(i)) for i in range(3)), make


# ---- peers of a CUDA device ------------------------------------------------------------------------------------------

def cupy_ndimage(cp, threads):
    from cupyx.scipy import ndimage
    return "CuPy", cp.__version__, lambda row, x, shape: ndimage_call(cp, ndimage, row, x)


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

    def make(row, x, shape):
        name, u8 = row.name, x.dtype == cp.uint8
        kind = "8u" if u8 else "32f"
        h, w = x.shape[:2]
        size, zero = Size(w, h), Rectangle
        y = cp.empty_like(x)
        d = cp.empty(x.shape, cp.int16 if u8 else cp.float32)
        half = cp.empty(shape, x.dtype)
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
        if row.window:
            n, call = row.window, {"erode": "Erode", "dilate": "Dilate"}[row.kind]
            ones = cp.ones((n, n), cp.uint8)
            run = border(morphology, f"nppi{call}Border_{kind}_C1R_Ctx", y, c_void_p(ones.data.ptr), Size(n, n),
                         ctypes.c_uint64(n // 2 | n // 2 << 32))
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

def load_peers(np, table, threads, wanted):
    peers = []
    for peer in table:
        try:
            loaded = peer(np, threads)
            if not wanted or loaded[0].casefold() in wanted:
                peers.append(loaded)
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
        most[name] = rounds if took < 1.5 else 3
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
    return [f"{1e3 * min(s):.3f}", f"{1e3 * m:.3f}", f"{100 * (q[0] / m - 1):+.1f} {100 * (q[2] / m - 1):+.1f} %",
            f"{bytes_ / m / 1e9:.2f}", f"{statistics.median(a / b for a, b in zip(s, own)):.2f}",
            f"{min(s) / min(own):.2f}"]


HEAD = ["operation", "library", "least ms", "median ms", "quartiles", "GB/s", "its time / ours", "of least", "largest",
        "rounds"]
WIDTHS = [46, 12, 10, 10, 18, 8, 15, 8, 8, 6]


def print_row(row, markdown):
    if markdown:
        print("| " + " | ".join(str(c).replace("|", "\\|") for c in row) + " |", flush=True)
    else:
        print("  ".join(str(c).ljust(n) if i < 2 else str(c).rjust(n)
                        for i, (c, n) in enumerate(zip(row, WIDTHS))).rstrip(), flush=True)


def size_of(text):
    """"4096" or "4000x3000": width and height."""
    parts = [int(v) for v in text.split("x")]
    if len(parts) > 2 or min(parts) < 4 * FRAME:
        raise argparse.ArgumentTypeError(f"{text}: write N or WIDTHxHEIGHT, each at least {4 * FRAME}")
    return parts[0], parts[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("-d", "--device", default="cpu", help="cpu or cuda:0 (default: cpu)")
    parser.add_argument("--rounds", type=int, default=20, help="(default: 20); 3 for calls of more than 1.5 s")
    parser.add_argument("--size", type=size_of, default="4096", help="N or WIDTHxHEIGHT (default: 4096)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)),
                        help="threads of every library (default: all cores)")
    parser.add_argument("--only", default="", help="operations whose name has this text (default: all)")
    parser.add_argument("--peers", default="", help="libraries, such as OpenCV,SciPy (default: all that are installed)")
    parser.add_argument("--markdown", action="store_true", help="print a table of Markdown")
    a = parser.parse_args()
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # threads of others do not wait at full speed
    import numpy
    gpu = a.device.startswith("cuda")
    if gpu:
        import cupy as xp
    else:
        xp = numpy
    ours = Ours(a.device if gpu else f"cpu:{a.threads}")
    peers = load_peers(xp, (cupy_ndimage, npp) if gpu else (opencv, skimage, scipy, libvips), a.threads,
                       [name.casefold() for name in a.peers.split(",") if name])
    print(f"rechenwerk {rw.rw_version()} on {a.device}" + ("" if gpu else f", {a.threads} threads") +
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

    for row in OPERATIONS:
        width, height = (n // row.part for n in a.size)
        shape = (height, width) + (row.channels,) * (row.channels > 1)
        for text, kind in ((row.u8, numpy.uint8), (row.f32, numpy.float32)):
            if not text or a.only not in row.name:
                continue
            white = 255 if kind == numpy.uint8 else 1
            x = random.integers(0, 256, shape, numpy.uint8) if white == 255 else random.random(shape, numpy.float32)
            there = xp.asarray(x)
            run, result, free = ours.filter(row, text, x)
            own, calls, largest = result(), {"ours": run}, {"ours": 0.0}
            for who, _, make in peers:
                try:
                    call = make(row, there, own.shape)
                    if call:
                        y = call()
                        largest[who] = difference(numpy, xp.asnumpy(y) if gpu else y, own, white)
                        calls[who] = call
                except Exception as e:  # an operation that one version of a peer lacks
                    print(f"{who}: {row.name} {numpy.dtype(kind).name} left out: {e}", file=sys.stderr)
            seconds = take_turns(calls, a.rounds, wait, 10 if gpu else 1)
            for who in calls:
                what = f"{row.name} {'u8' if white == 255 else 'f32'}, {width} x {height}" if who == "ours" else ""
                print_row([what, who] + cells_of(who, seconds, x.nbytes + own.nbytes) +
                          [f"{largest[who]:.1e}", len(seconds[who])], a.markdown)
            free()


if __name__ == "__main__":
    main()
