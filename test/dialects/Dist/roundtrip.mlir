// RUN: windlass-opt %s | windlass-opt | FileCheck %s
// RUN: windlass-opt %s --mlir-print-op-generic | windlass-opt | FileCheck %s

// CHECK: dist.mesh @mesh dp(2)
dist.mesh @mesh dp(2)
// CHECK: dist.bucket @h.0.decay.0 zero(3) group("decay") layer("h.0") of bf16 classes [#graph<role parameter>, #graph<role master>] units [#dist.unit<"h.0.decay.pack", 72 in pieces of 64, [<"h.0.a", [8] at 0, <normal = true, mean = 0.000000e+00 : f64, std = 5.000000e-01 : f64>>, <"h.0.b", [2, 4] at 64, <normal = false, mean = 1.000000e+00 : f64, std = 0.000000e+00 : f64>>]>]
dist.bucket @h.0.decay.0 zero(3) group("decay") layer("h.0") of bf16 classes [#graph<role parameter>, #graph<role master>] units [#dist.unit<"h.0.decay.pack", 72 in pieces of 64, [<"h.0.a", [8] at 0, <normal = true, mean = 0.0 : f64, std = 0.5 : f64>>, <"h.0.b", [2, 4] at 64, <normal = false, mean = 1.0 : f64, std = 0.0 : f64>>]>]

// CHECK-LABEL: graph.step @states
graph.step @states {
  // CHECK: %[[SHARD:.*]] = dist.read @h.0.decay.0 parameter : tensor<64xbf16>
  %0 = dist.read @h.0.decay.0 parameter : tensor<64xbf16>
  // CHECK: dist.write %[[SHARD]] to @h.0.decay.0 parameter : tensor<64xbf16>
  dist.write %0 to @h.0.decay.0 parameter : tensor<64xbf16>
}

// CHECK-LABEL: func.func private @collectives
func.func private @collectives(%shard: tensor<128xf32>) {
  // CHECK: %[[UNITS:.*]]:2 = dist.all_gather %{{.*}} pieces [64, 64] of "decay.0" : tensor<128xf32> -> tensor<100xf32>, tensor<8x16xf32>
  %units:2 = dist.all_gather %shard pieces [64, 64] of "decay.0" : tensor<128xf32> -> tensor<100xf32>, tensor<8x16xf32>
  // CHECK: dist.reduce_scatter %[[UNITS]]#0, %[[UNITS]]#1 pieces [64, 64] : tensor<100xf32>, tensor<8x16xf32> -> tensor<128xf32>
  %sum = dist.reduce_scatter %units#0, %units#1 pieces [64, 64] : tensor<100xf32>, tensor<8x16xf32> -> tensor<128xf32>
  // CHECK: dist.own_shard %[[UNITS]]#0, %[[UNITS]]#1 pieces [64, 64] : tensor<100xf32>, tensor<8x16xf32> -> tensor<128xf32>
  %own = dist.own_shard %units#0, %units#1 pieces [64, 64] : tensor<100xf32>, tensor<8x16xf32> -> tensor<128xf32>
  // CHECK: dist.norm_slots %{{.*}} pieces [array<i64: 64, 64>] : tensor<128xf32> -> tensor<16xf64>
  %slots = dist.norm_slots %sum pieces [array<i64: 64, 64>] : tensor<128xf32> -> tensor<16xf64>
  return
}

// CHECK: dist.bucket @owned zero(3) group("decay") layer("") of f32 classes [] units [] owner(1)
dist.bucket @owned zero(3) group("decay") layer("") of f32 classes [] units [] owner(1)

// CHECK-LABEL: func.func private @of_owners
func.func private @of_owners(%shard: tensor<256xf32>) {
  // CHECK: %[[UNITS:.*]]:2 = dist.broadcast %{{.*}} pieces [128, 128] of "decay.0" : tensor<256xf32> -> tensor<100xf32>, tensor<8x16xf32>
  %units:2 = dist.broadcast %shard pieces [128, 128] of "decay.0" : tensor<256xf32> -> tensor<100xf32>, tensor<8x16xf32>
  // CHECK: dist.reduce %[[UNITS]]#0, %[[UNITS]]#1 pieces [128, 128] : tensor<100xf32>, tensor<8x16xf32> -> tensor<256xf32>
  %sum = dist.reduce %units#0, %units#1 pieces [128, 128] : tensor<100xf32>, tensor<8x16xf32> -> tensor<256xf32>
  // CHECK: dist.norm_slots %{{.*}} pieces [array<i64: 64, 64>] owners [1] : tensor<256xf32> -> tensor<32xf64>
  %slots = dist.norm_slots %sum pieces [array<i64: 64, 64>] owners [1] : tensor<256xf32> -> tensor<32xf64>
  return
}

// CHECK-LABEL: func.func private @of_owners_over_some_axes
func.func private @of_owners_over_some_axes(%shard: tensor<128xf32>) {
  // CHECK: %[[UNIT:.*]] = dist.broadcast %{{.*}} pieces [128] over ["dp"] : tensor<128xf32> -> tensor<100xf32>
  %unit = dist.broadcast %shard pieces [128] over ["dp"] : tensor<128xf32> -> tensor<100xf32>
  // CHECK: dist.reduce %[[UNIT]] pieces [128] over ["dp"] : tensor<100xf32> -> tensor<128xf32>
  %sum = dist.reduce %unit pieces [128] over ["dp"] : tensor<100xf32> -> tensor<128xf32>
  // CHECK: dist.norm_slots %{{.*}} pieces [array<i64: 64>] owners [1] over ["dp"] : tensor<128xf32> -> tensor<16xf64>
  %slots = dist.norm_slots %sum pieces [array<i64: 64>] owners [1] over ["dp"] : tensor<128xf32> -> tensor<16xf64>
  return
}

// CHECK-LABEL: func.func private @packs
func.func private @packs(%packed: tensor<72xf32>) {
  // CHECK: %[[MEMBERS:.*]]:2 = dist.unpack %{{.*}} at [0, 64] : tensor<72xf32> -> tensor<8xf32>, tensor<2x4xf32>
  %members:2 = dist.unpack %packed at [0, 64] : tensor<72xf32> -> tensor<8xf32>, tensor<2x4xf32>
  // CHECK: dist.pack %[[MEMBERS]]#0, %[[MEMBERS]]#1 at [0, 64] : tensor<8xf32>, tensor<2x4xf32> -> tensor<72xf32>
  %again = dist.pack %members#0, %members#1 at [0, 64] : tensor<8xf32>, tensor<2x4xf32> -> tensor<72xf32>
  return
}

func.func private @kernel(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {dist.kernel} {
  %y = graph.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
// CHECK-LABEL: func.func private @launches
func.func private @launches(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: dist.launch @kernel(%{{.*}}) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = dist.launch @kernel(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
