# Writes the version script of a shared library: functions of the public headers, then the other rw_ functions that the
# users, objects of other parts, call.
#   cmake -DHEADERS=<paths, separated by ;> -DUSERS=<file that lists objects> -DNM=<nm> -DOUTPUT=<file>
#         -DNODE=<name of the version> -P exports.cmake
cmake_minimum_required(VERSION 3.22)

set(public "")
foreach(header IN LISTS HEADERS)
    file(READ "${header}" text)
    string(REGEX MATCHALL "RW_API [^;(]*\\(?[^;(]*rw_[a-z0-9_]+\\(" declarations "${text}")
    foreach(declaration IN LISTS declarations)
        string(REGEX MATCH "rw_[a-z0-9_]+\\($" name "${declaration}")
        string(REPLACE "(" "" name "${name}")
        list(APPEND public "${name}")
    endforeach()
endforeach()

file(STRINGS "${USERS}" users)
set(symbols "")
if(users)
    execute_process(COMMAND "${NM}" -u ${users} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
endif()
string(REGEX MATCHALL "U rw_[A-Za-z0-9_]+" private "${symbols}")
list(TRANSFORM private REPLACE "^U " "")
list(REMOVE_DUPLICATES private)
list(REMOVE_ITEM private ${public})

foreach(node public private)
    list(SORT ${node})
    list(TRANSFORM ${node} PREPEND "        ")
    list(JOIN ${node} ";|" lines)
    string(REPLACE "|" "\n" ${node} "global:|${lines};|")
endforeach()
if(NOT users)
    set(private "")
endif()
file(WRITE "${OUTPUT}" "${NODE} {\n    ${public}};\nRECHENWERK_PRIVATE {\n    ${private}    local: *;\n};\n")
