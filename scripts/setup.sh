#!/usr/bin/env bash
# Makes sure that there is a Vulkan driver: where a Debian or Ubuntu machine has none at all,
# installs Mesa's, which includes a software one. macOS and Windows bring what is needed.
# The other scripts call this; calling it again does nothing.
set -euo pipefail

say() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
}

# The loader that programs link to.
has_loader() {
    local libraries folder
    libraries=$(ldconfig -p 2>/dev/null || /sbin/ldconfig -p 2>/dev/null || true)
    case $libraries in
    *libvulkan.so.1*) return 0 ;;
    esac
    local IFS=:
    for folder in ${LD_LIBRARY_PATH-}; do
        [ ! -e "$folder/libvulkan.so.1" ] || return 0
    done
    return 1
}

# A driver's description, where the loader looks for them.
has_driver() {
    local folder file
    [ -z "${VK_DRIVER_FILES-}${VK_ICD_FILENAMES-}" ] || return 0
    local IFS=:
    for folder in ${XDG_CONFIG_HOME:-${HOME-}/.config} ${XDG_CONFIG_DIRS:-/etc/xdg} /etc /usr/local/etc \
        ${XDG_DATA_HOME:-${HOME-}/.local/share} ${XDG_DATA_DIRS:-/usr/local/share:/usr/share}; do
        for file in "$folder"/vulkan/icd.d/*.json; do
            [ ! -e "$file" ] || return 0
        done
    done
    return 1
}

if ! command -v cargo >/dev/null; then
    say "cargo is not there; install Rust first: https://rustup.rs"
    exit 1
fi

[ "$(uname -s)" = Linux ] || exit 0

packages=()
has_loader || packages+=(libvulkan1)
has_driver || packages+=(mesa-vulkan-drivers)
[ ${#packages[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
    say "there is no Vulkan driver, and no apt-get to install one with; install Mesa's Vulkan drivers and the Vulkan loader"
    exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        say "there is no Vulkan driver; as root, run: apt-get install ${packages[*]}"
        exit 1
    fi
    as_root=(sudo)
fi
say "there is no Vulkan driver; installing ${packages[*]}"
# A list that cannot be refreshed may still do.
"${as_root[@]}" apt-get update || say "apt-get update failed; trying with the lists there are"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${packages[@]}"
