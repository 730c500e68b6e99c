#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Says what a machine with an NVIDIA GPU makes of Windlass: runs the plans of a kit and compares bits.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)

usage() {
  cat <<'TEXT'
gpu-check.sh: runs the plans of a kit on this machine's GPU and compares what they train to with what a CPU
made of them. Needs NVIDIA's driver, cuBLASLt for the plans that multiply by it, and NCCL where there is a GPU for each
of two ranks (CUDA_VISIBLE_DEVICES=0 does without); no compiler, no LLVM.
tools/gpu-kit.sh makes a kit, in which this script lies, too.

  --kit FOLDER    the kit (default: where this script lies)
  --out FOLDER    where runs, report.json and machine.json are left (default: gpu-check.out)
  --quick         few steps of each plan
  --rehearsal     the GPU is simulated: PyTorch computes on the CPU, if it is there
  --minutes N     begin no further check after N minutes (default: 10)
  -h, --help      this text

A line for each check: PASS, FAIL with the command that repeats it, or SKIP with the reason.
Exit code: 0 where nothing failed, 1 where something did, 2 for a wrong command line, 3 without a GPU.
TEXT
}

wrong_usage() {
  printf 'error: %s\n%s\n' "$1" "$(usage)" >&2
  exit 2
}

kit=$here out=gpu-check.out quick=0 minutes=10 pytorch_on=cuda
while [ $# -gt 0 ]; do
  case "$1" in
  --kit | --out | --minutes)
    [ $# -gt 1 ] || wrong_usage "$1 needs a value"
    declare "${1#--}=$2"
    shift
    ;;
  --quick) quick=1 ;;
  --rehearsal) pytorch_on=cpu ;;
  -h | --help)
    usage
    exit 0
    ;;
  *) wrong_usage "unknown option '$1'" ;;
  esac
  shift
done
[[ $minutes =~ ^[1-9][0-9]*$ ]] || wrong_usage "--minutes is a positive number, not '$minutes'"
[ -x "$kit/bin/windlass-run" ] || wrong_usage "$kit is no kit: it lacks bin/windlass-run (--kit)"
mkdir -p "$out" || exit 2
kit=$(cd "$kit" && pwd) out=$(cd "$out" && pwd)

export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$kit/lib
run=$kit/bin/windlass-run
source "$here/gpu-table.sh"
source "$here/gpu-faults.sh"
source "$here/gpu-speed.sh"

# on_gpu PLAN OUT STEPS [FLAGS]: trains on the GPU; what the tool says is in $out/log.
on_gpu() {
  "$run" "$kit/plans/$1" --data synthetic --quiet --resume auto --checkpoint-every 1 --steps "$3" --out "$out/$2" "${@:4}" \
    >"$out/log" 2>&1
}

# same_bits RUN [GOLDEN]: whether its last checkpoint has the hashes that a CPU's has.
same_bits() {
  (cd "$out/$1/checkpoints/$(cat "$out/$1/checkpoints/latest")" && sha256sum --quiet --check "$kit/golden/${2:-$1.$steps}.sha256") \
    >>"$out/log" 2>&1
}

# near_losses PLAN TOLERANCE: whether its losses are those of a CPU but for so much of them.
near_losses() {
  sed -E 's/.*"loss":([^,]*),.*/\1/' "$out/$1/metrics.jsonl" | paste - <(head -n "$steps" "$kit/golden/$1.losses") |
    awk -v tolerance="$2" -v steps="$steps" '
      { d = $1 - $2; if (!(d * d <= (tolerance * $2) ^ 2)) { print "step " NR " has loss " $1 ", on a CPU " $2; bad = 1 } }
      END { if (NR != steps) { print NR " steps in place of " steps; bad = 1 } exit bad }' >>"$out/log"
}

check_machine() {
  local card said
  if command -v nvidia-smi >/dev/null; then
    card=$(nvidia-smi --query-gpu=name,driver_version,memory.total,memory.free --format=csv,noheader 2>&1 | head -n 4)
    note PASS - "0 card and driver" "$card"
  else
    note SKIP - "0 card and driver" "no nvidia-smi on the PATH"
  fi
  said=$("$run" --version 2>&1) || {
    note FAIL - "0 the tools start" "$said"
    exit 1
  }
  note PASS - "0 the tools start" "$said; at most $(ulimit -l) KiB locked"
}

