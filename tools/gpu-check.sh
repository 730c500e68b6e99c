#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Says what a machine with an NVIDIA GPU makes of Windlass: runs the plans of a kit and compares bits.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)

usage() {
  cat <<'TEXT'
gpu-check.sh: runs the plans of a kit on this machine's GPU and compares what they train to with what a CPU
made of them. Needs NVIDIA's driver; no compiler, no LLVM, no CUDA toolkit. tools/gpu-kit.sh makes a kit,
in which this script lies, too.

  --kit FOLDER    the kit (default: where this script lies)
  --out FOLDER    where runs and report.json are left (default: gpu-check.out)
  --quick         one plan of each kind
  --minutes N     begin no further plan after N minutes (default: 10)
  -h, --help      this text

A line for each check: PASS, FAIL with the command that repeats it, or SKIP with the reason.
Exit code: 0 where nothing failed, 1 where something did, 2 for a wrong command line, 3 without a GPU.
TEXT
}

wrong_usage() {
  echo "error: $1" >&2
  usage >&2
  exit 2
}

kit=$here out=gpu-check.out quick=0 minutes=10
while [ $# -gt 0 ]; do
  case "$1" in
  --kit | --out | --minutes)
    [ $# -gt 1 ] || wrong_usage "$1 needs a value"
    declare "${1#--}=$2"
    shift
    ;;
  --quick) quick=1 ;;
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

export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$kit/lib
run=$kit/bin/windlass-run
mkdir -p "$out" || exit 2
failed=0 checks=()

# note VERDICT SECONDS WHAT [DETAIL]: a line of the table, and an entry of the report.
note() {
  printf '%-4s %7s  %s%s\n' "$1" "$2" "$3" "${4:+: $4}"
  [ "$1" != FAIL ] || failed=$((failed + 1))
  checks+=("$(printf '{"verdict":"%s","seconds":"%s","check":"%s","detail":"%s"}' "$1" "$2" "$3" "$(escaped "${4:-}")")")
}

escaped() { printf '%s' "$1" | tr '\n\t' '  ' | sed 's/[\\"]/\\&/g'; }

# took: seconds since $began, with one digit.
began=$EPOCHREALTIME
took() { awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f s", b - a }'; }

# expired: whether the minutes are over.
expired() { [ $SECONDS -ge $((minutes * 60)) ]; }

# on_gpu PLAN OUT STEPS: trains on the GPU; what the tool says is in $out/log.
on_gpu() {
  "$run" "$kit/plans/$1" --data synthetic --quiet --resume auto --checkpoint-every 1 --steps "$3" --out "$out/$2" \
    >"$out/log" 2>&1
}
command_of() { echo "$run $kit/plans/$1 --data synthetic --steps $(steps_of "$1")"; }

steps_of() { cat "$kit/golden/$1.steps"; }

# same_bits PLAN RUN: whether the last checkpoint has the hashes that a CPU's has.
same_bits() {
  (cd "$out/$2/checkpoints/$(cat "$out/$2/checkpoints/latest")" && sha256sum --quiet --check "$kit/golden/$1.sha256") \
    >>"$out/log" 2>&1
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
  note PASS - "0 the tools start" "$said"
}

# Every plan is made ready: driver and libraries found, its code compiled by the driver, memory reserved.
check_load() {
  local plan said
  for plan in "${plans[@]}"; do
    began=$EPOCHREALTIME
    said=$("$run" "$kit/plans/$plan" --dry-run --out "$out/dry" 2>&1)
    case $? in
    0) note PASS "$(took)" "1 load $plan" ;;
    3)
      note FAIL "$(took)" "1 load $plan" "$(grep -m1 ^error: <<<"$said")"
      echo "this machine cannot run plans for a GPU" >&2
      exit 3
      ;;
    *) note FAIL "$(took)" "1 load $plan" "$said; $run $kit/plans/$plan --dry-run" ;;
    esac
  done
}

# Whole trainings, whose every operation has one order: the bits of the CPU, at once and resumed.
check_bits() {
  local plan
  for plan in "${plans[@]}"; do
    expired && { note SKIP - "6 train $plan" "$minutes minutes are over" && continue; }
    began=$EPOCHREALTIME
    rm -rf "${out:?}/$plan"
    if on_gpu "$plan" "$plan" "$(steps_of "$plan")" && same_bits "$plan" "$plan"; then
      note PASS "$(took)" "6 train $plan" "the bits of a CPU after $(steps_of "$plan") steps"
    else
      note FAIL "$(took)" "6 train $plan" "$(tail -n 3 "$out/log"); $(command_of "$plan")"
    fi
  done
}

check_resume() {
  local plan=${plans[0]}
  expired && { note SKIP - "7 resume $plan" "$minutes minutes are over" && return; }
  began=$EPOCHREALTIME
  rm -rf "${out:?}/resumed"
  if on_gpu "$plan" resumed 1 && on_gpu "$plan" resumed "$(steps_of "$plan")" && same_bits "$plan" resumed; then
    note PASS "$(took)" "7 resume $plan" "the bits of a run that was not interrupted"
  else
    note FAIL "$(took)" "7 resume $plan" "$(tail -n 3 "$out/log"); $(command_of "$plan")"
  fi
}

check_sanitizer() {
  local tool plan=${plans[0]}
  if ! command -v compute-sanitizer >/dev/null; then
    note SKIP - "8 compute-sanitizer" "not on the PATH; it comes with the CUDA toolkit"
    return
  fi
  for tool in memcheck racecheck initcheck synccheck; do
    began=$EPOCHREALTIME
    rm -rf "${out:?}/sanitized"
    if compute-sanitizer --tool $tool --error-exitcode 9 "$run" "$kit/plans/$plan" --data synthetic --steps 1 \
      --out "$out/sanitized" >"$out/log" 2>&1; then
      note PASS "$(took)" "8 compute-sanitizer $tool"
    else
      note FAIL "$(took)" "8 compute-sanitizer $tool" "$(grep -m1 ERROR "$out/log"); $(command_of "$plan")"
    fi
  done
}

report() {
  printf '{"made_by":"%s","machine":"%s","seed":"those of the plans","checks":[\n' \
    "$(escaped "$("$run" --version)")" "$(escaped "$(uname -srm)")"
  local i
  for i in "${!checks[@]}"; do
    printf '%s%s\n' "${checks[$i]}" "$([ "$i" -lt $((${#checks[@]} - 1)) ] && echo ,)"
  done
  printf ']}\n'
}
trap 'report >"$out/report.json"' EXIT

mapfile -t plans < <(if [ $quick -eq 1 ]; then head -n 2 "$kit/plans/list"; else cat "$kit/plans/list"; fi)
check_machine
check_load
check_bits
check_resume
check_sanitizer
note SKIP - "9 rates" "windlass-probe measures no GPU yet"
echo
echo "$(grep -c PASS <(printf '%s\n' "${checks[@]}")) passed, $failed failed; $out/report.json"
[ $failed -eq 0 ]
