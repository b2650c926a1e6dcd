# The front door. CMake does the work (see CMakePresets.json); this finds or installs what is
# missing and knows the usual requests.
#
#   make demo    make test    make install PREFIX=$HOME/.local    make help

PREFIX ?= /usr/local
BUILD := build/release
COMMAND := $(BUILD)/cli/spikemine

.DEFAULT_GOAL := build
.NOTPARALLEL:
.PHONY: help build demo test bench check install deps clean

help:
	@echo 'make            build the command (build/release/cli/spikemine) and the library'
	@echo 'make demo       install what is missing, build, mine the bundled recording, draw a picture'
	@echo 'make test       build and run all tests'
	@echo 'make bench      time the engines against each other on recordings of this machine'
	@echo 'make check      what CI does beyond the tests: style, sanitizers, analysers, fuzzing'
	@echo 'make install    install into PREFIX (now $(PREFIX)); DESTDIR is respected'
	@echo 'make deps       install everything that building, testing and checking need'
	@echo 'make clean      remove build/ and demo/'

build:
	@tools/install-deps.sh build
	@tools/build.sh release $(if $(wildcard $(BUILD)/CMakeCache.txt),,-DSPIKEMINE_BUILD_TESTS=OFF)

demo: build
	@tools/demo.sh $(COMMAND)

test:
	@tools/install-deps.sh build test
	@tools/build.sh release -DSPIKEMINE_BUILD_TESTS=ON
	@tools/run-tests.sh release

bench: build
	@tools/bench.sh $(COMMAND)

check:
	@tools/install-deps.sh build test check
	@tools/check.sh

install: build
	@cmake --install $(BUILD) --prefix '$(PREFIX)'

deps:
	@tools/install-deps.sh build test check

clean:
	rm -rf build demo
