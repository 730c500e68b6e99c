// RUN: windlass-opt %s --graph-train="micro-batches=2" --dist-train="ranks=2 zero=2" --assign-stages="layers=1,1" | FileCheck %s
// RUN: windlass-opt %s --graph-train="micro-batches=2" --dist-train="ranks=2 zero=0 reduce-per-step=true" --assign-stages="layers=1,1" | FileCheck %s --check-prefix=UNITS

// Both parameters of the step rest on the first stage. It makes a gradient of each, also if that is made of gradients
// of the second stage (`bias`, which stands between the layers), or of a value of the second stage (`both`, whose use
// on the first stage is detached).

// CHECK-DAG: dist.bucket @decay.0 {{.*}} {windlass.stage = 0 : i64}
// CHECK-DAG: dist.bucket @no_decay.0 {{.*}} {windlass.stage = 0 : i64}
// CHECK-LABEL: graph.step @train
// CHECK:         %[[BOTH:.*]] = dist.launch @matmul_{{.*}} {windlass.phase = #graph<phase backward>, windlass.stage = 1 : i64} : (tensor<2x128xf32>, tensor<2x128xf32>) -> tensor<128x128xf32>
// CHECK:         %[[BOTH_SHARD:.*]] = dist.reduce_scatter %[[BOTH]] {{.*}} of "decay.0" {windlass.phase = #graph<phase backward>, windlass.stage = 0 : i64}
// CHECK:         %[[BACKWARD:.*]]:2 = func.call @block.bwd({{.*}} {layer = "h.1", windlass.phase = #graph<phase backward>, windlass.stage = 1 : i64}
// CHECK:         %[[BIAS:.*]] = dist.launch @reduce_{{.*}}(%[[BACKWARD]]#0) {windlass.phase = #graph<phase backward>, windlass.stage = 0 : i64}
// CHECK:         %[[PACK:.*]] = dist.pack %[[BIAS]] at [0] {windlass.stage = 0 : i64}
// CHECK:         %[[BIAS_SHARD:.*]] = dist.reduce_scatter %[[PACK]] {{.*}} of "no_decay.0" {windlass.phase = #graph<phase backward>, windlass.stage = 0 : i64}
// CHECK:         graph.yield %[[BOTH_SHARD]], %{{.*}}, %[[BIAS_SHARD]], %[[BACKWARD]]#1

// A whole unit that the second stage has to make is copied on the first.
// UNITS-LABEL: graph.step @train
// UNITS:         %[[BOTH:.*]] = dist.launch @matmul_{{.*}} {windlass.phase = #graph<phase backward>, windlass.stage = 1 : i64} : (tensor<2x128xf32>, tensor<2x128xf32>) -> tensor<128x128xf32>
// UNITS:         %[[COPY:.*]] = dist.launch @[[KERNEL:map_.*]](%[[BOTH]]) {windlass.phase = #graph<phase backward>, windlass.stage = 0 : i64} : (tensor<128x128xf32>) -> tensor<128x128xf32>
// UNITS:         graph.yield %[[COPY]],
// UNITS:       func.func private @[[KERNEL]]
// UNITS-NEXT:    graph.map ins(%arg0 : tensor<128x128xf32>)
// UNITS-NEXT:    ^bb0(%[[X:.*]]: f32):
// UNITS-NEXT:      graph.yield %[[X]]

#rows = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1)>

graph.state @bias : tensor<128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("bias") group("no_decay")
graph.state @both : tensor<128x128xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("both") group("decay")
graph.state @h.0.w : tensor<128x128xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("h.0.w") group("decay") {layer = "h.0"}
graph.state @h.1.w : tensor<128x128xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("h.1.w") group("decay") {layer = "h.1"}

func.func private @block(%x: tensor<2x128xf32>, %w: tensor<128x128xf32>) -> tensor<2x128xf32> {
  %y = graph.matmul %x, %w : tensor<2x128xf32>, tensor<128x128xf32> -> tensor<2x128xf32>
  return %y : tensor<2x128xf32>
}

graph.step @evaluate {
  %x = graph.feed "x" : tensor<2x128xf32>
  %bias = graph.read @bias : tensor<128xf32>
  %both = graph.read @both : tensor<128x128xf32>
  %still = graph.map ins(%both : tensor<128x128xf32>) maps [#rows] -> tensor<128x128xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  } {graph.detached}
  %first = graph.matmul %x, %still : tensor<2x128xf32>, tensor<128x128xf32> -> tensor<2x128xf32>
  %w0 = graph.read @h.0.w : tensor<128x128xf32>
  %h0 = func.call @block(%first, %w0) {layer = "h.0"} : (tensor<2x128xf32>, tensor<128x128xf32>) -> tensor<2x128xf32>
  %between = graph.map ins(%h0, %bias : tensor<2x128xf32>, tensor<128xf32>) maps [#rows, #columns] -> tensor<2x128xf32> {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    graph.yield %s : f32
  }
  %w1 = graph.read @h.1.w : tensor<128x128xf32>
  %h1 = func.call @block(%between, %w1) {layer = "h.1"} : (tensor<2x128xf32>, tensor<128x128xf32>) -> tensor<2x128xf32>
  %q = graph.matmul %h1, %both : tensor<2x128xf32>, tensor<128x128xf32> -> tensor<2x128xf32>
  %loss = graph.reduce sum over [0, 1] ins(%q : tensor<2x128xf32>) maps [#rows] -> tensor<f32> {
  ^bb0(%l: f32):
    %square = arith.mulf %l, %l : f32
    graph.yield %square : f32
  }
  graph.report "loss", %loss : tensor<f32>
}
