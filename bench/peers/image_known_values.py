#!/usr/bin/env python3
"""Writes tests/image/peers.csv: what OpenCV and SciPy's ndimage make of a small picture, at borders and inside, for
every border that they have, to be compared with our results in tests/image/test_peers.c.

    image_known_values.py > tests/image/peers.csv

Where OpenCV has no border of its own for an operation (wrap; all but replicate of medianBlur), the picture is extended
by copyMakeBorder first and the result cut.
"""
import cv2
import numpy as np
import scipy
from scipy import ndimage

WIDTH, HEIGHT, PIXELS, EXTRA = 23, 17, 24, 12
BORDERS = {"constant": cv2.BORDER_CONSTANT, "replicate": cv2.BORDER_REPLICATE, "reflect": cv2.BORDER_REFLECT,
           "reflect101": cv2.BORDER_REFLECT_101, "wrap": cv2.BORDER_WRAP}
MODES = {"constant": "constant", "replicate": "nearest", "reflect": "reflect", "reflect101": "mirror", "wrap": "wrap"}
rows = []


def picture(channels):
    state, values = 2024, []
    for _ in range(WIDTH * HEIGHT * channels):
        state = (state * 1664525 + 1013904223) % 2**32
        values.append(state >> 24)
    x = np.array(values, np.uint8).reshape(HEIGHT, WIDTH, channels)
    return x if channels > 1 else x[:, :, 0]


