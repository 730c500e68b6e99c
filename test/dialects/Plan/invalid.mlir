// RUN: windlass-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'plan.upload' op expects parent op 'plan.section'}}
plan.upload "cg_in" ordinal 1 [] wait [] from <"", "", "forward">

// -----

plan.section @only_section "only" {
  // expected-error@+1 {{'plan.buffer' op expects parent op 'builtin.module'}}
  plan.buffer @b "b" "feed" "host"[0] x 64
}

// -----

// expected-error@+1 {{'plan.buffer' op attribute 'offset' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
plan.buffer @b "b" "feed" "host"[-64] x 64

// -----

plan.section @only_section "only" {
  // expected-error@+1 {{'plan.upload' op attribute 'ordinal' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  plan.upload "cg_in" ordinal 0 [] wait [] from <"", "", "forward">
}

// -----

plan.section @only_section "only" {
  // expected-error@+1 {{'plan.upload' op attribute 'places' failed to satisfy constraint: array of operands}}
  plan.upload "cg_in" ordinal 1 [1] wait [] from <"", "", "forward">
}

// -----

plan.section @only_section "only" {
  // expected-error@+1 {{'plan.upload' op attribute 'waits' failed to satisfy constraint: array of waits}}
  plan.upload "cg_in" ordinal 1 [] wait ["gg"] from <"", "", "forward">
}
