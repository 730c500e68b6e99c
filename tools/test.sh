#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what is missing, builds everything and runs every test; `.ci/run` calls it.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/packages.sh
source tools/cli.sh
source tools/ptxas.sh

usage() {
  cat <<'TEXT'
tools/test.sh: installs what is missing (apt-get), builds into build/release and runs every test.

  --quick      without the builds under sanitizers
  --jobs N     compile N files, then run N tests, at once (default: one per core)
  --target-cpu CPU
               what tests of the whole path plan for: x86-64-v3 (default: so that plans are the same on
               every machine), x86-64-v4, or native; kernels are tested for all that this machine has
  --with-ptxas fetches NVIDIA's assembler of PTX (wheels of PyPI, 46 MB, into build/ptxas), which says
               whether code for GPUs assembles and fits, and the disassembler, which shows it; without
               this, one of CUDA 12.0 or later that is installed is used, or what asks for one is skipped
  -h, --help   this text

Run, in this order: unit tests, text tests of the tools (lit), house rules (tidy) and examples; then
the readers under the address and undefined-behaviour sanitizers, each fuzzed for ten seconds, and the
runtime's concurrency under the thread sanitizer (build/asan, build/tsan). The last line
counts: N passed, N failed.
TEXT
}

quick=0 with_ptxas=0
jobs=$(nproc)
while [ $# -gt 0 ]; do
  case "$1" in
  --quick) quick=1 ;;
  --with-ptxas) with_ptxas=1 ;;
  --jobs)
    jobs=$(value_of "$@")
    shift
    ;;
  --target-cpu)
    export WINDLASS_TEST_TARGET_CPU=$(value_of "$@")
    shift
    ;;
  -h | --help)
    usage
    exit 0
    ;;
  *) wrong_usage "unknown option '$1'" ;;
  esac
  shift
done
positive --jobs "$jobs"

results=build/test-results
rm -rf "$results"
mkdir -p "$results"
failed_builds=0

# build DIRECTORY TARGETS... : what a compiler prints matters only when it fails.
build() {
  local directory=$1 log
  shift
  log=$results/$(basename "$directory")-build.log
  if ! ninja -C "$directory" -j "$jobs" "$@" >>"$log" 2>&1; then
    grep -vE '^\[[0-9]+/[0-9]+\]' "$log" | tail -n 60
    echo "the build of $directory failed; all of its output: $log"
    failed_builds=$((failed_builds + 1))
    return 1
  fi
}

# run_tests DIRECTORY NAME [CTEST OPTIONS]: every case writes its result where tools/count_tests.py finds it.
run_tests() {
  local directory=$1 into=$PWD/$results/$2
  shift 2
  mkdir -p "$into"
  GTEST_OUTPUT="xml:$into/" LIT_OPTS="--xunit-xml-output=$into/lit.xml" \
    ctest --test-dir "$directory" --parallel "$jobs" --output-on-failure --output-junit "$into/ctest.junit" --no-tests=error "$@" || true
  if [ ! -s "$into/ctest.junit" ]; then
    echo "ctest left no results of $directory"
    failed_builds=$((failed_builds + 1))
  fi
}

# tests_of PRESET FOLDER: the names of the tests of a folder of test/.
tests_of() {
  ctest --test-dir "build/$1/test/$2" --show-only | sed -nE 's/^ *Test +#[0-9]+: +//p'
}

# configure_sanitized PRESET: anew, for where the compiler changed, CMake would keep it and drop the sanitizer.
configure_sanitized() {
  cmake --fresh --preset "$1" >"$results/$1-configure.log"
}

# sanitized PRESET WHAT... : builds and runs, in one go, the tests of these folders of test/ and the tests of these names.
sanitized() {
  local preset=$1 what targets=() tests=()
  shift
  for what in "$@"; do
    if [ -d "test/$what" ]; then
      targets+=("test/$what/all")
      tests+=($(tests_of "$preset" "$what"))
    else
      targets+=("$what")
      tests+=("$what")
    fi
  done
  build "build/$preset" "${targets[@]}" || return 0
  run_tests "build/$preset" "$preset" --tests-regex "^($(IFS='|' && echo "${tests[*]}"))\$"
}

export CMAKE_COLOR_DIAGNOSTICS=OFF
install_packages build test
announce_ptxas build/ptxas $with_ptxas
export WINDLASS_KERNEL_CACHE=$PWD/build/kernels # tests of the whole path compile the same kernels again and again
headline "building (from nothing: some ten minutes on two cores)"
cmake --preset release -DWINDLASS_TESTS=ON >"$results/release-configure.log"
if build build/release; then
  headline "unit, text and house tests, examples"
  run_tests build/release release
fi

if [ $quick -eq 0 ]; then
  headline "readers under the address and undefined-behaviour sanitizers, and fuzzed"
  # LLVM's own allocators, compiled without the sanitizer, know nothing of memory that headers poison.
  export ASAN_OPTIONS=allow_user_poisoning=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
  configure_sanitized asan
  sanitized asan runtime/base runtime/plan runtime/tiers runtime/training tools/windlass-dump model fuzz \
    WindlassRunTest TrainingFileTest ImportTest OnnxOperandsTest
  headline "concurrency under the thread sanitizer"
  configure_sanitized tsan
  sanitized tsan runtime/transport runtime/tiers runtime/kernels runtime/executor runtime/backend
fi

headline "result"
python3 tools/count_tests.py "$results" --failed-builds "$failed_builds"
