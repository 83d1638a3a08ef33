# For tests that need modules of Python, sourced.
# python_with MODULE...: prints the first of python3 and /usr/bin/python3 that has these modules. Debian's modules
# belong to /usr/bin/python3, which need not be the first in PATH. Status 1: neither has.
python_with() {
    local python imports
    imports=$(printf 'import %s\n' "$@")
    for python in python3 /usr/bin/python3; do
        if "$python" -c "$imports" 2>/dev/null; then
            echo "$python"
            return 0
        fi
    done
    return 1
}
