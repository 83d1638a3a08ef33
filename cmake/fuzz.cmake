# Fuzz targets tests/fuzz/fuzz_N.c -> <build>/fuzz/fuzz_N. The library is instrumented too (see CMakeLists.txt).
file(GLOB fuzz_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c")
foreach(source IN LISTS fuzz_sources)
    get_filename_component(name "${source}" NAME_WE)
    add_executable(${name} "${source}")
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(${name} PRIVATE rechenwerk-internal)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
endforeach()

# Seeds of binary files are written by the library itself: <build>/fuzz-seeds FOLDER.
add_executable(fuzz-seeds "${PROJECT_SOURCE_DIR}/tests/fuzz/seeds.c")
target_link_libraries(fuzz-seeds PRIVATE rechenwerk-internal)
set_target_properties(fuzz-seeds PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
