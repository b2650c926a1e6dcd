# The front door. CMake does the work (see CMakePresets.json); this finds or installs what is
# missing and knows the usual requests.
#
#   make demo    make test    make docs    make install PREFIX=$HOME/.local    make help

PREFIX ?= /usr/local
BUILD := build/release
COMMAND := $(BUILD)/cli/spikemine

.DEFAULT_GOAL := build
.NOTPARALLEL:
.PHONY: help build demo test docs bench contest check install deps clean

help:
	@echo 'make            build the command (build/release/cli/spikemine) and the library,'
	@echo '                with GPU code for the GPUs of this machine'
	@echo 'make demo       install what is missing, build, mine the bundled recording, draw a picture'
	@echo 'make test       build and run all tests'
	@echo 'make docs       build and make the documentation site, build/site/html'
	@echo 'make bench      time the engines against each other on recordings of this machine'
	@echo 'make contest    run the methods of others beside ours on recordings with known truth (days; it resumes)'
	@echo 'make check      what CI does beyond the tests: style, sanitizers, analysers, fuzzing'
	@echo 'make install    install into PREFIX (now $(PREFIX)); DESTDIR is respected;'
	@echo '                GPU code for all GPUs that are supported'
	@echo 'make deps       install everything that building, testing and checking need'
	@echo 'make clean      remove build/ and demo/'

# The first build of a folder is quick. GPU code takes most of the time, so code for GPUs that are not here
# is left out, and so are the tests. Later builds keep what was asked for.
ifeq ($(wildcard $(BUILD)/CMakeCache.txt),)
QUICKLY := -DSPIKEMINE_GPU_CODE=here
WITHOUT_TESTS := -DSPIKEMINE_BUILD_TESTS=OFF
# A first look needs no code for GPUs where there is none. Tests and an installation have it.
ifeq ($(shell command -v nvidia-smi),)
demo: QUICKLY += -DSPIKEMINE_CUDA=OFF
endif
endif

build:
	@tools/install-deps.sh build
	@tools/build.sh release $(QUICKLY) $(WITHOUT_TESTS)

demo: build
	@tools/demo.sh $(COMMAND)

# A share of the random cases; SPIKEMINE_TEST_SCALE=1 make test draws all.
test:
	@tools/install-deps.sh build test
	@tools/build.sh release -DSPIKEMINE_CUDA=ON $(QUICKLY) -DSPIKEMINE_BUILD_TESTS=ON
	@SPIKEMINE_TEST_SCALE=$${SPIKEMINE_TEST_SCALE:-0.25} tools/run-tests.sh release

docs: build
	@tools/site.sh

bench: build
	@tools/bench.sh $(COMMAND)

contest: build
	@bench/contest.sh

check:
	@tools/install-deps.sh build test check
	@tools/check.sh

install:
	@tools/install-deps.sh build
	@tools/build.sh release -DSPIKEMINE_CUDA=ON -DSPIKEMINE_GPU_CODE=all $(WITHOUT_TESTS)
	@cmake --install $(BUILD) --prefix '$(PREFIX)'

deps:
	@tools/install-deps.sh build test check

clean:
	rm -rf build demo
