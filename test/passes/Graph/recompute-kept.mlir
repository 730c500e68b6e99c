// RUN: windlass-opt %s --differentiate --recompute="mode=kept keep=layer:matmul.0" | FileCheck %s --check-prefix=FIRST
// RUN: windlass-opt %s --differentiate --recompute="mode=kept keep=layer:matmul.0,layer:map.1" | FileCheck %s --check-prefix=BOTH
// RUN: windlass-opt %s --differentiate --recompute="mode=kept keep=layer:" | FileCheck %s --check-prefix=NOTHING
// RUN: windlass-opt %s --differentiate --recompute="mode=kept keep=other:" | FileCheck %s --check-prefix=OTHER
// RUN: windlass-opt %s --differentiate --recompute="mode=kept keep=layer: layers=1" | FileCheck %s --check-prefix=ONE
// RUN: not windlass-opt %s --differentiate --recompute="mode=kept keep=layer:matmul.2" 2>&1 | FileCheck %s --check-prefix=ACTIVATION
// RUN: not windlass-opt %s --differentiate --recompute="mode=kept keep=layers:map.0" 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not windlass-opt %s --differentiate --recompute="mode=full keep=layer:map.0" 2>&1 | FileCheck %s --check-prefix=MODE

// ACTIVATION: recompute: "layer" has no activation "matmul.2", did you mean "matmul.0"?
// FUNCTION: recompute: no layer function "layers" is trained, did you mean "layer"?
// MODE: recompute keeps activations of "layer" in mode "kept", not in "full"

#row = affine_map<(d0, d1) -> (d0, d1)>
graph.state @a : tensor<3x3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("a") group("decay") {layer = "h.0"}
graph.state @b : tensor<3x3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("b") group("decay") {layer = "h.1"}
graph.state @c : tensor<3x3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("c") group("decay") {layer = "last"}

// The gradient reads what both maps make: exp is its own derivative.
func.func private @layer(%x: tensor<2x3xf32>, %w: tensor<3x3xf32>) -> tensor<2x3xf32> {
  %p = graph.matmul %x, %w : tensor<2x3xf32>, tensor<3x3xf32> -> tensor<2x3xf32>
  %e = graph.map ins(%p : tensor<2x3xf32>) maps [#row] -> tensor<2x3xf32> {
  ^bb0(%v: f32):
    %r = math.exp %v : f32
    graph.yield %r : f32
  }
  %f = graph.map ins(%e : tensor<2x3xf32>) maps [#row] -> tensor<2x3xf32> {
  ^bb0(%v: f32):
    %r = math.exp %v : f32
    graph.yield %r : f32
  }
  %y = graph.matmul %f, %w : tensor<2x3xf32>, tensor<3x3xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

func.func private @other(%x: tensor<2x3xf32>, %w: tensor<3x3xf32>) -> tensor<2x3xf32> {
  %p = graph.matmul %x, %w : tensor<2x3xf32>, tensor<3x3xf32> -> tensor<2x3xf32>
  %e = graph.map ins(%p : tensor<2x3xf32>) maps [#row] -> tensor<2x3xf32> {
  ^bb0(%v: f32):
    %r = math.exp %v : f32
    graph.yield %r : f32
  }
  %y = graph.matmul %e, %w : tensor<2x3xf32>, tensor<3x3xf32> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// The first product is kept, though the adjoint does not read it; both maps are repeated from it, it is not.
// FIRST-LABEL: func.func private @layer.recompute_fwd(
// FIRST-SAME:      -> (tensor<2x3xf32>, tensor<2x3xf32> {windlass.residual})
// FIRST-NEXT:    %[[P:.*]] = graph.matmul
// FIRST:         %[[Y:.*]] = graph.matmul
// FIRST-NEXT:    return %[[Y]], %[[P]]
// FIRST-LABEL: func.func private @layer.recompute_bwd(
// FIRST-SAME:      {windlass.argument = 0 : i64}, %{{.*}}: tensor<3x3xf32> {windlass.argument = 1 : i64},
// FIRST-SAME:      %[[KEPT:[a-z0-9]+]]: tensor<2x3xf32> {windlass.result = 1 : i64}, %{{.*}}: tensor<2x3xf32> {windlass.result_gradient = 0 : i64})
// FIRST-NEXT:    %[[E:.*]] = graph.map ins(%[[KEPT]] :
// FIRST:         } {windlass.phase = #graph<phase recompute>}
// FIRST-NEXT:    graph.map ins(%[[E]] :
// FIRST:         } {windlass.phase = #graph<phase recompute>}
// FIRST-NOT:     windlass.phase = #graph<phase recompute>
// FIRST:         return
// A function that is not named keeps every residual.
// FIRST:       func.func private @other.fwd
// FIRST-NOT:   @other.recompute
// FIRST-LABEL: graph.step @train
// FIRST:         %[[H0:.*]]:2 = func.call @layer.recompute_fwd(%[[X0:.*]], {{.*}}) {layer = "h.0"}
// FIRST:         %[[H1:.*]]:2 = func.call @layer.recompute_fwd(%[[H0]]#0, {{.*}}) {layer = "h.1"}
// FIRST:         func.call @other.bwd(
// FIRST:         func.call @layer.recompute_bwd(%[[H0]]#0, %{{.*}}, %[[H1]]#1, {{.*}}) {layer = "h.1", windlass.phase = #graph<phase backward>}
// FIRST:         func.call @layer.recompute_bwd(%[[X0]], %{{.*}}, %[[H0]]#1, {{.*}}) {layer = "h.0", windlass.phase = #graph<phase backward>}

// What the second map makes is kept too: only the first one is repeated.
// BOTH-LABEL: func.func private @layer.recompute_bwd(
// BOTH-SAME:      %[[P:[a-z0-9]+]]: tensor<2x3xf32> {windlass.result = 1 : i64}, %[[F:[a-z0-9]+]]: tensor<2x3xf32> {windlass.result = 2 : i64}
// BOTH-NEXT:    graph.map ins(%[[P]] :
// BOTH:         } {windlass.phase = #graph<phase recompute>}
// BOTH-NOT:     windlass.phase = #graph<phase recompute>
// BOTH:         graph.matmul {{.*}}%[[F]]
// BOTH:         return

// NOTHING-NOT: @layer.recompute_fwd
// NOTHING:     func.func private @layer.recompute_bwd(
// NOTHING-NOT: windlass.result =
// NOTHING:     @other.fwd
// NOTHING:     func.call @layer({{.*}}) {layer = "h.0"}

// OTHER-NOT: @layer.recompute
// OTHER:     func.func private @other.recompute_bwd(
// OTHER-NOT: @layer.recompute

// ONE-LABEL: graph.step @train
// ONE:         func.call @layer({{.*}}) {layer = "h.0"}
// ONE:         func.call @layer.fwd({{.*}}) {layer = "h.1"}

graph.step @evaluate {
  %x = graph.feed "x" : tensor<2x3xf32>
  %a = graph.read @a : tensor<3x3xf32>
  %b = graph.read @b : tensor<3x3xf32>
  %c = graph.read @c : tensor<3x3xf32>
  %x1 = func.call @layer(%x, %a) {layer = "h.0"} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %x2 = func.call @layer(%x1, %b) {layer = "h.1"} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %x3 = func.call @other(%x2, %c) {layer = "last"} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %loss = graph.reduce sum over [0, 1] ins(%x3 : tensor<2x3xf32>) maps [#row] -> tensor<f32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  graph.report "loss", %loss : tensor<f32>
}
