// RUN: windlass-opt %s --tile-matmuls=limit=64 --split-input-file --verify-diagnostics | FileCheck %s
// RUN: windlass-opt %s --tile-matmuls --split-input-file | FileCheck %s --check-prefix=NONE
// NONE-NOT: tile0

// 96 bytes: two tiles of the output, in the step and, through every call, in the function.
// CHECK-DAG: graph.state @w.tile0 : tensor<4x3xf32> role(parameter) {{.*}} original("w") group("decay") slice(<[4, 6] from [0, 0]>)
// CHECK-DAG: graph.state @w.tile1 : tensor<4x3xf32>
// CHECK-DAG: graph.state @a.tile1 : tensor<3x4xf32> {{.*}} {layer = "h.0"}
// CHECK-DAG: graph.state @b.tile1 : tensor<3x4xf32>
// CHECK-DAG: graph.state @small : tensor<4x4xf32>
// CHECK-DAG: graph.state @tied.tile1 : tensor<3x4xf32>
// CHECK-DAG: graph.state @mixed : tensor<6x4xf32>
// CHECK-DAG: graph.state @w.master.tile1 : tensor<4x3xf64> role(master) {{.*}} of @w.tile1 slice(<[4, 6] from [0, 3]>)
// A tile decays as its tensor.
// CHECK-DAG: graph.state @odd.tile0 : tensor<4x4xf32> {{.*}} decay(3.000000e-01
// CHECK-DAG: graph.state @odd.tile1 : tensor<4x3xf32> {{.*}} slice(<[4, 7] from [0, 4]>) decay(3.000000e-01
// CHECK-DAG: #[[$SAME:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-NOT: graph.state @w :
// CHECK-NOT: graph.state @w.master :
graph.state @w : tensor<4x6xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("w") group("decay")
graph.state @w.master : tensor<4x6xf64> role(master) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("w") group("decay") of @w
graph.state @a : tensor<6x4xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("a") group("decay") {layer = "h.0"}
graph.state @b : tensor<6x4xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("b") group("decay") {layer = "h.1"}
graph.state @small : tensor<4x4xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("small") group("decay")
graph.state @tied : tensor<6x4xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("tied") group("decay")
graph.state @odd : tensor<4x7xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("odd") group("decay=0.3") decay(0.3)
graph.state @mixed : tensor<6x4xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("mixed") group("decay")

// CHECK-LABEL: func.func private @transposed_weight_is_tiled_by_rows(
// CHECK-SAME:      %[[X:[a-z0-9]+]]: tensor<2x4xf32>, %[[T0:[a-z0-9]+]]: tensor<3x4xf32>, %[[T1:[a-z0-9]+]]: tensor<3x4xf32>)
// CHECK-NEXT:    %[[Y0:.*]] = graph.matmul %[[X]], %[[T0]] transposed {windlass.tile} {{.*}} -> tensor<2x3xf32>
// CHECK-NEXT:    %[[Y1:.*]] = graph.matmul %[[X]], %[[T1]] transposed {windlass.tile} {{.*}} -> tensor<2x3xf32>
// CHECK-NEXT:    graph.stack axis 1 ins(%[[Y0]], %[[Y1]] : {{.*}} map #[[$SAME]] -> tensor<2x6xf32>
func.func private @transposed_weight_is_tiled_by_rows(%x: tensor<2x4xf32>, %w: tensor<6x4xf32>) -> tensor<2x6xf32> {
  %y = graph.matmul %x, %w transposed : tensor<2x4xf32>, tensor<6x4xf32> -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// CHECK-LABEL: func.func private @argument_cut_in_two_ways_is_kept(
// CHECK-SAME:      tensor<6x4xf32>)
func.func private @argument_cut_in_two_ways_is_kept(%x: tensor<2x4xf32>, %w: tensor<6x4xf32>) -> tensor<2x6xf32> {
  %y = graph.matmul %x, %w transposed : tensor<2x4xf32>, tensor<6x4xf32> -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}

// CHECK-LABEL: graph.step @evaluate
// CHECK:         graph.read @small : tensor<4x4xf32>
// CHECK:         graph.read @tied.tile0 : tensor<3x4xf32>
// CHECK:         graph.read @mixed : tensor<6x4xf32>
// CHECK:         graph.embedding %{{.*}} from 3, %{{.*}} onto(%{{.*}} : tensor<2x4xf32>) : tensor<3x4xf32>
// CHECK:         graph.matmul %{{.*}}, %[[W0:.*]] : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
// CHECK:         graph.stack axis 1 ins(%{{.*}}, %{{.*}} : tensor<2x4xf32>, tensor<2x3xf32>) {{.*}} -> tensor<2x7xf32>
// CHECK:         call @transposed_weight_is_tiled_by_rows({{.*}}) {layer = "h.0"} : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<2x6xf32>
// CHECK:         call @argument_cut_in_two_ways_is_kept({{.*}}, tensor<6x4xf32>) -> tensor<2x6xf32>
graph.step @evaluate {
  %i = graph.feed "tokens" {bound = 6 : i64} : tensor<2xi32>
  %small = graph.read @small : tensor<4x4xf32>
  %tied = graph.read @tied : tensor<6x4xf32>
  %mixed = graph.read @mixed : tensor<6x4xf32>
  %w = graph.read @w : tensor<4x6xf32>
  %odd = graph.read @odd : tensor<4x7xf32>
  %a = graph.read @a : tensor<6x4xf32>
  %b = graph.read @b : tensor<6x4xf32>
  %e = graph.embedding %tied, %i : tensor<6x4xf32>, tensor<2xi32> -> tensor<2x4xf32>
  %x = graph.matmul %e, %small : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
  %z = graph.matmul %x, %w : tensor<2x4xf32>, tensor<4x6xf32> -> tensor<2x6xf32>
  %o = graph.matmul %x, %odd : tensor<2x4xf32>, tensor<4x7xf32> -> tensor<2x7xf32>
  %u = func.call @transposed_weight_is_tiled_by_rows(%x, %a) {layer = "h.0"} : (tensor<2x4xf32>, tensor<6x4xf32>) -> tensor<2x6xf32>
  %v = func.call @transposed_weight_is_tiled_by_rows(%x, %b) {layer = "h.1"} : (tensor<2x4xf32>, tensor<6x4xf32>) -> tensor<2x6xf32>
  %m = graph.matmul %u, %mixed : tensor<2x6xf32>, tensor<6x4xf32> -> tensor<2x4xf32>
  %t = func.call @argument_cut_in_two_ways_is_kept(%m, %mixed) {layer = "h.2"} : (tensor<2x4xf32>, tensor<6x4xf32>) -> tensor<2x6xf32>
  graph.report "z", %z : tensor<2x6xf32>
  graph.report "o", %o : tensor<2x7xf32>
}
