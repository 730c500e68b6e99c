# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What gpu-check.sh does to runs on purpose, and how they must end: decisions drawn at random, code that is wrong, a kill, NVIDIA's sanitizer;
# sourced by it, which has $out, $kit, $run, $steps, $quick_steps, $minutes and how a run is made.

# Plans that differ in decisions alone: streams, copies and waits in other orders, and the numbers of one run of a CPU.
check_random_plans() {
  local plan count=0
  began=$EPOCHREALTIME
  for plan in "$kit"/plans/random-*; do
    plan=$(basename "$plan")
    [ $SECONDS -lt $((minutes * 60)) ] || break
    rm -rf "${out:?}/$plan"
    if on_gpu "$plan" "$plan" "$quick_steps" && same_bits "$plan" "random.$quick_steps"; then
      count=$((count + 1))
      rm -rf "${out:?}/$plan"
    else
      note FAIL "$(took)" "3 $plan" "$(tail -n 3 "$out/log"); $run $kit/plans/$plan --data synthetic --steps $quick_steps"
      return
    fi
  done
  note PASS "$(took)" "3 $count plans of random decisions" "the bits of a CPU"
}

# edited PLAN HOW: a copy of a plan, in $out/edited, whose code for the device is wrong in the first kernel that suits:
#   refused    holds an instruction that there is not
#   otherwise  subtracts in the place of an addition
#   outside    reads 2 GiB behind an operand
#   endless    never comes to its end
edited() {
  local copy=$out/edited hash
  rm -rf "$copy"
  cp -r "$kit/plans/$1" "$copy"
  awk -v how="$2" '
    /\.entry / { ours = $0 !~ /windlass_/ }
    ours && !done && how == "refused" && /ret;/ { print "\tno.such.instruction;"; done = 1 }
    ours && !done && how == "endless" && /ret;/ { print "$L__endless:\n\tbra.uni $L__endless;"; done = 1 }
    ours && !done && how == "otherwise" { done = sub(/add\.rn\.f32/, "sub.rn.f32") }
    ours && !done && how == "outside" && /ld\.global/ { done = sub(/\[%rd[0-9]+/, "&+2147483392"); sub(/392\+[0-9]+\]/, "392]") }
    { print }' "$kit/plans/$1/kernels.ptx" >"$copy/kernels.ptx"
  hash=$("$kit/bin/windlass-dump" "$copy" --check 2>&1 | sed -nE "s/.*kernels.ptx': hash is ([0-9a-f]+), the plan asks for ([0-9a-f]+).*/s\/\2\/\1\//p")
  [ -n "$hash" ] && sed -i "$hash" "$copy/plan.json" && "$kit/bin/windlass-dump" "$copy" --rehash >>"$out/log" 2>&1
}

# ends CODE TEXT FLAGS...: whether a run of the edited plan ends so, within a minute, in one line that holds the text.
ends() {
  timeout 60 "$run" "$out/edited" --data synthetic --quiet --steps 1 --out "$out/fault" "${@:3}" >"$out/log" 2>&1
  [ $? -eq "$1" ] && grep -Eq "^error: .*$2" "$out/log"
}

# A kernel that never ends is left to a device that others may use: --device-timeout ends the run.
fails_by_code() { edited "$1" "$2" && ends "${@:3}"; }
is_too_large() {
  "$run" "$kit/plans/too-large" --dry-run --out "$out/fault" >"$out/log" 2>&1
  [ $? -eq 3 ] && grep -q '^error: rank 0: device: an arena of .* is not granted' "$out/log"
}

# Killed behind a checkpoint, a run goes on from there.
survives_a_kill() {
  local pid waited=0 step
  "$run" "$kit/plans/$1" --data synthetic --quiet --checkpoint-every 1 --steps 1000000 --out "$out/$1" >"$out/log" 2>&1 &
  pid=$!
  while [ ! -e "$out/$1/checkpoints/latest" ] && kill -0 $pid 2>/dev/null && [ $((++waited)) -lt 1200 ]; do sleep 0.05; done
  kill -KILL $pid
  wait $pid 2>/dev/null
  [ $? -eq 137 ] && "$run" --verify "$out/$1" >>"$out/log" 2>&1 || return 1
  step=$((10#$(sed 's/step-//' "$out/$1/checkpoints/latest") + 1))
  on_gpu "$1" "$1" $step && [ "$(cat "$out/$1/checkpoints/latest")" = "$(printf 'step-%08d' $step)" ]
}

# check_faults PLAN SMALL: what can be provoked without a simulation.
check_faults() {
  local said
  verdict "$1" "3 a plan too large for the device" "exit code 3, which says how much is free" "" is_too_large
  said="exit code 3, with the compiler's words"
  verdict "$2" "3 code that the driver refuses" "$said" "" fails_by_code "$2" refused 3 "cannot be compiled by the driver"
  said="exit code 4, with its name"
  verdict "$2" "3 a kernel with other bits" "$said" "" fails_by_code "$2" otherwise 4 "kernel '.* on the device" --check-kernels
  said="exit code 4, with an instruction"
  verdict "$2" "3 a kernel that reads elsewhere" "$said" "" fails_by_code "$2" outside 4 "rank [0-9]*, .*CUDA_ERROR_(ILLEGAL_ADDRESS|INVALID_ADDRESS_SPACE)"
  verdict "$2" "3 a kernel that never ends" "$said" "" fails_by_code "$2" endless 4 "rank [0-9]*, .*--device-timeout" --device-timeout 3
  verdict "$2" "3 the same under --check-kernels" "$said" "" fails_by_code "$2" endless 4 "rank [0-9]*, .*--device-timeout" \
    --device-timeout 3 --check-kernels
  verdict "$1" "3 a run that is killed" "its checkpoint is whole, and it goes on from there" "" survives_a_kill "$1"
}

# What NVIDIA's own tool finds.
check_sanitizer() {
  local tool plan=${by_bits[0]}
  if ! command -v compute-sanitizer >/dev/null; then
    note SKIP - "8 compute-sanitizer" "not on the PATH; it comes with the CUDA toolkit"
    return
  fi
  for tool in memcheck racecheck initcheck synccheck; do
    verdict "$plan" "8 compute-sanitizer $tool" "" "" sanitized "$tool" "$plan"
  done
}
sanitized() {
  compute-sanitizer --tool "$1" --error-exitcode 9 "$run" "$kit/plans/$2" --data synthetic --steps 1 --out "$out/$2" >"$out/log" 2>&1
}
