// RUN: windlass-opt %s --verify-graph --split-input-file --verify-diagnostics

// What the pipeline leaves is accepted.
graph.state @w : tensor<4xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("w") group("decay")
graph.step @train {
  %g = graph.micro_batches count(1) {
    %x = graph.feed "x" : tensor<4xf32>
    graph.yield %x : tensor<4xf32>
  } {gradient_of = [@w]} : tensor<4xf32>
  graph.write %g, @w : tensor<4xf32>
}

// -----

func.func private @composite(%qkv: tensor<12x24xf32>) -> tensor<12x8xf32> {
  // expected-error@+1 {{is more than one kernel; decompose-composites must run before the level ends}}
  %y, %lse = graph.attention %qkv batch(2) heads(2) causal : tensor<12x24xf32> -> tensor<12x8xf32>, tensor<2x2x6xf32>
  return %y : tensor<12x8xf32>
}

// -----

// expected-error@+1 {{takes an argument that is no tensor of static shape: 'tensor<?xf32>'}}
func.func private @dynamic(%x: tensor<?xf32>) {
  return
}

// -----

// expected-error@+1 {{must be private and have a body, as layer functions do}}
func.func @public(%x: tensor<4xf32>) {
  return
}

// -----

func.func private @impure(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{stands in layer function "impure", which must be pure}}
  %y = graph.feed "y" : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func private @layer(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
graph.step @evaluate {
  %x = graph.feed "x" : tensor<4xf32>
  // expected-error@+1 {{does not say in the attribute "layer" which instance it runs}}
  %y = func.call @layer(%x) : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

graph.state @w : tensor<4xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("w") group("decay")
graph.step @evaluate {
  %x = graph.feed "x" : tensor<4xf32>
  // expected-error@+1 {{stands in step "evaluate"; only "train" changes states}}
  graph.write %x, @w : tensor<4xf32>
}

// -----

graph.state @w : tensor<4xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("w") group("decay")
graph.step @train {
  // expected-error@+1 {{must name the parameter of each of its 1 results in `gradient_of`}}
  %g = graph.micro_batches count(1) {
    %x = graph.feed "x" : tensor<4xf32>
    graph.yield %x : tensor<4xf32>
  } : tensor<4xf32>
}

// -----

graph.state @w : tensor<4xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("w") group("decay")
graph.step @train {
  // expected-error@+1 {{has a result of type 'tensor<2xf32>' that is no gradient of @w}}
  %g = graph.micro_batches count(1) {
    %x = graph.feed "x" : tensor<2xf32>
    graph.yield %x : tensor<2xf32>
  } {gradient_of = [@w]} : tensor<2xf32>
}

// -----

graph.step @train {
  %x = graph.feed "x" : tensor<4x4xf32>
  // expected-error@+1 {{stands in the update; only feeds, reads, elementwise maps, grad_norm, writes and reports may}}
  %y = graph.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
}

// -----

graph.step @train {
  %x = graph.feed "x" : tensor<4x4xf32>
  // expected-error@+1 {{stands in the update and reads an input at affine_map<(d0, d1) -> (d1, d0)>; only whole elements and scalars can be read there}}
  %y = graph.map ins(%x : tensor<4x4xf32>) maps [affine_map<(d0, d1) -> (d1, d0)>] -> tensor<4x4xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
}

// -----

func.func private @phase(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{has a phase that is neither backward nor recompute: #graph<phase forward>}}
  %y = graph.matmul %x, %x {windlass.phase = #graph<phase forward>} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
