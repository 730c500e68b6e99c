// RUN: windlass-opt %s --partition="ranks=2 zero=3 bucket-bytes=65536" | FileCheck %s --check-prefixes=CHECK,ZERO3
// RUN: windlass-opt %s --partition="ranks=2 zero=2 bucket-bytes=65536" | FileCheck %s --check-prefixes=CHECK,ZERO2
// RUN: windlass-opt %s --partition="ranks=2 zero=1 bucket-bytes=65536" | FileCheck %s --check-prefixes=CHECK,ZERO1
// RUN: windlass-opt %s --partition="ranks=2 zero=0 bucket-bytes=65536" | FileCheck %s --check-prefixes=CHECK,ZERO0

// The example of the pass: a layer with two buckets, and a head that is used before and after the layer's calls.
#id = affine_map<(d0, d1) -> (d0, d1)>
#scalar = affine_map<(d0, d1) -> ()>
graph.state @h.0.w1 : tensor<128x128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.0.w1") group("decay") {layer = "h.0"}
graph.state @h.0.w2 : tensor<128x128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.0.w2") group("decay") {layer = "h.0"}
graph.state @head : tensor<128x128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("head") group("decay")
graph.state @head.momentum : tensor<128x128xf32> role(momentum) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("head") group("decay") of @head

// Nothing of a function without parameters changes.
// CHECK-LABEL: func.func private @no_parameters(%{{.*}}: tensor<4x128xf32>) -> tensor<4x128xf32>
// CHECK-NOT:     dist.
// CHECK:         return
func.func private @no_parameters(%x: tensor<4x128xf32>) -> tensor<4x128xf32> {
  %y = graph.reshape %x : tensor<4x128xf32> -> tensor<4x128xf32>
  return %y : tensor<4x128xf32>
}

// Each bucket is gathered before its first use, not earlier; below ZeRO 3 units arrive whole.
// CHECK-LABEL: func.func private @forward(
// ZERO3-SAME:   %{{.*}}: tensor<4x128xf32>, %[[S1:.*]]: tensor<8192xf32>, %[[S2:.*]]: tensor<8192xf32>)
// ZERO3-NEXT:   %[[W1:.*]] = dist.all_gather %[[S1]] pieces [8192]
// ZERO3-NEXT:   graph.matmul %{{.*}}, %[[W1]]
// ZERO3-NEXT:   %[[W2:.*]] = dist.all_gather %[[S2]] pieces [8192]
// ZERO3-NEXT:   graph.matmul %{{.*}}, %[[W2]]
// ZERO2-SAME:   %{{.*}}: tensor<4x128xf32>, %{{.*}}: tensor<128x128xf32>, %{{.*}}: tensor<128x128xf32>)
// ZERO2-NOT:    dist.all_gather
// CHECK:         return
func.func private @forward(%x: tensor<4x128xf32>, %w1: tensor<128x128xf32>, %w2: tensor<128x128xf32>) -> tensor<4x128xf32> {
  %h = graph.matmul %x, %w1 : tensor<4x128xf32>, tensor<128x128xf32> -> tensor<4x128xf32>
  %y = graph.matmul %h, %w2 : tensor<4x128xf32>, tensor<128x128xf32> -> tensor<4x128xf32>
  return %y : tensor<4x128xf32>
}

// From ZeRO 2 on a bucket is reduced right after its last gradient; before, the function returns whole gradients.
// CHECK-LABEL: func.func private @backward(
// ZERO3:        %[[D2:.*]] = graph.matmul {{.*}} {gradient = 2 : i64}
// ZERO3-NEXT:   %[[R2:.*]] = dist.reduce_scatter %[[D2]] pieces [8192]
// ZERO3:        %[[D1:.*]] = graph.matmul {{.*}} {gradient = 1 : i64}
// ZERO3-NEXT:   %[[R1:.*]] = dist.reduce_scatter %[[D1]] pieces [8192]
// ZERO3-NEXT:   return %[[R1]], %[[R2]] : tensor<8192xf32>, tensor<8192xf32>
// ZERO2:        {gradient = 2 : i64}
// ZERO2-NEXT:   dist.reduce_scatter
// ZERO1-NOT:    dist.reduce_scatter
// ZERO1:        return %{{.*}} : tensor<128x128xf32>, tensor<128x128xf32>
func.func private @backward(%x: tensor<4x128xf32>, %w2: tensor<128x128xf32>, %dy: tensor<4x128xf32>) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
  %d2 = graph.matmul %x transposed, %dy {gradient = 2 : i64} : tensor<4x128xf32>, tensor<4x128xf32> -> tensor<128x128xf32>
  %dh = graph.matmul %dy, %w2 transposed : tensor<4x128xf32>, tensor<128x128xf32> -> tensor<4x128xf32>
  %d1 = graph.matmul %x transposed, %dh {gradient = 1 : i64} : tensor<4x128xf32>, tensor<4x128xf32> -> tensor<128x128xf32>
  return %d1, %d2 : tensor<128x128xf32>, tensor<128x128xf32>
}

