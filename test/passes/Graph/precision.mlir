// RUN: windlass-opt %s --precision=compute=bf16 | FileCheck %s
// RUN: windlass-opt %s --precision=compute=f16 | FileCheck %s --check-prefix=HALF --implicit-check-not=bf16
// RUN: windlass-opt %s --precision=compute=f32 | FileCheck %s --check-prefix=ALL32 --implicit-check-not={{b?}}f16
// RUN: not windlass-opt %s --precision=compute=f8 2>&1 | FileCheck %s --check-prefix=TYPE

// TYPE: compute is "f32", "bf16" or "f16", not "f8"
// f16 stands where bf16 would.
// HALF:      graph.state @w : tensor<8x8xf16> role(parameter)
// HALF-NEXT: graph.state @w.master : tensor<8x8xf32> role(master)
// HALF-NEXT: graph.state @m : tensor<8xf32> role(parameter)
// HALF-LABEL: func.func private @matmul_and_activation_are_narrow(
// HALF-SAME:      %{{.*}}: tensor<4x8xf16>, %{{.*}}: tensor<8x8xf16>) -> tensor<4x8xf16>
// HALF:         %[[WIDE:.*]] = arith.extf %{{.*}} : f16 to f32
// HALF-NEXT:    %[[EXP:.*]] = math.exp %[[WIDE]] : f32
// HALF-NEXT:    arith.truncf %[[EXP]] : f32 to f16
// HALF-LABEL: func.func private @statistics_stay_wide(
// HALF:         graph.softmax {{.*}} -> tensor<4x8xf16>, tensor<4xf32>
// HALF-LABEL: func.func private @running_statistics_stay_wide(
// HALF-SAME:      tensor<4x8xf16>, %{{.*}}: tensor<8xf16>, %{{.*}}: tensor<8xf32>, %{{.*}}: tensor<8xf32>) -> tensor<4x8xf16>
// ALL32:     graph.state
// ALL32-NOT: bf16
// ALL32-NOT: master

#row = affine_map<(d0, d1) -> (d0, d1)>
#per_row = affine_map<(d0, d1) -> (d0)>

// CHECK:      graph.state @w : tensor<8x8xbf16> role(parameter)
// CHECK-NEXT: graph.state @w.master : tensor<8x8xf32> role(master) init(<normal = true, mean = 0.0{{.*}}, std = 1.0{{.*}}>)
// CHECK-SAME:     original("W") group("decay") of @w {layer = "h.0"}
graph.state @w : tensor<8x8xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("W") group("decay") {layer = "h.0"}
// CHECK-NEXT: graph.state @m : tensor<8xf32> role(parameter) {{.*}} group("statistics")
// CHECK-NOT:  @m.master
graph.state @m : tensor<8xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("M") group("statistics") {layer = "h.0"}

// CHECK-LABEL: func.func private @matmul_and_activation_are_narrow(
// CHECK-SAME:      %{{.*}}: tensor<4x8xbf16>, %{{.*}}: tensor<8x8xbf16>) -> tensor<4x8xbf16>
// CHECK:         graph.matmul {{.*}} -> tensor<4x8xbf16>
// CHECK:         ^bb0(%[[IN:.*]]: bf16):
// CHECK-NEXT:      %[[WIDE:.*]] = arith.extf %[[IN]] : bf16 to f32
// CHECK-NEXT:      %[[EXP:.*]] = math.exp %[[WIDE]] : f32
// CHECK-NEXT:      %[[OUT:.*]] = arith.truncf %[[EXP]] : f32 to bf16
// CHECK-NEXT:      graph.yield %[[OUT]] : bf16
func.func private @matmul_and_activation_are_narrow(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %p = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %y = graph.map ins(%p : tensor<4x8xf32>) maps [#row] -> tensor<4x8xf32> {
  ^bb0(%v: f32):
    %e = math.exp %v : f32
    graph.yield %e : f32
  }
  return %y : tensor<4x8xf32>
}

