# Gives a bare Debian root what apt and pip need to work in it as they do on the
# host. Scripts that run in bash source this file.

# require VERB COMMAND...: complains if root's rights or these commands are
# missing.
require() {
    local verb=$1 missing=() command
    shift
    [ "$(id -u)" = 0 ] || missing+=("root's rights")
    for command; do
        command -v "$command" >/dev/null || missing+=("$command")
    done
    [ "${#missing[@]}" != 0 ] || return 0
    printf '%s makes root file systems. Missing here:\n' "$verb" >&2
    printf '    %s\n' "${missing[@]}" >&2
    return 1
}

# The source of the host's own packages.
mirror() {
    echo "${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' \
        'Created-By: Packages' | head -n 1)}"
}

# architecture MACHINE: prints Debian's name of a machine, given uname's.
architecture() {
    case $1 in
    aarch64) echo arm64 ;;
    x86_64) echo amd64 ;;
    *) echo "$1" ;;
    esac
}

# bootstrap SUITE ROOT PACKAGES [ARCHITECTURE]: prints debootstrap's output if
# it fails.
bootstrap() {
    debootstrap ${4:+--arch="$4"} --variant=minbase --include="$3" "$1" "$2" "$(mirror)" \
        >"$2.log" 2>&1 || { cat "$2.log"; return 1; }
    rm -f "$2.log"
}

# unpack_foreign SUITE ROOT PACKAGES ARCHITECTURE: unpacks the files of a root
# of another machine, with dpkg's records of them. Sets nothing up, because none
# of its programs can run here.
unpack_foreign() {
    local deb known=$2/var/lib/dpkg
    debootstrap --foreign --arch="$4" --variant=minbase --include="$3" "$1" "$2" \
        "$(mirror)" >"$2.log" 2>&1 || { tail -n 40 "$2.log"; return 1; }
    for deb in "$2"/var/cache/apt/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$2"
        dpkg-deb --field "$deb" >>"$known/status"
        echo >>"$known/status"
        dpkg-deb --fsys-tarfile "$deb" | tar -t | sed 's/^\.//' \
            >"$known/info/$(dpkg-deb --field "$deb" Package).list"
        rm "$deb"
    done
}

# copy_settings SUITE ROOT: copies the host's settings for apt and pip, its certificates
# and its name servers.
copy_settings() {
    local suite=$1 root=$2 file
    if [ "$suite" = "$(. /etc/os-release && echo "${VERSION_CODENAME:-}")" ]; then
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

# Prints the files, folders and file: addresses of pip's settings, one per line.
# An index with such an address refers to files beside it, so this prints its
# parent.
pip_paths() {
    python3 -m pip config list 2>/dev/null | cut -d= -f2- | tr " '\"" '\n\n\n' |
        sed -n 's,^file://\(/.*\)/simple/*$,\1,; s,^file://,,; /^\//p' | while read -r path; do
        [ ! -e "$path" ] || echo "$path"
    done | sort -u
}

# mount_root ROOT: mounts /proc, /dev and the folders of pip's settings. Call it
# in a mount namespace, so that nothing stays behind.
mount_root() {
    local root=$1 path
    # unshare needs a mount at the root, and a program inside may need unshare.
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    pip_paths | while read -r path; do
        if [ -d "$path" ]; then
            mkdir -p "$root$path"
            mount --bind -o ro "$path" "$root$path"
        else
            mkdir -p "$root${path%/*}"
            cp -L "$path" "$root$path"
        fi
    done
}

# enter ROOT COMMAND...: runs it in the root, with an environment of its own.
enter() {
    local root=$1 setting
    shift
    local keep=(HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin)
    while IFS= read -r setting; do
        keep+=("$setting")
    done < <(env | grep -E '^(PIP_[A-Z_]+|MATRIX_[A-Z]+|SSL_CERT_[A-Z]+|[A-Za-z]+_(proxy|PROXY))=')
    chroot "$root" env -i "${keep[@]}" "$@" </dev/null
}

# mount_checkout ROOT: mount_root, and this checkout at the same path as
# outside.
mount_checkout() {
    mount_root "$1"
    mkdir -p "$1$PWD"
    mount --bind "$PWD" "$1$PWD"
}

# enter_checkout ROOT COMMAND...: enter, in this checkout.
enter_checkout() {
    local root=$1
    shift
    enter "$root" sh -c 'cd "$1" && shift && "$@"' sh "$PWD" "$@"
}
