// RUN: windlass-opt %s --apply-optimizer="beta1=0.5 beta2=0.75 weight-decay=0.25 clip=2" | FileCheck %s
// RUN: windlass-opt %s --apply-optimizer | FileCheck %s --check-prefix=NOCLIP
// A decay of the parameter's own goes before that of its group.
// RUN: sed 's/original("B") group("no_decay")$/original("B") group("no_decay") decay(0.75)/' %s | windlass-opt --apply-optimizer="weight-decay=0.25" | FileCheck %s --check-prefix=OWN
// RUN: windlass-opt %s --apply-optimizer="clip=2" -o %t && not windlass-opt %t --apply-optimizer 2>&1 | FileCheck %s --check-prefix=TWICE

// TWICE: reports no gradients to update by; differentiate must run first
// NOCLIP-NOT: minimumf
// OWN-DAG: arith.constant 2.500000e-01 : f32
// OWN-DAG: arith.constant 7.500000e-01 : f32

// CHECK:      graph.state @w : tensor<2x3xf32> role(parameter)
// CHECK-NEXT: graph.state @w.momentum : tensor<2x3xf32> role(momentum)
// CHECK-SAME:     original("W") group("decay") of @w {layer = "h.0"}
// CHECK-NEXT: graph.state @w.variance : tensor<2x3xf32> role(variance)
graph.state @w : tensor<2x3xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("W") group("decay") {layer = "h.0"}
// CHECK:      graph.state @b.momentum : tensor<3xf32> role(momentum)
graph.state @b : tensor<3xbf16> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("B") group("no_decay")
// CHECK-NOT:  graph.state @m.
graph.state @m : tensor<3xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("M") group("statistics")
graph.state @b.master : tensor<3xf32> role(master) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("B") group("no_decay") of @b

graph.step @train {
  %g:3 = graph.micro_batches count(1) {
    %gw = graph.feed "gw" : tensor<2x3xf32>
    %gb = graph.feed "gb" : tensor<3xbf16>
    %gm = graph.feed "gm" : tensor<3xf32>
    graph.yield %gw, %gb, %gm : tensor<2x3xf32>, tensor<3xbf16>, tensor<3xf32>
  } {gradient_of = [@w, @b, @m]} : tensor<2x3xf32>, tensor<3xbf16>, tensor<3xf32>
  graph.report "gradient/w", %g#0 gradient of @w : tensor<2x3xf32>
  graph.report "gradient/b", %g#1 gradient of @b : tensor<3xbf16>
  graph.report "gradient/m", %g#2 gradient of @m : tensor<3xf32>
}
// CHECK-LABEL: graph.step @train
// CHECK-NOT:     "gradient/
// CHECK:         %[[NORM:.*]] = graph.grad_norm %[[G:.*]]#0, %[[G]]#1 :
// CHECK:         graph.report "grad_norm", %[[NORM]]
// The clip factor, as torch.nn.utils.clip_grad_norm_ computes it.
// CHECK:         %[[FACTOR:.*]] = graph.map ins(%[[NORM]]
// CHECK:           %[[TINY:.*]] = arith.constant 9.99999997E-7
// CHECK:           %[[SHIFTED:.*]] = arith.addf %{{.*}}, %[[TINY]]
// CHECK:           %[[CLIP:.*]] = arith.constant 2.0
// CHECK:           %[[QUOTIENT:.*]] = arith.divf %[[CLIP]], %[[SHIFTED]]
// CHECK:           arith.minimumf %[[QUOTIENT]], %{{.*}}
// CHECK-DAG:     graph.feed "learning_rate"
// CHECK-DAG:     graph.feed "bias_correction1"
// CHECK-DAG:     graph.feed "bias_correction2"

// "decay" decays: p * (1 - lr * wd).
// CHECK:         %[[W:.*]]:3 = graph.map ins(%{{.*}}, %{{.*}}, %{{.*}}, %[[G]]#0
// CHECK:         ^bb0(%[[P:[a-z0-9]+]]: f32, %[[M:[a-z0-9]+]]: f32, %[[V:[a-z0-9]+]]: f32, %{{[a-z0-9]+}}: f32, %[[LR:[a-z0-9]+]]: f32,
// CHECK:           %[[RATE:.*]] = arith.mulf %[[LR]], %{{.*}}
// CHECK:           %[[KEEP:.*]] = arith.subf %{{.*}}, %[[RATE]]
// CHECK:           arith.mulf %[[P]], %[[KEEP]]
// CHECK:         graph.write %[[W]]#0, @w
// CHECK:         graph.write %[[W]]#1, @w.momentum
// CHECK:         graph.write %[[W]]#2, @w.variance

// "no_decay" does not; the master is updated, and the parameter is its rounding.
// CHECK:         %[[MASTER:.*]] = graph.read @b.master
// CHECK:         %[[B:.*]]:4 = graph.map ins(%[[MASTER]], %{{.*}}, %{{.*}}, %[[G]]#1
// CHECK:         ^bb0(%[[P:[a-z0-9]+]]: f32
// CHECK-NOT:       arith.mulf %[[P]]
// CHECK:           %[[NEW:.*]] = arith.subf %[[P]], %{{.*}}
// CHECK:           %[[ROUNDED:.*]] = arith.truncf %[[NEW]] : f32 to bf16
// CHECK:           graph.yield %[[NEW]], %{{.*}}, %{{.*}}, %[[ROUNDED]]
// CHECK:         graph.write %[[B]]#0, @b.master
// CHECK:         graph.write %[[B]]#3, @b

// To a running statistic its change is added, whatever the norm of the gradients is.
// CHECK:         %[[OLD:.*]] = graph.read @m
// CHECK:         %[[M:.*]] = graph.map ins(%[[OLD]], %[[G]]#2 : tensor<3xf32>, tensor<3xf32>)
// CHECK-NEXT:    ^bb0(%[[P:[a-z0-9]+]]: f32, %[[CHANGE:[a-z0-9]+]]: f32):
// CHECK-NEXT:      %[[NEW:.*]] = arith.addf %[[P]], %[[CHANGE]]
// CHECK-NEXT:      graph.yield %[[NEW]]
// CHECK:         graph.write %[[M]], @m
