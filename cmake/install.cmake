# What `cmake --install` puts where. Everything finds its neighbours relative to itself, so any prefix works, also one
# that was chosen after the build or moved later.

set(installed rechenwerk rechenwerk-static)
if(RECHENWERK_RUN)
    list(APPEND installed run run-static)
endif()
install(TARGETS ${installed} EXPORT rechenwerk-targets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES include/rechenwerk.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY include/rechenwerk DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h"
    PATTERN "*.def" PATTERN "*.f90")
if(TARGET rechenwerk-command)
    install(TARGETS rechenwerk-command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(FILES "${generated}/rechenwerk_options.inc" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/rechenwerk" OPTIONAL)
install(DIRECTORY cases/ DESTINATION "${CMAKE_INSTALL_DATADIR}/rechenwerk/cases" OPTIONAL)
# The API as data, and from Python (tools/api/make.sh).
install(FILES docs/reference/api.json tools/python/rechenwerk.py DESTINATION "${CMAKE_INSTALL_DATADIR}/rechenwerk")
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
# docs/ and examples/, as headers and pages name them, and include/, to which pages link.
install(DIRECTORY docs examples DESTINATION "${CMAKE_INSTALL_DOCDIR}")
file(RELATIVE_PATH doc_to_include "${CMAKE_INSTALL_FULL_DOCDIR}" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
install(CODE "file(CREATE_LINK \"${doc_to_include}\"
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/include\" SYMBOLIC)")

# find_package(rechenwerk): rechenwerk::rechenwerk and rechenwerk::run, with -static the static ones.
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/rechenwerk")
include(CMakePackageConfigHelpers)
write_basic_package_version_file("${generated}/rechenwerk-config-version.cmake" COMPATIBILITY SameMinorVersion)
file(CONFIGURE OUTPUT "${generated}/rechenwerk-config.cmake" @ONLY
    CONTENT "include(\"\${CMAKE_CURRENT_LIST_DIR}/rechenwerk-targets.cmake\")\n")
install(FILES "${generated}/rechenwerk-config-version.cmake" "${generated}/rechenwerk-config.cmake"
    DESTINATION "${package_dir}")
install(EXPORT rechenwerk-targets NAMESPACE rechenwerk:: DESTINATION "${package_dir}")

# pkg-config --cflags --libs rechenwerk, rechenwerk-run; --static names what the static libraries need.
set(pkgconfig_dir "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH to_prefix "${pkgconfig_dir}" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" to_prefix "${to_prefix}")
file(RELATIVE_PATH pc_libdir "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_LIBDIR}")
file(RELATIVE_PATH pc_includedir "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
function(rw_pkgconfig pc_name pc_description pc_requires)
    set(pc_private ${ARGN})
    list(TRANSFORM pc_private PREPEND "-l" REGEX "^[^-/]")
    list(JOIN pc_private " " pc_private)
    configure_file(cmake/rechenwerk.pc.in "${generated}/${pc_name}.pc" @ONLY)
    install(FILES "${generated}/${pc_name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()
rw_pkgconfig(rechenwerk "Numerical methods on CPU threads, OpenCL and CUDA" "" ${dependencies_static})
if(RECHENWERK_RUN)
    rw_pkgconfig(rechenwerk-run "Cases and figures of Rechenwerk" "rechenwerk = ${PROJECT_VERSION}"
        ${run_dependencies_static})
endif()

# Manual page and completions, where the build has written them.
install(FILES "${generated}/rechenwerk.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" OPTIONAL)
install(FILES "${generated}/rechenwerk.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
    RENAME rechenwerk OPTIONAL)
install(FILES "${generated}/rechenwerk.zsh" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions"
    RENAME _rechenwerk OPTIONAL)
install(FILES "${generated}/rechenwerk.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" OPTIONAL)
