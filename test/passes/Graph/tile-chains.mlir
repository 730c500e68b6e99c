// RUN: windlass-opt %s --tile-matmuls=activation=64 --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1)>

// 2 x 16 floats: two tiles, of both matrices and the bias; the other vector is read in part, for others read it too.
// CHECK-DAG: graph.state @up.tile1 : tensor<4x8xf32> {{.*}} slice(<[4, 16] from [0, 8]>)
// CHECK-DAG: graph.state @bias.tile1 : tensor<8xf32> {{.*}} slice(<[16] from [8]>)
// CHECK-DAG: graph.state @scale : tensor<16xf32>
// CHECK-DAG: graph.state @down.tile1 : tensor<8x4xf32> {{.*}} slice(<[16, 4] from [8, 0]>)
graph.state @up : tensor<4x16xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("up") group("decay")
graph.state @bias : tensor<16xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("bias") group("no_decay")
graph.state @scale : tensor<16xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("scale") group("no_decay")
graph.state @down : tensor<16x4xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("down") group("decay")

// CHECK-DAG:   #[[$SECOND:.*]] = affine_map<(d0, d1) -> (d1 + 8)>
// CHECK-LABEL: func.func private @mlp_runs_tile_by_tile(
// CHECK-SAME:      %[[X:[a-z0-9]+]]: tensor<2x4xf32>, %[[U0:[a-z0-9]+]]: tensor<4x8xf32>, %[[U1:[a-z0-9]+]]: tensor<4x8xf32>, %[[B0:[a-z0-9]+]]: tensor<8xf32>, %[[B1:[a-z0-9]+]]: tensor<8xf32>, %[[S:[a-z0-9]+]]: tensor<16xf32>, %[[D0:[a-z0-9]+]]: tensor<8x4xf32>, %[[D1:[a-z0-9]+]]: tensor<8x4xf32>)
// CHECK-NEXT:    %[[H0:.*]] = graph.matmul %[[X]], %[[U0]] {windlass.repeat, windlass.tile} {{.*}} -> tensor<2x8xf32>
// CHECK-NEXT:    %[[A0:.*]] = graph.map ins(%[[H0]], %[[B0]], %[[S]] : {{.*}}) maps [#{{.*}}, #{{.*}}, #{{.*}}] -> tensor<2x8xf32>
// CHECK:         %[[Y0:.*]] = graph.matmul %[[A0]], %[[D0]] : tensor<2x8xf32>, tensor<8x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT:    %[[H1:.*]] = graph.matmul %[[X]], %[[U1]] {windlass.repeat, windlass.tile}
// CHECK-NEXT:    %[[A1:.*]] = graph.map ins(%[[H1]], %[[B1]], %[[S]] : {{.*}}) maps [#{{.*}}, #{{.*}}, #[[$SECOND]]] -> tensor<2x8xf32>
// CHECK:         %[[Y1:.*]] = graph.matmul %[[A1]], %[[D1]] onto(%[[Y0]] : tensor<2x4xf32>)
// CHECK-NEXT:    return %[[Y1]]
func.func private @mlp_runs_tile_by_tile(%x: tensor<2x4xf32>, %up: tensor<4x16xf32>, %bias: tensor<16xf32>, %scale: tensor<16xf32>, %down: tensor<16x4xf32>) -> tensor<2x4xf32> {
  %h = graph.matmul %x, %up : tensor<2x4xf32>, tensor<4x16xf32> -> tensor<2x16xf32>
  %a = graph.map ins(%h, %bias, %scale : tensor<2x16xf32>, tensor<16xf32>, tensor<16xf32>) maps [#id, #columns, #columns] -> tensor<2x16xf32> {
  ^bb0(%v: f32, %b: f32, %s: f32):
    %p = arith.addf %v, %b : f32
    %q = arith.mulf %p, %s : f32
    graph.yield %q : f32
  }
  %y = graph.matmul %a, %down : tensor<2x16xf32>, tensor<16x4xf32> -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

graph.step @evaluate {
  %x = graph.feed "x" : tensor<2x4xf32>
  %up = graph.read @up : tensor<4x16xf32>
  %bias = graph.read @bias : tensor<16xf32>
  %scale = graph.read @scale : tensor<16xf32>
  %down = graph.read @down : tensor<16x4xf32>
  %y = func.call @mlp_runs_tile_by_tile(%x, %up, %bias, %scale, %down) {layer = "h.0"} : (tensor<2x4xf32>, tensor<4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x4xf32>) -> tensor<2x4xf32>
  graph.report "y", %y : tensor<2x4xf32>
  graph.report "scale", %scale : tensor<16xf32>
}

// -----

// Logits of 3 x 12: three tiles of the tied table. The look-up adds rows up, the losses are joined.
// CHECK-LABEL: graph.step @evaluate
// CHECK:         %[[I:.*]] = graph.feed "tokens"
// CHECK:         %[[W0:.*]] = graph.read @wte.tile0
// CHECK:         %[[W1:.*]] = graph.read @wte.tile1
// CHECK:         %[[W2:.*]] = graph.read @wte.tile2
// CHECK:         %[[E0:.*]] = graph.embedding %[[W0]] from 0, %[[I]] : tensor<4x2xf32>
// CHECK-NEXT:    %[[E1:.*]] = graph.embedding %[[W1]] from 4, %[[I]] onto(%[[E0]] : tensor<3x2xf32>)
// CHECK-NEXT:    %[[E2:.*]] = graph.embedding %[[W2]] from 8, %[[I]] onto(%[[E1]] : tensor<3x2xf32>)
// CHECK-NEXT:    %[[Z0:.*]] = graph.matmul %[[E2]], %[[W0]] transposed {windlass.repeat, windlass.tile} {{.*}} -> tensor<3x4xf32>
// CHECK:         %[[L0:.*]], %[[S0:.*]] = graph.cross_entropy %[[Z0]], %{{.*}} {ignore_index = -1 : i64}
// CHECK-NEXT:    %[[Z1:.*]] = graph.matmul %[[E2]], %[[W1]] transposed
// CHECK:         %[[Z2:.*]] = graph.matmul %[[E2]], %[[W2]] transposed
// CHECK:         %[[L2:.*]], %[[S2:.*]] = graph.cross_entropy %[[Z2]],
// CHECK-NEXT:    %{{.*}}:2 = graph.map ins(%{{.*}}, %[[L0]], %{{.*}}, %[[L2]], %[[S0]], %{{.*}}, %[[S2]] :
// CHECK-NOT:     tensor<3x12xf32>

// The same logits are sampled from: those of one token.
// CHECK-LABEL: graph.step @sample
// CHECK:         %[[P:.*]] = graph.feed "position" {bound = 3 : i64} : tensor<1xi32>
// CHECK-NEXT:    %[[R:.*]] = graph.embedding %{{.*}}, %[[P]] : tensor<3x2xf32>, tensor<1xi32> -> tensor<1x2xf32>
// CHECK-NEXT:    graph.matmul %[[R]], %{{.*}} transposed {{.*}} -> tensor<1x4xf32>
// CHECK:         graph.report "logits", %{{.*}} : tensor<1x12xf32>
graph.state @wte : tensor<12x2xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("wte") group("decay")
graph.step @evaluate {
  %i = graph.feed "tokens" {bound = 12 : i64} : tensor<3xi32>
  %l = graph.feed "labels" {bound = 12 : i64} : tensor<3xi32>
  %w = graph.read @wte : tensor<12x2xf32>
  %e = graph.embedding %w, %i : tensor<12x2xf32>, tensor<3xi32> -> tensor<3x2xf32>
  %z = graph.matmul %e, %w transposed : tensor<3x2xf32>, tensor<12x2xf32> -> tensor<3x12xf32>
  %losses, %lse = graph.cross_entropy %z, %l : tensor<3x12xf32>, tensor<3xi32> -> tensor<3xf32>, tensor<3xf32>
  graph.report "losses", %losses : tensor<3xf32>
}
graph.step @sample {
  %i = graph.feed "tokens" {bound = 12 : i64} : tensor<3xi32>
  %w = graph.read @wte : tensor<12x2xf32>
  %e = graph.embedding %w, %i : tensor<12x2xf32>, tensor<3xi32> -> tensor<3x2xf32>
  %z = graph.matmul %e, %w transposed : tensor<3x2xf32>, tensor<12x2xf32> -> tensor<3x12xf32>
  graph.report "logits", %z : tensor<3x12xf32>
}

// -----

// The matrix is read by a norm too, so it has to be whole; its weights are not over a limit.
// CHECK-LABEL: graph.step @matrix_with_another_reader_is_kept
// CHECK:         graph.matmul {{.*}} -> tensor<2x16xf32>
// CHECK-NOT:     windlass.tile
graph.state @up : tensor<4x16xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("up") group("decay")
graph.state @down : tensor<16x4xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("down") group("decay")
graph.step @matrix_with_another_reader_is_kept {
  %x = graph.feed "x" : tensor<2x4xf32>
  %up = graph.read @up : tensor<4x16xf32>
  %down = graph.read @down : tensor<16x4xf32>
  %h = graph.matmul %x, %up : tensor<2x4xf32>, tensor<4x16xf32> -> tensor<2x16xf32>
  %p, %lse = graph.softmax %h : tensor<2x16xf32> -> tensor<2x16xf32>, tensor<2xf32>
  %y = graph.matmul %h, %down : tensor<2x16xf32>, tensor<16x4xf32> -> tensor<2x4xf32>
  graph.report "y", %y : tensor<2x4xf32>
  graph.report "p", %p : tensor<2x16xf32>
}

// -----

#each = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#last = affine_map<(d0, d1, d2) -> (d2)>

// An MLP on two leading dimensions: what lies between its products is a matrix of rows all the same.
// CHECK-LABEL: graph.step @more_dimensions_are_rows
// CHECK:         graph.matmul {{.*}} {windlass.repeat, windlass.tile} {{.*}} -> tensor<2x8xf32>
// CHECK-NEXT:    graph.map ins({{.*}} : tensor<2x8xf32>, tensor<8xf32>, tensor<2x8xf32>) {{.*}} -> tensor<2x8xf32>
// CHECK-NOT:     tensor<2x16xf32>
// CHECK:         graph.report "y"
graph.state @up : tensor<4x16xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("up") group("decay")
graph.state @bias : tensor<16xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("bias") group("no_decay")
graph.state @down : tensor<16x4xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("down") group("decay")
graph.step @more_dimensions_are_rows {
  %x = graph.feed "x" : tensor<2x4xf32>
  %up = graph.read @up : tensor<4x16xf32>
  %bias = graph.read @bias : tensor<16xf32>
  %down = graph.read @down : tensor<16x4xf32>
  %h = graph.matmul %x, %up : tensor<2x4xf32>, tensor<4x16xf32> -> tensor<2x16xf32>
  %spread = graph.reshape %h : tensor<2x16xf32> -> tensor<1x2x16xf32>
  %a = graph.map ins(%spread, %bias, %spread : tensor<1x2x16xf32>, tensor<16xf32>, tensor<1x2x16xf32>) maps [#each, #last, #each] -> tensor<1x2x16xf32> {
  ^bb0(%v: f32, %b: f32, %w: f32):
    %p = arith.addf %v, %b : f32
    %q = arith.mulf %p, %w : f32
    graph.yield %q : f32
  }
  %rows = graph.reshape %a : tensor<1x2x16xf32> -> tensor<2x16xf32>
  %y = graph.matmul %rows, %down : tensor<2x16xf32>, tensor<16x4xf32> -> tensor<2x4xf32>
  graph.report "y", %y : tensor<2x4xf32>
}

// -----

// So are logits.
// CHECK-LABEL: graph.step @logits_of_sequences
// CHECK-COUNT-3: graph.cross_entropy {{.*}} : tensor<3x4xf32>, tensor<3xi32>
// CHECK-NOT:     12xf32>
// CHECK:         graph.reshape %{{.*}} : tensor<3xf32> -> tensor<1x3xf32>
graph.state @head : tensor<2x12xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("head") group("decay")
graph.step @logits_of_sequences {
  %x = graph.feed "x" : tensor<3x2xf32>
  %l = graph.feed "labels" {bound = 12 : i64} : tensor<1x3xi32>
  %w = graph.read @head : tensor<2x12xf32>
  %z = graph.matmul %x, %w : tensor<3x2xf32>, tensor<2x12xf32> -> tensor<3x12xf32>
  %logits = graph.reshape %z : tensor<3x12xf32> -> tensor<1x3x12xf32>
  %losses, %lse = graph.cross_entropy %logits, %l : tensor<1x3x12xf32>, tensor<1x3xi32> -> tensor<1x3xf32>, tensor<1x3xf32>
  graph.report "losses", %losses : tensor<1x3xf32>
}
