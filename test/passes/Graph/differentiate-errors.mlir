// RUN: windlass-opt %s --differentiate --split-input-file --verify-diagnostics

// expected-error@+1 {{has no graph.step @evaluate to differentiate}}
module {
}

// -----

// expected-error@+1 {{reports no "loss" to differentiate}}
graph.step @evaluate {
}

// -----

graph.step @evaluate {
  %x = graph.feed "x" : tensor<2xf32>
  // expected-error@+1 {{"loss" must be a tensor<f32>, is 'tensor<2xf32>'}}
  graph.report "loss", %x : tensor<2xf32>
}

// -----

func.func private @inner(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func private @outer(%x: tensor<f32>) -> tensor<f32> {
  %y = func.call @inner(%x) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
graph.step @evaluate {
  %x = graph.feed "x" : tensor<f32>
  // expected-error@+1 {{must call a layer function with a body that calls no other}}
  %y = func.call @outer(%x) {layer = "h.0"} : (tensor<f32>) -> tensor<f32>
  graph.report "loss", %y : tensor<f32>
}
