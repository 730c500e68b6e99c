// RUN: windlass-opt %s --split-input-file --materialize-batch-norm='ranks=2 micro-batches=3' | FileCheck %s

graph.state @s : tensor<3xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("s") group("no_decay")
graph.state @m : tensor<3xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("m") group("statistics")
graph.state @v : tensor<3xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("v") group("statistics")
// CHECK-LABEL: graph.step @evaluate
// CHECK:         graph.batch_norm {{.*}} momentum(2.500000e-01) : tensor
graph.step @evaluate {
  %x = graph.feed "x" : tensor<4x3xf32>
  %s = graph.read @s : tensor<3xf32>
  %m = graph.read @m : tensor<3xf32>
  %v = graph.read @v : tensor<3xf32>
  %y, %um, %uv = graph.batch_norm %x, %s, %s running(%m, %v) epsilon(1.0e-5) momentum(0.25)
      : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  graph.report "y", %y : tensor<4x3xf32>
}

// Which round and rank a batch is of; then 0.75 to the power of 0 to 2 rounds later, by the two bits of that number.
// CHECK-LABEL: graph.step @train
// CHECK:         %[[BLOCK:.*]] = graph.feed "row_block" : tensor<i32>
// CHECK:         %[[SHARE:.*]] = graph.map ins(%[[BLOCK]]
// CHECK:           arith.sitofp
// CHECK:           %[[ROUND:.*]] = math.floor
// CHECK:           %[[FIRST:.*]] = arith.cmpf oeq
// CHECK:           arith.constant 7.500000e-01
// CHECK:           arith.select
// CHECK:           arith.constant 5.625000e-01
// CHECK:           arith.select
// CHECK-NOT:       arith.andi
// CHECK:           arith.constant 2.500000e-01
// CHECK:           arith.select %[[FIRST]]
// CHECK:         graph.batch_norm {{.*}} momentum(2.500000e-01) training(%[[SHARE]] : tensor<f32>) : tensor

// -----

// A layer that evaluation calls, too, has a form of its own; one share for all batch norms of a momentum.
// CHECK-LABEL: func.func private @layer(
// CHECK:         graph.batch_norm {{.*}} momentum(1.000000e-01) : tensor
// CHECK-LABEL: func.func private @layer.train(
// CHECK-SAME:      %[[TENTH:[a-z0-9]+]]: tensor<f32>, %[[HALF:[a-z0-9]+]]: tensor<f32>) -> tensor<4x3xf32>
// CHECK:         graph.batch_norm {{.*}} momentum(1.000000e-01) training(%[[TENTH]] : tensor<f32>)
// CHECK:         graph.batch_norm {{.*}} momentum(5.000000e-01) training(%[[HALF]] : tensor<f32>)
func.func private @layer(%x: tensor<4x3xf32>, %s: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>, %n: tensor<3xf32>,
                         %w: tensor<3xf32>) -> tensor<4x3xf32> {
  %y, %um, %uv = graph.batch_norm %x, %s, %s running(%m, %v) epsilon(1.0e-5) momentum(0.1)
      : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  %z, %un, %uw = graph.batch_norm %y, %s, %s running(%n, %w) epsilon(1.0e-5) momentum(0.5)
      : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  return %z : tensor<4x3xf32>
}
// CHECK-NOT: @plain.train
func.func private @plain(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  return %x : tensor<4x3xf32>
}
graph.state @s : tensor<3xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("s") group("no_decay")
graph.state @m : tensor<3xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("m") group("statistics")
graph.state @v : tensor<3xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("v") group("statistics")
graph.state @n : tensor<3xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("n") group("statistics")
graph.state @w : tensor<3xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("w") group("statistics")
// CHECK-LABEL: graph.step @evaluate
// CHECK:         call @layer(
// CHECK:         call @plain(
graph.step @evaluate {
  %x = graph.feed "x" : tensor<4x3xf32>
  %s = graph.read @s : tensor<3xf32>
  %m = graph.read @m : tensor<3xf32>
  %v = graph.read @v : tensor<3xf32>
  %n = graph.read @n : tensor<3xf32>
  %w = graph.read @w : tensor<3xf32>
  %y = func.call @layer(%x, %s, %m, %v, %n, %w) {layer = "h.0"}
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %z = func.call @plain(%y) {layer = "t.0"} : (tensor<4x3xf32>) -> tensor<4x3xf32>
  graph.report "y", %z : tensor<4x3xf32>
}
// CHECK-LABEL: graph.step @train
// CHECK-COUNT-1: graph.feed "row_block"
// CHECK:         call @layer.train({{.*}}, tensor<f32>, tensor<f32>) -> tensor<4x3xf32>
// CHECK:         call @plain(

