// RUN: windlass-opt %s --partition="ranks=2 zero=3" --split-input-file --verify-diagnostics

// A function has one form, so all its calls pass the same places of their buckets.
graph.state @h.0.a : tensor<8xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.0.a") group("decay") {layer = "h.0"}
graph.state @h.0.b : tensor<8xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.0.b") group("decay") {layer = "h.0"}
func.func private @layer(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
graph.step @evaluate {
  %a = graph.read @h.0.a : tensor<8xf32>
  %b = graph.read @h.0.b : tensor<8xf32>
  %x = func.call @layer(%a) {layer = "h.0"} : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error@+1 {{'func.call' op passes other parameters to 'layer' than an earlier call does}}
  %y = func.call @layer(%b) {layer = "h.0"} : (tensor<8xf32>) -> tensor<8xf32>
}

// -----

// A bucket is reduced whole, so each of its parameters has a gradient.
graph.state @trained : tensor<8xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("trained") group("decay")
graph.state @idle : tensor<8xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("idle") group("decay")
graph.step @train {
  // expected-error@+1 {{parameter "idle" shares bucket decay.0 with trained ones but has no gradient}}
  %g = graph.micro_batches count(1) {
    %x = graph.feed "x" : tensor<8xf32>
    graph.yield %x : tensor<8xf32>
  } {gradient_of = [@trained]} : tensor<8xf32>
}

// -----

// A shard is updated by one map, so its tensors are updated alike.
#id = affine_map<(d0) -> (d0)>
graph.state @a : tensor<8xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("a") group("decay")
// expected-error@+1 {{is updated otherwise than "a", which shares bucket decay.0}}
graph.state @b : tensor<8xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("b") group("decay")
graph.step @train {
  %g:2 = graph.micro_batches count(1) {
    %x = graph.feed "x" : tensor<8xf32>
    graph.yield %x, %x : tensor<8xf32>, tensor<8xf32>
  } {gradient_of = [@a, @b]} : tensor<8xf32>, tensor<8xf32>
  %a = graph.map ins(%g#0 : tensor<8xf32>) maps [#id] -> tensor<8xf32> {
  ^bb0(%v: f32):
    %s = arith.addf %v, %v : f32
    graph.yield %s : f32
  }
  graph.write %a, @a : tensor<8xf32>
  graph.write %g#1, @b : tensor<8xf32>
}

// -----

// An update that looks at neighbours cannot run on pieces.
graph.state @a : tensor<8x8xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("a") group("decay")
graph.step @train {
  %g = graph.micro_batches count(1) {
    %x = graph.feed "x" : tensor<8x8xf32>
    graph.yield %x : tensor<8x8xf32>
  } {gradient_of = [@a]} : tensor<8x8xf32>
  // expected-error@+1 {{an update must be elementwise, found the map affine_map<(d0, d1) -> (d1, d0)>}}
  %a = graph.map ins(%g : tensor<8x8xf32>) maps [affine_map<(d0, d1) -> (d1, d0)>] -> tensor<8x8xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  graph.write %a, @a : tensor<8x8xf32>
}

// -----

// A function takes the buckets of the instance that calls it.
graph.state @h.1.a : tensor<8xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.1.a") group("decay") {layer = "h.1"}
func.func private @layer(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
graph.step @evaluate {
  %a = graph.read @h.1.a : tensor<8xf32>
  // expected-error@+1 {{'func.call' op of layer 'h.0' passes parameter 'h.1.a' of layer 'h.1'}}
  %x = func.call @layer(%a) {layer = "h.0"} : (tensor<8xf32>) -> tensor<8xf32>
}
