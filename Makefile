# The short way to everything; CMake does the work (CMakeLists.txt, CMakePresets.json).
#
#   make             build in build/
#   make demo        install what is missing (Debian, Ubuntu), build, run the first case, say where its pictures are
#   make check       the same, then the tests that take minutes
#   make check-long  the same, then the long tests: whole sweeps, all devices, kernels with optimisation
#   make costs       seconds of the tests that check and check-long ran last, for tests/costs.txt
#   make install     to PREFIX (default /usr/local); DESTDIR is honoured
#   make sanitize    all tests under address and undefined-behaviour sanitizers; PRESET=thread for the thread sanitizer
#   make threads     the loops of the host under the thread sanitizer, on several threads; needs clang and libomp
#   make fuzz        each fuzz target for FUZZ_SECONDS (default 60); needs clang
#   make clean       remove the build folder; results stay
#
# BUILD=folder builds elsewhere, JOBS=n sets how many compilers and tests run at once, DEPS=no leaves packages alone,
# PART=k/n runs every n-th of the tests of check or check-long, from the k-th.

BUILD ?= build
RESULTS ?= results
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
PRESET ?= sanitize
FUZZ_SECONDS ?= 60
DEPS ?= yes
PART ?= 1/1

# Options of this make are not for the one that CMake starts.
unexport MAKEFLAGS MFLAGS

# $(call step,title,commands): runs the commands, says how long they took, passes their status on.
define step
@printf '== %s\n' '$(1)'; start=$$(date +%s); \
( set -e; $(2) ); status=$$?; seconds=$$(($$(date +%s) - start)); \
if [ $$status -eq 0 ]; then printf '== %s: done in %d s\n' '$(1)' $$seconds; \
else printf '== %s: FAILED with status %d after %d s\n' '$(1)' $$status $$seconds >&2; exit $$status; fi
endef

packages = $(if $(filter no,$(DEPS)),true,packaging/install-deps.sh $(1))
# One message for each target, because the message of a file is a process: a tenth of the build. A failed configuration
# is most often a missing package, so name those.
configure = cmake --log-level=NOTICE -DCMAKE_RULE_MESSAGES=OFF $(1) || \
    { packaging/install-deps.sh -n build >&2 || true; exit 1; }

compile = env -u MAKELEVEL cmake --build $(1) --parallel $(JOBS)

.DEFAULT_GOAL := all
.PHONY: all demo check check-long costs install sanitize threads fuzz clean

all:
	$(call step,build,$(call configure,-S . -B '$(BUILD)'); $(call compile,'$(BUILD)'))

demo:
	$(call step,packages,$(call packages,build))
	$(call step,build,$(call configure,-S . -B '$(BUILD)'); \
	    $(call compile,'$(BUILD)') --target rechenwerk-command)
	$(call step,run,'$(BUILD)/rechenwerk' run cases/reaction-front.yaml -d cpu -o '$(RESULTS)/demo' --force)
	@printf '\nPictures:\n'; find "$$(cd '$(RESULTS)/demo' && pwd)" -name '*.png' | sort | sed 's/^/    /'

# $(call tests,log,options of ctest): runs tests and prints the slowest ones.
define tests
status=0; ctest --test-dir '$(BUILD)' --parallel $(JOBS) --no-tests=error --output-on-failure $(2) \
    -I '$(firstword $(subst /, ,$(PART))),,$(lastword $(subst /, ,$(PART)))' \
    --output-log '$(BUILD)/$(1).log' --output-junit '$(1).xml' || status=$$?; \
tests/times.sh slowest '$(BUILD)/$(1).xml'; exit $$status
endef

check check-long:
	$(call step,packages,$(call packages,check))
	$(call step,build,$(call configure,-S . -B '$(BUILD)' -DRECHENWERK_TESTS=ON); \
	    $(call compile,'$(BUILD)'))
	$(call step,tests,$(call tests,$@,$(if $(filter check-long,$@),-L,-LE) '^long$$'))

costs:
	tests/times.sh costs $(foreach name,check check-long,$(wildcard $(BUILD)/$(name).xml)) > '$(BUILD)/costs.txt'
	cp '$(BUILD)/costs.txt' tests/costs.txt

install: all
	$(call step,install,cmake --install '$(BUILD)' --prefix '$(PREFIX)'; \
	    if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig 2>/dev/null || true; fi)

sanitize:
	$(call step,packages,$(call packages,check))
	$(call step,build with sanitizers,$(call configure,--preset $(PRESET) -B '$(BUILD)/$(PRESET)'); \
	    $(call compile,'$(BUILD)/$(PRESET)'))
	$(call step,tests with sanitizers,ctest --test-dir '$(BUILD)/$(PRESET)' --parallel $(JOBS) --no-tests=error \
	    --output-on-failure -LE '^short$$')

threads:
	$(call step,packages,$(call packages,fuzz))
	$(call step,host loops under the thread sanitizer,JOBS=$(JOBS) packaging/thread-loops.sh '$(BUILD)/thread-omp' || \
	    [ $$? -eq 77 ])

# Finds are kept in BUILD/fuzz/corpus from one run to the next; inputs that failed are left in BUILD/fuzz.
fuzz:
	$(call step,packages,$(call packages,fuzz))
	$(call step,build fuzz targets,$(call configure,-S . -B '$(BUILD)/fuzz' -DRECHENWERK_FUZZ=ON \
	    -DCMAKE_C_COMPILER=clang); $(call compile,'$(BUILD)/fuzz'))
	$(call step,fuzz,packaging/fuzz.sh '$(BUILD)/fuzz' $(FUZZ_SECONDS))

clean:
	@if [ -e '$(BUILD)/CMakeCache.txt' ] || [ -d '$(BUILD)/sanitize' ] || [ -d '$(BUILD)/fuzz' ]; then \
	    rm -rf -- '$(BUILD)'; fi
