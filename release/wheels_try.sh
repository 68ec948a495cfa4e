#!/bin/bash
# Tries the wheels of build/wheels as a user without rights would, in Debian
# roots that have python3 and nothing else, and once more beside another
# Graphviz and another igraph. A root borrows the interpreters that no release
# of Debian has. The script must run as root. With MACHINE=aarch64, it tries the
# wheels for that machine if qemu-user-static emulates it. KEEP=1 keeps the
# users' files in build/wheels/try.
set -euo pipefail
cd "$(dirname "$0")/.."
. release/root.sh

folder=$PWD/build/wheels/try
machine=${MACHINE:-$(uname -m)}
foreign=
[ "$machine" = "$(uname -m)" ] || foreign=-$machine

# --user ROOT PYTHON: this part runs in the mount namespace.
if [ "${1:-}" = --user ]; then
    root=$2
    python=$3
    lent=$(dirname "$(dirname "$python")")
    mount -t proc proc "$root/proc"
    mount --bind /dev "$root/dev"
    case $lent in
    /usr) ;;
    *)
        mkdir -p "$root$lent"
        mount --bind -o ro "$lent" "$root$lent"
        chmod 755 "$root/root"
        ;;
    esac
    exec chroot --userspec=1000:1000 "$root" env -i HOME=/srv/user LANG=C.UTF-8 \
        PATH=/usr/bin:/bin sh /srv/wheels_user.sh "$python"
fi

# make_root SUITE PYTHON...: makes a bare root with these Pythons of the release.
make_root() {
    local suite=$1 root=$folder/$1$foreign packages=ca-certificates python
    shift
    [ release/wheels_try.sh -nt "$root.made" ] || return 0
    echo "== debootstrap $suite into $root"
    rm -rf --one-file-system "$root"
    mkdir -p "$root"
    for python; do
        packages=$packages,$python,$python-venv
    done
    bootstrap "$suite" "$root" "$packages" "$(architecture "$machine")"
    touch "$root.made"
}

# make_crowded SUITE: makes the same with a Graphviz and an igraph.
make_crowded() {
    local root=$folder/$1-beside
    [ ! -e "$root.made" ] || return 0
    echo "== Graphviz and igraph of $1 into $root"
    rm -rf --one-file-system "$root"
    cp -a "$folder/$1" "$root"
    copy_settings "$1" "$root"
    enter "$root" sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends graphviz libigraph-dev' \
        >"$root.log" 2>&1 || { tail -n 20 "$root.log"; return 1; }
    touch "$root.made"
}

# try ROOT PYTHON
try() {
    local root=$folder/$1
    rm -rf --one-file-system "$root/srv"
    mkdir -p "$root/srv/user"
    cp build/wheels/*.whl release/wheels_user.sh "$root/srv/"
    chown 1000:1000 "$root/srv/user"
    unshare --mount --propagation private "$0" --user "$root" "$2" \
        >"$root.log" 2>&1 || { tail -n 40 "$root.log"; return 1; }
    echo "$1: $(tail -n 1 "$root.log")"
}

# Each release's Python, if there is a wheel for it.
try_foreign() {
    local suite version
    if ! [ -e "/proc/sys/fs/binfmt_misc/qemu-$machine" ]; then
        echo "wheels for $machine not tried: this machine does not emulate it" \
            "(install qemu-user-static and binfmt-support)"
        return
    fi
    while read -r suite version; do
        ls build/wheels/leakgraph-*-"$version-"*"_$machine.whl" >/dev/null 2>&1 || continue
        make_root "$suite" python3
        try "$suite$foreign" /usr/bin/python3
    done <<END
bullseye cp39
bookworm cp311
trixie cp313
END
}

mkdir -p "$folder"
if [ -n "$foreign" ]; then
    try_foreign
    exit
fi
while read -r suite pythons; do
    # shellcheck disable=SC2086
    make_root "$suite" $pythons
    for python in $pythons; do
        try "$suite" "/usr/bin/$python"
    done
done <<END
bullseye python3
bookworm python3
trixie python3
sid python3.14 python3.15
END
# The interpreters of release/wheels_pythons.sh run in the oldest release, too.
grep -v '^/usr/bin/' build/wheels/pythons.txt | while read -r python; do
    case $python in
    "$PWD/build/wheels/pythons"/*) try bullseye "$python" ;;
    *) try bookworm "$python" ;;
    esac
done
for suite in bookworm trixie; do
    make_crowded "$suite"
    try "$suite-beside" /usr/bin/python3
done
[ -n "${KEEP:-}" ] || rm -rf --one-file-system "$folder"/*/srv/user