def places(w, h):
    """The corners, middles of the sides, two pixels beside corners; then every 97th."""
    p = [(0, 0), (w - 1, 0), (0, h - 1), (w - 1, h - 1), (w // 2, 0), (w // 2, h - 1), (0, h // 2), (w - 1, h // 2),
         (1, 1), (w - 2, h - 2)]
    return p + [(97 * k % (w * h) % w, 97 * k % (w * h) // w) for k in range(len(p), PIXELS)]


def add(peer, text, x, y, tolerance):
    """tolerance: of integers as it is, of floats in units of 1e-6 of the largest value (0: 2)."""
    y = y if y.ndim == 3 else y[:, :, None]
    kind = {np.dtype(np.uint8): "u8", np.dtype(np.int16): "i16", np.dtype(np.float32): "f32"}
    if y.dtype == np.float32:
        tolerance = (tolerance or 2) * 1e-6 * max(1, float(np.abs(y).max()))
    values = [y[j, i, (i + j) % y.shape[2]] for i, j in places(y.shape[1], y.shape[0])]
    text_of = (lambda v: f"{v:.8g}") if y.dtype == np.float32 else str
    channels = x.shape[2] if x.ndim == 3 else 1
    rows.append(",".join([peer, text, kind[x.dtype], kind[y.dtype], f"{channels},{tolerance:.3g}",
                          f"{y.shape[1]},{y.shape[0]}", *map(text_of, values)]))


def white_of(x):
    return 255 if x.dtype == np.uint8 else 1


def extended(f, x, border):
    y = cv2.copyMakeBorder(x, EXTRA, EXTRA, EXTRA, EXTRA, border, value=0)
    return f(y, cv2.BORDER_REFLECT_101)[EXTRA:-EXTRA, EXTRA:-EXTRA]


def element(kind, n):
    return cv2.getStructuringElement(kind, (n, n))


def opencv_borders():
    grey = picture(1)
    mask = np.array([[0, -1, 0], [-1, 5, -1], [0, -1, 0]], np.float32)
    uneven = np.array([[0.3, -0.25, 0.7], [0.1, 0.2, -0.4]], np.float32)

    def morphology(operation, kind, n):
        return lambda x, b: cv2.morphologyEx(x, operation, element(kind, n), borderType=b, borderValue=0)

    def deep(x):
        return cv2.CV_16S if x.dtype == np.uint8 else cv2.CV_32F

    def warp(matrix, flag):
        return lambda x, b: cv2.warpAffine(x, np.array(matrix, np.float64), (WIDTH, HEIGHT),
                                           flags=flag | cv2.WARP_INVERSE_MAP, borderMode=b, borderValue=0)

    rectangle, cross, ellipse = cv2.MORPH_RECT, cv2.MORPH_CROSS, cv2.MORPH_ELLIPSE
    quarter, half = [[1, 0, 0.25], [0, 1, -0.5]], [[0.5, 0, 1.25], [0, 0.5, 2]]
    # text, function, tolerance of u8, of f32, whether it has no borders of its own
    table = [
        ("gauss:sigma=1.4", lambda x, b: cv2.GaussianBlur(x, (9, 9), 1.4, borderType=b), 1, 0, False),
        ("gauss:sigma=1.4:sigma_y=0.7",
         lambda x, b: cv2.GaussianBlur(x, (9, 5), 1.4, sigmaY=0.7, borderType=b), 1, 0, False),
        ("box:size=5", lambda x, b: cv2.blur(x, (5, 5), borderType=b), 1, 0, False),
        ("box:size=4:size_y=3", lambda x, b: cv2.blur(x, (4, 3), borderType=b), 1, 0, False),
        ("sobel:direction=x", lambda x, b: cv2.Sobel(x, deep(x), 1, 0, ksize=3, borderType=b), 0, 0, False),
        ("sobel:size=5:direction=y", lambda x, b: cv2.Sobel(x, deep(x), 0, 1, ksize=5, borderType=b), 0, 0, False),
        ("scharr:direction=x", lambda x, b: cv2.Scharr(x, deep(x), 1, 0, borderType=b), 0, 0, False),
        ("laplace", lambda x, b: cv2.Laplacian(x, deep(x), ksize=1, borderType=b), 0, 0, False),
        ("laplace:size=3", lambda x, b: cv2.Laplacian(x, deep(x), ksize=3, borderType=b), 0, 0, False),
        ("mask:mask=0 -1 0/-1 5 -1/0 -1 0", lambda x, b: cv2.filter2D(x, -1, mask, borderType=b), 0, 0, False),
        ("mask:mask=0.3 -0.25 0.7/0.1 0.2 -0.4", lambda x, b: cv2.filter2D(x, -1, uneven, borderType=b), 1, 0, False),
        ("median:size=3", lambda x, b: cv2.medianBlur(x, 3), 0, 0, True),
        ("median:size=5", lambda x, b: cv2.medianBlur(x, 5), 0, 0, True),
        ("erode:size=3", morphology(cv2.MORPH_ERODE, rectangle, 3), 0, 0, False),
        ("dilate:size=5:element=ellipse", morphology(cv2.MORPH_DILATE, ellipse, 5), 0, 0, False),
        ("open:size=3:element=cross", morphology(cv2.MORPH_OPEN, cross, 3), 0, 0, False),
        ("close:size=3", morphology(cv2.MORPH_CLOSE, rectangle, 3), 0, 0, False),
        ("gradient:size=3", morphology(cv2.MORPH_GRADIENT, rectangle, 3), 0, 0, False),
        ("tophat:size=5", morphology(cv2.MORPH_TOPHAT, rectangle, 5), 0, 0, False),
        ("blackhat:size=5:element=ellipse", morphology(cv2.MORPH_BLACKHAT, ellipse, 5), 0, 0, False),
        # floats: exp is interpolated in a table of 4096 values
        ("bilateral:sigma=1:range=%g",
         lambda x, b: cv2.bilateralFilter(x, 7, 0.2 * white_of(x), 1, borderType=b), 0, 200, False),
        ("warp:border=%s:matrix=1 0 0.25/0 1 -0.5", warp(quarter, cv2.INTER_LINEAR), 1, 0, False),
        ("warp:border=%s:matrix=0.5 0 1.25/0 0.5 2", warp(half, cv2.INTER_LINEAR), 1, 0, False),
        ("warp:interpolation=nearest:border=%s:matrix=1 0 3/0 1 -2",
         warp([[1, 0, 3], [0, 1, -2]], cv2.INTER_NEAREST), 0, 0, False),
        ("pad:left=3:top=4:width=30:height=25",
         lambda x, b: cv2.copyMakeBorder(x, 4, 4, 3, 4, b, value=0), 0, 0, False),
    ]
    for text, f, whole, real, without in table:
        for name, border in BORDERS.items():
            for x in (grey, grey.astype(np.float32) / 256):
                own = not without and (border != cv2.BORDER_WRAP or text.startswith(("warp", "pad")))
                y = f(x, border) if own else extended(f, x, border)
                if "%s" in text:
                    full = text % name
                else:
                    full = text % (0.2 * white_of(x)) if "%g" in text else text
                    full = full.replace(":", f":border={name}:", 1) if ":" in full else f"{full}:border={name}"
                add("OpenCV", full, x, y, whole if y.dtype != np.float32 else real)


def opencv_others():
    grey, colour = picture(1), picture(3)

    def both(text, f, whole=0, real=0, x=grey):
        for v in (x, x.astype(np.float32) / 256):
            white = white_of(v)
            add("OpenCV", text.replace("LEVEL", f"{0.4 * white:g}"), v, f(v, white),
                whole if v.dtype == np.uint8 else real)

    kinds = {"binary": cv2.THRESH_BINARY, "inverse": cv2.THRESH_BINARY_INV, "truncate": cv2.THRESH_TRUNC,
             "tozero": cv2.THRESH_TOZERO, "tozero_inverse": cv2.THRESH_TOZERO_INV}
    for name, kind in kinds.items():
        both(f"threshold:threshold={name}:level=LEVEL", lambda x, w: cv2.threshold(x, 0.4 * w, w, kind)[1])
    add("OpenCV", "equalize", grey, cv2.equalizeHist(grey), 0)
    add("OpenCV", "otsu", grey, cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)[1], 0)
    both("normalize", lambda x, w: cv2.normalize(x, None, 0, w, cv2.NORM_MINMAX))
    for axis, code in (("x", 1), ("y", 0), ("both", -1)):
        both(f"flip:axis={axis}", lambda x, w: cv2.flip(x, code))
    both("transpose", lambda x, w: cv2.transpose(x))
    sizes = {"nearest": (cv2.INTER_NEAREST_EXACT, 0, 0), "linear": (cv2.INTER_LINEAR, 1, 0),
             "cubic": (cv2.INTER_CUBIC, 1, 0), "lanczos": (cv2.INTER_LANCZOS4, 1, 4)}
    for name, (code, whole, real) in sizes.items():
        for w, h in ((15, 20), (46, 9)):
            both(f"resize:width={w}:height={h}:border=replicate:interpolation={name}",
                 lambda x, _: cv2.resize(x, (w, h), interpolation=code), whole, real)
    both("resize:width=10:height=7:interpolation=area",
         lambda x, w: cv2.resize(x, (10, 7), interpolation=cv2.INTER_AREA))
    # coordinates are rounded to 1/32 of a pixel: neighbours differ by up to 1
    turn = cv2.getRotationMatrix2D(((WIDTH - 1) / 2, (HEIGHT - 1) / 2), 30, 1)
    both("rotate:angle=30:border=constant",
         lambda x, w: cv2.warpAffine(x, turn, (WIDTH, HEIGHT), borderMode=cv2.BORDER_CONSTANT), 12, 40000)
    both("grey", lambda x, w: cv2.cvtColor(x, cv2.COLOR_RGB2GRAY), 0, 0, colour)
    both("colour:colour=ycbcr", lambda x, w: cv2.cvtColor(x, cv2.COLOR_RGB2YCrCb)[:, :, [0, 2, 1]], 0, 400,
         colour)  # 0.564, 0.713
    both("colour:colour=xyz", lambda x, w: cv2.cvtColor(x, cv2.COLOR_RGB2XYZ), 0, 0, colour)
    both("colour:colour=swap", lambda x, w: cv2.cvtColor(x, cv2.COLOR_RGB2BGR), 0, 0, colour)
    add("OpenCV", "colour:colour=hsv", colour, cv2.cvtColor(colour, cv2.COLOR_RGB2HSV), 0)


def scipy_modes():
    grey = picture(1)
    real = grey.astype(np.float32) / 256
    mask = np.array([[0.3, -0.25, 0.7], [0.1, 0.2, -0.4]])
    table = [
        ("gauss:sigma=1.4", lambda x, m: ndimage.gaussian_filter(x, 1.4, truncate=3, mode=m), False),
        ("box:size=5", lambda x, m: ndimage.uniform_filter(x, 5, mode=m), False),
        ("box:size=4", lambda x, m: ndimage.uniform_filter(x, 4, mode=m), False),
        ("sobel:direction=x", lambda x, m: ndimage.sobel(x, 1, mode=m), False),
        ("sobel:direction=y", lambda x, m: ndimage.sobel(x, 0, mode=m), False),
        ("laplace", lambda x, m: ndimage.laplace(x, mode=m), False),
        ("mask:mask=0.3 -0.25 0.7/0.1 0.2 -0.4", lambda x, m: ndimage.correlate(x, mask, mode=m), False),
        ("median:size=3", lambda x, m: ndimage.median_filter(x, 3, mode=m), True),
        ("median:size=4", lambda x, m: ndimage.median_filter(x, 4, mode=m), True),
        ("median:size=5:size_y=3", lambda x, m: ndimage.median_filter(x, (3, 5), mode=m), True),
        ("erode:size=5:size_y=3", lambda x, m: ndimage.grey_erosion(x, (3, 5), mode=m), True),
        ("dilate:size=3", lambda x, m: ndimage.grey_dilation(x, 3, mode=m), True),
        ("open:size=3", lambda x, m: ndimage.grey_opening(x, 3, mode=m), True),
        ("close:size=3", lambda x, m: ndimage.grey_closing(x, 3, mode=m), True),
        ("tophat:size=3", lambda x, m: ndimage.white_tophat(x, 3, mode=m), True),
        ("gradient:size=3", lambda x, m: ndimage.morphological_gradient(x, 3, mode=m), True),
    ]
    for text, f, integers in table:
        for name, mode in MODES.items():
            full = text.replace(":", f":border={name}:", 1) if ":" in text else f"{text}:border={name}"
            add("SciPy", full, real, f(real, mode), 0)
            if integers:
                add("SciPy", full, grey, f(grey, mode), 0)


opencv_borders()
opencv_others()
scipy_modes()
print(f"# What OpenCV {cv2.__version__} and SciPy {scipy.__version__} (NumPy {np.__version__}) make of the picture of "
      "test_peers.c, by bench/peers/image_known_values.py")
print("# peer,text,x,y,channels,tolerance,width,height,values")
print("\n".join(rows))
