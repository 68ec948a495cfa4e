#!/bin/bash
# Runs README's two commands as somebody with a fresh machine would: in a bare
# Debian root, made by debootstrap outside the checkout and removed afterwards,
# that holds git and make and nothing else. What is cloned there is HEAD.
#
# The host's settings for apt and pip, its certificates and its name servers
# are copied in, and the local folders that pip is told to look in are bound.
# Mounts live in a namespace of their own, so none can be left behind.
#
# SUITE names the release (default: the host's), MIRROR where it comes from,
# KEEP=1 keeps the root.
set -euo pipefail
cd "$(dirname "$0")/.."

# What runs in the mount namespace, where --inside leads.

# Files, folders and file: addresses that pip's settings name, one a line. An
# index of that kind refers to files beside it, so its parent is meant.
pip_paths() {
    python3 -m pip config list 2>/dev/null | cut -d= -f2- | tr " '\"" '\n\n\n' |
        sed -n 's,^file://\(/.*\)/simple/*$,\1,; s,^file://,,; /^\//p' | while read -r path; do
        [ ! -e "$path" ] || echo "$path"
    done | sort -u
}

run_inside() {
    local root=$1 path
    mount -t proc proc "$root/proc"
    mount --bind /dev "$root/dev"
    pip_paths | while read -r path; do
        if [ -d "$path" ]; then
            mkdir -p "$root$path"
            mount --bind -o ro "$path" "$root$path"
        else
            mkdir -p "$root${path%/*}"
            cp -L "$path" "$root$path"
        fi
    done
    local keep=(HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin)
    while IFS= read -r setting; do
        keep+=("$setting")
    done < <(env | grep -E '^(PIP_[A-Z_]+|SSL_CERT_[A-Z]+|[A-Za-z]+_(proxy|PROXY))=')
    local command
    grep -xE 'make (demo|test)' README.md | sort -u | while read -r command; do
        for attempt in first second; do
            echo "== $command, $attempt time"
            local start=$SECONDS
            chroot "$root" env -i "${keep[@]}" sh -c "cd /srv/leakgraph && $command" </dev/null
            echo "== $command, $attempt time: fine after $((SECONDS - start)) s"
        done
    done
}

if [ "${1:-}" = --inside ]; then
    run_inside "$2"
    exit
fi

# What runs outside of it.

copy_settings() {
    local root=$1 file
    if [ "$suite" = "${VERSION_CODENAME:-}" ]; then
        rm -f "$root/etc/apt/sources.list"
        cp -rL /etc/apt/sources.list* "$root/etc/apt/"
    fi
    cp -rL /etc/apt/apt.conf.d /etc/apt/auth.conf.d "$root/etc/apt/"
    cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    for file in /etc/pip.conf ~/.config/pip/pip.conf ~/.pip/pip.conf; do
        [ ! -e "$file" ] || install -D "$file" "$root${file/#$HOME//root}"
    done
}

if [ "$(id -u)" != 0 ]; then
    echo "make fresh needs root: it makes a root file system" >&2
    exit 1
fi
. /etc/os-release
suite=${SUITE:-$VERSION_CODENAME}
mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' \
    'Created-By: Packages' | head -n 1)}
root=$(mktemp -d "${TMPDIR:-/tmp}/leakgraph-fresh.XXXXXX")
[ -n "${KEEP:-}" ] || trap 'rm -rf --one-file-system "$root"' EXIT
chmod 755 "$root"

[ -z "$(git status --porcelain)" ] ||
    echo "== not everything here is committed: HEAD is what is tried"
echo "== debootstrap $suite into $root"
debootstrap --variant=minbase --include=git,make,ca-certificates \
    "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
    { cat "$root.log"; exit 1; }
rm -f "$root.log"
copy_settings "$root"
git clone --quiet --no-hardlinks . "$root/srv/leakgraph"
unshare --mount --propagation private "$0" --inside "$root"
echo "== a fresh $suite needs nothing but README's two commands"
