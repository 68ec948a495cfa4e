#!/bin/sh
# Runs every static check on the project and lists those that failed.
#
#   tools/check.sh BUILD      BUILD is the build folder
set -u
build=$1
passed=0
failed=

try() {
    name=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed="$failed $name"
    fi
}

clang_format() {
    git ls-files -z --cached --others --exclude-standard '*.c' '*.h' |
        xargs -0 clang-format --dry-run --Werror && echo "clang-format: fine"
}

shell_syntax() {
    for script in tools/*.sh release/*.sh examples/*.sh .ci/run; do
        bash -n "$script" || return 1
    done
    echo "shell: fine"
}

benches() {
    cmake --build "$build" --target bench_analysis bench_growth bench_drawing \
        bench_encoding >/dev/null && echo "bench: fine"
}

scripts_of_pages() {
    command -v node >/dev/null || {
        echo "page: node is missing, so the scripts of pages are not checked"
        return
    }
    for script in export/page/assets/*.js export/serve/assets/*.js tests/export/*.js; do
        node --check "$script" || return 1
    done
    echo "page: fine"
}

for check in includes sizes headers names sources text docs newer; do
    try $check python "tools/check_$check.py"
done
try questions python tools/questions.py "$build/bin/leakgraph"
try symbols python tools/check_symbols.py "$build"
try rooms python tools/check_rooms.py "$build"
try clang-format clang_format
try shell shell_syntax
try page scripts_of_pages
try bench benches
try ruff ruff check --quiet .
try ruff-format ruff format --quiet --check .
try mypy mypy
try stubtest python -m mypy.stubtest leakgraph \
    --mypy-config-file pyproject.toml --allowlist tools/stubtest.txt

echo "$passed checks passed, $(echo "$failed" | wc -w) failed$failed"
[ -z "$failed" ]
