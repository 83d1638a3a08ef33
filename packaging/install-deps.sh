#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages that are missing; does nothing, and needs no network, when all are there.
#   packaging/install-deps.sh [-n] [build|check|fuzz]     default: build; -n only says what is missing
# The one list of packages is below. As root, or through sudo; where neither is possible it prints the line to type.
# Status: 0 all there (or not a Debian system: CMake will say what it misses), 1 apt-get failed, 2 usage, 3 missing.
set -euo pipefail

# "a|b": either will do, a is installed.
build_packages='gcc libc6-dev make cmake pkgconf|pkg-config libyaml-dev libpng-dev libhdf5-dev'
build_packages+=' libjpeg-dev|libjpeg62-turbo-dev|libjpeg-turbo8-dev libtiff-dev libsdl2-dev'
# cmocka: unit tests; xvfb: windows without a screen; pocl and the loader: OpenCL on the CPU; gfortran: the Fortran
# module; pycparser: the reference of the API; numpy and those after it: every block of docs/how-to/use-from-python.md
# (62 MB to fetch, 390 MB on disk).
check_packages="$build_packages libcmocka-dev xvfb xauth pocl-opencl-icd ocl-icd-libopencl1 gfortran"
check_packages+=' python3 python3-pycparser python3-numpy python3-scipy python3-pandas python3-xarray python3-h5netcdf'
check_packages+=' python3-matplotlib'
fuzz_packages="$build_packages clang libclang-rt-dev libomp-dev"

only_say=
while getopts n option; do
    case $option in
    n) only_say=1 ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
case ${1-build} in
build) wanted=$build_packages ;;
check) wanted=$check_packages ;;
fuzz) wanted=$fuzz_packages ;;
*)
    echo "install-deps.sh: no set of packages named '$1': give build, check or fuzz" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "Not a Debian or Ubuntu system: nothing is installed. Their names for what is needed: $wanted"
    exit 0
fi

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

missing=()
for choice in $wanted; do
    found=
    for package in ${choice//|/ }; do
        if installed "$package"; then found=1; fi
    done
    [ -n "$found" ] || missing+=("${choice%%|*}")
done
if [ ${#missing[@]} -eq 0 ]; then
    echo "All packages are here."
    exit 0
fi
line="apt-get install -y --no-install-recommends ${missing[*]}"

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if [ -z "$only_say" ] && command -v sudo >/dev/null; then
        if sudo -n true 2>/dev/null; then
            as_root=(sudo -n)
        elif [ -t 0 ] && [ -t 2 ]; then
            as_root=(sudo)
        fi
    fi
    if [ ${#as_root[@]} -eq 0 ]; then only_say=1; fi
fi
if [ -n "$only_say" ]; then
    {
        echo "Missing packages. As root, type:"
        echo "    $line"
        echo "(after apt-get update where the package lists are old or empty; DEPS=no goes on without this check)"
    } >&2
    exit 3
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" >>"$log" 2>&1
}

echo "Installing: ${missing[*]}"
# Old or absent package lists show as a package that is unknown or gone; only then are they fetched.
if ! apt --simulate --no-install-recommends install "${missing[@]}" ||
    ! apt --no-install-recommends install "${missing[@]}"; then
    echo "Fetching the package lists first."
    : >"$log"
    apt update || true # one unreachable source of many is no reason to stop: the installation will tell
    if ! apt --no-install-recommends install "${missing[@]}"; then
        tail -n 20 "$log" >&2
        echo "apt-get failed. As root, this line would do the same: $line" >&2
        exit 1
    fi
fi