// CHECK-LABEL: func.func private @statistics_stay_wide(
// CHECK:         graph.softmax {{.*}} -> tensor<4x8xbf16>, tensor<4xf32>
// CHECK:         graph.reduce{{.*}} -> tensor<4xf32>
// CHECK-NEXT:    ^bb0(%{{.*}}: bf16):
// CHECK:         graph.map ins(%{{.*}} : tensor<4xf32>) {{.*}} -> tensor<4xf32>
// CHECK:         graph.map ins(%{{.*}}, %{{.*}} : tensor<4x8xbf16>, tensor<4xf32>) {{.*}} -> tensor<4x8xbf16>
func.func private @statistics_stay_wide(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s, %lse = graph.softmax %x : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4xf32>
  %sum = graph.reduce sum over [1] ins(%s : tensor<4x8xf32>) maps [#row] -> tensor<4xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  %root = graph.map ins(%sum : tensor<4xf32>) maps [affine_map<(d0) -> (d0)>] -> tensor<4xf32> {
  ^bb0(%v: f32):
    %r = math.sqrt %v : f32
    graph.yield %r : f32
  }
  %y = graph.map ins(%x, %root : tensor<4x8xf32>, tensor<4xf32>) maps [#row, #per_row] -> tensor<4x8xf32> {
  ^bb0(%v: f32, %r: f32):
    %q = arith.divf %v, %r : f32
    graph.yield %q : f32
  }
  return %y : tensor<4x8xf32>
}

// CHECK-LABEL: func.func private @running_statistics_stay_wide(
// CHECK-SAME:      %{{.*}}: tensor<4x8xbf16>, %{{.*}}: tensor<8xbf16>, %{{.*}}: tensor<8xf32>, %{{.*}}: tensor<8xf32>) -> tensor<4x8xbf16>
// CHECK:         graph.batch_norm {{.*}} -> tensor<4x8xbf16>, tensor<8xf32>, tensor<8xf32>
func.func private @running_statistics_stay_wide(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>)
    -> tensor<4x8xf32> {
  %y, %um, %uv = graph.batch_norm %x, %s, %s running(%m, %v) epsilon(1.0e-5) momentum(0.1)
      : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
  return %y : tensor<4x8xf32>
}

// A mask that comes from inputs alone stays f32 on its way, since -3.4e38 is no number of 16 bits.
// CHECK-LABEL: func.func private @masks_of_inputs_stay_wide(
// CHECK-SAME:      %{{.*}}: tensor<4x8xbf16>, %[[MASK:.*]]: tensor<1x8xf32>) -> tensor<4x8xbf16>
// CHECK:         graph.softmax %{{.*}} mask(%[[MASK]] : tensor<1x8xf32>) : tensor<4x8xbf16>
func.func private @masks_of_inputs_stay_wide(%x: tensor<4x8xf32>, %mask: tensor<1x8xf32>) -> tensor<4x8xf32> {
  %s, %lse = graph.softmax %x mask(%mask : tensor<1x8xf32>) : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4xf32>
  return %s : tensor<4x8xf32>
}

