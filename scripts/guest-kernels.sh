#!/usr/bin/env bash
# Fetches Debian kernels for the guests of the tests into a cache folder. Nothing is installed.
#
# usage: scripts/guest-kernels.sh [SUITE...]
#
# Each suite's own kernel (the package that linux-image-amd64 stands for), from the mirror
# and with the keyring that this machine's apt uses: bookworm has 6.1, bullseye 5.10, trixie
# 6.12. apt checks their signatures. HELDUP_GUEST_CACHE names another folder; what is there stays.
set -euo pipefail

cache=${HELDUP_GUEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/heldup/guest}
[ "$#" -gt 0 ] || set -- bookworm bullseye trixie

# The mirror of the Debian suite that this machine is configured for.
mirror=$(apt-get indextargets --format '$(REPO_URI) $(COMPONENT) $(ORIGIN) $(CODENAME)' 'Created-By: Packages' |
    awk '$2 == "main" && $3 == "Debian" && $4 !~ /-/ { print $1; exit }')
[ -n "$mirror" ] || { echo "apt knows no Debian mirror here: no kernels for guests" >&2; exit 1; }
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e "$keyring" ] && signed="[signed-by=$keyring] " || signed=

# apt with state of its own: the machine's lists, cache and sources stay as they are.
own() {
    local command=$1
    shift
    "$command" -q -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=- \
        -o Dir::Etc::Parts=- -o Dir::State="$work/state" -o Dir::State::status=/dev/null \
        -o Dir::Cache="$work/cache" -o Acquire::Languages=none -o APT::Sandbox::User="$(id -un)" "$@"
}

# The kernel proper out of its self-extracting image, beside it: a guest takes four seconds
# to do what takes a tenth of one here. The image says where the compressed part is
# (Documentation/x86/boot.rst: setup_sects, payload_offset, payload_length).
unpack_image() {
    local image=$1 kernel sectors offset length
    kernel=${image/vmlinuz/vmlinux}
    number() { od -An -t "u$2" -j "$1" -N "$2" "$image" | tr -d ' '; }
    sectors=$(number $((0x1f1)) 1)
    offset=$(((sectors + 1) * 512 + $(number $((0x248)) 4)))
    length=$(number $((0x24c)) 4)
    # Whatever it is compressed with; where that cannot be undone, the image itself is booted.
    head -c "$length" < <(tail -c "+$((offset + 1))" "$image") >"$kernel.packed"
    xz -dc --single-stream "$kernel.packed" >"$kernel" 2>/dev/null ||
        # The image ends with the size that it unpacks to.
        head -c -4 "$kernel.packed" | zstd -dcq >"$kernel" 2>/dev/null || rm -f "$kernel"
    rm -f "$kernel.packed"
}

fetch() {
    local suite=$1 package
    mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial"
    echo "deb $signed$mirror $suite main" >"$work/sources.list"
    own apt-get update
    package=$(own apt-cache depends linux-image-amd64 | awk '$1 == "Depends:" { print $2; exit }')
    (cd "$work" && own apt-get download "$package")
    mkdir "$work/kernel"
    # Without what no guest has: half a gigabyte of drivers.
    dpkg-deb --fsys-tarfile "$work/$package"_*.deb | tar -x -C "$work/kernel" \
        --exclude='*/drivers/gpu' --exclude='*/drivers/media' --exclude='*/drivers/infiniband' \
        --exclude='*/drivers/staging' --exclude='*/drivers/usb' --exclude='*/drivers/net/wireless' \
        --exclude='*/drivers/net/ethernet' --exclude='*/drivers/iio' --exclude='*/drivers/input' \
        --exclude='*/drivers/hid' --exclude='*/drivers/platform' --exclude='*/sound' \
        --exclude='./usr/share'
    unpack_image "$work"/kernel/boot/vmlinuz-*
    find "$work/kernel" -name '*.ko.xz' -exec xz -d {} +
    mkdir -p "$cache"
    mv -T "$work/kernel" "$cache/$suite"
}

for suite in "$@"; do
    if compgen -G "$cache/$suite/boot/vmlinuz-*" >/dev/null; then
        continue
    fi
    echo "fetching the kernel of $suite into $cache" >&2
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    fetch "$suite" >&2
    rm -rf "$work"
done
