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
  --plans N       how many plans of random decisions (default: 24)
  --rehearsal     the plans whose speed is measured as small as the others, for a device that is interpreted
  -h, --help      this text
TEXT
}

out=gpu-kit bin=build/release/bin plans=24 rehearsal=0
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
  --plans)
    plans=$(value_of "$@")
    [[ $plans =~ ^[1-9][0-9]*$ ]] || wrong_usage "--plans is a positive number, not '$plans'"
    shift
    ;;
  --rehearsal) rehearsal=1 ;;
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
cp tools/gpu-check.sh tools/gpu-faults.sh tools/gpu-speed.sh tools/gpu-table.sh test/bench/gpt2_pytorch.py "$out"
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

# compile NAME MODEL PRECISION PRODUCTS DECISIONS BACKEND...: for each of these, with the same numbers.
compile() {
  local name=$1 model=$2 precision=$3 products=$4 decisions=$5 backend
  cat >"$out/jobs/$name.json" <<JSON
{"format": "windlass.training/1", "micro_batch": 2, "micro_batches": 2, "parallel": {"data": 2}, "sequence": 12,
 "steps": $steps, "precision": {"compute": "$precision"}, "matmul": "$products", $decisions
 "optimizer": {"learning_rate": 1e-3, "weight_decay": 0.1}, "clip": 1.0}
JSON
  for backend in "${@:6}"; do
    "$bin/windlass-compile" "$out/jobs/$model" --training "$out/jobs/$name.json" --hardware "$out/jobs/machine.json" \
      --backend "$backend" --target-cpu x86-64-v3 -q -o "$out/$backend/$name" >/dev/null
  done
  mv "$out/cuda/$name" "$out/plans/$name"
}

# on_cpu NAME STEPS: trains to a step, from where it was.
on_cpu() { "$bin/windlass-run" "$out/cpu/$1" --data synthetic --quiet --steps "$2" --out "$out/cpu/run" --resume auto; }

# hashes FILE: of what the CPU came to.
hashes() {
  (cd "$out/cpu/run/checkpoints/$(cat "$out/cpu/run/checkpoints/latest")" && sha256sum model.safetensors optimizer.safetensors) \
    >"$out/golden/$1.sha256"
}

# by_bits NAME MODEL PRECISION DECISIONS: a plan whose every sum has one order, and the hashes of what the CPU trains to.
by_bits() {
  local name=$1 until
  compile "$name" "$2" "$3" reference "$4" cpu cuda
  for until in $quick_steps $steps; do
    on_cpu "$name" "$until"
    hashes "$name.$until"
  done
  rm -rf "$out/cpu"
  echo "$name" >>"$out/plans/by-bits"
}

# by_losses NAME MODEL PRECISION TOLERANCE DECISIONS: a plan that multiplies by the library, and the losses that the CPU comes to.
by_losses() {
  local name=$1
  compile "$name" "$2" "$3" library "$5" cpu cuda
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

# one_of WORD...: one of them.
one_of() { local words=("$@"); echo "${words[$((RANDOM % $#))]}"; }

# random_decisions: how a plan is cut, placed and ordered, none of which changes a number.
random_decisions() {
  local zero=$((RANDOM % 4)) param=device
  [ $zero -lt 3 ] || param=$(one_of device host nvme)
  echo "\"zero_stage\": $zero, \"bucket\": \"$(one_of 4KiB 64KiB 1MiB)\", \"overlap\": $(one_of true true false)," \
    "\"recompute\": \"$(one_of none full)\", \"micro_batch_order\": \"$(one_of horizontal vertical)\"," \
    "\"placement\": {\"param\": \"$param\", \"grad\": \"$(one_of device host)\", \"moments\": \"$(one_of device host nvme)\"}," \
    "\"prefetch\": {\"nc\": $((1 + RANDOM % 4)), \"cg\": $((1 + RANDOM % 4)), \"gg\": $((1 + RANDOM % 4))},"
}

# All of them train to what the first one of the CPU does.
RANDOM=1
compile random-1 mlp.json fp32 reference "$(random_decisions)" cpu cuda
on_cpu random-1 $quick_steps
hashes "random.$quick_steps"
for ((plan = 2; plan <= plans; ++plan)); do
  compile "random-$plan" mlp.json fp32 reference "$(random_decisions)" cuda
done

# Of 20 G parameters, all on the device.
sed -e 's/"H": 256/"H": 100000/; s/"L": 4/"L": 2/' examples/mlp/model.json >"$out/jobs/wide.json"
sed -i -e 's/"1GiB"/"4TiB"/' "$out/jobs/machine.json"
compile too-large wide.json fp32 library '"zero_stage": 0,' cuda
sed -i -e 's/"4TiB"/"1GiB"/' "$out/jobs/machine.json"

# fast NAME CAPACITY: GPT-2 124M, or in a rehearsal the small one, on a device of so much memory.
fast() {
  local model=test/bench/gpt2-124m/config.json sequence=1024 micro_batch=8 host=24GiB capacity=$2
  if [ $rehearsal -eq 1 ]; then
    model=$out/jobs/config.json sequence=12 micro_batch=2 host=1GiB
    [ "$capacity" = 22GiB ] || capacity=33MiB
  fi
  mkdir -p "$out/jobs/$1"
  cp "$model" "$out/jobs/$1/config.json"
  cat >"$out/jobs/$1/training.json" <<JSON
{"format": "windlass.training/1", "global_batch": $micro_batch, "micro_batch": $micro_batch, "parallel": {"data": 1}, "sequence": $sequence,
 "steps": 30, "precision": {"compute": "bf16"}, "optimizer": {"learning_rate": 1e-4, "weight_decay": 0.1}}
JSON
  sed -e "s/\"ranks\": 2/\"ranks\": 1/; s/\"1GiB\"/\"$capacity\"/; s/\"host\": {\"capacity\": \"2GiB\"/\"host\": {\"capacity\": \"$host\"/" \
    "$out/jobs/machine.json" >"$out/jobs/$1/machine.json"
  "$bin/windlass-compile" "$out/jobs/$1/config.json" --training "$out/jobs/$1/training.json" --hardware "$out/jobs/$1/machine.json" \
    --target-cpu x86-64-v3 -q -o "$out/plans/$1" >/dev/null
}
fast gpt2-124m 22GiB
fast gpt2-124m-capped 2GiB
rm -rf "$out/cpu" "$out/cuda"
echo "made $out: copy it to a machine with a GPU and run $(basename "$out")/gpu-check.sh"
