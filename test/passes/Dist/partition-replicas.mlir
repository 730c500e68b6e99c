// RUN: windlass-opt %s --partition="ranks=4 replicas=2 zero=3" | FileCheck %s
// RUN: not windlass-opt %s --partition="ranks=4 replicas=3" 2>&1 | FileCheck --check-prefix=ODD %s
// RUN: not windlass-opt %s --partition="ranks=4 replicas=2 owned" 2>&1 | FileCheck --check-prefix=OWNED %s

// Two groups of two ranks. A piece is two of those that four ranks would have; gathers and reduce-scatters run inside a
// group, and behind the micro-batches each shard is summed over the groups, in as many parts.

// CHECK: dist.mesh @mesh dp_replicate(2), dp_shard(2)
// CHECK: dist.bucket @decay.0 zero(3) {{.*}} [#dist.unit<"w", 16384 in pieces of 8192, {{.*}} over ["dp_shard"]

// CHECK-LABEL: graph.step @train
// CHECK:         %[[G:.*]] = graph.micro_batches
// CHECK:           %[[W:.*]] = dist.all_gather %{{.*}} pieces [8192] of "decay.0" over ["dp_shard"] : tensor<8192xf32> -> tensor<128x128xf32>
// CHECK:           %[[D:.*]] = dist.reduce_scatter %{{.*}} pieces [8192] of "decay.0" over ["dp_shard"]
// CHECK-NEXT:      graph.yield %[[D]]
// CHECK:         %[[PART:.*]] = dist.reduce_scatter %[[G]] pieces [4096] of "decay.0" over ["dp_replicate"] : tensor<8192xf32> -> tensor<4096xf32>
// CHECK-NEXT:    %[[SUM:.*]] = dist.all_gather %[[PART]] pieces [4096] of "decay.0" over ["dp_replicate"] : tensor<4096xf32> -> tensor<8192xf32>
// CHECK:         dist.write {{.*}} to @decay.0 parameter
// ODD:   error: partition needs replicas that divide its ranks, and no owners with more than one; found replicas 3 of 4 ranks
// OWNED: error: partition needs replicas that divide its ranks, and no owners with more than one; found replicas 2 of 4 ranks
graph.state @w : tensor<128x128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("w") group("decay")

graph.step @train {
  %g = graph.micro_batches count(2) {
    %x = graph.feed "x" : tensor<128x128xf32>
    %w = graph.read @w : tensor<128x128xf32>
    %y = graph.matmul %x, %w : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
    %d = graph.matmul %x transposed, %y : tensor<128x128xf32>, tensor<128x128xf32> -> tensor<128x128xf32>
    graph.yield %d : tensor<128x128xf32>
  } {gradient_of = [@w]} : tensor<128x128xf32>
  graph.write %g, @w : tensor<128x128xf32>
}
