// RUN: windlass-opt %s --interpret="ranks=2 step=collectives" | FileCheck %s --check-prefix=COLLECTIVES
// RUN: windlass-opt %s --interpret="ranks=2 step=states states" | FileCheck %s --check-prefix=STATES

// What the ops mean, in numbers. Rank 0 is fed 0 1 2, rank 1 is fed 3 4 5.
dist.mesh @mesh dp(2)
graph.step @collectives {
  %x = graph.feed "x" {bound = 100 : i64} : tensor<3xi32>
  // The sum is cut into pieces of 2; the last is padded with zero.
  // COLLECTIVES:      collectives sum rank 0: [2] 3 5
  // COLLECTIVES-NEXT: collectives sum rank 1: [2] 7 0
  %sum = dist.reduce_scatter %x pieces [2] : tensor<3xi32> -> tensor<2xi32>
  graph.report "sum", %sum : tensor<2xi32>
  // COLLECTIVES-NEXT: collectives whole rank 0: [3] 3 5 7
  // COLLECTIVES-NEXT: collectives whole rank 1: [3] 3 5 7
  %whole = dist.all_gather %sum pieces [2] : tensor<2xi32> -> tensor<3xi32>
  graph.report "whole", %whole : tensor<3xi32>
  // COLLECTIVES-NEXT: collectives own rank 0: [2] 0 1
  // COLLECTIVES-NEXT: collectives own rank 1: [2] 5 0
  %own = dist.own_shard %x pieces [2] : tensor<3xi32> -> tensor<2xi32>
  graph.report "own", %own : tensor<2xi32>
  // A shard holds the pieces of its units back to back.
  // COLLECTIVES-NEXT: collectives two units rank 0: [3] 3 5 5
  // COLLECTIVES-NEXT: collectives two units rank 1: [3] 7 0 7
  %pair:2 = dist.unpack %x at [0, 1] : tensor<3xi32> -> tensor<1xi32>, tensor<2xi32>
  %two = dist.reduce_scatter %x, %pair#1 pieces [2, 1] : tensor<3xi32>, tensor<2xi32> -> tensor<3xi32>
  graph.report "two units", %two : tensor<3xi32>
  // COLLECTIVES-NEXT: collectives pack rank 0: [6] 0 0 0 0 1 2
  // COLLECTIVES-NEXT: collectives pack rank 1: [6] 3 0 0 3 4 5
  %pack = dist.pack %pair#0, %x at [0, 3] : tensor<1xi32>, tensor<3xi32> -> tensor<6xi32>
  graph.report "pack", %pack : tensor<6xi32>
  // One slot per piece, here 2 apart.
  // COLLECTIVES-NEXT: collectives norm rank 0: [4] 34 0 25 0
  // COLLECTIVES-NEXT: collectives norm rank 1: [4] 49 0 49 0
  %norm = dist.norm_slots %two pieces [array<i64: 2, 1>] : tensor<3xi32> -> tensor<4xf64>
  graph.report "norm", %norm : tensor<4xf64>
}

// A bucket starts as its members do. Each rank writes its own piece of what all of them hold.
// STATES:      state b.momentum rank 0: [64] 2 2 2 0 {{.*}}
// STATES-NEXT: state b.parameter.u0 rank 0: [68] 2 2 2 {{.*}} 0 5 5 5 5
// STATES-NEXT: state b.momentum rank 1: [64] 5 5 5 5 0 {{.*}}
dist.bucket @b zero(2) group("decay") layer("") of f32 classes [#graph<role parameter>, #graph<role momentum>] units [#dist.unit<"pack", 68 in pieces of 64, [<"two", [3] at 0, <normal = false, mean = 2.0 : f64, std = 0.0 : f64>>, <"five", [4] at 64, <normal = false, mean = 5.0 : f64, std = 0.0 : f64>>]>]
graph.step @states {
  %w = dist.read @b parameter : tensor<68xf32>
  %m = dist.read @b momentum : tensor<64xf32>
  %s = dist.own_shard %w pieces [64] : tensor<68xf32> -> tensor<64xf32>
  dist.write %s to @b momentum : tensor<64xf32>
}
