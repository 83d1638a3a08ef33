# Tests by their place and name:
#   tests/F/test_N.c    a cmocka program linked with the internal library       ctest F.N
#                       of folders in `tiled` also with the kernels that GPUs get      ctest F.N.tiled
#   tests/F/test_N.sh   run with bash; exit 77 means skipped                    ctest F.N
#   examples/N.c        compiled as a user would, public headers only           ctest example.N
# Files named *_main.c are parts of other tests. Each test has the label of its folder and, in its environment,
# SOURCE, BUILD, RECHENWERK (the command) and a program cache of its own inside the build folder.

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
    # barriers for races: one OpenMP thread, and the library's own threads and locks are what it checks. clang's libomp tells
    # its barriers through Archer (RECHENWERK_ARCHER, packaging/thread-loops.sh): several threads. The leak sanitizer guesses
    # the size of thread-local memory from what lies before it, and crashes when that looks like a size (seen with PoCL): it shall not.
    # LLVM, in PoCL, replaces the alternate stack of signals that AddressSanitizer wants to unmap at the end of a thread.
    list(APPEND environment "ASAN_OPTIONS=protect_shadow_gap=0:detect_stack_use_after_return=1:intercept_tls_get_addr=0:use_sigaltstack=0"
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

function(rw_test name label folder)
    add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY "${folder}")
    set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT ${timeout} SKIP_RETURN_CODE 77
        ENVIRONMENT "${environment}")
endfunction()

set(tiled krylov precond)
file(GLOB test_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/*/test_*.c" "${PROJECT_SOURCE_DIR}/tests/*/test_*.sh")
list(FILTER test_sources EXCLUDE REGEX "_main\\.c$")
foreach(source IN LISTS test_sources)
    get_filename_component(folder "${source}" DIRECTORY)
    get_filename_component(folder "${folder}" NAME)
    get_filename_component(file "${source}" NAME_WE)
    get_filename_component(extension "${source}" EXT)
    string(REGEX REPLACE "^test_" "" name "${file}")
    set(output "${PROJECT_BINARY_DIR}/tests/${folder}")
    file(MAKE_DIRECTORY "${output}")
    if(extension STREQUAL ".sh")
        rw_test(${folder}.${name} ${folder} "${output}" bash "${source}")
        continue()
    endif()
    set(target test-${folder}-${name})
    add_executable(${target} "${source}")
    target_link_libraries(${target} PRIVATE rechenwerk-internal PkgConfig::CMOCKA)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${file} RUNTIME_OUTPUT_DIRECTORY "${output}")
    rw_test(${folder}.${name} ${folder} "${output}" ${target})
    if(folder IN_LIST tiled)
        rw_test(${folder}.${name}.tiled ${folder} "${output}" ${CMAKE_COMMAND} -E env RECHENWERK_TEST_DEVICES=cpu:tiling=gpu $<TARGET_FILE:${target}>)
    endif()
endforeach()

file(GLOB example_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*.c")
set(output "${PROJECT_BINARY_DIR}/examples")
file(MAKE_DIRECTORY "${output}")
foreach(source IN LISTS example_sources)
    get_filename_component(name "${source}" NAME_WE)
    add_executable(example-${name} "${source}")
    target_link_libraries(example-${name} PRIVATE rechenwerk rechenwerk-flags m)
    set_target_properties(example-${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${output}")
    rw_test(example.${name} example "${output}" example-${name})
endforeach()
