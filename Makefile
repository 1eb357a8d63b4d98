# Every target works from a fresh clone: it makes a virtual environment in .venv and installs into it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CORE_SOURCES := $(shell find core bindings src/polymargin -name '*.[ch]pp' -o -name '*.py' -o -name '*.txt' -path 'core/*' 2>/dev/null)
CXX_FILES := $(shell find core bindings -name '*.hpp' -o -name '*.cpp' 2>/dev/null)
# The core is tested with the widest packs this processor has, which come in halves too, and where
# the width itself matters with the narrowest. With every set and folder: make test-all
WIDEST := $(shell grep -qsm1 avx512vl /proc/cpuinfo && echo avx512 || { grep -qsm1 avx2 /proc/cpuinfo && echo avx2; })
SETS ?= generic$(if $(WIDEST),;$(WIDEST))
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)

.PHONY: demo test test-all test-core test-python test-oldest wheel release-check sanitize sanitize-threads fuzz attack lint format docs bench bench-all bench-before-after clean help

help:
	@echo "make demo      train on the digits data, print a table, write a convergence plot"
	@echo "make test      all tests: the C++ core and the Python package"
	@echo "make test-all  and the core for every instruction set of this processor"
	@echo "make test-oldest  a share of the Python tests with the oldest versions that are supported"
	@echo "make wheel     a wheel for this platform, into dist; and what systems it is for"
	@echo "make release-check  what must hold before a release: see tools/release_check.py"
	@echo "make sanitize  the C++ tests under AddressSanitizer and UBSan"
	@echo "make sanitize-threads  those of them that start threads under ThreadSanitizer"
	@echo "make fuzz      a million mutated inputs to each parser of files, under the same"
	@echo "make attack    mutated files, damaged objects, odd arrays, kills, full disks, threads: some minutes"
	@echo "make docs      the documentation as a site, into build/site; open its index.html"
	@echo "make lint      ruff, clang-format and mypy, checking only; make format applies the first two"
	@echo "make bench     linear machines against LIBLINEAR and scikit-learn (POLYMARGIN_DATA=folder)"
	@echo "make bench-NAME  another contest: kernel, newton, online, tables, reading, threads, classes, paths, disk, nystroem, partitions"
	@echo "make bench-all  all of them, short enough for half an hour, into docs/benchmarks.md and benchmarks-scale.md; goes on where it was"
	@echo "make bench-papers  tables of the five papers, into docs/papers.md (BENCH=--list shows them all)"
	@echo "make bench-before-after OLD=python NEW=python  two installed versions in turns, ratios to the terminal"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# Installed again whenever a source file is newer; for this processor only, and what it does not use
# (the generic module, which is tested) with little optimisation: two fifths less to compile of it.
$(VENV)/.installed: $(BIN)/python pyproject.toml CMakeLists.txt $(CORE_SOURCES)
	$(BIN)/python -m pip install --quiet . "--config-settings=cmake.define.POLYMARGIN_MODULE_SETS=$(SETS)" \
	  "--config-settings=cmake.define.POLYMARGIN_QUICK_SETS=$(if $(WIDEST),generic)"
	@touch $@

# extras of pyproject.toml, each installed once
$(VENV)/.extra-%: $(VENV)/.installed pyproject.toml
	$(BIN)/python -m pip install --quiet --group $*
	@touch $@

demo: $(VENV)/.extra-demo
	$(BIN)/polymargin demo

test: test-core test-python

# The tests of the core for every folder and instruction set, on top.
test-all: SETS := $(if $(WIDEST),generic;avx2$(if $(filter avx512,$(WIDEST)),;avx512),generic)
test-all: ALL_SETS := ON
test-all: test-core test-python

test-core: $(VENV)/.extra-test
	$(BIN)/cmake -S . -B build/core -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	  -DPOLYMARGIN_PYTHON=OFF -DPOLYMARGIN_TESTS=ON "-DPOLYMARGIN_TEST_SETS=$(SETS)" \
	  -DPOLYMARGIN_TEST_ALL_SETS=$(or $(ALL_SETS),OFF)
	$(BIN)/cmake --build build/core --parallel $(JOBS)
	$(BIN)/ctest --test-dir build/core --output-on-failure --parallel $(JOBS)

# The tests have all cores: BLAS with threads of its own would only wait for them.
test-python: $(VENV)/.extra-test
	POLYMARGIN_TEST_ALL=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n $(JOBS) --durations=15 tests

