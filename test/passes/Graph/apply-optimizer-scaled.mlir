// RUN: windlass-opt %s --apply-optimizer="clip=2 scaled" | FileCheck %s
// RUN: windlass-opt %s --apply-optimizer="scaled" | FileCheck %s --check-prefix=NOCLIP
// RUN: windlass-opt %s --apply-optimizer="clip=2" | FileCheck %s --check-prefix=KEPT --implicit-check-not=inverse_loss_scale --implicit-check-not=arith.select

// Without scaling nothing of it is there.
// KEPT: graph.step @train

graph.state @w : tensor<2x3xf16> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("W") group("no_decay")
graph.state @w.master : tensor<2x3xf32> role(master) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("W") group("no_decay") of @w
graph.state @m : tensor<3xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("M") group("statistics")

graph.step @train {
  %g:2 = graph.micro_batches count(1) {
    %gw = graph.feed "gw" : tensor<2x3xf16>
    %gm = graph.feed "gm" : tensor<3xf32>
    graph.yield %gw, %gm : tensor<2x3xf16>, tensor<3xf32>
  } {gradient_of = [@w, @m]} : tensor<2x3xf16>, tensor<3xf32>
  graph.report "gradient/w", %g#0 gradient of @w : tensor<2x3xf16>
  graph.report "gradient/m", %g#1 gradient of @m : tensor<3xf32>
}
// The norm that is reported, and clipped by, is that of the unscaled gradients.
// CHECK-LABEL: graph.step @train
// CHECK:         %[[SCALED:.*]] = graph.grad_norm %[[G:.*]]#0 :
// CHECK:         %[[INVERSE:.*]] = graph.feed "inverse_loss_scale" : tensor<f32>
// CHECK:         %[[NORM:.*]] = graph.map ins(%[[SCALED]], %[[INVERSE]]
// CHECK:           arith.mulf
// CHECK:         graph.report "grad_norm", %[[NORM]]
// CHECK:         %[[FACTOR:.*]] = graph.map ins(%[[NORM]]
// CHECK:           arith.minimumf

// Unscaled in f32, then clipped; a norm that is no number below infinity keeps what was read.
// CHECK:         %[[W:.*]]:4 = graph.map ins(%{{.*}}, %{{.*}}, %{{.*}}, %[[G]]#0, %{{.*}}, %{{.*}}, %{{.*}}, %[[INVERSE]], %[[FACTOR]], %[[NORM]]
// CHECK:         ^bb0(%[[P:[a-z0-9]+]]: f32, %[[M:[a-z0-9]+]]: f32, %[[V:[a-z0-9]+]]: f32, %[[GRADIENT:[a-z0-9]+]]: f16, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %[[I:[a-z0-9]+]]: f32, %[[F:[a-z0-9]+]]: f32, %[[N:[a-z0-9]+]]: f32):
// CHECK:           %[[WIDE:.*]] = arith.extf %[[GRADIENT]] : f16 to f32
// CHECK:           %[[UNSCALED:.*]] = arith.mulf %[[WIDE]], %[[I]]
// CHECK:           arith.mulf %[[UNSCALED]], %[[F]]
// CHECK:           %[[INFINITY:.*]] = arith.constant 0x7F800000 : f32
// CHECK:           %[[FINITE:.*]] = arith.cmpf olt, %[[N]], %[[INFINITY]]
// CHECK:           %[[NEWP:.*]] = arith.select %[[FINITE]], %{{.*}}, %[[P]] : f32
// CHECK:           %[[NEWM:.*]] = arith.select %[[FINITE]], %{{.*}}, %[[M]] : f32
// CHECK:           %[[NEWV:.*]] = arith.select %[[FINITE]], %{{.*}}, %[[V]] : f32
// CHECK:           %[[ROUNDED:.*]] = arith.truncf %[[NEWP]] : f32 to f16
// CHECK:           graph.yield %[[NEWP]], %[[NEWM]], %[[NEWV]], %[[ROUNDED]]

// Running statistics are states too.
// CHECK:         %[[OLD:.*]] = graph.read @m
// CHECK:         graph.map ins(%[[OLD]], %[[G]]#1, %[[NORM]] : tensor<3xf32>, tensor<3xf32>, tensor<f32>)
// CHECK-NEXT:    ^bb0(%[[P:[a-z0-9]+]]: f32, %[[CHANGE:[a-z0-9]+]]: f32, %[[N:[a-z0-9]+]]: f32):
// CHECK:           %[[NEW:.*]] = arith.addf %[[P]], %[[CHANGE]]
// CHECK:           %[[FINITE:.*]] = arith.cmpf olt, %[[N]], %{{.*}}
// CHECK:           arith.select %[[FINITE]], %[[NEW]], %[[P]] : f32

// Without a limit gradients are unscaled all the same, and the update waits for their norm.
// NOCLIP-NOT:  minimumf
// NOCLIP:      %[[INVERSE:.*]] = graph.feed "inverse_loss_scale"
// NOCLIP:      %[[NORM:.*]] = graph.map
// NOCLIP:      graph.map ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[INVERSE]], %[[NORM]]
// NOCLIP:        arith.select
