// RUN: windlass-opt %s --verify-roundtrip | windlass-opt | FileCheck %s
// RUN: windlass-opt %s --interpret="ranks=4 step=exchanges" -o /dev/null | FileCheck %s --check-prefix=VALUES

// Two groups of two ranks. Rank 0 is fed 0 1, rank 1 2 3, rank 2 4 5, rank 3 6 7.
// CHECK-LABEL: graph.step @exchanges
graph.step @exchanges {
  %i = graph.feed "x" {bound = 100 : i64} : tensor<2xi32>
  %x = graph.map ins(%i : tensor<2xi32>) maps [affine_map<(d0) -> (d0)>] -> tensor<2xf32> {
  ^bb0(%a: i32):
    %f = arith.sitofp %a : i32 to f32
    graph.yield %f : f32
  }
  // CHECK: graph.vary %{{.*}} over "tp"(2) : tensor<2xf32>
  // VALUES:      exchanges vary rank 0: [2] 0 1
  // VALUES-NEXT: exchanges vary rank 1: [2] 2 3
  // VALUES-NEXT: exchanges vary rank 2: [2] 4 5
  // VALUES-NEXT: exchanges vary rank 3: [2] 6 7
  %v = graph.vary %x over "tp"(2) : tensor<2xf32>
  graph.report "vary", %v : tensor<2xf32>
  // CHECK: graph.all_reduce %{{.*}} over "tp"(2) : tensor<2xf32>
  // VALUES-NEXT: exchanges sum rank 0: [2] 2 4
  // VALUES-NEXT: exchanges sum rank 1: [2] 2 4
  // VALUES-NEXT: exchanges sum rank 2: [2] 10 12
  // VALUES-NEXT: exchanges sum rank 3: [2] 10 12
  %s = graph.all_reduce %x over "tp"(2) : tensor<2xf32>
  graph.report "sum", %s : tensor<2xf32>
  // CHECK: graph.all_gather %{{.*}} over "tp"(2) : tensor<2xf32> -> tensor<4xf32>
  // VALUES-NEXT: exchanges all rank 0: [4] 0 1 2 3
  // VALUES-NEXT: exchanges all rank 1: [4] 0 1 2 3
  // VALUES-NEXT: exchanges all rank 2: [4] 4 5 6 7
  // VALUES-NEXT: exchanges all rank 3: [4] 4 5 6 7
  %g = graph.all_gather %x over "tp"(2) : tensor<2xf32> -> tensor<4xf32>
  graph.report "all", %g : tensor<4xf32>
  // CHECK: graph.all_gather %{{.*}} over "tp"(2) varied : tensor<2xf32> -> tensor<4xf32>
  // VALUES-NEXT: exchanges varied rank 0: [4] 0 1 2 3
  %gv = graph.all_gather %x over "tp"(2) varied : tensor<2xf32> -> tensor<4xf32>
  graph.report "varied", %gv : tensor<4xf32>
  // CHECK: graph.reduce_scatter %{{.*}} over "tp"(2) : tensor<2xf32> -> tensor<1xf32>
  // VALUES:      exchanges rows rank 0: [1] 2
  // VALUES-NEXT: exchanges rows rank 1: [1] 4
  // VALUES-NEXT: exchanges rows rank 2: [1] 10
  // VALUES-NEXT: exchanges rows rank 3: [1] 12
  %r = graph.reduce_scatter %x over "tp"(2) : tensor<2xf32> -> tensor<1xf32>
  graph.report "rows", %r : tensor<1xf32>
  // CHECK: graph.own_part %{{.*}} over "tp"(2) : tensor<2xf32> -> tensor<1xf32>
  // VALUES-NEXT: exchanges own rank 0: [1] 0
  // VALUES-NEXT: exchanges own rank 1: [1] 3
  // VALUES-NEXT: exchanges own rank 2: [1] 4
  // VALUES-NEXT: exchanges own rank 3: [1] 7
  %o = graph.own_part %x over "tp"(2) : tensor<2xf32> -> tensor<1xf32>
  graph.report "own", %o : tensor<1xf32>
}
