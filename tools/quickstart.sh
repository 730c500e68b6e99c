#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles and trains examples/gpt2-bytes on this machine, with nothing else to fetch or type.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/packages.sh
source tools/cli.sh

usage() {
  cat <<'TEXT'
tools/quickstart.sh: installs what is missing (apt-get, Debian 12), builds the tools into build/release,
measures this machine, plans the training of a small GPT-2 (examples/gpt2-bytes: 3.3 million parameters,
four ranks in one process, less memory than the model needs), and trains it.

  --steps N    how many steps to train (default: 600, some three minutes on two cores)
  --data WHAT  text file or folder to learn, bytes as tokens (default: the licences of Debian,
               /usr/share/common-licenses)
  --out DIR    where everything is left (default: out/quickstart); an earlier run there goes on
               where it stopped
  -h, --help   this text

Left in DIR: machine.json (this machine, as measured), gpt2.plan/ (the plan), metrics.jsonl (a line per
step), checkpoints/ (load in transformers), step.json (timeline of the last step, for ui.perfetto.dev).
Ctrl-C ends the step, writes a checkpoint and leaves; the same command goes on from there.
TEXT
}

example=examples/gpt2-bytes
out=out/quickstart
data=/usr/share/common-licenses
steps=600
while [ $# -gt 0 ]; do
  case "$1" in
  --steps)
    steps=$(value_of "$@")
    shift
    ;;
  --data)
    data=$(value_of "$@")
    shift
    ;;
  --out)
    out=$(value_of "$@")
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
positive --steps "$steps"
[ -e "$data" ] || {
  echo "error: $data: no such file or folder (--data)" >&2
  exit 1
}

install_packages build

# A build folder that tools/test.sh made keeps its tests; a fresh one needs none.
if [ ! -e build/release/CMakeCache.txt ]; then
  cmake --preset release -DWINDLASS_TESTS=OFF >/dev/null
fi
headline "building into build/release (the first time: some eight minutes on two cores)"
ninja -C build/release windlass-probe windlass-compile windlass-run windlass-dump windlass-sim
PATH=$PWD/build/release/bin:$PATH
mkdir -p "$out"

headline "this machine, measured"
windlass-probe --quick --onto $example/machine.json --nvme-folder "$out" -o "$out/machine.json"

headline "the plan"
windlass-compile $example --training $example/training.json --hardware "$out/machine.json" -o "$out/gpt2.plan"

headline "training"
windlass-run "$out/gpt2.plan" --data "$data" --steps "$steps" --out "$out" --trace "$out/step.json"

headline "a sample: what the model writes after 'The'"
windlass-run "$out/gpt2.plan" --sample "The" --sample-tokens 300 --quiet --out "$out"

headline "next"
cat <<TEXT
  PATH=\$PWD/build/release/bin:\$PATH
  windlass-dump $out/gpt2.plan --memory       what lies where, and who shares bytes
  windlass-dump $out/gpt2.plan --schedule     what runs beside what
  windlass-run $out/gpt2.plan --sample "This program" --out $out
  tools/quickstart.sh --data YOUR.txt --out out/mine       train on a text of your own
  less memory: lower a capacity in $example/machine.json, run this again and see what moved
  $out/step.json in https://ui.perfetto.dev shows the last step as a timeline
TEXT
