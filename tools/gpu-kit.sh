#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the folder with which gpu-check.sh verifies a machine with a GPU, on a machine without one.
set -euo pipefail
cd "$(dirname "$0")/.."
source tools/cli.sh

usage() {
  cat <<'TEXT'
tools/gpu-kit.sh: makes a kit in a folder: the tools, plans for a GPU, and what a CPU trains to by plans of the
same numbers, as hashes. Copy it to a machine with a GPU and run gpu-check.sh there.

  --out FOLDER    the kit (default: gpu-kit)
  --bin FOLDER    the tools (default: build/release/bin)
  -h, --help      this text
TEXT
}

out=gpu-kit bin=build/release/bin
while [ $# -gt 0 ]; do
  case "$1" in
  --out)
    out=$(value_of "$@")
    shift
    ;;
  --bin)
    bin=$(value_of "$@")
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

# Only a kit makes way for a kit.
if [ -e "$out" ] && [ ! -f "$out/gpu-check.sh" ]; then
  echo "error: $out: is there and is no kit; nothing was changed (--out)" >&2
  exit 1
fi

steps=20 quick_steps=2 # of a whole check, and with --quick
rm -rf "$out"
mkdir -p "$out"/{bin,lib,plans,golden,jobs}
cp "$bin/windlass-run" "$bin/windlass-dump" "$bin/windlass-probe" "$out/bin"
# What another distribution may lack; the C library is its own.
for tool in windlass-run windlass-probe; do
  ldd "$bin/$tool" | awk '$3 ~ /^\// && $1 !~ /^(libc|libm|libdl|libpthread|librt|ld-linux)/ { print $3 }'
done | sort -u | xargs -I{} cp -L {} "$out/lib"
cp tools/gpu-check.sh tools/gpu-table.sh "$out"
echo "$steps $quick_steps" >"$out/golden/steps"

# Small enough for a device that is interpreted: a rehearsal runs the same kit.
sed -e 's/"n_layer": 4/"n_layer": 2/; s/"n_embd": 256/"n_embd": 48/; s/"n_head": 4/"n_head": 2/; s/"n_positions": 128/"n_positions": 12/' \
  examples/gpt2-bytes/config.json >"$out/jobs/config.json"
sed -e 's/"H": 256/"H": 64/; s/"L": 4/"L": 2/' examples/mlp/model.json >"$out/jobs/mlp.json"
cat >"$out/jobs/machine.json" <<'JSON'
{"format": "windlass.hardware/1", "name": "any GPU", "backend": "cuda", "ranks": 2,
 "device": {"capacity": "1GiB", "flops": {"f32": "10TFLOP/s"}, "bandwidth": "500GB/s", "launch_overhead": "4us"},
 "host": {"capacity": "2GiB", "bandwidth": "50GB/s"},
 "nvme": {"capacity": "2GiB", "read": "2GB/s", "write": "2GB/s"},
 "links": {"cg": {"in": "12GB/s", "out": "12GB/s"}, "gg": {"bandwidth": "100GB/s"}}}
JSON

# compile NAME MODEL PRECISION PRODUCTS DECISIONS: for the GPU, and with the same numbers for the CPU.
compile() {
  local name=$1 model=$2 precision=$3 products=$4 decisions=$5 backend
  cat >"$out/jobs/$name.json" <<JSON
{"format": "windlass.training/1", "micro_batch": 2, "micro_batches": 2, "parallel": {"data": 2}, "sequence": 12,
 "steps": $steps, "precision": {"compute": "$precision"}, "matmul": "$products", $decisions
 "optimizer": {"learning_rate": 1e-3, "weight_decay": 0.1}, "clip": 1.0}
JSON
  for backend in cpu cuda; do
    "$bin/windlass-compile" "$out/jobs/$model" --training "$out/jobs/$name.json" --hardware "$out/jobs/machine.json" \
      --backend $backend --target-cpu x86-64-v3 -q -o "$out/$backend/$name" >/dev/null
  done
  mv "$out/cuda/$name" "$out/plans/$name"
}

# on_cpu NAME STEPS: trains to a step, from where it was.
on_cpu() { "$bin/windlass-run" "$out/cpu/$1" --data synthetic --quiet --steps "$2" --out "$out/cpu/run" --resume auto; }

# by_bits NAME MODEL PRECISION DECISIONS: a plan whose every sum has one order, and the hashes of what the CPU trains to.
by_bits() {
  local name=$1 until
  compile "$name" "$2" "$3" reference "$4"
  for until in $quick_steps $steps; do
    on_cpu "$name" "$until"
    (cd "$out/cpu/run/checkpoints/$(cat "$out/cpu/run/checkpoints/latest")" && sha256sum model.safetensors optimizer.safetensors) \
      >"$out/golden/$name.$until.sha256"
  done
  rm -rf "$out/cpu"
  echo "$name" >>"$out/plans/by-bits"
}

# by_losses NAME MODEL PRECISION TOLERANCE DECISIONS: a plan that multiplies by the library, and the losses that the CPU comes to.
by_losses() {
  local name=$1
  compile "$name" "$2" "$3" library "$5"
  on_cpu "$name" $steps
  sed -E 's/.*"loss":([^,]*),.*/\1/' "$out/cpu/run/metrics.jsonl" >"$out/golden/$name.losses"
  rm -rf "$out/cpu"
  echo "$name $3 $4" >>"$out/plans/by-losses"
}

by_bits gpt2-fp32-zero3-host config.json fp32 '"zero_stage": 3, "placement": {"moments": "host"},'
by_bits mlp-bf16-zero0 mlp.json bf16 '"zero_stage": 0,'
by_bits gpt2-bf16-zero2-disk config.json bf16 '"zero_stage": 2, "placement": {"moments": "nvme"},'
by_bits gpt2-fp16-zero1-recomputed config.json fp16 '"zero_stage": 1, "recompute": "full",'
by_losses gpt2-fp32-library config.json fp32 1e-4 '"zero_stage": 0,'
by_losses gpt2-bf16-library config.json bf16 2e-2 '"zero_stage": 0,'
by_losses gpt2-bf16-library-zero3-host config.json bf16 2e-2 '"zero_stage": 3, "placement": {"moments": "host"},'
rm -rf "$out/cuda"
echo "made $out: copy it to a machine with a GPU and run $(basename "$out")/gpu-check.sh"
