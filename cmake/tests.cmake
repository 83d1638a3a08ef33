# Tests by their place and name:
#   tests/F/test_N.c    a cmocka program linked with the internal library           ctest F.N
#                       that runs on devices (tests/devices.h): once per device     ctest F.N.cpu, F.N.check,
#                                                                                   F.N.opencl, …
#                       of some folders also with the kernels that GPUs get         ctest F.N.tiled
#   tests/F/test_N.sh   run with bash; exit 77 means skipped                        ctest F.N
#   examples/N.c        compiled as a user would, public headers only               ctest example.N
# A source that asks for it (test_long(), brief() or in_turn() in C, RECHENWERK_TEST_LONG in bash) has a second test,
# F.N.long or F.N.DEVICE.long, which runs all that the first one runs and more. So do tests whose first one compiles
# without optimisation. What else a test needs stands in its source, in a line `/* TEST: words */` (bash: `# TEST: …`):
#   devices=all         the short version runs on every device, not on cpu and cuda alone: tests of the devices, and one
#                       for each group of kernels. Kinds instead of all, separated by commas: on these devices too.
#   tiled               F.N.tiled: the kernels of GPUs on cpu. devices=tiled, devices=all,tiled: the short version too
#   optimised           the short version compiles as users do: it times or checks compilers, or launches more than it
#                       compiles. Others compile without optimisation on cpu, which takes a third of the time.
#   unoptimised         on OpenCL the short version compiles without optimisation. Not for stencils: PoCL keeps all
#                       values of 256 items on the stack then, 12 MB; not for expressions, which take as long without.
#   long                without a short version
#   timing              measures by the machine's clock: label timing, runs alone. `.ci/run` reports it and decides
#                       nothing by it.
# Labels: the folder, the device, and `long`, or `short` for a test whose long version runs all of it too; `timing`.
#   make check: ctest -LE '^long$'     make check-long: ctest -L '^long$'     make sanitize: ctest -LE '^short$'
# In a test's environment are SOURCE, BUILD, RECHENWERK (the command) and a program cache inside the build folder that
# all tests share. Files named *_main.c are parts of other tests. tests/costs.txt has the seconds of each test, so that
# ctest starts the slowest first.

rw_require(CMOCKA cmocka)

# Tests share the cores, so threads that wait must not spin.
set(timeout 1800)
set(environment
    "SOURCE=${PROJECT_SOURCE_DIR}"
    "BUILD=${PROJECT_BINARY_DIR}"
    "RECHENWERK=${PROJECT_BINARY_DIR}/rechenwerk"
    "RECHENWERK_CACHE=${PROJECT_BINARY_DIR}/tests/cache"
    "POCL_CACHE_DIR=${PROJECT_BINARY_DIR}/tests/pocl-cache"
    "OMP_WAIT_POLICY=passive"
    "CC=${CMAKE_C_COMPILER}"
    "SANITIZE=${sanitizers}")
if(sanitizers)
    set(timeout 2400)
    # CUDA maps memory into AddressSanitizer's gap. libgomp is not instrumented, so ThreadSanitizer would take its
    # barriers for races: one OpenMP thread, and the library's own threads and locks are what it checks. clang's libomp
    # tells its barriers through Archer (RECHENWERK_ARCHER, packaging/thread-loops.sh): several threads. The leak
    # sanitizer guesses the size of thread-local memory from what lies before it, and crashes when that looks like a
    # size (seen with PoCL): it shall not. LLVM, in PoCL, replaces the alternate stack of signals that AddressSanitizer
    # wants to unmap at the end of a thread.
    list(APPEND environment
        "ASAN_OPTIONS=protect_shadow_gap=0:detect_stack_use_after_return=1:intercept_tls_get_addr=0:use_sigaltstack=0"
        "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/lsan.supp:print_suppressions=0"
        "UBSAN_OPTIONS=print_stacktrace=1")
    if(sanitizers MATCHES "thread")
        set(RECHENWERK_ARCHER "" CACHE FILEPATH "libarcher.so of the compiler's libomp, for the thread sanitizer")
        list(APPEND environment "TSAN_OPTIONS=ignore_noninstrumented_modules=1")
        if(RECHENWERK_ARCHER)
            list(APPEND environment "OMP_NUM_THREADS=4" "OMP_TOOL_LIBRARIES=${RECHENWERK_ARCHER}")
        else()
            list(APPEND environment "OMP_NUM_THREADS=1")
        endif()
    endif()
