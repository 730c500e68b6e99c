// RUN: windlass-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{the deviation of a normal initialiser must not be negative, but is -1}}
graph.state @w : tensor<2xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = -1.0 : f64>)
    original("w") group("decay")

// -----

graph.state @w : tensor<2xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>)
    original("w") group("decay")
// expected-error @+1 {{a parameter belongs to no other state, but names 'w' in `of`}}
graph.state @v : tensor<2xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>)
    original("v") group("decay") of @w

// -----

// expected-error @+1 {{a weight decay is a parameter's and not negative}}
graph.state @w : tensor<2xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>)
    original("w") group("decay=-1") decay(-1.0)

// -----

// expected-error @+1 {{a state of role 'momentum' must name its parameter in `of`}}
graph.state @m : tensor<2xf32> role(momentum) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>)
    original("w") group("decay")

// -----

// expected-error @+1 {{`of` names 'w', which is no graph.state}}
graph.state @m : tensor<2xf32> role(momentum) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>)
    original("w") group("decay") of @w

// -----

graph.state @w : tensor<2xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>)
    original("w") group("decay")
graph.state @m : tensor<2xf32> role(momentum) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>)
    original("w") group("decay") of @w
// expected-error @+1 {{`of` must name a parameter, but 'm' has role 'momentum'}}
graph.state @v : tensor<2xf32> role(variance) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>)
    original("w") group("decay") of @m

// -----

graph.state @w : tensor<2xbf16> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>)
    original("w") group("decay")
// expected-error @+1 {{must have the shape of its parameter 'w', which is 'tensor<2xbf16>', but is 'tensor<3xf32>'}}
graph.state @m : tensor<3xf32> role(master) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>)
    original("w") group("decay") of @w

// -----

graph.state @w : tensor<2xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>)
    original("w") group("decay")
graph.step @train {
  %w = graph.read @w : tensor<2xf32>
  // expected-note @+1 {{first written here}}
  graph.write %w, @w : tensor<2xf32>
  // expected-error @+1 {{a step writes a state once, but 'w' is written again}}
  graph.write %w, @w : tensor<2xf32>
}

// -----

graph.state @w : tensor<2xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>)
    original("w") group("decay")
func.func @layer() {
  // expected-error @+1 {{only a graph.step names states, but this stands outside one}}
  %w = graph.read @w : tensor<2xf32>
  return
}

// -----

graph.step @train {
  // expected-error @+1 {{'w' is no graph.state}}
  %w = graph.read @w : tensor<2xf32>
}

// -----

graph.state @w : tensor<2xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>)
    original("w") group("decay")
graph.step @train {
  // expected-error @+1 {{state 'w' has type 'tensor<2xf32>', but the value has type 'tensor<2xbf16>'}}
  %w = graph.read @w : tensor<2xbf16>
}

// -----

graph.state @w : tensor<2xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>)
    original("w") group("decay")
graph.step @train {
  %w = graph.read @w : tensor<2xf32>
  graph.micro_batches count(1) {
    // expected-error @+1 {{a state is written at the end of the step, not inside graph.micro_batches}}
    graph.write %w, @w : tensor<2xf32>
    graph.yield
  }
}

// -----

graph.step @train {
  // expected-error @+1 {{count must be at least 1, but is 0}}
  %x = graph.micro_batches count(0) {
    %y = graph.feed "y" : tensor<2xf32>
    graph.yield %y : tensor<2xf32>
  } : tensor<2xf32>
}

// -----

graph.step @train {
  // expected-error @+1 {{yields 'tensor<2xf32>', but its results are 'tensor<3xf32>'}}
  %x = graph.micro_batches count(1) {
    %y = graph.feed "y" : tensor<2xf32>
    graph.yield %y : tensor<2xf32>
  } : tensor<3xf32>
}

// -----

graph.step @train {
  // expected-error @+1 {{must be statically shaped tensor of any type values, but got 'tensor<?xf32>'}}
  %y = graph.feed "y" : tensor<?xf32>
}

// -----

graph.state @w : tensor<2xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>)
    original("w") group("decay")
// expected-error @+1 {{of role 'momentum' has no values in a file}}
graph.state @m : tensor<2xf32> role(momentum) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64,
    source = <"/m.safetensors", "w", "F32" at 8, transposed = false>>) original("w") group("decay") of @w

// -----

// expected-error @+1 {{of 1 dimension cannot lie transposed in "/m.safetensors"}}
graph.state @w : tensor<2xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64,
    source = <"/m.safetensors", "w", "F32" at 8, transposed = true>>) original("w") group("decay")

// -----

// expected-error @+1 {{a gradient lives within a step and is no state}}
graph.state @g : tensor<2xf32> role(gradient) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>)
    original("g") group("decay")

// -----

// expected-error @+1 {{of type 'tensor<2x3xf32>' is no slice}}
graph.state @part : tensor<2x3xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>)
    original("w") group("decay") slice(<[4, 5] from [1, 3]>)

// -----

// expected-error @+1 {{of type 'tensor<2x3xf32>' is no slice}}
graph.state @part : tensor<2x3xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>)
    original("w") group("decay") slice(<[4, 5] from [1]>)
