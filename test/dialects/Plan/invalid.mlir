// RUN: windlass-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'plan.upload' op expects parent op 'plan.section'}}
plan.upload cg_in ordinal 1 [] wait [] from <"", "", forward>

// -----

plan.section @only_section "only" {
  // expected-error@+1 {{'plan.buffer' op expects parent op 'builtin.module'}}
  plan.buffer @b "b" feed host[0] x 64
}

// -----

// expected-error@+1 {{'plan.buffer' op attribute 'offset' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
plan.buffer @b "b" feed host[-64] x 64

// -----

plan.section @only_section "only" {
  // expected-error@+1 {{'plan.upload' op attribute 'ordinal' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  plan.upload cg_in ordinal 0 [] wait [] from <"", "", forward>
}

// -----

plan.section @only_section "only" {
  // expected-error@+1 {{'plan.upload' op attribute 'places' failed to satisfy constraint: array of operands}}
  plan.upload cg_in ordinal 1 [1] wait [] from <"", "", forward>
}

// -----

plan.section @only_section "only" {
  // expected-error@+1 {{'plan.upload' op attribute 'waits' failed to satisfy constraint: array of waits}}
  plan.upload cg_in ordinal 1 [] wait ["gg"] from <"", "", forward>
}

// -----

// Words are those of the plan (runtime/plan/Enums.def).
// expected-error@+1 {{expected one of: device, host, nvme; found 'disk'}}
plan.arena disk bytes 8192 at least 4096 of 65536

// -----

// expected-error@+1 {{expected one of: parameter, gradient, master,}}
plan.buffer @b "b" weights device[0] x 64

// -----

// expected-error@+1 {{expected one of: train, evaluate, sample; found 'update'}}
plan.schedule update [@only_section] times [1]

// -----

plan.section @only_section "only" {
  // expected-error@+2 {{expected one of: forward, recompute, backward, update; found 'sideways'}}
  // expected-error@+1 {{failed to parse Flow_OriginAttr parameter 'phase'}}
  plan.report host_compute ordinal 1 "x" [] wait [] from <"", "report x", sideways>
}

// -----

plan.section @only_section "only" {
  // expected-error@+1 {{expected one of: compute, gg, cg_in,}}
  plan.upload cg ordinal 1 [] wait [] from <"", "upload x", forward>
}
