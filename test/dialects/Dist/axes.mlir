// RUN: windlass-opt %s | windlass-opt | FileCheck %s
// RUN: windlass-opt %s --mlir-print-op-generic | windlass-opt | FileCheck %s
// RUN: windlass-opt %s --interpret="ranks=4 step=collectives" | FileCheck %s --check-prefix=VALUES
// RUN: windlass-opt %s --interpret="ranks=4 step=states states" | FileCheck %s --check-prefix=STATES

// Collectives over one axis of a mesh of two: ranks that differ in it alone are a group, with places in rank order.
// Rank r is fed 4r to 4r + 3.
// CHECK: dist.mesh @mesh dp_replicate(2), dp_shard(2)
dist.mesh @mesh dp_replicate(2), dp_shard(2)
graph.step @collectives {
  %x = graph.feed "x" {bound = 100 : i64} : tensor<4xi32>
  // Inside the groups 0 1 and 2 3.
  // CHECK: dist.reduce_scatter %{{.*}} pieces [2] over ["dp_shard"] : tensor<4xi32> -> tensor<2xi32>
  // VALUES:      collectives inside rank 0: [2] 4 6
  // VALUES-NEXT: collectives inside rank 1: [2] 8 10
  // VALUES-NEXT: collectives inside rank 2: [2] 20 22
  // VALUES-NEXT: collectives inside rank 3: [2] 24 26
  %inside = dist.reduce_scatter %x pieces [2] over ["dp_shard"] : tensor<4xi32> -> tensor<2xi32>
  graph.report "inside", %inside : tensor<2xi32>
  // Across them, 0 2 and 1 3.
  // VALUES-NEXT: collectives across rank 0: [1] 24
  // VALUES-NEXT: collectives across rank 1: [1] 32
  // VALUES-NEXT: collectives across rank 2: [1] 28
  // VALUES-NEXT: collectives across rank 3: [1] 36
  %across = dist.reduce_scatter %inside pieces [1] over ["dp_replicate"] : tensor<2xi32> -> tensor<1xi32>
  graph.report "across", %across : tensor<1xi32>
  // CHECK: dist.all_gather %{{.*}} pieces [1] of "b" over ["dp_replicate"] : tensor<1xi32> -> tensor<2xi32>
  // VALUES-NEXT: collectives sum rank 0: [2] 24 28
  // VALUES-NEXT: collectives sum rank 1: [2] 32 36
  // VALUES-NEXT: collectives sum rank 2: [2] 24 28
  // VALUES-NEXT: collectives sum rank 3: [2] 32 36
  %sum = dist.all_gather %across pieces [1] of "b" over ["dp_replicate"] : tensor<1xi32> -> tensor<2xi32>
  graph.report "sum", %sum : tensor<2xi32>
  // VALUES-NEXT: collectives whole rank 0: [4] 24 28 32 36
  // VALUES-NEXT: collectives whole rank 1: [4] 24 28 32 36
  // VALUES-NEXT: collectives whole rank 2: [4] 24 28 32 36
  // VALUES-NEXT: collectives whole rank 3: [4] 24 28 32 36
  %whole = dist.all_gather %sum pieces [2] over ["dp_shard"] : tensor<2xi32> -> tensor<4xi32>
  graph.report "whole", %whole : tensor<4xi32>
  // A rank's own pieces are those of its place.
  // VALUES-NEXT: collectives own rank 0: [2] 0 1
  // VALUES-NEXT: collectives own rank 1: [2] 6 7
  // VALUES-NEXT: collectives own rank 2: [2] 8 9
  // VALUES-NEXT: collectives own rank 3: [2] 14 15
  // CHECK: dist.own_shard %{{.*}} pieces [2] over ["dp_shard"] : tensor<4xi32> -> tensor<2xi32>
  %own = dist.own_shard %x pieces [2] over ["dp_shard"] : tensor<4xi32> -> tensor<2xi32>
  graph.report "own", %own : tensor<2xi32>
  // In the order of the axes: the first is the coarser cut.
  // VALUES-NEXT: collectives part rank 0: [1] 0
  // VALUES-NEXT: collectives part rank 1: [1] 6
  // VALUES-NEXT: collectives part rank 2: [1] 9
  // VALUES-NEXT: collectives part rank 3: [1] 15
  // CHECK: dist.own_shard %{{.*}} pieces [1] over ["dp_shard", "dp_replicate"] : tensor<4xi32> -> tensor<1xi32>
  %part = dist.own_shard %x pieces [1] over ["dp_shard", "dp_replicate"] : tensor<4xi32> -> tensor<1xi32>
  graph.report "part", %part : tensor<1xi32>
  // Over both axes all ranks are one group.
  // VALUES-NEXT: collectives all rank 0: [1] 24
  // VALUES-NEXT: collectives all rank 1: [1] 28
  // VALUES-NEXT: collectives all rank 2: [1] 32
  // VALUES-NEXT: collectives all rank 3: [1] 36
  %all = dist.reduce_scatter %x pieces [1] over ["dp_replicate", "dp_shard"] : tensor<4xi32> -> tensor<1xi32>
  graph.report "all", %all : tensor<1xi32>
}