// -----

// A module that is called twice: its first batch norm comes 2 * rounds + 1 turns before the last, its second 2 * rounds.
// The layer's own batch norm keeps what no other does, with the same momentum.
// CHECK-LABEL: func.func private @layer.train(
// CHECK-SAME:      %[[TWICE:[a-z0-9]+]]: tensor<f32>, %[[ONCE:[a-z0-9]+]]: tensor<f32>) -> tensor<4x3xf32>
// CHECK:         graph.batch_norm {{.*}} training(%[[TWICE]] : tensor<f32>)
// CHECK:         graph.batch_norm {{.*}} training(%[[ONCE]] : tensor<f32>)
func.func private @layer(%x: tensor<4x3xf32>, %s: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>, %n: tensor<3xf32>,
                         %w: tensor<3xf32>) -> tensor<4x3xf32> {
  %y, %um, %uv = graph.batch_norm %x, %s, %s running(%m, %v) epsilon(1.0e-5) momentum(0.25)
      : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  %z, %un, %uw = graph.batch_norm %y, %s, %s running(%n, %w) epsilon(1.0e-5) momentum(0.25)
      : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  return %z : tensor<4x3xf32>
}
graph.state @s : tensor<3xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("s") group("no_decay")
graph.state @m : tensor<3xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("m") group("statistics")
graph.state @v : tensor<3xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("v") group("statistics")
graph.state @n : tensor<3xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("n") group("statistics")
graph.state @w : tensor<3xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("w") group("statistics")
graph.step @evaluate {
  %x = graph.feed "x" : tensor<4x3xf32>
  %s = graph.read @s : tensor<3xf32>
  %m = graph.read @m : tensor<3xf32>
  %v = graph.read @v : tensor<3xf32>
  %n = graph.read @n : tensor<3xf32>
  %w = graph.read @w : tensor<3xf32>
  %y, %um, %uv = graph.batch_norm %x, %s, %s running(%m, %v) epsilon(1.0e-5) momentum(0.25)
      : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  %z = func.call @layer(%y, %s, %m, %v, %n, %w) {layer = "h.0"}
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  graph.report "y", %z : tensor<4x3xf32>
}
// A share for each of the two turns, and one for what is kept once.
// CHECK-LABEL: graph.step @train
// CHECK:         graph.feed "row_block"
// CHECK-COUNT-3: graph.map ins(
// CHECK:         graph.batch_norm {{.*}} training(
// CHECK:         call @layer.train(

// -----

// Dropout made a train step of its own: its feed and its copy of the layer are taken.
// CHECK-LABEL: func.func private @layer.train(
// CHECK:         graph.batch_norm {{.*}} training(
// CHECK-NOT:   func.func
func.func private @layer.train(%x: tensor<4x3xf32>, %s: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<4x3xf32> {
  %y, %um, %uv = graph.batch_norm %x, %s, %s running(%m, %v) epsilon(1.0e-5) momentum(0.1)
      : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  return %y : tensor<4x3xf32>
}
graph.state @s : tensor<3xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("s") group("no_decay")
graph.state @m : tensor<3xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("m") group("statistics")
graph.state @v : tensor<3xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("v") group("statistics")
graph.step @evaluate {
  %x = graph.feed "x" : tensor<4x3xf32>
  %s = graph.read @s : tensor<3xf32>
  %m = graph.read @m : tensor<3xf32>
  %v = graph.read @v : tensor<3xf32>
  %y, %um, %uv = graph.batch_norm %x, %s, %s running(%m, %v) epsilon(1.0e-5) momentum(0.1)
      : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  graph.report "y", %y : tensor<4x3xf32>
}
// CHECK-LABEL: graph.step @train
// CHECK:         %[[BLOCK:.*]] = graph.feed "row_block"
// CHECK-NOT:     graph.feed "row_block"
// CHECK:         graph.map ins(%[[BLOCK]]
graph.step @train {
  %x = graph.feed "x" : tensor<4x3xf32>
  %block = graph.feed "row_block" : tensor<i32>
  %s = graph.read @s : tensor<3xf32>
  %m = graph.read @m : tensor<3xf32>
  %v = graph.read @v : tensor<3xf32>
  %y = func.call @layer.train(%x, %s, %m, %v) {layer = "h.0"}
      : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  graph.report "y", %y : tensor<4x3xf32>
}

// -----

// Nothing to do: no step of its own.
// CHECK-LABEL: graph.step @evaluate
// CHECK-NOT:   graph.step @train
graph.step @evaluate {
  %x = graph.feed "x" : tensor<4x3xf32>
  graph.report "y", %x : tensor<4x3xf32>
}
