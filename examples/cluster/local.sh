#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Trains examples/gpt2-bytes in one process and in four, here, and shows that both leave the same model.
#   examples/cluster/local.sh [OUT]          windlass-compile and windlass-run must be in PATH
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-out/cluster}
example=$here/../gpt2-bytes
mkdir -p "$out"

windlass-compile "$example" --training "$example/training.json" --hardware "$example/machine.json" \
    -o "$out/gpt2.plan" --quiet
for processes in 1 4; do
  windlass-run "$out/gpt2.plan" --data /usr/share/common-licenses --steps 5 --resume off \
      --ranks $processes --out "$out/$processes"
done
cmp "$out"/{1,4}/checkpoints/step-00000005/model.safetensors
echo "one process and four left the same model, to the last byte"
