// RUN: windlass-opt %s --split-input-file --verify-diagnostics --materialize-batch-norm

// expected-error @+1 {{"m" is a running statistic of a batch norm that trains, and must be nothing else: batch norms alone read it, and a graph JSON says "group": "statistics"}}
graph.state @m : tensor<3xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("m") group("no_decay")
graph.step @evaluate {
  %x = graph.feed "x" : tensor<4x3xf32>
  %s = graph.feed "s" : tensor<3xf32>
  %m = graph.read @m : tensor<3xf32>
  %y, %um, %uv = graph.batch_norm %x, %s, %s running(%m, %m) epsilon(1.0e-5) momentum(0.1)
      : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

graph.step @evaluate {
  %x = graph.feed "x" : tensor<4x3xf32>
  %s = graph.feed "s" : tensor<3xf32>
  // expected-error @+1 {{has running statistics that are no states}}
  %y, %um, %uv = graph.batch_norm %x, %s, %s running(%s, %s) epsilon(1.0e-5) momentum(0.1)
      : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// A report reads one, too.
// expected-error @+1 {{"m" is a running statistic, which batch norms read and nothing else}}
graph.state @m : tensor<3xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("m") group("statistics")
graph.state @v : tensor<3xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("v") group("statistics")
graph.step @evaluate {
  %x = graph.feed "x" : tensor<4x3xf32>
  %s = graph.feed "s" : tensor<3xf32>
  %m = graph.read @m : tensor<3xf32>
  %v = graph.read @v : tensor<3xf32>
  %y, %um, %uv = graph.batch_norm %x, %s, %s running(%m, %v) epsilon(1.0e-5) momentum(0.1)
      : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  graph.report "m", %m : tensor<3xf32>
}

// -----

// Two batch norms keep the same statistics, but not alike.
// expected-error @+1 {{"m" is kept twice, by batch norms that must have the same pair of running statistics, the same momentum and the same variance}}
graph.state @m : tensor<3xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("m") group("statistics")
graph.state @v : tensor<3xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("v") group("statistics")
graph.step @evaluate {
  %x = graph.feed "x" : tensor<4x3xf32>
  %s = graph.feed "s" : tensor<3xf32>
  %m = graph.read @m : tensor<3xf32>
  %v = graph.read @v : tensor<3xf32>
  %y, %um, %uv = graph.batch_norm %x, %s, %s running(%m, %v) epsilon(1.0e-5) momentum(0.1)
      : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  %z, %un, %uw = graph.batch_norm %y, %s, %s running(%m, %v) epsilon(1.0e-5) momentum(0.2)
      : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  graph.report "y", %z : tensor<4x3xf32>
}
