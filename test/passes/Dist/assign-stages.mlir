// RUN: windlass-opt %S/../Graph/Inputs/two-layers.mlir --graph-train="micro-batches=4" --dist-train="ranks=2 zero=2" --assign-stages="layers=1,1" | FileCheck %s
// RUN: windlass-opt %S/../Graph/Inputs/two-layers.mlir --graph-train="micro-batches=4 tensor=2" --dist-train="ranks=2 zero=2" --assign-stages="layers=1,1" | FileCheck %s --check-prefix=SHARED
// RUN: not windlass-opt %S/../Graph/Inputs/two-layers.mlir --graph-train --dist-train --assign-stages="layers=1,1,1" 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not windlass-opt %S/../Graph/Inputs/two-layers.mlir --graph-train --dist-train --assign-stages="layers=2,0" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not windlass-opt %S/../Graph/Inputs/two-layers.mlir --graph-train --dist-train --assign-stages 2>&1 | FileCheck %s --check-prefix=UNSAID

// MANY:   error: assign-stages: the stages have 3 layers, the module calls 2
// NONE:   error: assign-stages: every stage has a layer, found 0 of stage 1
// UNSAID: error: assign-stages needs the number of layers of each stage

// A bucket rests with its layer; the table that both ends read, where it is read first.
// CHECK-DAG: dist.bucket @decay.0 {{.*}} {windlass.stage = 0 : i64}
// CHECK-DAG: dist.bucket @h.0.decay.0 {{.*}} {windlass.stage = 0 : i64}
// CHECK-DAG: dist.bucket @h.1.decay.0 {{.*}} {windlass.stage = 1 : i64}
// CHECK-DAG: dist.bucket @no_decay.0 {{.*}} {windlass.stage = 1 : i64}

// CHECK-LABEL: graph.step @train
// Feeds, and what is made of feeds or parameters alone, have no stage.
// CHECK:         graph.feed "loss_seed" : tensor<f32>
// CHECK:         dist.read @no_decay.0 parameter {windlass.stage = 1 : i64}
// CHECK:         graph.feed "tokens" {bound = 11 : i64} : tensor<2x6xi32>
// CHECK:         dist.launch @embedding_{{.*}} {windlass.stage = 0 : i64}
// CHECK:         dist.unpack %{{.*}} at [0] : tensor<48xf32> -> tensor<6x8xf32>
// CHECK:         call @block.fwd({{.*}} {layer = "h.0", windlass.stage = 0 : i64}
// CHECK:         call @block.fwd({{.*}} {layer = "h.1", windlass.stage = 1 : i64}
// CHECK:         graph.report "loss", %{{.*}} {windlass.stage = 1 : i64}
// CHECK:         dist.launch @map_{{.*}} {windlass.phase = #graph<phase backward>} : (tensor<f32>) -> tensor<12xf32>
// The gradient of the head's use of the table is made where the head is, that of the embedding's where that is.
// CHECK:         dist.reduce_scatter {{.*}} of "decay.0" {windlass.phase = #graph<phase backward>, windlass.stage = 1 : i64}
// CHECK:         call @block.bwd({{.*}} {layer = "h.1", windlass.phase = #graph<phase backward>, windlass.stage = 1 : i64}
// CHECK:         call @block.bwd({{.*}} {layer = "h.0", windlass.phase = #graph<phase backward>, windlass.stage = 0 : i64}
// CHECK:         dist.reduce_scatter {{.*}} of "decay.0" {windlass.phase = #graph<phase backward>, windlass.stage = 0 : i64}
// Slots are made where gradients rest, and put together in the order of units.
// CHECK:         %[[FIRST:.*]] = dist.norm_slots {{.*}} {windlass.stage = 0 : i64}
// CHECK:         %[[LAST:.*]] = dist.norm_slots {{.*}} {windlass.stage = 1 : i64}
// CHECK:         dist.pack %[[FIRST]], %[[LAST]] at [0, 32] {windlass.stage = 1 : i64}
// CHECK:         graph.report "grad_norm", %{{.*}} {windlass.stage = 1 : i64}
// CHECK:         dist.write %{{.*}} to @decay.0 parameter {windlass.stage = 0 : i64}
// CHECK:         dist.write %{{.*}} to @h.1.decay.0 parameter {windlass.stage = 1 : i64}

// Where ranks share out operations, split and whole parameters have slots of their own.
// SHARED:       dist.pack {{.*}} at [0, 24] {windlass.stage = 1 : i64}
// SHARED:       dist.all_gather {{.*}} over ["tp"] {windlass.stage = 1 : i64} : tensor<2x5x8xf64> -> tensor<4x5x8xf64>
// SHARED:       dist.pack {{.*}} at [0, 16] {windlass.stage = 1 : i64}
