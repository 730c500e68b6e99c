// RUN: windlass-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'plan.upload' op expects parent op 'plan.section'}}
plan.upload "cg_in" ordinal 1 [] wait [] from <"", "", "forward">

// -----

plan.section @only_section {
  // expected-error@+1 {{'plan.buffer' op expects parent op 'builtin.module'}}
  plan.buffer @b "b" "feed" "host"[0] x 64
}
