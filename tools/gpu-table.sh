# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The table of gpu-check.sh, a line for each check as it ends, and the report of all; sourced by it, which has $out, $kit,
# $run, $minutes and $steps.

failed=0 checks=()

# note VERDICT SECONDS WHAT [DETAIL]: a line of the table, and an entry of the report. What a check that fails printed is kept.
note() {
  printf '%-4s %7s  %s%s\n' "$1" "$2" "$3" "${4:+: $4}"
  if [ "$1" = FAIL ]; then
    failed=$((failed + 1))
    cp "$out/log" "$out/failed-$failed.log" 2>/dev/null
  fi
  checks+=("$(printf '{"verdict":"%s","seconds":"%s","check":"%s","detail":"%s"}' "$1" "$2" "$3" "$(escaped "${4:-}")")")
}

escaped() { printf '%s' "$1" | tr '\n\t' '  ' | sed 's/[\\"]/\\&/g'; }

# took: seconds since $began, with one digit.
began=$EPOCHREALTIME
took() { awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f s", b - a }'; }

# verdict PLAN WHAT SUCCESS FLAGS COMMAND...: whether a command succeeds on a plan, begun in a fresh folder.
verdict() {
  local plan=$1 what=$2 success=$3 flags=$4
  if [ $SECONDS -ge $((minutes * 60)) ]; then
    note SKIP - "$what" "$minutes minutes are over"
    return
  fi
  began=$EPOCHREALTIME
  rm -rf "${out:?}/$plan"
  if "${@:5}"; then
    note PASS "$(took)" "$what" "$success"
  else
    note FAIL "$(took)" "$what" "$(tail -n 3 "$out/log"); $run $kit/plans/$plan --data synthetic --steps $steps$flags"
  fi
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

# summary: the last line; fails where a check did.
summary() {
  echo
  echo "$(grep -c PASS <(printf '%s\n' "${checks[@]}")) passed, $failed failed; $out/report.json$([ $failed -eq 0 ] || echo ", $out/failed-*.log")"
  [ $failed -eq 0 ]
}
