// RUN: windlass-opt %s --lower-to-plan --split-input-file | FileCheck %s

// The example of the pass: homes and allocations are buffers with names, views are offsets, lanes and ordinals are
// written down, waits are kept.
// Kernels stay until they are emitted; homes and sections do not.
// CHECK:       func.func private @k
// CHECK-NOT:   flow.
// CHECK:       plan.arena device bytes 8192 at least 4096 of 65536
// CHECK-NOT:   plan.arena
// CHECK:       plan.buffer @home.scratch "scratch" workspace device[4096] x 4096{{$}}
// CHECK:       plan.buffer @home.decay.0.parameter "decay.0.parameter" parameter device[0] x 4096 persistent
// CHECK:       plan.schedule train [@only_section] times [1]
// CHECK:       plan.buffer @only.0 "x" feed host[0] x 64
// CHECK-NEXT:  plan.buffer @only.1 "x" feed device[8192] x 64
// CHECK-LABEL: plan.section @only_section "only"
// CHECK-NEXT:    plan.feed host_compute ordinal 1 "x" [#plan.at<@only.0[0] x 64>] wait [] from <"", "feed x", forward>
// CHECK-NEXT:    plan.upload cg_in ordinal 1 [#plan.at<@only.0[0] x 64>, #plan.at<@only.1[0] x 64>] wait [#flow.wait<host_compute : 1>]
// CHECK-NEXT:    plan.launch compute ordinal 1 @k[0, 8) [#plan.at<@only.1[0] x 64>, #plan.at<@home.decay.0.parameter[64] x 32 strides[32]>, #plan.at<@home.scratch[0] x 4096>] wait [#flow.wait<cg_in : 1>] from <"h.0", "map", backward>
// CHECK-NEXT:    plan.launch compute ordinal 2
// CHECK-NEXT:    plan.report host_compute ordinal 2 "x"
// CHECK-NEXT:  }
// CHECK-NEXT: }
module attributes {windlass.arenas = {device = array<i64: 8192, 4096, 65536>, host = array<i64: 0, 0, 65536>}} {
  func.func private @k(%x: tensor<16xf32>) -> tensor<8xf32> attributes {dist.kernel}
  flow.home @scratch bytes(4096) class(workspace) tier(device) {offset = 4096 : i64}
  flow.home @decay.0.parameter bytes(4096) class(parameter) tier(device) {bucket = @decay.0, offset = 0 : i64, role = #graph<role parameter>}
  flow.schedule train [@only] times [1]
  flow.section @only {
    %s = flow.use @scratch : <4096, device>
    %w = flow.use @decay.0.parameter : <4096, device>
    %x = flow.alloc "x" class(feed) {offset = 0 : i64} : <64, host>
    flow.feed "x" -> %x {origin = #flow.origin<"", "feed x", forward>, waits = []} : <64, host>
    %d = flow.alloc "x" class(feed) {offset = 8192 : i64} : <64, device>
    flow.transfer upload %x -> %d {origin = #flow.origin<"", "upload x", forward>, waits = [#flow.wait<host_compute : 1>]} : <64, host> -> <64, device>
    %v = flow.view %w[64] strides [32] : <4096, device> -> <32, device>
    flow.launch @k[0, 8) (%d) -> (%v) scratch(%s : !flow.buffer<4096, device>) {origin = #flow.origin<"h.0", "map", backward>, waits = [#flow.wait<cg_in : 1>]} : (!flow.buffer<64, device>) -> !flow.buffer<32, device>
    flow.launch @k[0, 8) (%d) -> (%v) {origin = #flow.origin<"h.0", "map", backward>, waits = []} : (!flow.buffer<64, device>) -> !flow.buffer<32, device>
    flow.release %d : <64, device>
    flow.report "x", %x {origin = #flow.origin<"", "report x", forward>, waits = []} : <64, host>
    flow.release %x : <64, host>
  }
}

// -----

// States: a member of a pack lies in its unit; where the bucket is sharded, the unit's piece lies in the shard behind
// those before it. A moment starts at zero whatever its parameter starts with. The gradients lie in one shard whatever
// ZeRO shares out.
// CHECK:       plan.state "a" parameter f32 [8] group "decay" init <normal = true, mean = 0.000000e+00 : f64, std = 5.000000e-01 : f64> unit "pack"[0] pieces of 64 home <@home.b.parameter.u0[0] x 512>
// CHECK-NEXT:  plan.state "c" parameter f32 [8] {{.*}} unit "pack"[64] pieces of 64 home <@home.b.parameter.u0[0] x 512>
// CHECK-NEXT:  plan.state "w" parameter f32 [100] {{.*}} unit "w"[0] pieces of 64 home <@home.b.parameter.u1[0] x 512> of "b"
// CHECK-NEXT:  plan.state "a" momentum f32 [8] group "decay" init <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64> unit "pack"[0] pieces of 64 sharded home <@home.b.momentum[0] x 256>
// CHECK-NEXT:  plan.state "c" momentum {{.*}} home <@home.b.momentum[0] x 256>
// CHECK-NEXT:  plan.state "w" momentum {{.*}} unit "w"[0] pieces of 64 sharded home <@home.b.momentum[256] x 256>
// CHECK-NEXT:  plan.state "a" gradient bf16 [8] group "decay" {{.*}} unit "pack"[0] pieces of 64 sharded home <@home.b.gradient.0[0] x 128>
// CHECK-NEXT:  plan.state "c" gradient bf16 {{.*}} unit "pack"[64] pieces of 64 sharded home <@home.b.gradient.0[0] x 128>
// CHECK-NEXT:  plan.state "w" gradient bf16 {{.*}} unit "w"[0] pieces of 64 sharded home <@home.b.gradient.0[128] x 128> of "b"
dist.mesh @mesh dp(2)
dist.bucket @b zero(2) group("decay") layer("") of f32 classes [#graph<role parameter>, #graph<role momentum>] units [#dist.unit<"pack", 72 in pieces of 64, [<"a", [8] at 0, <normal = true, mean = 0.0 : f64, std = 0.5 : f64>>, <"c", [8] at 64, <normal = true, mean = 0.0 : f64, std = 0.5 : f64>>]>, #dist.unit<"w", 100 in pieces of 64, [<"w", [100] at 0, <normal = true, mean = 0.0 : f64, std = 0.5 : f64>>]>]
flow.home @b.parameter.u0 bytes(512) class(parameter) tier(device) {bucket = @b, offset = 0 : i64, role = #graph<role parameter>, unit = 0 : i64}
flow.home @b.parameter.u1 bytes(512) class(parameter) tier(device) {bucket = @b, offset = 4096 : i64, role = #graph<role parameter>, unit = 1 : i64}
flow.home @b.momentum bytes(4096) class(momentum) tier(device) {bucket = @b, offset = 8192 : i64, role = #graph<role momentum>}
flow.home @b.gradient.0 bytes(4096) class(gradient) tier(device) {bucket = @b, element = bf16, offset = 12288 : i64, role = #graph<role gradient>}

// -----

// What sums over ranks are staged in on a lane stands behind their units; sums of one rank need none, and bytes that are
// moved.
// CHECK-LABEL: plan.section @only_section "only"
// CHECK-NEXT:    plan.all_gather gg ordinal 1 piece_bytes [512] over ["tp"] [#plan.at<@home.shard[0] x 4096>, #plan.at<@home.whole[0] x 1024>] wait
// CHECK-NEXT:    plan.reduce_scatter gg ordinal 2 f32 piece_bytes [512] over ["tp"] staged [#plan.at<@home.shard[0] x 4096>, #plan.at<@home.whole[0] x 1024>, #plan.at<@home.staging.gg[0] x 4096>] wait
// CHECK-NEXT:    plan.reduce_scatter gg ordinal 3 f32 piece_bytes [1024] over ["dp"] [#plan.at<@home.shard[0] x 4096>, #plan.at<@home.whole[0] x 1024>] wait
dist.mesh @mesh dp(1), tp(2) tensor
flow.home @staging.gg bytes(4096) class(workspace) tier(device) {offset = 8192 : i64}
flow.home @shard bytes(4096) class(gradient) tier(device) {offset = 0 : i64}
flow.home @whole bytes(1024) class(gradient) tier(device) {offset = 4096 : i64}
flow.section @only {
  %s = flow.use @shard : <4096, device>
  %w = flow.use @whole : <1024, device>
  flow.all_gather %s -> %w piece_bytes [512] over ["tp"] {origin = #flow.origin<"", "gather", forward>, waits = []} : <4096, device> -> !flow.buffer<1024, device>
  flow.reduce_scatter %w -> %s piece_bytes [512] of f32 over ["tp"] {origin = #flow.origin<"", "sum", backward>, waits = []} : !flow.buffer<1024, device> -> <4096, device>
  flow.reduce_scatter %w -> %s piece_bytes [1024] of f32 over ["dp"] {origin = #flow.origin<"", "sum", backward>, waits = []} : !flow.buffer<1024, device> -> <4096, device>
}
