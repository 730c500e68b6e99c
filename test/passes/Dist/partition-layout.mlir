// RUN: windlass-opt %s --partition="ranks=4 zero=3 bucket-bytes=140000" --split-input-file | FileCheck %s

// The shard rule: what a unit is, how it is cut, which units share a bucket.

// @small and @other have fewer than 16,384 elements: one pack, members at multiples of 64.
// @edge has exactly 16,384: a unit, cut into 4096 = 16384 / 4.
// CHECK-LABEL: dist.mesh @mesh dp(4)
// CHECK:       dist.bucket @decay.0 zero(3) group("decay") layer("") of f32 classes [#graph<role parameter>]
// CHECK-SAME:    <"decay.pack", 16396 in pieces of 4160, [<"small", [127, 129] at 0,
// CHECK-SAME:    <"other", [4, 3] at 16384,
// CHECK-SAME:    <"edge", 16384 in pieces of 4096, [<"edge", [128, 128] at 0,
graph.state @small : tensor<127x129xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("small") group("decay")
graph.state @edge : tensor<128x128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("edge") group("decay")
graph.state @other : tensor<4x3xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("other") group("decay")

// -----

// A piece is a multiple of 64 elements: ceil(16385 / (64 * 4)) * 64.
// CHECK-LABEL: dist.mesh @mesh dp(4)
// CHECK:       <"odd", 16385 in pieces of 4160,
graph.state @odd : tensor<16385xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("odd") group("decay")

// -----

// 140,000 bytes hold two of these; the third opens the next bucket. A larger tensor is a bucket of its own.
// CHECK-LABEL: dist.mesh @mesh dp(4)
// CHECK:       dist.bucket @decay.0 {{.*}}"first"{{.*}}"second"
// CHECK-NEXT:  dist.bucket @decay.1 {{.*}}"third"
// CHECK-NEXT:  dist.bucket @decay.2 {{.*}}"large"
graph.state @first : tensor<128x128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("first") group("decay")
graph.state @second : tensor<128x128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("second") group("decay")
graph.state @third : tensor<128x128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("third") group("decay")
graph.state @large : tensor<256x256xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("large") group("decay")

// -----

// A bucket holds one function and one group; its classes are those of its parameters' states.
// CHECK-LABEL: dist.mesh @mesh dp(4)
// CHECK:       dist.bucket @h.0.decay.0 zero(3) group("decay") layer("h.0") of f32 classes [#graph<role parameter>, #graph<role momentum>]
// CHECK-NEXT:  dist.bucket @h.0.no_decay.0 zero(3) group("no_decay") layer("h.0") of f32 classes [#graph<role parameter>]
// CHECK-NEXT:  dist.bucket @h.1.decay.0 zero(3) group("decay") layer("h.1") of f32 classes [#graph<role parameter>]
graph.state @h.0.w : tensor<8xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.0.w") group("decay") {layer = "h.0"}
graph.state @h.0.w.momentum : tensor<8xf32> role(momentum) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.0.w") group("decay") of @h.0.w {layer = "h.0"}
graph.state @h.0.b : tensor<8xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.0.b") group("no_decay") {layer = "h.0"}
graph.state @h.1.w : tensor<8xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.1.w") group("decay") {layer = "h.1"}

// -----

// A tied parameter has a gradient per use: it is in no pack and alone in its bucket, @untied stays packed.
// CHECK-LABEL: dist.mesh @mesh dp(4)
// CHECK:       dist.bucket @decay.0 {{.*}}"decay.pack"{{.*}}"untied"
// CHECK-NEXT:  dist.bucket @decay.1 {{.*}}units [#dist.unit<"tied", 8 in pieces of 64, [<"tied", [8] at 0, {{.*}}>]>]
// CHECK-NEXT:  dist.bucket @decay.2 {{.*}}"late"
// CHECK:       graph.micro_batches
// CHECK:       {gradient_of = [@decay.0, @decay.1, @decay.1, @decay.2]}
graph.state @untied : tensor<8xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("untied") group("decay")
graph.state @tied : tensor<8xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("tied") group("decay")
graph.state @late : tensor<16384xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("late") group("decay")
graph.step @train {
  %g:4 = graph.micro_batches count(1) {
    %x = graph.feed "x" : tensor<8xf32>
    %y = graph.feed "y" : tensor<8xf32>
    %z = graph.feed "z" : tensor<16384xf32>
    graph.yield %x, %x, %y, %z : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16384xf32>
  } {gradient_of = [@untied, @tied, @tied, @late]} : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<16384xf32>
}
