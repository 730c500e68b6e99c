// RUN: windlass-opt %s --interpret="ranks=2 states=true" -o /dev/null | FileCheck %s
// RUN: windlass-opt %s --interpret="step=look" -o /dev/null | FileCheck %s --check-prefix=STEP
// RUN: not windlass-opt %s --interpret="ranks=0" -o /dev/null 2>&1 | FileCheck %s --check-prefix=RANKS

graph.state @w : tensor<2xf32> role(parameter) init(<normal = false, mean = 2.0 : f64, std = 0.0 : f64>)
    original("w") group("decay")

// CHECK: two_matrices#0: [2x2] 7 7 7 7
func.func @two_matrices() -> tensor<2x2xf32> {
  %a = graph.map ins() maps [] -> tensor<2x1xf32> {
    %c = arith.constant 3.5 : f32
    graph.yield %c : f32
  }
  %b = graph.map ins() maps [] -> tensor<1x2xf32> {
    %c = arith.constant 2.0 : f32
    graph.yield %c : f32
  }
  %r = graph.matmul %a, %b : tensor<2x1xf32>, tensor<1x2xf32> -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// CHECK: train tokens rank 0: [2] 0 1
// CHECK: train tokens rank 1: [2] 2 0
graph.step @train {
  %w = graph.read @w : tensor<2xf32>
  %t = graph.feed "tokens" {bound = 3} : tensor<2xi64>
  graph.report "tokens", %t : tensor<2xi64>
  %sum = graph.micro_batches count(2) {
    graph.yield %w : tensor<2xf32>
  } : tensor<2xf32>
  graph.write %sum, @w : tensor<2xf32>
}

// Two micro-batches on two ranks, each with the state of the start of the step.
// CHECK: look w rank 0: [2] 8 8
// STEP-NOT: train
// STEP: look w rank 0: [2] 2 2
graph.step @look {
  %w = graph.read @w : tensor<2xf32>
  graph.report "w", %w : tensor<2xf32>
}
// CHECK: state w rank 1: [2] 8 8
// RANKS: there must be at least one rank, but ranks is 0
