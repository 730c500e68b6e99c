#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Times a training step against PyTorch's on the same cores, and against the roofline.
#
#   test/bench/speed_vs_pytorch.sh [BUILD_FOLDER]      PYTHON=/path/to/venv/bin/python  ROUNDS=5  THREADS=2
#
# test/bench/gpt2-small (GPT-2 of 4 layers, hidden 256, sequence 256, batch 8, vocabulary 8192; fp32, AdamW;
# one rank, every state in the device arena) alternates with PyTorch, one process each a round, PyTorch with
# the two settings that make it 2.3 times faster: no spinning beside its own threads, and a heap that keeps
# its pages. Prints medians and ranges over the rounds' medians; asserts nothing.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
bin=${1:-$root/build/release}/bin
python=${PYTHON:-python3}
rounds=${ROUNDS:-5}
threads=${THREADS:-2}
model=$here/gpt2-small
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -c 'import torch' || { echo "PYTHON must name a python with torch" >&2; exit 1; }
"$bin/windlass-probe" --quick --onto "$model/machine.json" -o "$work/machine.json" > /dev/null
"$bin/windlass-compile" "$model" --training "$model/training.json" --hardware "$work/machine.json" \
  -o "$work/plan" > "$work/compile.log"

for round in $(seq "$rounds"); do
  MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=-1 MALLOC_TOP_PAD_=67108864 OMP_WAIT_POLICY=PASSIVE \
    "$python" "$here/gpt2_pytorch.py" "$model" --threads "$threads" > "$work/torch.$round"
  "$bin/windlass-run" "$work/plan" --data synthetic --steps 8 --resume off --quiet --out "$work/out" \
    --checkpoint-every 0 --metrics "$work/metrics.$round" 2> /dev/null
done
"$python" "$here/speed_report.py" "$work" "$model"
