// RUN: windlass-opt %s --differentiate --recompute | FileCheck %s --check-prefix=NONE
// RUN: windlass-opt %s --differentiate --recompute=mode=full | FileCheck %s --check-prefix=FULL
// RUN: windlass-opt %s --differentiate --recompute="mode=full every=2" | FileCheck %s --check-prefix=PAIRS
// RUN: windlass-opt %s --differentiate --recompute="mode=full layers=1" | FileCheck %s --check-prefix=FIRST
// RUN: not windlass-opt %s --recompute="mode=full every=0" 2>&1 | FileCheck %s --check-prefix=EVERY
// RUN: not windlass-opt %s --recompute="mode=full layers=-1" 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not windlass-opt %s --recompute=mode=some 2>&1 | FileCheck %s --check-prefix=MODE

// MODE: recompute mode is "none", "full" or "kept", not "some"
// EVERY: recompute keeps the input of every 1st, 2nd, ... layer, not of every 0th
// COUNT: recompute repeats the first 1, 2, ... layers or all (0), not -1

#row = affine_map<(d0, d1) -> (d0, d1)>
graph.state @a : tensor<3x3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("a") group("decay") {layer = "h.0"}
graph.state @b : tensor<3x3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("b") group("decay") {layer = "h.1"}
graph.state @c : tensor<3x3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("c") group("decay") {layer = "h.2"}

func.func private @layer(%x: tensor<2x3xf32>, %w: tensor<3x3xf32>) -> tensor<2x3xf32> {
  %p = graph.matmul %x, %w : tensor<2x3xf32>, tensor<3x3xf32> -> tensor<2x3xf32>
  %y = graph.map ins(%p : tensor<2x3xf32>) maps [#row] -> tensor<2x3xf32> {
  ^bb0(%v: f32):
    %e = math.exp %v : f32
    graph.yield %e : f32
  }
  return %y : tensor<2x3xf32>
}

// NONE: func.func private @layer.fwd
// NONE: func.func private @layer.bwd
// NONE-NOT: recompute

// The forward functions are gone; what the adjoint reads is repeated, the layer's own result is not.
// FULL-NOT:   @layer.fwd
// FULL-NOT:   @layer.bwd
// FULL-LABEL: func.func private @layer.recompute_bwd(
// FULL-SAME:      %[[X:.*]]: tensor<2x3xf32> {windlass.argument = 0 : i64}, %[[W:.*]]: tensor<3x3xf32> {windlass.argument = 1 : i64},
// FULL-SAME:      %{{.*}}: tensor<2x3xf32> {windlass.result_gradient = 0 : i64})
// FULL-SAME:      attributes {graph.form = #graph.layer_form<repeating of "layer">}
// FULL-NEXT:    graph.matmul %[[X]], %[[W]] {windlass.phase = #graph<phase recompute>}
// FULL-NOT:     windlass.phase = #graph<phase recompute>
// FULL:         return

graph.step @evaluate {
  %x = graph.feed "x" : tensor<2x3xf32>
  %a = graph.read @a : tensor<3x3xf32>
  %b = graph.read @b : tensor<3x3xf32>
  %c = graph.read @c : tensor<3x3xf32>
  %x1 = func.call @layer(%x, %a) {layer = "h.0"} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %x2 = func.call @layer(%x1, %b) {layer = "h.1"} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %x3 = func.call @layer(%x2, %c) {layer = "h.2"} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %loss = graph.reduce sum over [0, 1] ins(%x3 : tensor<2x3xf32>) maps [#row] -> tensor<f32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  graph.report "loss", %loss : tensor<f32>
}

// FULL-LABEL: graph.step @train
// FULL:         %[[X1:.*]] = func.call @layer({{.*}}) {layer = "h.0"}
// FULL:         %[[X2:.*]] = func.call @layer(%[[X1]], {{.*}}) {layer = "h.1"}
// FULL:         func.call @layer(%[[X2]], {{.*}}) {layer = "h.2"}
// FULL:         func.call @layer.recompute_bwd(%[[X2]], {{.*}}) {layer = "h.2", windlass.phase = #graph<phase backward>}
// FULL:         func.call @layer.recompute_bwd(%[[X1]], {{.*}}) {layer = "h.1", windlass.phase = #graph<phase backward>}
// FULL:         func.call @layer.recompute_bwd({{.*}}) {layer = "h.0", windlass.phase = #graph<phase backward>}

// Of h.0 and h.1 only the input of h.0 is kept: h.0 runs again before the backward pass of h.1. h.2 is alone.
// PAIRS-LABEL: graph.step @train
// PAIRS:         %[[X0:.*]] = graph.feed "x"
// PAIRS:         %[[X1:.*]] = func.call @layer(%[[X0]], {{.*}}) {layer = "h.0"}
// PAIRS:         %[[X2:.*]] = func.call @layer(%[[X1]], {{.*}}) {layer = "h.1"}
// PAIRS:         func.call @layer(%[[X2]], {{.*}}) {layer = "h.2"}
// PAIRS:         func.call @layer.recompute_bwd(%[[X2]], {{.*}}) {layer = "h.2", windlass.phase = #graph<phase backward>}
// PAIRS:         %[[AGAIN:.*]]:2 = func.call @layer.fwd(%[[X0]], {{.*}}) {layer = "h.0", windlass.phase = #graph<phase recompute>}
// PAIRS:         func.call @layer.recompute_bwd(%[[AGAIN]]#0, {{.*}}) {layer = "h.1", windlass.phase = #graph<phase backward>}
// PAIRS:         func.call @layer.bwd(%[[X0]], %{{.*}}, %[[AGAIN]]#1, {{.*}}) {layer = "h.0", windlass.phase = #graph<phase backward>}

// Only h.0 is repeated; the two behind it keep their residuals.
// FIRST-LABEL: graph.step @train
// FIRST:         %[[X1:.*]] = func.call @layer({{.*}}) {layer = "h.0"}
// FIRST:         %[[X2:.*]]:2 = func.call @layer.fwd(%[[X1]], {{.*}}) {layer = "h.1"}
// FIRST:         %[[X3:.*]]:2 = func.call @layer.fwd(%[[X2]]#0, {{.*}}) {layer = "h.2"}
// FIRST:         func.call @layer.bwd({{.*}}%[[X3]]#1{{.*}}) {layer = "h.2", windlass.phase = #graph<phase backward>}
// FIRST:         func.call @layer.bwd({{.*}}%[[X2]]#1{{.*}}) {layer = "h.1", windlass.phase = #graph<phase backward>}
// FIRST:         func.call @layer.recompute_bwd({{.*}}) {layer = "h.0", windlass.phase = #graph<phase backward>}