// Kept narrow: a mask of parameters, and one that is added to activations, too.
// CHECK-LABEL: func.func private @learned_masks_are_narrow(
// CHECK-SAME:      %{{.*}}: tensor<8x8xbf16>, %[[MASK:.*]]: tensor<8x8xbf16>) -> tensor<8x8xbf16>
// CHECK:         graph.softmax %{{.*}} mask(%[[MASK]] : tensor<8x8xbf16>)
func.func private @learned_masks_are_narrow(%x: tensor<8x8xf32>, %mask: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %s, %lse = graph.softmax %x mask(%mask : tensor<8x8xf32>) : tensor<8x8xf32> -> tensor<8x8xf32>, tensor<8xf32>
  return %s : tensor<8x8xf32>
}
// CHECK-LABEL: func.func private @what_is_added_too_is_narrow(
// CHECK-SAME:      %{{.*}}: tensor<4x8xbf16>, %{{.*}}: tensor<4x8xbf16>) -> tensor<4x8xbf16>
func.func private @what_is_added_too_is_narrow(%x: tensor<4x8xf32>, %mask: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s, %lse = graph.softmax %x mask(%mask : tensor<4x8xf32>) : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4xf32>
  %y = graph.map ins(%s, %mask : tensor<4x8xf32>, tensor<4x8xf32>) maps [#row, #row] -> tensor<4x8xf32> {
  ^bb0(%v: f32, %m: f32):
    %sum = arith.addf %v, %m : f32
    graph.yield %sum : f32
  }
  return %y : tensor<4x8xf32>
}
// CHECK-LABEL: graph.step @evaluate
// CHECK:         %[[ROW:.*]] = graph.reshape %{{.*}} : tensor<8xf32> -> tensor<1x8xf32>
// CHECK:         func.call @masks_of_inputs_stay_wide(%{{.*}}, %[[ROW]])
graph.step @evaluate {
  %x = graph.feed "x" : tensor<4x8xf32>
  %m = graph.feed "m" : tensor<8xf32>
  %w = graph.read @w : tensor<8x8xf32>
  %row = graph.reshape %m : tensor<8xf32> -> tensor<1x8xf32>
  %a = func.call @masks_of_inputs_stay_wide(%x, %row) {layer = "h.1"} : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  %b = func.call @learned_masks_are_narrow(%w, %w) {layer = "h.2"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %c = func.call @what_is_added_too_is_narrow(%a, %x) {layer = "h.3"} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  graph.report "logits", %c : tensor<4x8xf32>
  graph.report "learned", %b : tensor<8x8xf32>
}

// Numbers that become integers stay f32: bf16 holds those up to 256.
// CHECK-LABEL: graph.step @integers_are_exact
// CHECK:         graph.matmul %{{.*}}, %{{.*}} : tensor<8x8xf32>, tensor<8x1xf32> -> tensor<8x1xf32>
// CHECK:         graph.matmul %{{.*}}, %{{.*}} : tensor<8x8xbf16>, tensor<8x1xbf16> -> tensor<8x1xbf16>
graph.step @integers_are_exact {
  %ids = graph.feed "ids" : tensor<8x1xi32>
  %ones = graph.map ins() maps [] -> tensor<8x8xf32> {
    %one = arith.constant 1.0 : f32
    graph.yield %one : f32
  }
  %wide = graph.map ins(%ids : tensor<8x1xi32>) maps [#row] -> tensor<8x1xf32> {
  ^bb0(%v: i32):
    %f = arith.sitofp %v : i32 to f32
    graph.yield %f : f32
  }
  %sums = graph.matmul %ones, %wide : tensor<8x8xf32>, tensor<8x1xf32> -> tensor<8x1xf32>
  %whole = graph.map ins(%sums : tensor<8x1xf32>) maps [#row] -> tensor<8x1xi32> {
  ^bb0(%v: f32):
    %i = arith.fptosi %v : f32 to i32
    graph.yield %i : i32
  }
  %narrow = graph.matmul %ones, %wide : tensor<8x8xf32>, tensor<8x1xf32> -> tensor<8x1xf32>
  graph.report "whole", %whole : tensor<8x1xi32>
  graph.report "sums", %narrow : tensor<8x1xf32>
}

// Feeds come and reports go as f32.
// CHECK-LABEL: graph.step @sample
// CHECK:         %[[X:.*]] = graph.feed "x" : tensor<4x8xf32>
// CHECK:         graph.read @w : tensor<8x8xbf16>
// CHECK:         %[[NARROW:.*]] = graph.map ins(%[[X]] : tensor<4x8xf32>) {{.*}} -> tensor<4x8xbf16>
// CHECK:         %[[Y:.*]] = func.call @matmul_and_activation_are_narrow(%[[NARROW]],
// CHECK:         %[[OUT:.*]] = graph.map ins(%[[Y]] : tensor<4x8xbf16>) {{.*}} -> tensor<4x8xf32>
// CHECK:         graph.report "logits", %[[OUT]] : tensor<4x8xf32>
graph.step @sample {
  %x = graph.feed "x" : tensor<4x8xf32>
  %w = graph.read @w : tensor<8x8xf32>
  %y = func.call @matmul_and_activation_are_narrow(%x, %w) {layer = "h.0"} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  graph.report "logits", %y : tensor<4x8xf32>
}
