// RUN: windlass-opt %s --partition="ranks=2 owned" | FileCheck %s
// RUN: windlass-opt %s --partition="ranks=1 owned" | FileCheck %s --check-prefix=ALONE
// RUN: windlass-opt %s --partition="ranks=2 zero=2 owned" | FileCheck %s --check-prefix=ZERO2

// Each bucket of ZeRO 3 rests whole on one rank, the next one on the rank that owns least; the function that both
// layers share broadcasts, whoever owns. With one rank, or below ZeRO 3, nobody owns.

// CHECK:      dist.bucket @h.0.decay.0 zero(3) {{.*}} owner(0)
// CHECK:      dist.bucket @h.1.decay.0 zero(3) {{.*}} owner(1)
// ALONE-NOT:  owner(
// ZERO2-NOT: owner(
graph.state @h.0.weight : tensor<128x128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.0.weight") group("decay") {layer = "h.0"}
graph.state @h.1.weight : tensor<128x128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.1.weight") group("decay") {layer = "h.1"}

// CHECK-LABEL: func.func private @forward(
// CHECK-SAME:    %{{.*}}: tensor<4x128xf32>, %[[S:.*]]: tensor<16384xf32>)
// CHECK:         dist.broadcast %[[S]] pieces [16384] of "decay.0" : tensor<16384xf32> -> tensor<128x128xf32>
// ALONE:         dist.all_gather
func.func private @forward(%x: tensor<4x128xf32>, %w: tensor<128x128xf32>) -> tensor<4x128xf32> {
  %y = graph.matmul %x, %w : tensor<4x128xf32>, tensor<128x128xf32> -> tensor<4x128xf32>
  return %y : tensor<4x128xf32>
}

graph.step @evaluate {
  %x = graph.feed "x" : tensor<4x128xf32>
  %w = graph.read @h.0.weight : tensor<128x128xf32>
  %v = graph.read @h.1.weight : tensor<128x128xf32>
  %y = func.call @forward(%x, %w) {layer = "h.0"} : (tensor<4x128xf32>, tensor<128x128xf32>) -> tensor<4x128xf32>
  %z = func.call @forward(%y, %v) {layer = "h.1"} : (tensor<4x128xf32>, tensor<128x128xf32>) -> tensor<4x128xf32>
  graph.report "y", %z : tensor<4x128xf32>
}
