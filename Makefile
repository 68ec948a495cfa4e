# The verbs of this project. Each sets up what it needs first; `make` lists them.

WERROR ?= OFF
FUZZ_SECONDS ?= 60
PICTURES ?= 10000
NODES ?= 10000
MUTANTS ?= 0
RANKS ?= 8
RUNS ?= 10000
OBJECTS ?= 50000000
ORDERS ?= 10
GPU_PYTHON ?= .venv/bin/python
BUILD := build/make
RELEASE := build/release

export WERROR
bin := $(CURDIR)/.venv/bin
export PATH := $(CURDIR)/$(BUILD)/bin:$(bin):$(PATH)
export PYTHONPATH := $(CURDIR)/$(BUILD)/python
export MPLBACKEND := Agg
export PYTHONDONTWRITEBYTECODE := 1

# CMakePresets.json lists the ways to build.
configure = $(bin)/cmake -DLEAKGRAPH_WERROR=$(WERROR) --preset
timed = PATH=$(CURDIR)/$(RELEASE)/bin:$$PATH \
	PYTHONPATH=$(CURDIR)/$(RELEASE)/python $(bin)/python
drawn = $(if $(SANITIZE),build/asan,$(BUILD))
# On a terminal, ninja shows its progress in one line. Elsewhere it prints a line
# for each of hundreds of steps, unless it is quiet.
quiet = $$([ -t 2 ] || echo -- --quiet)
ctest = $(bin)/ctest --parallel $(shell nproc) --preset

.PHONY: help clone setup setup-checks build build-asan demo test check format asan valgrind \
	fuzz pictures bench bench-large attach-soak attach-torture kernels ranks docs wheel wheels pythons matrix packages company reports \
	race race-speed \
	fresh clean mutate agree

help:  ## list the verbs
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | \
		awk -F'|' '{ printf "%-22s %s\n", $$1, $$2 }'
	@echo
	@echo "Begin with make demo. PYTHON=python3.12 names the interpreter, and"
	@echo "TORCH=torch==2.13.0+cpu the PyTorch that pip installs (TORCH= none)."

# What git lists is checked.
clone:
	@git rev-parse --git-dir >/dev/null && exit; \
		echo "make $(MAKECMDGOALS) needs a git clone: git lists the files of the project" >&2; \
		exit 1

setup:  ## install what building needs: system packages, .venv
	@tools/setup.sh $(SET)

setup-checks: setup
	@tools/setup.sh checks

build: setup  ## build everything into build/make
	@mkdir -p build
	@$(configure) dev >build/configure.log || \
		{ cat build/configure.log; exit 1; }
	@[ -e $(BUILD)/bin/leakgraph ] || \
		echo "== builds into $(BUILD): minutes, the first time"
	@$(bin)/cmake --build --preset dev $(quiet)

demo: SET := demo
demo: build  ## a training loop and a figure loop that leak; pictures in out/
	@examples/demo.sh

test: build  ## all tests: C, Python, examples, the snippets of the docs
	@$(bin)/python tools/suite.py $(BUILD)

check: WERROR := ON
check: clone setup-checks build  ## all static checks: warnings, rooms, sizes, symbols, style, types
	@tools/check.sh $(BUILD)

format: clone setup  ## format C and Python in place
	@git ls-files '*.c' '*.h' | xargs $(bin)/clang-format -i
	@$(bin)/ruff format . && $(bin)/ruff check --fix .

build-asan: setup-checks
	@$(configure) asan >/dev/null
	@$(bin)/cmake --build --preset asan $(quiet)

asan: build-asan  ## the C tests under AddressSanitizer and UBSan
	@$(ctest) asan

valgrind: setup-checks build  ## a capture and a reload under valgrind
	@$(bin)/python tools/valgrind.py

fuzz: setup-checks  ## the fuzzers, FUZZ_SECONDS each (60)
	@$(configure) fuzz >/dev/null
	@$(bin)/cmake --build --preset fuzz $(quiet)
	@tools/fuzz.sh build/fuzz $(FUZZ_SECONDS)

# The sanitizer intercepts dlopen, and so hides the program's run path.
pictures: $(if $(SANITIZE),build-asan,build)  ## PICTURES (10000) random ones; SANITIZE=1 under AddressSanitizer
	@LD_LIBRARY_PATH=$(CURDIR)/$(drawn)/bin \
		LEAKGRAPH_RENDERER=$(CURDIR)/$(drawn)/bin/leakgraph-render \
		$(drawn)/tests/export/export_tests random_pictures $(PICTURES)

mutate: setup  ## break policies, see that tests fail; MUTANTS=300 tries as many others
	@[ $(MUTANTS) = 0 ] || $(bin)/python -m pip install -qq \
		-r tools/requirements-mutate.txt
	@$(bin)/python tools/mutate.py --sample $(MUTANTS)

