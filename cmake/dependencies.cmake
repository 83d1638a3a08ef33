# What Rechenwerk links. Device drivers (CUDA, OpenCL) are opened at run time instead.
#   rechenwerk-dependencies      the library: OpenMP, threads, libdl, libm
#   rechenwerk-run-dependencies  librechenwerk-run: these and YAML, PNG, HDF5, and CGNS where it is found

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)

add_library(rechenwerk-dependencies INTERFACE)
target_link_libraries(rechenwerk-dependencies INTERFACE OpenMP::OpenMP_C Threads::Threads ${CMAKE_DL_LIBS} m)

# The same as names for the linker, for those who link the static libraries.
set(dependencies_static ${OpenMP_C_LIB_NAMES} pthread ${CMAKE_DL_LIBS} m)
list(REMOVE_DUPLICATES dependencies_static)

if(NOT RECHENWERK_RUN)
    return()
endif()

set(dependencies_hint "On Debian or Ubuntu, packaging/install-deps.sh installs everything that the build needs.")

find_package(PkgConfig)
if(NOT PKG_CONFIG_FOUND)
    message(FATAL_ERROR "pkg-config is missing. ${dependencies_hint}")
endif()

# Makes the imported target PkgConfig::<variable> from the first of the modules that exists, or stops with the hint.
function(rw_require variable)
    pkg_search_module(${variable} IMPORTED_TARGET GLOBAL ${ARGN})
    if(NOT ${variable}_FOUND)
        message(FATAL_ERROR "pkg-config does not find ${ARGN}. ${dependencies_hint}")
    endif()
endfunction()

rw_require(YAML yaml-0.1)
rw_require(PNG libpng)

# Debian names its serial HDF5 hdf5-serial; plain hdf5 may be an MPI build there, and does not exist everywhere.
pkg_search_module(HDF5_SERIAL IMPORTED_TARGET GLOBAL hdf5-serial hdf5)
if(HDF5_SERIAL_FOUND)
    set(hdf5 PkgConfig::HDF5_SERIAL)
else()
    find_package(HDF5 COMPONENTS C)
    if(NOT HDF5_FOUND)
        message(FATAL_ERROR "HDF5 (C, serial) is missing. ${dependencies_hint}")
    endif()
    add_library(rechenwerk-hdf5 INTERFACE)
    target_include_directories(rechenwerk-hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
    target_compile_definitions(rechenwerk-hdf5 INTERFACE ${HDF5_C_DEFINITIONS})
    target_link_libraries(rechenwerk-hdf5 INTERFACE ${HDF5_C_LIBRARIES})
    set(hdf5 rechenwerk-hdf5)
endif()

# CGNS is optional: without it rw_multiblock_read_cgns says so.
find_path(CGNS_INCLUDE cgnslib.h)
find_library(CGNS_LIBRARY cgns)
mark_as_advanced(CGNS_INCLUDE CGNS_LIBRARY)

# So are JPEG and TIFF: without them their files are refused with a message.
pkg_search_module(JPEG IMPORTED_TARGET GLOBAL libjpeg)
pkg_search_module(TIFF IMPORTED_TARGET GLOBAL libtiff-4)
# And SDL2: without it windows are refused with a message. Only its headers are used here. It brings fifty libraries, so
# src/stream/screen.c opens it with the first window.
pkg_search_module(SDL sdl2)

add_library(rechenwerk-run-dependencies INTERFACE)
target_link_libraries(rechenwerk-run-dependencies INTERFACE
    PkgConfig::YAML PkgConfig::PNG ${hdf5} rechenwerk-dependencies)
if(CGNS_INCLUDE AND CGNS_LIBRARY)
    target_include_directories(rechenwerk-run-dependencies SYSTEM INTERFACE "${CGNS_INCLUDE}")
    target_compile_definitions(rechenwerk-run-dependencies INTERFACE RW_WITH_CGNS=1)
    target_link_libraries(rechenwerk-run-dependencies INTERFACE "${CGNS_LIBRARY}")
endif()

foreach(package JPEG TIFF)
    if(${package}_FOUND)
        target_compile_definitions(rechenwerk-run-dependencies INTERFACE RW_WITH_${package}=1)
        target_link_libraries(rechenwerk-run-dependencies INTERFACE PkgConfig::${package})
    endif()
endforeach()

if(SDL_FOUND)
    target_compile_definitions(rechenwerk-run-dependencies INTERFACE RW_WITH_SDL=1)
    target_include_directories(rechenwerk-run-dependencies SYSTEM INTERFACE ${SDL_INCLUDE_DIRS})
endif()

# As above, for librechenwerk-run.
set(run_dependencies_static "")
foreach(package YAML PNG HDF5_SERIAL JPEG TIFF)
    foreach(folder IN LISTS ${package}_LIBRARY_DIRS)
        list(APPEND run_dependencies_static "-L${folder}")
    endforeach()
    list(APPEND run_dependencies_static ${${package}_LIBRARIES})
endforeach()
if(NOT HDF5_SERIAL_FOUND)
    list(APPEND run_dependencies_static ${HDF5_C_LIBRARIES})
endif()
if(CGNS_INCLUDE AND CGNS_LIBRARY)
    list(APPEND run_dependencies_static cgns)
endif()
