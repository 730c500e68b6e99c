// RUN: windlass-opt %s --materialize-dropout --split-input-file | FileCheck %s

// The example of the pass, in the step itself: stream 0 belongs to it.
// CHECK-LABEL: graph.step @evaluate
// CHECK:         %[[X:.*]] = graph.feed "x"
// CHECK-NEXT:    %[[SUM:.*]] = graph.reduce sum over [0, 1] ins(%[[X]]
// CHECK-NOT:     dropout
// CHECK-LABEL: graph.step @train
// CHECK:         %[[KEYS:.*]] = graph.feed "dropout_keys" : tensor<1x2xi32>
// CHECK:         %[[BLOCK:.*]] = graph.feed "row_block" : tensor<i32>
// CHECK:         %[[X:.*]] = graph.feed "x"
// CHECK:         %[[Y:.*]] = graph.map ins(%[[X]], %[[KEYS]], %[[KEYS]], %[[BLOCK]] :
// CHECK:         ^bb0(%[[E:.*]]: f32, %[[K0:.*]]: i32, %[[K1:.*]]: i32, %[[B:.*]]: i32):
// CHECK:           %[[FIRST:.*]] = arith.index_cast %[[B]] : i32 to index
// CHECK:           %[[BEFORE:.*]] = arith.muli %[[FIRST]], %{{.*}} : index
// CHECK:           %[[ROW:.*]] = arith.addi %[[BEFORE]], %{{.*}} : index
// CHECK:           %[[U:.*]] = graph.random %[[K0]], %[[K1]][%[[ROW]], %{{.*}}] : f32
// CHECK:           %[[STAYS:.*]] = arith.cmpf oge, %[[U]], %{{.*}} : f32
// CHECK:           %[[SCALED:.*]] = arith.mulf %[[E]], %{{.*}} : f32
// CHECK:           arith.select %[[STAYS]], %[[SCALED]], %{{.*}} : f32
// CHECK:         graph.reduce sum over [0, 1] ins(%[[Y]]
graph.step @evaluate {
  %x = graph.feed "x" : tensor<4x8xf32>
  %y = graph.dropout %x rate(0.1) : tensor<4x8xf32>
  %loss = graph.reduce sum over [0, 1] ins(%y : tensor<4x8xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<f32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  graph.report "loss", %loss : tensor<f32>
}

// -----

// Two calls of a layer with two sites, around a site of the step: streams 0 and 1, 2, 3 and 4. What evaluates
// calls the layer as it was, without dropout.
// CHECK-LABEL: func.func private @layer(
// CHECK-SAME:      %[[X:.*]]: tensor<6x24xf32>) ->
// CHECK-NEXT:    graph.attention %[[X]] batch(2) heads(2) :
// CHECK-NEXT:    return

// CHECK-LABEL: func.func private @layer.train(
// CHECK-SAME:      %[[X:[a-z0-9]+]]: tensor<6x24xf32>, %[[KEYS:[a-z0-9]+]]: tensor<2x2xi32>, %[[BLOCK:[a-z0-9]+]]: tensor<i32>)
// CHECK:         %[[KEPT:.*]] = graph.map ins(%[[X]], %[[KEYS]], %[[KEYS]], %[[BLOCK]] :
// CHECK:         graph.attention %[[KEPT]] {{.*}} dropout(2.500000e-01) random(%[[KEYS]], %[[BLOCK]] : tensor<2x2xi32>, tensor<i32>) {site = 1 : i64}

// CHECK-LABEL: graph.step @evaluate
// CHECK-NOT:     dropout
// CHECK:         call @layer(%{{.*}}) {layer = "h.0"}
// CHECK-NOT:     dropout
// CHECK:         call @layer(%{{.*}}) {layer = "h.1"}

// CHECK-LABEL: graph.step @train
// CHECK:         %[[KEYS:.*]] = graph.feed "dropout_keys" : tensor<5x2xi32>
// CHECK:         %[[BLOCK:.*]] = graph.feed "row_block" : tensor<i32>
// CHECK:         %[[SLICES:.*]]:2 = graph.map ins(%[[KEYS]], %[[KEYS]] : tensor<5x2xi32>, tensor<5x2xi32>) maps [#[[FIRST:.*]], #[[LAST:.*]]] -> tensor<2x2xi32>, tensor<2x2xi32>
// CHECK:         call @layer.train(%{{.*}}, %[[SLICES]]#0, %[[BLOCK]]) {layer = "h.0"}
// CHECK:         graph.map ins(%{{.*}}, %[[KEYS]], %[[KEYS]], %[[BLOCK]] :
// CHECK:         call @layer.train(%{{.*}}, %[[SLICES]]#1, %[[BLOCK]]) {layer = "h.1"}

// CHECK-LABEL: graph.step @sample
// CHECK:         %[[X:.*]] = graph.feed "x"
// CHECK-NEXT:    graph.report "logits", %[[X]]
func.func private @layer(%x: tensor<6x24xf32>) -> tensor<6x8xf32> {
  %d = graph.dropout %x rate(0.1) : tensor<6x24xf32>
  %a, %l = graph.attention %d batch(2) heads(2) dropout(0.25) : tensor<6x24xf32> -> tensor<6x8xf32>, tensor<2x2x3xf32>
  return %a : tensor<6x8xf32>
}

graph.step @evaluate {
  %x = graph.feed "x" : tensor<6x24xf32>
  %a = func.call @layer(%x) {layer = "h.0"} : (tensor<6x24xf32>) -> tensor<6x8xf32>
  %d = graph.dropout %a rate(0.2) : tensor<6x8xf32>
  %b = func.call @layer(%x) {layer = "h.1"} : (tensor<6x24xf32>) -> tensor<6x8xf32>
  graph.report "a", %d : tensor<6x8xf32>
  graph.report "b", %b : tensor<6x8xf32>
}

graph.step @sample {
  %x = graph.feed "x" : tensor<6x24xf32>
  %d = graph.dropout %x rate(0.2) : tensor<6x24xf32>
  graph.report "logits", %d : tensor<6x24xf32>
}

// -----

// Kept as it is: nothing is dropped, so training has no forward pass of its own. A rate of 0 drops nothing.
// CHECK-LABEL: graph.step @evaluate
// CHECK:         %[[X:.*]] = graph.feed "x"
// CHECK-NEXT:    graph.report "loss", %[[X]]
// CHECK-NOT:   graph.step
graph.step @evaluate {
  %x = graph.feed "x" : tensor<4x8xf32>
  %y = graph.dropout %x rate(0.0) : tensor<4x8xf32>
  graph.report "loss", %y : tensor<4x8xf32>
}

// -----

// Ranks share out the rows of what the step drops, and nothing of what its layers do: these need no coordinate.
// CHECK-LABEL: func.func private @layer.train(%{{.*}}: tensor<6x8xf32>, %{{.*}}: tensor<1x2xi32>, %{{.*}}: tensor<i32>) -> tensor<6x8xf32>
// CHECK-LABEL: graph.step @train
// CHECK:         %[[BLOCK:.*]] = graph.feed "row_block" : tensor<i32>
// CHECK:         %[[RANK:.*]] = graph.feed "coordinate.tp" : tensor<i32>
// CHECK:         graph.map ins(%{{.*}}, %{{.*}}, %{{.*}}, %[[BLOCK]], %[[RANK]] :
// CHECK:         call @layer.train(%{{.*}}, %{{.*}}, %[[BLOCK]]) {layer = "h.0"}
func.func private @layer(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %d = graph.dropout %x rate(0.1) : tensor<6x8xf32>
  return %d : tensor<6x8xf32>
}

graph.step @evaluate {
  %x = graph.feed "x" : tensor<6x8xf32>
  %d = graph.dropout %x rate(0.2) {graph.within = array<i64: 12, 8>} : tensor<6x8xf32>
  %a = func.call @layer(%d) {layer = "h.0"} : (tensor<6x8xf32>) -> tensor<6x8xf32>
  graph.report "a", %a : tensor<6x8xf32>
}

// -----

// Nothing reads what the first layer drops, not even through its product: it draws no mask, and takes no keys. Its
// stream has a number, as the streams of the second layer do, which reads one of its two.
// CHECK-LABEL: func.func private @unread(%{{.*}}: tensor<6x8xf32>, %{{.*}}: tensor<8x8xf32>) ->
// CHECK-NOT:     graph.random
// CHECK-NOT:   func.func private @unread.train
// CHECK-LABEL: func.func private @half.train(%{{.*}}: tensor<6x8xf32>, %{{.*}}: tensor<2x2xi32>, %{{.*}}: tensor<i32>)
// CHECK-LABEL: graph.step @train
// CHECK:         %[[KEYS:.*]] = graph.feed "dropout_keys" : tensor<3x2xi32>
// CHECK:         %[[SLICE:.*]] = graph.map ins(%[[KEYS]] : tensor<3x2xi32>) maps [#[[AT:.*]]] -> tensor<2x2xi32>
// CHECK:         call @unread(%{{.*}}, %{{.*}}) {layer = "h.0"}
// CHECK:         call @half.train(%{{.*}}, %[[SLICE]], %{{.*}}) {layer = "h.1"}
func.func private @unread(%x: tensor<6x8xf32>, %w: tensor<8x8xf32>) -> tensor<6x8xf32> {
  %d = graph.dropout %x rate(0.1) : tensor<6x8xf32>
  %p = graph.matmul %d, %w : tensor<6x8xf32>, tensor<8x8xf32> -> tensor<6x8xf32>
  return %x : tensor<6x8xf32>
}

func.func private @half(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %u = graph.dropout %x rate(0.1) : tensor<6x8xf32>
  %d = graph.dropout %x rate(0.2) : tensor<6x8xf32>
  return %d : tensor<6x8xf32>
}

graph.step @evaluate {
  %x = graph.feed "x" : tensor<6x8xf32>
  %w = graph.feed "w" : tensor<8x8xf32>
  %a = func.call @unread(%x, %w) {layer = "h.0"} : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %b = func.call @half(%a) {layer = "h.1"} : (tensor<6x8xf32>) -> tensor<6x8xf32>
  graph.report "b", %b : tensor<6x8xf32>
}
