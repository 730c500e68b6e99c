// DEFINE: %{plan} = windlass-opt %s --plan-memory="hardware=%S/Inputs/machine.json pins=
// RUN: %{plan}param:device,master:device,moments:device,grad:device,checkpoint:device" | FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %{plan}param:host,master:host,moments:host,grad:host,checkpoint:host" | FileCheck %s --check-prefixes=CHECK,HOST
// RUN: %{plan}param:nvme,master:nvme,moments:nvme,grad:nvme,checkpoint:nvme" | FileCheck %s --check-prefixes=CHECK,NVME
// RUN: %{plan}param:device,master:host,moments:nvme" | FileCheck %s --check-prefixes=CHECK,SPLIT
// RUN: not %{plan}param:tape" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: 'param:tape' is no NAME:VALUE

// Every class goes where it is pinned: parameters in bf16, their f32 masters, a moment, the gradients, a checkpoint. The
// update works where the masters rest, on NVMe in the host's memory, and the new parameters go home from there.
// DEVICE-COUNT-4: flow.home {{.*}} tier(device)
// HOST-COUNT-4:   flow.home {{.*}} tier(host)
// NVME-COUNT-4:   flow.home {{.*}} tier(nvme)
// SPLIT:          flow.home @param {{.*}} tier(device)
// SPLIT-NEXT:     flow.home @master {{.*}} tier(host)
// SPLIT-NEXT:     flow.home @momentum {{.*}} tier(nvme)
// CHECK-LABEL:    flow.section @only
// DEVICE-NOT:     flow.transfer
// HOST-DAG:       flow.transfer upload {{.*}} "upload param", forward
// HOST-DAG:       flow.transfer offload {{.*}} "offload c", forward
// HOST-DAG:       flow.transfer upload {{.*}} "upload c", backward
// HOST-DAG:       flow.transfer offload {{.*}} "offload gradient", backward
// HOST-NOT:       flow.transfer
// NVME-DAG:       flow.transfer read {{.*}} "read param", forward
// NVME-DAG:       flow.transfer write {{.*}} "write c", forward
// NVME-DAG:       flow.transfer read {{.*}} "read c", backward
// NVME-DAG:       flow.transfer write {{.*}} "write gradient", backward
// NVME-DAG:       flow.transfer read {{.*}} "read master", update
// NVME-DAG:       flow.transfer read {{.*}} "read momentum", update
// SPLIT-DAG:      flow.transfer read {{.*}} "read momentum", update
// DEVICE:         flow.launch @adam{{.*}}<8192, device>
// HOST:           flow.launch @adam{{.*}}<8192, host>
// NVME:           flow.launch @adam{{.*}}<8192, host>
// SPLIT:          flow.launch @adam{{.*}}<8192, host>
// DEVICE-NOT:     flow.transfer
// HOST-NOT:       flow.transfer
// NVME-DAG:       flow.transfer write {{.*}} "write master", update
// NVME-DAG:       flow.transfer write {{.*}} "write param", update
// SPLIT-DAG:      flow.transfer write {{.*}} "write momentum", update
// SPLIT-DAG:      flow.transfer upload {{.*}} "upload param", update
dist.mesh @mesh dp(2)
func.func private @k() -> tensor<1024xf32> attributes {dist.kernel} {
  %y = graph.map ins() maps [] -> tensor<1024xf32> {
    %zero = arith.constant 0.0 : f32
    graph.yield %zero : f32
  }
  return %y : tensor<1024xf32>
}
func.func private @adam(%w: tensor<2048xf32>, %m: tensor<2048xf32>, %g: tensor<2048xf32>) -> (tensor<2048xf32>, tensor<2048xf32>, tensor<2048xbf16>) attributes {dist.kernel} {
  %a, %b, %c = graph.map ins(%w, %m, %g : tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>) maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> tensor<2048xf32>, tensor<2048xf32>, tensor<2048xbf16> {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %n = arith.addf %y, %z : f32
    %s = arith.subf %x, %n : f32
    %t = arith.truncf %s : f32 to bf16
    graph.yield %s, %n, %t : f32, f32, bf16
  }
  return %a, %b, %c : tensor<2048xf32>, tensor<2048xf32>, tensor<2048xbf16>
}
flow.home @param bytes(4096) class(parameter) tier(unplaced) {bucket = @b, role = #graph<role parameter>}
flow.home @master bytes(8192) class(master) tier(unplaced) {bucket = @b, role = #graph<role master>}
flow.home @momentum bytes(8192) class(momentum) tier(unplaced) {bucket = @b, role = #graph<role momentum>}
flow.home @gradient bytes(8192) class(gradient) tier(unplaced) {bucket = @b, role = #graph<role gradient>}
flow.schedule train [@only] times [1]
flow.section @only {
  %p = flow.use @param : <4096, unplaced>
  %w = flow.use @master : <8192, unplaced>
  %m = flow.use @momentum : <8192, unplaced>
  %g = flow.use @gradient : <8192, unplaced>
  %a = flow.alloc "a" class(gathered) : <8192, device>
  flow.all_gather %p -> %a piece_bytes [4096] {origin = #flow.origin<"h.0", "gather", forward>} : <4096, unplaced> -> !flow.buffer<8192, device>
  %c = flow.alloc "c" class(checkpoint) : <4096, device>
  flow.launch @k[0, 1024) (%a) -> (%c) {origin = #flow.origin<"h.0", "f", forward>} : (!flow.buffer<8192, device>) -> !flow.buffer<4096, device>
  %d = flow.alloc "d" class(partial) : <16384, device>
  flow.launch @k[0, 1024) (%c) -> (%d) {origin = #flow.origin<"h.0", "b", backward>} : (!flow.buffer<4096, device>) -> !flow.buffer<16384, device>
  flow.reduce_scatter %d -> %g piece_bytes [8192] of f32 {origin = #flow.origin<"h.0", "reduce", backward>} : !flow.buffer<16384, device> -> <8192, unplaced>
  flow.update @adam(%w, %m, %g, %w, %m, %p) {counts = array<i64: 1, 1, 1, 1, 1, 1>, element_bytes = array<i64: 4, 4, 4, 4, 4, 2>, num_inputs = 3 : i64, pieces = array<i64: 2048>, whole = array<i1: false, false, false, false, false, false>, origin = #flow.origin<"update", "update b", update>} : !flow.buffer<8192, unplaced>, !flow.buffer<8192, unplaced>, !flow.buffer<8192, unplaced>, !flow.buffer<8192, unplaced>, !flow.buffer<8192, unplaced>, !flow.buffer<4096, unplaced>
}