// CHECK-LABEL: graph.step @train
// A parameter of the step is gathered before its uses, and again where a call of a layer lies between two.
// ZERO3:        %[[P:.*]] = dist.read @decay.0 parameter : tensor<8192xf32>
// ZERO3:        dist.all_gather %[[P]]
// ZERO3-NEXT:   graph.matmul
// ZERO3-NEXT:   graph.matmul
// ZERO3:        call @forward
// ZERO3-NEXT:   dist.all_gather %[[P]]
// ZERO3-NEXT:   graph.matmul
// ZERO3:        %[[DHEAD:.*]] = graph.matmul {{.*}} {gradient = 0 : i64}
// ZERO3-NEXT:   dist.reduce_scatter %[[DHEAD]]
// ZERO3:        call @backward
// ZERO3-NEXT:   graph.yield
// ZERO2:        dist.read @decay.0 parameter : tensor<128x128xf32>
// ZERO2-NOT:    dist.all_gather
// ZERO2:        {gradient = 0 : i64}
// ZERO2-NEXT:   dist.reduce_scatter
// ZeRO 0 and 1 reduce when the backward pass is over.
// ZERO1:        call @backward
// ZERO1-NEXT:   dist.reduce_scatter
// ZERO1-NEXT:   dist.reduce_scatter
// ZERO1-NEXT:   dist.reduce_scatter
// ZERO1-NEXT:   graph.yield
// CHECK:         } {gradient_of = [@decay.0, @h.0.decay.0, @h.0.decay.1]} : tensor<8192xf32>, tensor<8192xf32>, tensor<8192xf32>
// The norm: a slot of 8 doubles for the piece of each unit, gathered and added tensor by tensor, rank by rank.
// CHECK:         %[[SLOTS:.*]] = dist.norm_slots {{.*}} pieces [array<i64: 8192>, array<i64: 8192>, array<i64: 8192>] {{.*}} -> tensor<24xf64>
// CHECK-NEXT:    dist.all_gather %[[SLOTS]] pieces [24] : tensor<24xf64> -> tensor<2x3x8xf64>
// CHECK-NEXT:    graph.reduce {{.*}}over [0, 1]
// The update: of shards from ZeRO 1 on, whose parameters ZeRO 3 keeps and the others gather; of whole units in ZeRO 0.
// ZERO3:        graph.map {{.*}} -> tensor<8192xf32>
// ZERO3:        dist.write %{{.*}} to @decay.0 parameter : tensor<8192xf32>
// ZERO1:        dist.own_shard
// ZERO1:        dist.all_gather {{.*}} -> tensor<128x128xf32>
// ZERO1-NEXT:   dist.write %{{.*}} to @decay.0 parameter : tensor<128x128xf32>
// ZERO1:        dist.write %{{.*}} to @decay.0  momentum : tensor<8192xf32>
// ZERO0:        dist.all_gather %{{.*}} pieces [8192] {{.*}} -> tensor<128x128xf32>
// ZERO0:        graph.map {{.*}} -> tensor<128x128xf32>
// ZERO0-DAG:    dist.write %{{.*}} to @decay.0 parameter : tensor<128x128xf32>
// ZERO0-DAG:    dist.write %{{.*}} to @decay.0  momentum : tensor<128x128xf32>
graph.step @train {
  %g:3 = graph.micro_batches count(2) {
    %x = graph.feed "x" : tensor<4x128xf32>
    %head = graph.read @head : tensor<128x128xf32>
    %w1 = graph.read @h.0.w1 : tensor<128x128xf32>
    %w2 = graph.read @h.0.w2 : tensor<128x128xf32>
    %a = graph.matmul %x, %head : tensor<4x128xf32>, tensor<128x128xf32> -> tensor<4x128xf32>
    %b = graph.matmul %a, %head : tensor<4x128xf32>, tensor<128x128xf32> -> tensor<4x128xf32>
    %y = func.call @forward(%b, %w1, %w2) {layer = "h.0"} : (tensor<4x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<4x128xf32>
    %z = graph.matmul %y, %head : tensor<4x128xf32>, tensor<128x128xf32> -> tensor<4x128xf32>
    %dhead = graph.matmul %y transposed, %z {gradient = 0 : i64} : tensor<4x128xf32>, tensor<4x128xf32> -> tensor<128x128xf32>
    %d:2 = func.call @backward(%x, %w2, %z) {layer = "h.0"} : (tensor<4x128xf32>, tensor<128x128xf32>, tensor<4x128xf32>) -> (tensor<128x128xf32>, tensor<128x128xf32>)
    graph.yield %dhead, %d#0, %d#1 : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>
  } {gradient_of = [@head, @h.0.w1, @h.0.w2]} : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>
  %norm = graph.grad_norm %g#0, %g#1, %g#2 : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32> -> tensor<f32>
  %old = graph.read @head : tensor<128x128xf32>
  %m = graph.read @head.momentum : tensor<128x128xf32>
  %new, %m_new = graph.map ins(%old, %m, %g#0, %norm : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>, tensor<f32>) maps [#id, #id, #id, #scalar] -> tensor<128x128xf32>, tensor<128x128xf32> {
  ^bb0(%p: f32, %mo: f32, %gr: f32, %n: f32):
    %scaled = arith.divf %gr, %n : f32
    %next = arith.addf %mo, %scaled : f32
    %step = arith.subf %p, %next : f32
    graph.yield %step, %next : f32, f32
  }
  graph.write %new, @head : tensor<128x128xf32>
  graph.write %m_new, @head.momentum : tensor<128x128xf32>
}