// Ranks at one place of their groups start with the same. Masters of c are cut further: a rank's part lies in its piece.
// STATES:      state b.parameter rank 0: [64] 2 2 2 0 {{.*}}
// STATES-NEXT: state c.master rank 0: [64] 1 1 0 {{.*}}
// STATES-NEXT: state c.parameter rank 0: [128] 1 1 0 {{.*}} 0 2 2 0 {{.*}}
// STATES-NEXT: state b.parameter rank 1: [64] 5 5 5 5 0 {{.*}}
// STATES-NEXT: state c.master rank 1: [64] 3 3 0 {{.*}}
// STATES-NEXT: state c.parameter rank 1: [128] 3 3 0 {{.*}} 0 4 4 0 {{.*}}
// STATES-NEXT: state b.parameter rank 2: [64] 2 2 2 0 {{.*}}
// STATES-NEXT: state c.master rank 2: [64] 2 2 0 {{.*}}
// STATES-NEXT: state c.parameter rank 2: [128] 1 1 0 {{.*}} 0 2 2 0 {{.*}}
// STATES-NEXT: state b.parameter rank 3: [64] 5 5 5 5 0 {{.*}}
// STATES-NEXT: state c.master rank 3: [64] 4 4 0 {{.*}}
// STATES-NEXT: state c.parameter rank 3: [128] 3 3 0 {{.*}} 0 4 4 0 {{.*}}
// CHECK: dist.bucket @b zero(3) {{.*}} over ["dp_shard"]
dist.bucket @b zero(3) group("decay") layer("") of f32 classes [#graph<role parameter>] units [#dist.unit<"pack", 68 in pieces of 64, [<"two", [3] at 0, <normal = false, mean = 2.0 : f64, std = 0.0 : f64>>, <"five", [4] at 64, <normal = false, mean = 5.0 : f64, std = 0.0 : f64>>]>] over ["dp_shard"]
graph.step @states {
  %w = dist.read @b parameter : tensor<64xf32>
  dist.write %w to @b parameter : tensor<64xf32>
  %p = dist.read @c parameter : tensor<128xf32>
  dist.write %p to @c parameter : tensor<128xf32>
  %m = dist.read @c master : tensor<64xf32>
  dist.write %m to @c master : tensor<64xf32>
}

// CHECK: dist.bucket @c zero(3) {{.*}} over ["dp_shard"] then ["dp_replicate"]
dist.bucket @c zero(3) group("decay") layer("") of f32 classes [#graph<role parameter>, #graph<role master>] units [#dist.unit<"pack", 194 in pieces of 128, [<"one", [2] at 0, <normal = false, mean = 1.0 : f64, std = 0.0 : f64>>, <"two", [2] at 64, <normal = false, mean = 2.0 : f64, std = 0.0 : f64>>, <"three", [2] at 128, <normal = false, mean = 3.0 : f64, std = 0.0 : f64>>, <"four", [2] at 192, <normal = false, mean = 4.0 : f64, std = 0.0 : f64>>]>] over ["dp_shard"] then ["dp_replicate"]
