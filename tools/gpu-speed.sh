# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How fast gpu-check.sh finds a machine, and GPT-2 124M trained there, beside PyTorch where that is installed; sourced by it, which
# has $out, $kit, $run, $minutes, $quick and $pytorch_on.

# What windlass-compile plans for this machine with.
check_rates() {
  local flags=()
  [ "$quick" -eq 0 ] || flags=(--quick)
  began=$EPOCHREALTIME
  if "$kit/bin/windlass-probe" "${flags[@]}" --onto "$kit/jobs/machine.json" --nvme-folder "$out" -o "$out/machine.json" \
    >"$out/log" 2>&1; then
    note PASS "$(took)" "9 rates" "$out/machine.json"
    sed 's/^/                 /' "$out/log"
  else
    note FAIL "$(took)" "9 rates" "$(tail -n 1 "$out/log"); $kit/bin/windlass-probe --onto $kit/jobs/machine.json"
  fi
}

# median: of the numbers of standard input.
median() { sort -g | awk '{ v[NR] = $1 } END { if (NR) printf "%.0f", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# tokens_per_second PLAN STEPS: the median, without the first two steps.
tokens_per_second() {
  rm -rf "${out:?}/$1"
  "$run" "$kit/plans/$1" --data synthetic --quiet --steps "$2" --out "$out/$1" >"$out/log" 2>&1 || return 1
  tail -n +3 "$out/$1/metrics.jsonl" | sed -nE 's/.*"tokens_per_s":([^,}]*).*/\1/p' | median
  rm -rf "${out:?}/$1/checkpoints"
}

# check_speed: with all states on the device, with memory for a part of them, and in PyTorch.
check_speed() {
  local plan found reason count=$((quick ? 4 : 30))
  for plan in gpt2-124m gpt2-124m-capped; do
    if [ $SECONDS -ge $((minutes * 60)) ]; then
      note SKIP - "10 $plan" "$minutes minutes are over"
      continue
    fi
    began=$EPOCHREALTIME
    found=$(tokens_per_second "$plan" $count)
    case $?/$found in
    0/[0-9]*) note PASS "$(took)" "10 $plan" "$found tokens/s" ;;
    *) note FAIL "$(took)" "10 $plan" "$(tail -n 1 "$out/log"); $run $kit/plans/$plan --data synthetic --steps $count" ;;
    esac
  done
  if ! reason=$(python3 -c "import torch; assert '$pytorch_on' == 'cpu' or torch.cuda.is_available(), 'PyTorch sees no GPU'" 2>&1); then
    note SKIP - "10 the same in PyTorch" "$(tail -n 1 <<<"$reason")"
    return
  fi
  began=$EPOCHREALTIME
  if found=$(python3 "$kit/gpt2_pytorch.py" "$kit/jobs/gpt2-124m" --device "$pytorch_on" --steps $count 2>"$out/log" | median_rate); then
    note PASS "$(took)" "10 the same in PyTorch" "$found tokens/s"
  else
    note FAIL "$(took)" "10 the same in PyTorch" "$(tail -n 1 "$out/log"); python3 $kit/gpt2_pytorch.py $kit/jobs/gpt2-124m --device $pytorch_on"
  fi
}

# median_rate: tokens per second of seconds per step.
median_rate() {
  local tokens
  tokens=$(sed -nE 's/.*"global_batch": ([0-9]+).*"sequence": ([0-9]+).*/\1 \2/p' "$kit/jobs/gpt2-124m/training.json")
  awk -v tokens="$tokens" '{ split(tokens, t, " "); print t[1] * t[2] / $1 }' | median | grep .
}
