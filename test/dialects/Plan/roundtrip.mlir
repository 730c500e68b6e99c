// RUN: windlass-opt %s | windlass-opt | FileCheck %s
// RUN: windlass-opt %s --mlir-print-op-generic | windlass-opt | FileCheck %s

// CHECK: plan.arena device bytes 8192 at least 4096 of 65536
plan.arena device bytes 8192 at least 4096 of 65536
// CHECK: plan.buffer @home.w "w" parameter device[0] x 4096 persistent
plan.buffer @home.w "w" parameter device[0] x 4096 persistent
// CHECK: plan.buffer @home.o "o" parameter host[0] x 4096 persistent owner(1)
plan.buffer @home.o "o" parameter host[0] x 4096 persistent owner(1)
// CHECK: plan.buffer @only.0 "x" feed host[64] x 128
plan.buffer @only.0 "x" feed host[64] x 128
// CHECK: plan.state "w" parameter f32 [8, 2] group "decay" init <normal = true, mean = 0.000000e+00 : f64, std = 5.000000e-01 : f64> unit "pack"[64] pieces of 64 sharded home <@home.w[256] x 256> of "decay.0" slice(<[16, 4] from [8, 2]>)
plan.state "w" parameter f32 [8, 2] group "decay" init <normal = true, mean = 0.0 : f64, std = 0.5 : f64> unit "pack"[64] pieces of 64 sharded home <@home.w[256] x 256> of "decay.0" slice(<[16, 4] from [8, 2]>)

// CHECK: plan.schedule train [@only_section, @turns] times [1, 3]
plan.schedule train [@only_section, @turns] times [1, 3]
// CHECK: plan.section @turns "turns" attributes {advance = 2 : i64}
plan.section @turns "turns" attributes {advance = 2 : i64} {
}

// CHECK-LABEL: plan.section @only_section "only"
plan.section @only_section "only" {
  // CHECK: plan.feed host_compute ordinal 1 "x" [#plan.at<@only.0[0] x 128>] wait [] from <"", "feed x", forward>
  plan.feed host_compute ordinal 1 "x" [#plan.at<@only.0[0] x 128>] wait [] from <"", "feed x", forward>
  // CHECK: plan.launch compute ordinal 1 @k[0, 8) [#plan.at<@home.w[0] x 32 strides[32]>] wait [#flow.wait<cg_in : 2>, #flow.wait<gg : 0 previous {first = 1 : i64}>]
  plan.launch compute ordinal 1 @k[0, 8) [#plan.at<@home.w[0] x 32 strides[32]>] wait [#flow.wait<cg_in : 2>, #flow.wait<gg : 0 previous {first = 1 : i64}>] from <"h.0", "map", backward>
  // CHECK: plan.all_gather gg ordinal 1 piece_bytes [256] []
  plan.all_gather gg ordinal 1 piece_bytes [256] [] wait [] from <"", "", forward>
  // CHECK: plan.reduce_scatter gg ordinal 2 bf16 piece_bytes [256] []
  plan.reduce_scatter gg ordinal 2 bf16 piece_bytes [256] [] wait [] from <"", "", forward>
  // CHECK: plan.broadcast gg ordinal 3 piece_bytes [256] []
  plan.broadcast gg ordinal 3 piece_bytes [256] [] wait [] from <"", "", forward>
  // CHECK: plan.reduce gg ordinal 4 bf16 piece_bytes [256] staged []
  plan.reduce gg ordinal 4 bf16 piece_bytes [256] staged [] wait [] from <"", "", forward>
  // CHECK: plan.upload cg_in ordinal 1 []
  plan.upload cg_in ordinal 1 [] wait [] from <"", "", forward>
  // CHECK: plan.offload cg_out ordinal 1 []
  plan.offload cg_out ordinal 1 [] wait [] from <"", "", forward>
  // CHECK: plan.read nc_in ordinal 1 []
  plan.read nc_in ordinal 1 [] wait [] from <"", "", forward>
  // CHECK: plan.write nc_out ordinal 1 []
  plan.write nc_out ordinal 1 [] wait [] from <"", "", forward>
  // CHECK: plan.report host_compute ordinal 2 "x" []
  plan.report host_compute ordinal 2 "x" [] wait [] from <"", "", forward>
}
