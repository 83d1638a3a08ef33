# What tests of an installation share: source it. Needs SOURCE, BUILD and CC, as ctest sets them. Sets `work`, a folder
# that is removed at the end.

if [ -n "${SANITIZE-}" ]; then
    echo "skipped: a library with sanitizers is not installed"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset DESTDIR MAKEFLAGS CFLAGS CXXFLAGS LDFLAGS LDLIBS PKG_CONFIG_PATH CMAKE_PREFIX_PATH LD_LIBRARY_PATH

fail() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# Installs to `prefix`, a path with a space that was moved after the installation: nothing may depend on where it was
# built or installed first. Sets `library`, librechenwerk.so, and its folder, `libdir`. linkdir: the same folder by a
# path without a space, for flags of pkg-config that a shell splits.
install_prefix() {
    cmake --install "$BUILD" --prefix "$work/first" >"$work/log" || fail "cmake --install: $(cat "$work/log")"
    prefix="$work/moved prefix"
    mv "$work/first" "$prefix"
    library=$(find "$prefix" -name 'librechenwerk.so')
    [ -n "$library" ] || fail "librechenwerk.so is not installed"
    libdir=$(dirname "$library")
    ln -s "$prefix" "$work/link"
    linkdir=$work/link${libdir#"$prefix"}
}

# A folder with the static libraries alone, and their .pc files in static-only/pkgconfig.
static_only() {
    mkdir "$work/static-only" && cp -R "$linkdir/pkgconfig" "$libdir"/librechenwerk*.a "$work/static-only"
    sed -e "s|^libdir=.*|libdir=$work/static-only|" -e "s|^includedir=.*|includedir=$work/link/include|" \
        -i "$work/static-only/pkgconfig/"*.pc
}
