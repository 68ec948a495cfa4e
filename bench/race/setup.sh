#!/bin/sh
# Makes an environment for the race: the project's own packages, and the other tools.
#   setup.sh FOLDER
set -eu
cd "$(dirname "$0")/../.."
env=$1
[ ! -e "$env/ready" ] || exit 0
.venv/bin/python -m venv --clear "$env"
where='import sysconfig; print(sysconfig.get_path("purelib"))'
.venv/bin/python -c "$where" >"$("$env/bin/python" -c "$where")/project.pth"
grep -v '^#' bench/race/requirements.txt | while read -r name; do
    "$env/bin/python" -m pip install -qq "$name" ||
        echo "$name does not install: the race goes on without it" >&2
done
touch "$env/ready"
