// RUN: windlass-opt %s --partition="ranks=2 zero-of=h.1.decay.0:2" | FileCheck %s
// RUN: windlass-opt %s --partition="ranks=2 zero=2 zero-of=h.0.decay.0:3,h.1.decay.0:2" | FileCheck %s
// RUN: windlass-opt %s --partition="ranks=2 zero-of=h.0.decay.0:2,h.1.decay.0:2" | FileCheck %s --check-prefix=ALIKE
// RUN: not windlass-opt %s --partition="ranks=2 zero-of=h.1.decay.1:2" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not windlass-opt %s --partition="ranks=2 zero-of=h.1.decay.0:4" 2>&1 | FileCheck %s --check-prefix=NUMBER

// ZeRO may differ between the buckets of two instances of a layer: each pair of such numbers has a body of its own, with a
// gather or without.
// CHECK:       dist.bucket @h.0.decay.0 zero(3)
// CHECK:       dist.bucket @h.1.decay.0 zero(2)
// CHECK-LABEL: func.func private @forward(
// CHECK-SAME:    tensor<8192xf32>) -> tensor<4x128xf32>
// CHECK:         dist.all_gather
// CHECK-LABEL: graph.step @evaluate
// CHECK-DAG:     %[[SHARD:.*]] = dist.read @h.0.decay.0 parameter : tensor<8192xf32>
// CHECK-DAG:     %[[WHOLE:.*]] = dist.read @h.1.decay.0 parameter : tensor<128x128xf32>
// CHECK:         call @forward(%{{.*}}, %[[SHARD]])
// CHECK:         call @zero_2.forward(%{{.*}}, %[[WHOLE]])
// CHECK-LABEL: func.func private @zero_2.forward(
// CHECK-SAME:    tensor<128x128xf32>) -> tensor<4x128xf32>
// CHECK-NOT:     dist.all_gather

// Where they do not differ, the body stays shared.
// ALIKE-COUNT-2: zero(2)
// ALIKE-COUNT-2: call @forward(

// UNKNOWN: error: zero-of: no "h.1.decay.1" in this model, did you mean "h.1.decay.0"?
// NUMBER:  error: partition needs ZeRO 0 to 3; found 4 of 'h.1.decay.0'
graph.state @h.0.weight : tensor<128x128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.0.weight") group("decay") {layer = "h.0"}
graph.state @h.1.weight : tensor<128x128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.1.weight") group("decay") {layer = "h.1"}

func.func private @forward(%x: tensor<4x128xf32>, %w: tensor<128x128xf32>) -> tensor<4x128xf32> {
  %y = graph.matmul %x, %w : tensor<4x128xf32>, tensor<128x128xf32> -> tensor<4x128xf32>
  return %y : tensor<4x128xf32>
}

graph.step @evaluate {
  %x = graph.feed "x" : tensor<4x128xf32>
  %v = graph.read @h.0.weight : tensor<128x128xf32>
  %w = graph.read @h.1.weight : tensor<128x128xf32>
  %y = func.call @forward(%x, %v) {layer = "h.0"} : (tensor<4x128xf32>, tensor<128x128xf32>) -> tensor<4x128xf32>
  %z = func.call @forward(%y, %w) {layer = "h.1"} : (tensor<4x128xf32>, tensor<128x128xf32>) -> tensor<4x128xf32>
  graph.report "z", %z : tensor<4x128xf32>
}
