// RUN: windlass-opt %s --partition="ranks=2 bucket-bytes=65536" | FileCheck %s

// The input's gradient of the first layer is the gradient of a parameter of the step, which was added to that input;
// that of the second layer is a value like any other. Both calls are of one function, so it returns the value, and the
// step reduces it.

// CHECK-LABEL: func.func private @backward(
// CHECK:         %[[DX:.*]] = graph.matmul {{.*}} transposed
// CHECK:         %[[R:.*]] = dist.reduce_scatter
// CHECK:         return %[[DX]], %[[R]] : tensor<128x128xf32>, tensor<8192xf32>

// CHECK-LABEL: graph.step @train
// CHECK:         %[[D1:.*]]:2 = func.call @backward({{.*}}) {layer = "h.1"}
// CHECK-NEXT:    %[[D0:.*]]:2 = func.call @backward(%[[D1]]#0, {{.*}}) {layer = "h.0"}
// CHECK-NEXT:    %[[DP:.*]] = dist.reduce_scatter %[[D0]]#0
// CHECK-NEXT:    graph.yield
// CHECK:         gradient_of = [@decay.0, @h.1.decay.0, @h.0.decay.0]
graph.state @position : tensor<128x128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("position") group("decay")
graph.state @h.0.w : tensor<128x128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.0.w") group("decay") {layer = "h.0"}
graph.state @h.1.w : tensor<128x128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.1.w") group("decay") {layer = "h.1"}

func.func private @backward(%dy: tensor<128x128xf32>, %x: tensor<128x128xf32>, %w: tensor<128x128xf32>) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
  %dx = graph.matmul %dy, %w transposed : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
  %dw = graph.matmul %x transposed, %dy : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
  return %dx, %dw : tensor<128x128xf32>, tensor<128x128xf32>
}

graph.step @train {
  %g:3 = graph.micro_batches count(1) {
    %x = graph.feed "x" : tensor<128x128xf32>
    %w0 = graph.read @h.0.w : tensor<128x128xf32>
    %w1 = graph.read @h.1.w : tensor<128x128xf32>
    %d1:2 = func.call @backward(%x, %x, %w1) {layer = "h.1"} : (tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>) -> (tensor<128x128xf32>, tensor<128x128xf32>)
    %d0:2 = func.call @backward(%d1#0, %x, %w0) {layer = "h.0"} : (tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>) -> (tensor<128x128xf32>, tensor<128x128xf32>)
    graph.yield %d0#0, %d0#1, %d1#1 : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>
  } {gradient_of = [@position, @h.0.w, @h.1.w]} : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>
  graph.write %g#0, @position : tensor<128x128xf32>
  graph.write %g#1, @h.0.w : tensor<128x128xf32>
  graph.write %g#2, @h.1.w : tensor<128x128xf32>
}
