# How well the code of the host is optimised in a Release build, the default: without debug information, with -O2 where
# it loops over data (entries of a matrix, nodes, pixels, samples, bytes of a file, tables of a transform), and with -O1
# elsewhere. What parses, plans, writes kernel texts or serves the command line runs once a call, and -O1 takes two
# thirds of the time to compile; kernels have options of their own. RelWithDebInfo is -O2 -g for all, Debug -g.

# Before project(): what CMake would set to -O3. -DCMAKE_C_FLAGS_RELEASE=… wins.
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG" CACHE STRING "Flags of a Release build; -O1 follows where code is not hot")

# Folders and files of src whose code is hot, as regular expressions.
set(hot_code
    depgraph/ field/ files/ multiblock/ precond/ signal/ sparse/ # entries, nodes, samples
    codelet/ fft/tables fft/length # twiddle factors
    core/convert core/random core/sha256
    device/array device/cpu/cpu device/exchange device/pack device/program device/queue device/storage # a launch
    expr/apply expr/evaluate expr/noise expr/plain expr/range expr/scalars # expressions of the host, a value a node
    image/columns image/histogram image/rank image/tiles image/weights # windows and their weights
    io/axes io/canvas io/colormap io/figure io/font io/h5 io/picture io/raster # pixels
    io/streamlines io/vti io/vts # nodes
    krylov/basis krylov/scale
    lab/flow_cpu # loops that are timed
    ode/dense ode/rock_ # coefficients of a step
    stream/file stream/format_ stream/frames stream/montage stream/pixels)
list(JOIN hot_code "|" hot_code)

# rw_optimise_cold(source…): the options of those that are not hot.
function(rw_optimise_cold)
    list(FILTER ARGN EXCLUDE REGEX "/src/(${hot_code})")
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O1>")
endfunction()
