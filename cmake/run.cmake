# librechenwerk-run, the internal library of the tests, the command.

rw_library(run rechenwerk-run run-objects rechenwerk-run-dependencies
    STATIC rechenwerk-static ${run_dependencies_static})
target_link_libraries(run PUBLIC rechenwerk)

# All three parts for the unit tests.
add_library(rechenwerk-internal STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:library-objects> $<TARGET_OBJECTS:run-objects>
    $<TARGET_OBJECTS:measure-objects>)
target_include_directories(rechenwerk-internal PUBLIC include src "${generated}")
target_link_libraries(rechenwerk-internal PUBLIC rechenwerk-flags rechenwerk-run-dependencies)
set_target_properties(rechenwerk-internal PROPERTIES LINKER_LANGUAGE C)

# ---- command: public headers of the library, and what measures -------------------------------------------------------

file(GLOB command_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/rechenwerk/*.c")
if(command_sources)
    file(RELATIVE_PATH to_library "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
    rw_optimise_cold(${command_sources})
    add_executable(rechenwerk-command ${command_sources})
    # librechenwerk-run is opened by the commands that need it (tools/rechenwerk/run_library.c)
    target_link_libraries(rechenwerk-command PRIVATE measure-objects rechenwerk rechenwerk-flags m)
    target_compile_definitions(rechenwerk-command PRIVATE RUN_LIBRARY="$<TARGET_SONAME_FILE_NAME:run>")
    add_dependencies(rechenwerk-command run)
    if(RECHENWERK_SANITIZE) # dlopen is the sanitizer's, for which only DT_RPATH holds
        target_link_options(rechenwerk-command PRIVATE -Wl,--disable-new-dtags)
    endif()
    set_target_properties(rechenwerk-command PROPERTIES OUTPUT_NAME rechenwerk
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}" INSTALL_RPATH "$ORIGIN/${to_library}")
    # the manual page and completions come from the command's own tables
    foreach(what "1:help --man" "bash:completion bash" "zsh:completion zsh" "fish:completion fish")
        string(REGEX REPLACE "^([^:]*):.*" "\\1" ending "${what}")
        string(REGEX REPLACE "^[^:]*:" "" words "${what}")
        separate_arguments(words)
        add_custom_command(TARGET rechenwerk-command POST_BUILD
            COMMAND rechenwerk-command ${words} > "${generated}/rechenwerk.${ending}" VERBATIM)
    endforeach()
    add_custom_command(TARGET rechenwerk-command POST_BUILD
        COMMAND rechenwerk-command help --fortran > "${generated}/rechenwerk_options.inc" VERBATIM)
endif()
