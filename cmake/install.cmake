# What `cmake --install` puts where. Everything finds its neighbours relative to itself, so any prefix works, also one
# that was chosen after the build or moved later.

install(TARGETS rechenwerk EXPORT rechenwerk-targets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY include/rechenwerk DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h"
    PATTERN "*.def" PATTERN "*.f90")
if(TARGET rechenwerk-command)
    install(TARGETS rechenwerk-command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(DIRECTORY cases/ DESTINATION "${CMAKE_INSTALL_DATADIR}/rechenwerk/cases" OPTIONAL)
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# find_package(rechenwerk): the shared library has no dependencies that a user would have to find.
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/rechenwerk")
include(CMakePackageConfigHelpers)
write_basic_package_version_file("${generated}/rechenwerk-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${generated}/rechenwerk-config-version.cmake" DESTINATION "${package_dir}")
install(EXPORT rechenwerk-targets NAMESPACE rechenwerk:: DESTINATION "${package_dir}" FILE rechenwerk-config.cmake)

# pkg-config --cflags --libs rechenwerk
set(pkgconfig_dir "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH to_prefix "${pkgconfig_dir}" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" to_prefix "${to_prefix}")
file(RELATIVE_PATH pc_libdir "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_LIBDIR}")
file(RELATIVE_PATH pc_includedir "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
configure_file(cmake/rechenwerk.pc.in "${generated}/rechenwerk.pc" @ONLY)
install(FILES "${generated}/rechenwerk.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# Manual page and completions, where the build has written them.
install(FILES "${generated}/rechenwerk.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" OPTIONAL)
install(FILES "${generated}/rechenwerk.bash" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
    RENAME rechenwerk OPTIONAL)
install(FILES "${generated}/rechenwerk.zsh" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions"
    RENAME _rechenwerk OPTIONAL)
install(FILES "${generated}/rechenwerk.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" OPTIONAL)
