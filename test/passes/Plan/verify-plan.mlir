// RUN: windlass-opt %s --verify-plan --split-input-file --verify-diagnostics

// What the level leaves is accepted: on two ranks, with a wait into the section before.
dist.mesh @mesh dp(2)
func.func private @k(%x: tensor<16xf32>) -> tensor<8xf32> attributes {dist.kernel}
plan.arena device bytes 8192 at least 4096 of 65536
plan.buffer @home.w "w" parameter device[0] x 256 persistent
plan.buffer @first.0 "x" feed host[64] x 128
plan.buffer @first.1 "x" feed device[256] x 128
plan.state "w" parameter f32 [8, 2] group "decay" init <normal = false, mean = 0.0 : f64, std = 0.0 : f64> unit "w"[0] pieces of 64 home <@home.w[0] x 256> of "decay.0"
plan.schedule train [@first_section, @last_section] times [1, 1]
plan.section @first_section "first" {
  plan.feed host_compute ordinal 1 "x" [#plan.at<@first.0[0] x 128>] wait [] from <"", "feed x", forward>
  plan.upload cg_in ordinal 1 [#plan.at<@first.0[0] x 128>, #plan.at<@first.1[0] x 128>] wait [#flow.wait<host_compute : 1>] from <"", "upload x", forward>
  plan.launch compute ordinal 1 @k[0, 8) [#plan.at<@first.1[0] x 128>, #plan.at<@home.w[0] x 128 strides[128]>] wait [#flow.wait<cg_in : 1>] from <"h.0", "map", backward>
}
plan.section @last_section "last" {
  plan.report host_compute ordinal 1 "x" [#plan.at<@first.0[0] x 128>] wait [#flow.wait<cg_in : 0 previous {first = 1 : i64}>] from <"", "report x", forward>
}

// -----

plan.buffer @b "b" parameter device[0] x 256 persistent
// expected-error@+1 {{verify-plan: bytes [128, 384) are not within the 256 of buffer 'b'}}
plan.state "w" parameter f32 [64] group "decay" init <normal = false, mean = 0.0 : f64, std = 0.0 : f64> unit "w"[0] pieces of 64 home <@b[128] x 256> of "decay.0"

// -----

plan.section @only_section "only" {
}
// expected-error@+1 {{verify-plan: section "only" stands twice}}
plan.section @again "only" {
}
// expected-error@+1 {{verify-plan: 'middle_section' is not a section of this module}}
plan.schedule train [@only_section, @middle_section] times [1, 1]

// -----

dist.mesh @mesh dp(2)
plan.buffer @b "b" feed host[0] x 128
plan.section @only_section "only" {
  // expected-error@+1 {{verify-plan: 'c' is not a buffer of this module}}
  plan.feed host_compute ordinal 1 "x" [#plan.at<@c[0] x 64>] wait [] from <"", "feed x", forward>
  // expected-error@+1 {{verify-plan: bytes [64, 192) are not within the 128 of buffer 'b'}}
  plan.feed host_compute ordinal 2 "x" [#plan.at<@b[64] x 64 strides[64]>] wait [] from <"", "feed x", forward>
  // expected-error@+1 {{verify-plan: a place has 2 strides on a mesh of 1 axes}}
  plan.feed host_compute ordinal 3 "x" [#plan.at<@b[0] x 64 strides[0, 64]>] wait [] from <"", "feed x", forward>
}

// -----

plan.section @only_section "only" {
  // expected-error@+1 {{verify-plan: 'k' is not a kernel of this module}}
  plan.launch compute ordinal 1 @k[0, 8) [] wait [] from <"", "map", forward>
}

// -----

plan.section @only_section "only" {
  // expected-error@+1 {{verify-plan: may not stand on lane "compute"}}
  plan.report compute ordinal 1 "x" [] wait [] from <"", "report x", forward>
}

// -----

plan.section @only_section "only" {
  plan.upload cg_in ordinal 1 [] wait [] from <"", "upload x", forward>
  // expected-error@+1 {{verify-plan: has ordinal 3 on lane "cg_in", where 1 stand before it}}
  plan.upload cg_in ordinal 3 [] wait [] from <"", "upload x", forward>
}

// -----

plan.section @only_section "only" {
  plan.upload cg_in ordinal 1 [] wait [] from <"", "upload x", forward>
  // expected-error@+1 {{verify-plan: waits for cg_in 2, but 1 of that lane stand before it}}
  plan.report host_compute ordinal 1 "x" [] wait [#flow.wait<cg_in : 2>] from <"", "report x", forward>
  // expected-error@+1 {{verify-plan: waits for its own lane, "host_compute"}}
  plan.report host_compute ordinal 2 "x" [] wait [#flow.wait<host_compute : 1>] from <"", "report x", forward>
  // expected-error@+1 {{verify-plan: waits twice for lane "cg_in"}}
  plan.report host_compute ordinal 3 "x" [] wait [#flow.wait<cg_in : 1>, #flow.wait<cg_in : 1>] from <"", "report x", forward>
}

// -----

plan.section @first_section "first" {
  plan.upload cg_in ordinal 1 [] wait [] from <"", "upload x", forward>
}
plan.section @last_section "last" {
  // expected-error@+1 {{verify-plan: waits for cg_in 2 of section "first", which has 1}}
  plan.report host_compute ordinal 1 "x" [] wait [#flow.wait<cg_in : 0 previous {first = 2 : i64}>] from <"", "report x", forward>
  // expected-error@+1 {{verify-plan: waits for section "middle", which is not in this module}}
  plan.report host_compute ordinal 2 "x" [] wait [#flow.wait<cg_in : 0 previous {middle = 1 : i64}>] from <"", "report x", forward>
}
