#!/usr/bin/env bash
# Installs what is missing for `make examine`, `make static`, `make test`, `cargo xtask
# bench` or `cargo xtask soak --stories`, and nothing else.
#
# usage: scripts/install-needs.sh build|static|test|bench|stories
#        scripts/install-needs.sh promised
#
# The second prints the programs of `test`: continuous integration promises them to the tests (.ci/run).
#
# Asks apt-get only when a program is missing, and says what it installs and why. Where
# there is no apt-get or no right to use it, it says what to install and goes on: tests
# that lack a tool are skipped aloud, and a build that lacks a compiler fails by itself.
set -euo pipefail

# program, package, what it is for
build_needs() {
    cat <<'EOF'
cc gcc SQLite is compiled into the program
EOF
}
static_needs() {
    cat <<'EOF'
musl-gcc musl-tools SQLite is compiled into the program, against musl
EOF
}
test_needs() {
    build_needs
    static_needs
    cat <<'EOF'
busybox busybox guests of other kernels: their shell
chromium chromium the page in a browser
dmesg util-linux the same numbers as a classic tool
dmsetup dmsetup guests of other kernels: a disk that answers late
findmnt util-linux the same numbers as a classic tool
flock util-linux the same numbers as a classic tool
ip iproute2 trouble makers: tunnels and slow links
ethtool ethtool the same numbers as a classic tool
fio fio trouble makers: requests to a device
free procps the same numbers as a classic tool
iostat sysstat the same numbers as a classic tool
ipcs util-linux the same numbers as a classic tool
java default-jdk-headless the quiet case of a starting JVM
javac default-jdk-headless the quiet case of a starting JVM
losetup mount trouble makers: loop devices
lsblk util-linux the same numbers as a classic tool
lscpu util-linux the same numbers as a classic tool
lslocks util-linux the same numbers as a classic tool
make make the quiet case of a compile
mkfs.ext4 e2fsprogs trouble makers: file systems with a journal
mkfs.xfs xfsprogs known waits: locks of another file system
python3 python3-venv other engines on an archive
qemu-system-x86_64 qemu-system-x86 guests of other kernels
node nodejs the page: its bundle, and its tests
npm npm the page: what its bundle and its tests are made of
nft nftables trouble makers: a firewall that tracks connections
nsenter util-linux trouble makers: a slow link in a namespace of its own
perl perl-base processes that wake again and again
pg_ctlcluster postgresql the quiet case of a database
prlimit util-linux the same numbers as a classic tool
ps procps the same numbers as a classic tool
tc iproute2 guests of other kernels: a network that delays
numastat numactl the same numbers as a classic tool
setpriv util-linux tests as an ordinary user
ss iproute2 the same numbers as a classic tool
sysctl procps the same numbers as a classic tool
tmux tmux the view in a terminal
unshare util-linux tests in namespaces of their own
xz xz-utils guests of other kernels: their images and modules
zstd zstd guests of other kernels: their images
EOF
}
stories_needs() {
    test_needs
    cat <<'EOF'
flock util-linux a story of a job that overlaps itself
iperf3 iperf3 a story of a flood of packets
mariadb mariadb-client-core stories of a database
mariadbd mariadb-server-core stories of a database
redis-benchmark redis-tools stories of a cache
redis-server redis-server stories of a cache
rsync rsync a story of a backup
EOF
}
bench_needs() {
    build_needs
    cat <<'EOF'
atop atop what recording costs others
fio fio a load to look at
hackbench rt-tests a load to look at
htop htop what other views cost
perl perl-base processes to record
pidstat sysstat what recording costs others
stress-ng stress-ng stressors that no rule was written for
sysbench sysbench a load to look at
top procps what recording costs others
EOF
}

here() {
    # Administrators' tools are outside the search path of ordinary users.
    PATH="$PATH:/usr/sbin:/sbin" command -v "$1" >/dev/null 2>&1
}

case "${1:-}" in
build) needs=$(build_needs) ;;
static) needs=$(static_needs) ;;
promised)
    test_needs | awk '{ printf "%s%s", separator, $1; separator = " " } END { print "" }'
    exit 0
    ;;
test) needs=$(test_needs) ;;
bench) needs=$(bench_needs) ;;
stories) needs=$(stories_needs) ;;
*)
    sed -n '2,12s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

packages=()
while read -r program package purpose; do
    if ! here "$program"; then
        echo "missing: $program (package $package): $purpose" >&2
        packages+=("$package")
    fi
done <<<"$needs"

if ! here cargo; then
    echo "missing: cargo; install Rust from https://rustup.rs" >&2
    exit 3
fi
# Tests compile against musl what calls the C library.
if [[ "$1" =~ ^(static|test|stories)$ ]] && here rustup; then
    rustup target add x86_64-unknown-linux-musl
fi
if [ "${#packages[@]}" -eq 0 ]; then
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo -n)
fi
if ! here apt-get || { [ "${#as_root[@]}" -gt 0 ] && ! sudo -n true 2>/dev/null; }; then
    echo "not installed, because there is no apt-get or no right to use it: ${packages[*]}" >&2
    exit 0
fi
echo "installing: ${packages[*]}" >&2
{
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${packages[@]}"
} >&2 || echo "apt-get did not install everything; what needs it is skipped" >&2
