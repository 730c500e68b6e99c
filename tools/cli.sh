# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the scripts of this folder say and how they end; sourced by them after they define `usage`.

wrong_usage() {
  echo "error: $1" >&2
  usage >&2
  exit 2
}

# value_of OPTION VALUE...: the value, or a usage error where it is missing.
value_of() {
  [ $# -gt 1 ] || wrong_usage "$1 needs a value"
  printf '%s' "$2"
}

positive() { [[ $2 =~ ^[1-9][0-9]*$ ]] || wrong_usage "$1 is a positive number, not '$2'"; }

headline() { printf '\n── %s (%d min since the start)\n\n' "$*" $((SECONDS / 60)); }