endif()

set(devices cpu check opencl:0)
if(EXISTS /dev/nvidiactl)
    list(APPEND devices cuda:0)
endif()
set(RECHENWERK_TEST_DEVICES "${devices}" CACHE STRING "devices that tests run on, a test per device")

# Seconds of each test, by `make costs`.
file(STRINGS "${PROJECT_SOURCE_DIR}/tests/costs.txt" costs REGEX "^[^#]")
foreach(line IN LISTS costs)
    if(line MATCHES "^([^ ]+) +([0-9.]+)$")
        set(cost_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    endif()
endforeach()

# rw_test(NAME FOLDER LABELS labels… ENVIRONMENT name=value… COMMAND command…)
function(rw_test name folder)
    cmake_parse_arguments(PARSE_ARGV 2 test "" "" "LABELS;ENVIRONMENT;COMMAND")
    add_test(NAME ${name} COMMAND ${test_COMMAND} WORKING_DIRECTORY "${folder}")
    set_tests_properties(${name} PROPERTIES LABELS "${test_LABELS}" TIMEOUT ${timeout} SKIP_RETURN_CODE 77
        ENVIRONMENT "${environment};${test_ENVIRONMENT}")
    if("timing" IN_LIST test_LABELS)
        set_tests_properties(${name} PROPERTIES RUN_SERIAL TRUE)
    endif()
    if(DEFINED cost_${name})
        set_tests_properties(${name} PROPERTIES COST ${cost_${name}})
    elseif("long" IN_LIST test_LABELS)
        set_tests_properties(${name} PROPERTIES COST 100) # it may be the slowest: not last
    endif()
endfunction()

# The words after TEST: in a source; a list.
function(rw_test_words source out)
    file(STRINGS "${source}" line REGEX "^(/[*]|#) TEST: " LIMIT_COUNT 1)
    string(REGEX REPLACE "^(/[*]|#) TEST: +| *[*]/$" "" line "${line}")
    string(REGEX REPLACE " +" ";" words "${line}")
    foreach(word IN LISTS words)
        if(NOT word MATCHES "^(devices=((all|check|opencl|tiled)(,|$))+|tiled|optimised|unoptimised|long|timing)$")
            message(FATAL_ERROR "${source}: TEST: ${word}: the words are listed in cmake/tests.cmake")
        endif()
    endforeach()
    set(${out} "${words}" PARENT_SCOPE)
endfunction()

# rw_test_both(NAME FOLDER LONG WORDS …): the same for a test that may have a long version.
function(rw_test_both name folder long words)
    cmake_parse_arguments(PARSE_ARGV 4 test "" "" "LABELS;ENVIRONMENT;COMMAND")
    string(REGEX MATCH "devices=[^;]*" devices "${words}")
    list(GET test_LABELS -1 kind)
    if("timing" IN_LIST words)
        list(APPEND test_LABELS timing)
    endif()
    if(kind MATCHES "^(check|opencl)$" AND NOT devices MATCHES "all|${kind}"
        OR kind STREQUAL "tiled" AND NOT devices MATCHES "tiled"
        OR "long" IN_LIST words)
        rw_test(${name} "${folder}" LABELS ${test_LABELS} long
            ENVIRONMENT ${test_ENVIRONMENT} RECHENWERK_TEST_LONG=1 COMMAND ${test_COMMAND})
        return()
    endif()
    set(labels ${test_LABELS})
    set(flags)
    if(kind STREQUAL "opencl" AND "unoptimised" IN_LIST words)
        set(long TRUE)
        # caches of their own, ours and PoCL's: neither key of a program knows the variable
        set(flags "POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable"
            "RECHENWERK_CACHE=${PROJECT_BINARY_DIR}/tests/cache-unoptimised"
            "POCL_CACHE_DIR=${PROJECT_BINARY_DIR}/tests/pocl-cache-unoptimised")
    endif()
    if(NOT "optimised" IN_LIST words)
        list(APPEND flags RECHENWERK_OPTIMISE=never)
        if(kind MATCHES "^(cpu|tiled)$")
            set(long TRUE)
        endif()
    endif()
    if(long)
        rw_test(${name}.long "${folder}" LABELS ${labels} long
            ENVIRONMENT ${test_ENVIRONMENT} RECHENWERK_TEST_LONG=1 COMMAND ${test_COMMAND})
        list(APPEND labels short)
    endif()
    rw_test(${name} "${folder}" LABELS ${labels} ENVIRONMENT ${test_ENVIRONMENT} ${flags} COMMAND ${test_COMMAND})
endfunction()

# what some tests take for a compiler
add_executable(test-compile-once "${PROJECT_SOURCE_DIR}/tests/compile_once.c")
target_compile_definitions(test-compile-once PRIVATE _GNU_SOURCE)
set_target_properties(test-compile-once PROPERTIES OUTPUT_NAME compile_once
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
add_library(test-nosync OBJECT "${PROJECT_SOURCE_DIR}/tests/nosync.c")

file(GLOB test_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/*/test_*.c"
    "${PROJECT_SOURCE_DIR}/tests/*/test_*.sh")
list(FILTER test_sources EXCLUDE REGEX "_main\\.c$")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${test_sources}) # what they ask for is read here
foreach(source IN LISTS test_sources)
    get_filename_component(folder "${source}" DIRECTORY)
    get_filename_component(folder "${folder}" NAME)
    get_filename_component(file "${source}" NAME_WE)
    get_filename_component(extension "${source}" EXT)
    string(REGEX REPLACE "^test_" "" name "${file}")
    set(output "${PROJECT_BINARY_DIR}/tests/${folder}")
    file(MAKE_DIRECTORY "${output}")
    rw_test_words("${source}" words)
    file(STRINGS "${source}" long REGEX "(test_long|brief|in_turn)\\(|RECHENWERK_TEST_LONG" LIMIT_COUNT 1)
    if(extension STREQUAL ".sh")
        rw_test_both(${folder}.${name} "${output}" "${long}" "${words}" LABELS ${folder} COMMAND bash "${source}")
        continue()
    endif()
    set(target test-${folder}-${name})
    add_executable(${target} "${source}" $<TARGET_OBJECTS:test-nosync>)
    target_link_libraries(${target} PRIVATE rechenwerk-internal PkgConfig::CMOCKA)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${file} RUNTIME_OUTPUT_DIRECTORY "${output}")
    # a program that sets the devices itself runs on these only
    file(STRINGS "${source}" runs REGEX "(run_on_devices|run_on_devices_with|open_devices)\\(" LIMIT_COUNT 1)
    file(STRINGS "${source}" sets REGEX "setenv\\(\"RECHENWERK_TEST_DEVICES\"" LIMIT_COUNT 1)
    if(NOT runs OR sets)
        rw_test_both(${folder}.${name} "${output}" "${long}" "${words}" LABELS ${folder} COMMAND ${target})
        continue()
    endif()
    foreach(device IN LISTS RECHENWERK_TEST_DEVICES)
        string(REGEX REPLACE ":.*" "" kind "${device}")
        string(REGEX REPLACE ":0$" "" suffix "${device}")
        rw_test_both(${folder}.${name}.${suffix} "${output}" "${long}" "${words}" LABELS ${folder} ${kind}
            ENVIRONMENT RECHENWERK_TEST_DEVICES=${device} COMMAND ${target})
    endforeach()
    if(words MATCHES "tiled")
        rw_test_both(${folder}.${name}.tiled "${output}" "${long}" "${words}" LABELS ${folder} tiled
            ENVIRONMENT RECHENWERK_TEST_DEVICES=cpu:tiling=gpu COMMAND ${target})
    endif()
endforeach()

# Fuzz targets run with clang alone (cmake/fuzz.cmake); here they are compiled.
file(GLOB fuzz_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/*.c")
add_library(fuzz-targets OBJECT ${fuzz_sources})
target_link_libraries(fuzz-targets PRIVATE rechenwerk-internal)

# Examples that include a header of the part `run` are linked with its library.
list(JOIN run_headers "|" with_run)
file(GLOB example_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*.c")
set(output "${PROJECT_BINARY_DIR}/examples")
file(MAKE_DIRECTORY "${output}")
foreach(source IN LISTS example_sources)
    get_filename_component(name "${source}" NAME_WE)
    add_executable(example-${name} "${source}")
    file(STRINGS "${source}" streams REGEX "rechenwerk/(${with_run})\"|rechenwerk\\.h" LIMIT_COUNT 1)
    target_link_libraries(example-${name} PRIVATE $<$<BOOL:${streams}>:run> rechenwerk rechenwerk-flags m)
    set_target_properties(example-${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${output}")
    rw_test(example.${name} "${output}" LABELS example COMMAND example-${name})
endforeach()