# Every plan is made ready: driver and libraries found, its code compiled by the driver, whose registers are listed, memory reserved.
check_load() {
  local plan said ready=()
  for plan in "$@"; do
    began=$EPOCHREALTIME
    said=$("$run" "$kit/plans/$plan" --dry-run --out "$out/dry" 2>&1)
    case $? in
    0)
      note PASS "$(took)" "1 load $plan" "$(grep -m1 -o '[0-9]* functions\{0,1\} of the plan.*' <<<"$said")"
      ready+=("$plan")
      ;;
    3)
      if [ ${#ready[@]} -eq 0 ]; then
        note FAIL "$(took)" "1 load $plan" "$(grep -m1 ^error: <<<"$said")"
        echo "this machine cannot run plans for a GPU" >&2
        exit 3
      fi
      note SKIP "$(took)" "1 load $plan" "$(grep -m1 ^error: <<<"$said")"
      ;;
    *) note FAIL "$(took)" "1 load $plan" "$said; $run $kit/plans/$plan --dry-run" ;;
    esac
  done
  loaded=" ${ready[*]} "
}
is_loaded() { [[ $loaded == *" $1 "* ]]; }

# Each launch of a step, held against the same on the host: code by bits, products of the library by what rounding allows.
check_kernels() {
  local plan
  for plan in "${by_bits[@]}"; do
    verdict "$plan" "2 kernels of $plan" "the bits of a CPU" " --check-kernels" on_gpu "$plan" "$plan" 1 --check-kernels
  done
  for plan in "${by_losses[@]}"; do
    is_loaded "$plan" && verdict "$plan" "4 products of $plan" "within the rounding of sums in f32, alike when repeated" \
      " --check-kernels" on_gpu "$plan" "$plan" 1 --check-kernels
  done
}

trains_to_bits() { on_gpu "$1" "$1" "$steps" "${@:2}" && same_bits "$1"; }
resumes_to_bits() { on_gpu "$1" "$1" 1 && on_gpu "$1" "$1" "$steps" && same_bits "$1"; }
trains_to_losses() { on_gpu "$1" "$1" "$steps" && near_losses "$1" "$2" && same_in_every_place "$1" "$3"; }

# same_in_every_place PLAN PRECISION: whether plans of one precision have one checkpoint, wherever states rest.
same_in_every_place() {
  local sums
  sums=$(cd "$out/$1/checkpoints/$(cat "$out/$1/checkpoints/latest")" && sha256sum model.safetensors optimizer.safetensors)
  if [ -e "$out/$2.sums" ] && [ "$sums" != "$(cat "$out/$2.sums")" ]; then
    echo "another checkpoint than the plan before, which differs in places alone" >>"$out/log"
    return 1
  fi
  echo "$sums" >"$out/$2.sums"
}

# Whole trainings: those whose every operation has one order by bits, the others by their losses.
check_training() {
  local plan precision tolerance
  verdict "${by_bits[0]}" "3 reference executor, ${by_bits[0]}" "the bits of a CPU" " --executor reference" \
    trains_to_bits "${by_bits[0]}" --executor reference
  check_random_plans
  check_faults "${by_bits[0]}" "${by_bits[1]:-${by_bits[0]}}"
  for plan in "${by_bits[@]}"; do
    verdict "$plan" "6 train $plan" "the bits of a CPU after $steps steps" "" trains_to_bits "$plan"
  done
  verdict "${by_bits[0]}" "7 resume ${by_bits[0]}" "the bits of a run that was not interrupted" "" resumes_to_bits "${by_bits[0]}"
  rm -f "$out"/*.sums
  while read -r plan precision tolerance; do
    is_loaded "$plan" && verdict "$plan" "7 train $plan" "losses of a CPU within $tolerance, the same bits wherever states rest" "" \
      trains_to_losses "$plan" "$tolerance" "$precision"
  done <"$kit/plans/by-losses"
}

# Where the driver shows a GPU for each rank, everything above and below runs over NCCL; and without it on the first GPU.
check_nccl() {
  local plan=${by_bits[1]:-${by_bits[0]}} said
  said=$("$run" "$kit/plans/$plan" --dry-run --out "$out/dry" 2>&1)
  if ! grep -q "over NCCL" <<<"$said"; then
    note SKIP - "5 NCCL" "$(grep -m1 -o 'ranks share .*' <<<"$said")"
    return
  fi
  verdict "$plan" "5 $plan over NCCL" "the bits of a CPU" "" trains_to_bits "$plan"
  verdict "$plan" "5 $plan on one GPU" "the bits of a CPU" "" on_one_gpu trains_to_bits "$plan"
}
on_one_gpu() { CUDA_VISIBLE_DEVICES=0 "$@"; }

trap 'report >"$out/report.json"' EXIT

read -r steps quick_steps <"$kit/golden/steps"
[ $quick -eq 0 ] || steps=$quick_steps
mapfile -t by_bits <"$kit/plans/by-bits"
mapfile -t by_losses < <(cut -d' ' -f1 "$kit/plans/by-losses")
check_machine
check_load "${by_bits[@]}" "${by_losses[@]}"
check_kernels
check_nccl
check_training
check_sanitizer
check_rates
check_speed
summary
