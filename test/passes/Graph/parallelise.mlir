// RUN: windlass-opt %s --parallelise=ranks=2 | FileCheck %s
// RUN: windlass-opt %s --parallelise=ranks=1 | FileCheck %s --check-prefix=ONE
// RUN: windlass-opt %S/Inputs/two-layers.mlir --parallelise=ranks=2 | FileCheck %s --check-prefix=LAYERS
// RUN: windlass-opt %S/Inputs/channels.mlir --parallelise=ranks=2 --verify-splits | FileCheck %s --check-prefix=CHANNELS
// RUN: not windlass-opt %S/Inputs/two-layers.mlir --parallelise=ranks=2 --parallelise=ranks=2 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not windlass-opt %s --parallelise=ranks=64 2>&1 | FileCheck %s --check-prefix=NOTHING

// One rank has everything, as before.
// ONE-NOT: graph.vary
// ONE-NOT: windlass.tensor_ranks

// The module says who shares out what. A packed q, k, v is cut into as many columns of each.
// CHECK: windlass.tensor_layout = "version 2; evaluate: w1 n, w2 k", windlass.tensor_ranks = 2
// LAYERS: windlass.tensor_layout = "version 2; block: qkv n/3, attention heads, proj k, fc n, fc2 k; evaluate: wte rows, wte n, cross_entropy columns"
// Of a convolution ranks share out the channels: a batch norm between two is of a rank's own, with its running
// statistics, and what is put around images goes around those of each channel.
// CHANNELS: windlass.tensor_layout = "version 2; evaluate: conv1 m, conv2 k"
// CHANNELS: graph.state @bn.running_var : tensor<8xf32> {{.*}} {graph.split = array<i64: 16, 8, 16>}
// CHANNELS: graph.batch_norm {{.*}} : tensor<6x8xf32>
// CHANNELS: graph.pad {{.*}} {graph.split_dimensions = array<i64: 0, 0>} : tensor<8x6xf32> -> tensor<8x8xf32>
// CHANNELS: %[[TERMS:.*]] = graph.matmul {{.*}} : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
// CHANNELS-NEXT: graph.all_reduce %[[TERMS]]
// TWICE: operations are shared out once, over at least one rank, but over 2 after 2
// NOTHING: nothing of the model can be shared out over 64 ranks

#element = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// The columns of the first matrix and the rows of the second are cut, and the bias between them.
// CHECK: graph.state @w1 : tensor<8x16xf32> {{.*}} {graph.split = array<i64: 32, 16, 8, 32>}
graph.state @w1 : tensor<8x32xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w1") group("decay")
// CHECK: graph.state @b1 : tensor<16xf32> {{.*}} {graph.split = array<i64: 32, 16, 32>}
graph.state @b1 : tensor<32xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("b1") group("no_decay")
// CHECK: graph.state @w2 : tensor<16x8xf32> {{.*}} {graph.split = array<i64: 256, 128, 32, 8>}
graph.state @w2 : tensor<32x8xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("w2") group("decay")
// What is added to the sum of all ranks is whole.
// CHECK: graph.state @b2 : tensor<8xf32> {{.*}} group("no_decay"){{$}}
graph.state @b2 : tensor<8xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("b2") group("no_decay")

// CHECK-LABEL: graph.step @evaluate
graph.step @evaluate {
  %x = graph.feed "x" : tensor<16x8xf32>
  %w1 = graph.read @w1 : tensor<8x32xf32>
  %b1 = graph.read @b1 : tensor<32xf32>
  %w2 = graph.read @w2 : tensor<32x8xf32>
  %b2 = graph.read @b2 : tensor<8xf32>
  // Nothing trained lies behind the input: it need not be varied.
  // CHECK-NOT: graph.vary
  // CHECK: graph.matmul %{{.*}} : tensor<16x8xf32>, tensor<8x16xf32> -> tensor<16x16xf32>
  %h = graph.matmul %x, %w1 : tensor<16x8xf32>, tensor<8x32xf32> -> tensor<16x32xf32>
  %g = graph.map ins(%h, %b1 : tensor<16x32xf32>, tensor<32xf32>) maps [#element, #column] -> tensor<16x32xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    %t = math.tanh %s : f32
    graph.yield %t : f32
  }
  // CHECK: %[[TERMS:.*]] = graph.matmul %{{.*}} : tensor<16x16xf32>, tensor<16x8xf32> -> tensor<16x8xf32>
  // CHECK: %[[SUM:.*]] = graph.all_reduce %[[TERMS]] over "tp"(2) : tensor<16x8xf32>
  // CHECK: graph.map ins(%[[SUM]], %{{.*}} : tensor<16x8xf32>, tensor<8xf32>)
  %m = graph.matmul %g, %w2 : tensor<16x32xf32>, tensor<32x8xf32> -> tensor<16x8xf32>
  %y = graph.map ins(%m, %b2 : tensor<16x8xf32>, tensor<8xf32>) maps [#element, #column] -> tensor<16x8xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  graph.report "y", %y : tensor<16x8xf32>
}