# With the oldest versions that pyproject.toml allows, in an environment of its own.
OLDEST := build/oldest
OLDEST_TESTS ?= tests/machine tests/certify tests/prediction tests/estimators tests/tables tests/files tests/selection
test-oldest: pyproject.toml
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --upgrade pip
	$(OLDEST)/bin/python tools/oldest_versions.py > $(OLDEST)/constraints.txt
	$(OLDEST)/bin/python -m pip install --quiet --constraint $(OLDEST)/constraints.txt . \
	  "--config-settings=cmake.define.POLYMARGIN_MODULE_SETS=$(SETS)"
	$(OLDEST)/bin/python -m pip install --quiet --constraint $(OLDEST)/constraints.txt \
	  pytest pytest-xdist hypothesis clarabel liblinear-official pandas pyarrow zstandard rich matplotlib safetensors
	$(OLDEST)/bin/python -m pytest -n $(JOBS) $(OLDEST_TESTS)

# For Linux it says for how old systems a wheel is: as old as the C library here. cibuildwheel builds
# in images that are older (manylinux_2_28).
wheel: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --group release
	$(BIN)/python -m pip wheel --no-deps --wheel-dir dist .
	if [ -x $(BIN)/auditwheel ]; then $(BIN)/auditwheel show dist/*.whl; fi

release-check: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --group release
	$(BIN)/python tools/release_check.py

# All programs, or some: make sanitize ONLY="reading_generic base_generic"
sanitize: $(VENV)/.extra-test
	$(BIN)/cmake -S . -B build/sanitize -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	  -DPOLYMARGIN_PYTHON=OFF -DPOLYMARGIN_TESTS=ON -DPOLYMARGIN_SANITIZE=address,undefined \
	  "-DPOLYMARGIN_TEST_SETS=$(SETS)"
	$(BIN)/cmake --build build/sanitize --parallel $(JOBS) $(if $(ONLY),--target $(ONLY:%=test_%))
	$(BIN)/ctest --test-dir build/sanitize --output-on-failure --parallel $(JOBS) \
	  $(if $(ONLY),-R '$(subst $(eval) ,|,$(ONLY:%=test_%$$))')

# Programs whose tests start threads, and the files of these that do.
THREADED := base certify reading access driver_linear
THREADED_FILES := parallel team shares measured_rows svmlight table products scores_by_class sequential binary_problems dense_batches
sanitize-threads: $(VENV)/.extra-test
	$(BIN)/cmake -S . -B build/threads -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	  -DPOLYMARGIN_PYTHON=OFF -DPOLYMARGIN_TESTS=ON -DPOLYMARGIN_SANITIZE=thread -DPOLYMARGIN_TEST_SETS=generic
	$(BIN)/cmake --build build/threads --parallel $(JOBS) --target $(THREADED:%=test_%_generic)
	for program in $(THREADED:%=test_%_generic); do \
	  build/threads/core/tests/$$program $(THREADED_FILES) || exit 1; done

FUZZERS := test_svmlight_fuzz_generic test_table_fuzz_generic
FUZZ_INPUTS ?= 1000000
fuzz: $(VENV)/.extra-test
	$(BIN)/cmake -S . -B build/sanitize -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	  -DPOLYMARGIN_PYTHON=OFF -DPOLYMARGIN_TESTS=ON -DPOLYMARGIN_SANITIZE=address,undefined \
	  "-DPOLYMARGIN_TEST_SETS=$(SETS)"
	$(BIN)/cmake --build build/sanitize --parallel $(JOBS) --target $(FUZZERS)
	for fuzzer in $(FUZZERS); do \
	  POLYMARGIN_FUZZ_INPUTS=$(FUZZ_INPUTS) build/sanitize/core/tests/$$fuzzer || exit 1; done

# Parsers of the core under sanitizers, then everything from Python; ATTACK="--only models --inputs 100000"
attack: $(VENV)/.extra-test
	$(MAKE) fuzz FUZZ_INPUTS=100000
	$(BIN)/python -W ignore tests/attack $(ATTACK)

lint: $(VENV)/.extra-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(CXX_FILES)
	$(BIN)/mypy

format: $(VENV)/.extra-lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CXX_FILES)

# From text and sources only: nothing is compiled, and nothing loaded from elsewhere.
docs: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --group docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# Pages are written from benchmarks/records; BENCH="--quick" tries a contest, BENCH="--render" only writes.
bench: $(VENV)/.extra-bench
	$(BIN)/python -m benchmarks linear $(BENCH)

bench-all: $(VENV)/.extra-bench
	$(BIN)/python -m benchmarks all --resume $(BENCH)

bench-%: $(VENV)/.extra-bench
	$(BIN)/python -m benchmarks $* $(BENCH)

# Two interpreters with a version of polymargin each: make bench-before-after OLD=python NEW=python
bench-before-after: $(VENV)/.extra-bench
	$(BIN)/python -m benchmarks before-after $(OLD) $(NEW) $(BENCH)

clean:
	rm -rf build $(VENV)
