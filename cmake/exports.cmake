# Writes the version script of the shared libraries: functions of the public headers, then all others that begin with
# rw_.
#   cmake -DHEADERS=<paths, separated by ;> -DOUTPUT=<file> -DNODE=<name of the version> -P exports.cmake
cmake_minimum_required(VERSION 3.22)

set(names "")
foreach(header IN LISTS HEADERS)
    file(READ "${header}" text)
    string(REGEX MATCHALL "RW_API [^;(]*\\(?[^;(]*rw_[a-z0-9_]+\\(" declarations "${text}")
    foreach(declaration IN LISTS declarations)
        string(REGEX MATCH "rw_[a-z0-9_]+\\($" name "${declaration}")
        string(REPLACE "(" "" name "${name}")
        list(APPEND names "        ${name}|")
    endforeach()
endforeach()
list(SORT names)
list(JOIN names "" names)
string(REPLACE "|" ";\n" names "${names}")
file(WRITE "${OUTPUT}"
    "${NODE} {\n    global:\n${names}};\nRECHENWERK_PRIVATE {\n    global: rw_*;\n    local: *;\n};\n")
