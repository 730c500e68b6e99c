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
