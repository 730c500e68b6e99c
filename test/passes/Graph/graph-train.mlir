// RUN: windlass-opt %S/Inputs/two-layers.mlir --graph-train="compute=bf16 micro-batches=4 recompute=full clip=1.0" | FileCheck %s

// The whole level on a small transformer: one backward function for both layers, which repeats the forward pass.
// CHECK-DAG:   graph.state @h.1.fc.weight : tensor<8x32xbf16> role(parameter)
// CHECK-DAG:   graph.state @h.1.fc.weight.master : tensor<8x32xf32> role(master)
// CHECK-DAG:   graph.state @h.1.fc.weight.momentum : tensor<8x32xf32> role(momentum)
// CHECK-LABEL: func.func private @block(
// CHECK-NOT:   graph.attention
// CHECK-LABEL: func.func private @block.recompute_bwd(
// CHECK-NOT:   graph.attention
// CHECK-LABEL: graph.step @evaluate
// CHECK-LABEL: graph.step @train
// CHECK:         graph.micro_batches count(4)
// CHECK-COUNT-2:   func.call @block(
// CHECK-COUNT-2:   func.call @block.recompute_bwd(
// CHECK:         gradient_of = [@wte, @wte, @wpe,
// CHECK:         graph.grad_norm
// CHECK:         graph.write %{{.*}}, @wte.master
