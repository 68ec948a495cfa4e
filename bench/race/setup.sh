#!/bin/sh
# Makes an environment for the race: the project's own packages, the other tools, and
# leakgraph as BUILD has it, copied, so that a later build does not change a run.
#   setup.sh FOLDER BUILD
set -eu
cd "$(dirname "$0")/../.."
env=$1
# Another race may make the environment now.
mkdir -p "$(dirname "$env")"
exec 9>"$env.lock"
flock 9
where='import sysconfig; print(sysconfig.get_path("purelib"))'
install_leakgraph() {
    cp -aL --remove-destination "$1/python/leakgraph" "$("$env/bin/python" -c "$where")"
    cp -a --remove-destination "$1/bin/." "$env/bin"
}
if [ -e "$env/ready" ]; then
    install_leakgraph "$2"
    exit 0
fi
.venv/bin/python -m venv --clear "$env"
.venv/bin/python -c "$where" >"$("$env/bin/python" -c "$where")/project.pth"
grep -v '^#' bench/race/requirements.txt | while read -r name; do
    "$env/bin/python" -m pip install -qq "$name" ||
        echo "$name does not install: the race goes on without it" >&2
done
install_leakgraph "$2"
touch "$env/ready"
