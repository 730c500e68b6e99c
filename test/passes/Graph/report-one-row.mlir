// RUN: windlass-opt %s --split-input-file --report-one-row="limit=100" | FileCheck %s

// Changed: logits of 3 x 12 x 4 bytes, behind a bias.
// CHECK-LABEL: graph.step @sample
// CHECK:         %[[E:.*]] = graph.embedding
// CHECK-NEXT:    %[[P:.*]] = graph.feed "position" {bound = 3 : i64} : tensor<1xi32>
// CHECK-NEXT:    %[[R:.*]] = graph.embedding %[[E]], %[[P]] : tensor<3x2xf32>, tensor<1xi32> -> tensor<1x2xf32>
// CHECK-NEXT:    %[[Z:.*]] = graph.matmul %[[R]], %{{.*}} transposed {{.*}} -> tensor<1x12xf32>
// CHECK-NEXT:    %[[Y:.*]] = graph.map ins(%[[Z]], %{{.*}} -> tensor<1x12xf32>
// CHECK:         graph.report "logits", %[[Y]] : tensor<1x12xf32>
graph.state @wte : tensor<12x2xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("wte") group("decay")
graph.state @bias : tensor<12xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("bias") group("no_decay")
graph.step @sample {
  %i = graph.feed "tokens" {bound = 12 : i64} : tensor<3xi32>
  %w = graph.read @wte : tensor<12x2xf32>
  %b = graph.read @bias : tensor<12xf32>
  %e = graph.embedding %w, %i : tensor<12x2xf32>, tensor<3xi32> -> tensor<3x2xf32>
  %z = graph.matmul %e, %w transposed : tensor<3x2xf32>, tensor<12x2xf32> -> tensor<3x12xf32>
  %y = graph.map ins(%z, %b : tensor<3x12xf32>, tensor<12xf32>)
      maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>] -> tensor<3x12xf32> {
  ^bb0(%u: f32, %v: f32):
    %s = arith.addf %u, %v : f32
    graph.yield %s : f32
  }
  graph.report "logits", %y : tensor<3x12xf32>
}

// -----

// Kept: what evaluation computes, and logits of 2 x 12 x 4 bytes.
// CHECK-LABEL: graph.step @evaluate
// CHECK:         graph.matmul {{.*}} -> tensor<3x12xf32>
// CHECK-LABEL: graph.step @sample
// CHECK-NOT:     graph.feed "position"
// CHECK:         graph.report "logits", %{{.*}} : tensor<2x12xf32>
graph.state @wte : tensor<12x2xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("wte") group("decay")
graph.step @evaluate {
  %i = graph.feed "tokens" {bound = 12 : i64} : tensor<3xi32>
  %l = graph.feed "labels" {bound = 12 : i64} : tensor<3xi32>
  %w = graph.read @wte : tensor<12x2xf32>
  %e = graph.embedding %w, %i : tensor<12x2xf32>, tensor<3xi32> -> tensor<3x2xf32>
  %z = graph.matmul %e, %w transposed : tensor<3x2xf32>, tensor<12x2xf32> -> tensor<3x12xf32>
  %losses, %lse = graph.cross_entropy %z, %l : tensor<3x12xf32>, tensor<3xi32> -> tensor<3xf32>, tensor<3xf32>
  graph.report "losses", %losses : tensor<3xf32>
}
graph.step @sample {
  %i = graph.feed "tokens" {bound = 12 : i64} : tensor<2xi32>
  %w = graph.read @wte : tensor<12x2xf32>
  %e = graph.embedding %w, %i : tensor<12x2xf32>, tensor<2xi32> -> tensor<2x2xf32>
  %z = graph.matmul %e, %w transposed : tensor<2x2xf32>, tensor<12x2xf32> -> tensor<2x12xf32>
  graph.report "logits", %z : tensor<2x12xf32>
}
