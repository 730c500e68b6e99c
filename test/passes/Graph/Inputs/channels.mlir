// Two convolutions, a parameter on the left of each, with a batch norm between them.
#element = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

graph.state @conv1.weight : tensor<16x4xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("conv1.weight") group("decay")
graph.state @bn.weight : tensor<16xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("bn.weight") group("no_decay")
graph.state @bn.bias : tensor<16xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("bn.bias") group("no_decay")
graph.state @bn.running_mean : tensor<16xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("bn.running_mean") group("statistics")
graph.state @bn.running_var : tensor<16xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("bn.running_var") group("statistics")
graph.state @conv2.weight : tensor<1x4x16xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 0.5 : f64>) original("conv2.weight") group("decay")

graph.step @evaluate {
  %x = graph.feed "x" : tensor<4x6xf32>
  %w1 = graph.read @conv1.weight : tensor<16x4xf32>
  %scale = graph.read @bn.weight : tensor<16xf32>
  %shift = graph.read @bn.bias : tensor<16xf32>
  %mean = graph.read @bn.running_mean : tensor<16xf32>
  %variance = graph.read @bn.running_var : tensor<16xf32>
  %w2 = graph.read @conv2.weight : tensor<1x4x16xf32>
  %h = graph.matmul %w1, %x : tensor<16x4xf32>, tensor<4x6xf32> -> tensor<16x6xf32>
  %images = graph.map ins(%h : tensor<16x6xf32>) maps [#transposed] -> tensor<6x16xf32> {
  ^bb0(%e: f32):
    graph.yield %e : f32
  }
  %n, %m, %v = graph.batch_norm %images, %scale, %shift running(%mean, %variance) epsilon(1.0e-5) momentum(0.1) : tensor<6x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32> -> tensor<6x16xf32>, tensor<16xf32>, tensor<16xf32>
  %channels = graph.map ins(%n : tensor<6x16xf32>) maps [#transposed] -> tensor<16x6xf32> {
  ^bb0(%e: f32):
    graph.yield %e : f32
  }
  %padded = graph.pad %channels before [0, 1] steps [1, 1] : tensor<16x6xf32> -> tensor<16x8xf32>
  %matrix = graph.reshape %w2 : tensor<1x4x16xf32> -> tensor<4x16xf32>
  %y = graph.matmul %matrix, %padded : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
  %loss = graph.reduce sum over [0, 1] ins(%y : tensor<4x8xf32>) maps [#element] -> tensor<f32> {
  ^bb0(%e: f32):
    graph.yield %e : f32
  }
  graph.report "loss", %loss : tensor<f32>
}