agree: build  ## text, JSON, picture and Python of NODES (10000) nodes of real heaps
	@mkdir -p $(BUILD)/agree && cd $(BUILD)/agree && \
		for heap in stdlib service torch training matplotlib figures; do \
		$(bin)/python $(CURDIR)/tests/py/isolated/why_agrees.py $$heap \
		$$(($(NODES) / 6 + 1)) || exit 1; done

gpu: build  ## tests/gpu, with the PyTorch of GPU_PYTHON, on a machine with a GPU
	@PYTHONPATH=$(CURDIR)/$(BUILD)/python PYTHONDONTWRITEBYTECODE=1 \
		$(GPU_PYTHON) -m pytest -q tests/gpu

bench: setup  ## time captures, analyses and drawings; prints Markdown tables
	@$(configure) release >/dev/null
	@$(bin)/cmake --build --preset release --target all bench_analysis bench_drawing bench_growth $(quiet)
	@$(timed) bench/capture.py
	@$(timed) bench/memory.py
	@$(timed) bench/watch.py
	@$(timed) bench/file.py
	@$(timed) bench/adapters.py
	@$(timed) bench/analysis.py $(RELEASE)/bench/bench_analysis
	@$(timed) bench/growth.py $(RELEASE)/bench/bench_growth
	@$(timed) bench/answers.py
	@$(timed) bench/native.py
	@$(timed) bench/drawing.py $(RELEASE)/bench/bench_drawing

bench-large: setup  ## OBJECTS (50000000) captured, saved, loaded and analysed: memory
	@$(configure) release >/dev/null
	@$(bin)/cmake --build --preset release $(quiet)
	@$(timed) bench/large.py --objects $(OBJECTS)

docs: build  ## the web site with the C reference in build/site; checks links and names
	@$(bin)/python tools/apidoc.py build/docs
	@$(bin)/python tools/gallery.py build/docs
	@$(bin)/python tools/check_docs.py
	@$(bin)/python -m pip install -qq -r tools/requirements-site.txt
	@$(bin)/python -m mkdocs build --quiet
	@echo "wrote build/site/index.html"

wheel: SET := build
wheel: setup  ## build sdist and wheels into build/wheel, try them in fresh environments
	@release/wheel.sh

wheels: setup  ## build wheels that need nothing but CPython, try them in bare Debian roots; WITHOUT=3.15t leaves one out
	@[ "$$(id -u)" != 0 ] || tools/setup.sh wheels
	@release/wheels.sh $(WHEELS)

pythons: setup  ## build and test for every other CPython 3.9 to 3.15 found
	@$(bin)/python tools/pythons.py

matrix: setup  ## the same on every CPython there is, also in Debian roots; docs/versions.md
	@PYTHONPATH=tools:$$PYTHONPATH $(bin)/python release/matrix.py $(MATRIX)

attach-soak: build  ## attach 200 times to a busy process, compare it with a twin
	@$(bin)/python bench/attach_soak.py $(ATTACHED)

attach-torture: build  ## kill leakgraph, or stop its target, at each call and RUNS (10000) times at random
	@$(bin)/python tools/attach_torture.py --runs $(RUNS) $(TORTURED)

kernels: SET := kernels
kernels: build  ## attach with the Linux of Debian's releases, in virtual machines, KERNELS="--suite sid"
	@PYTHONPATH=tools:$$PYTHONPATH $(bin)/python release/kernels.py $(KERNELS)

ranks: build  ## compare RANKS (8) gloo processes of a training job
	@$(bin)/python bench/ranks_gloo.py --ranks $(RANKS)

packages: build  ## try the hundred most used C extensions of PyPI; docs/packages.md
	@PYTHONPATH=tools:$$PYTHONPATH $(bin)/python release/packages.py $(PACKAGES)

company: build  ## claims of native memory of many libraries in one process, in ORDERS (10) orders
	@$(bin)/python bench/company.py --orders $(ORDERS)

reports: build  ## look for the leaks of public reports; docs/reports.md
	@$(bin)/python tools/reports.py --write $(REPORTS)

race-setup: SET := race
race-setup: setup
	@$(configure) release >/dev/null
	@$(bin)/cmake --build --preset release $(quiet)
	@bench/race/setup.sh build/race/env $(RELEASE)

race: race-setup  ## leakgraph beside other tools, CASES=a,b TOOLS=x,y JOBS=4; docs/compare.md
	@PYTHONPATH= nice -n 19 build/race/env/bin/python bench/race/run.py \
		$(if $(CASES)$(TOOLS),--cases "$(CASES)" --tools "$(TOOLS)",--write) \
		$(if $(JOBS),--jobs $(JOBS)) $(RACED)

race-speed: race-setup  ## single questions to each tool on large heaps; docs/compare.md
	@PYTHONPATH= nice -n 19 build/race/env/bin/python bench/race/speed.py --write $(RACED)

fresh:  ## README's two commands in a bare Debian root (needs root)
	@tools/setup.sh fresh
	@release/fresh.sh

clean:  ## remove what was built, .venv and out/
	rm -rf build .venv .venv-* out
