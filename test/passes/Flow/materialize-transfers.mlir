// RUN: windlass-opt %s --materialize-transfers="chunk-elements=4096" --split-input-file | FileCheck %s

// The example of the pass: a shard that rests elsewhere is staged through the tiers between.
// CHECK-LABEL: flow.section @only
// CHECK-DAG:     %[[DEVICE:.*]] = flow.use @device
// CHECK-DAG:     %[[HOST:.*]] = flow.use @host
// CHECK-DAG:     %[[NVME:.*]] = flow.use @nvme
// A home on the device is gathered from as it is.
// CHECK:         flow.all_gather %[[DEVICE]]
// CHECK:         %[[UP:.*]] = flow.alloc "host" class(staging) : <4096, device>
// CHECK-NEXT:    flow.transfer upload %[[HOST]] -> %[[UP]] {origin = #flow.origin<"h.0", "upload host", forward>}
// CHECK:         flow.all_gather %[[UP]]
// CHECK-NEXT:    flow.release %[[UP]]
// CHECK:         %[[READ:.*]] = flow.alloc "nvme" class(staging) : <4096, host>
// CHECK-NEXT:    flow.transfer read %[[NVME]] -> %[[READ]]
// CHECK:         flow.transfer upload %[[READ]] -> %[[UP2:.*]] {origin
// CHECK:         flow.all_gather %[[UP2]]
flow.home @device bytes(4096) class(parameter) tier(device)
flow.home @host bytes(4096) class(parameter) tier(host)
flow.home @nvme bytes(4096) class(parameter) tier(nvme)
flow.section @only {
  %d = flow.use @device : <4096, device>
  %h = flow.use @host : <4096, host>
  %n = flow.use @nvme : <4096, nvme>
  %a = flow.alloc "a" class(gathered) : <8192, device>
  flow.all_gather %d -> %a piece_bytes [4096] {origin = #flow.origin<"h.0", "gather", forward>} : <4096, device> -> !flow.buffer<8192, device>
  flow.all_gather %h -> %a piece_bytes [4096] {origin = #flow.origin<"h.0", "gather", forward>} : <4096, host> -> !flow.buffer<8192, device>
  flow.all_gather %n -> %a piece_bytes [4096] {origin = #flow.origin<"h.0", "gather", forward>} : <4096, nvme> -> !flow.buffer<8192, device>
}

// -----

// A reduced gradient leaves after its reduce-scatter.
// CHECK-LABEL: flow.section @only
// CHECK-DAG:     %[[HOST:.*]] = flow.use @host
// CHECK-DAG:     %[[NVME:.*]] = flow.use @nvme
// CHECK:         flow.reduce_scatter %{{.*}} -> %[[OUT:.*]] piece_bytes
// CHECK-NEXT:    flow.transfer offload %[[OUT]] -> %[[HOST]]
// CHECK:         flow.reduce_scatter %{{.*}} -> %[[OUT2:.*]] piece_bytes
// CHECK:         flow.transfer offload %[[OUT2]] -> %[[DOWN:.*]] {origin
// CHECK:         flow.transfer write %[[DOWN]] -> %[[NVME]]
flow.home @host bytes(4096) class(gradient) tier(host)
flow.home @nvme bytes(4096) class(gradient) tier(nvme)
flow.section @only {
  %h = flow.use @host : <4096, host>
  %n = flow.use @nvme : <4096, nvme>
  %a = flow.alloc "a" class(partial) : <8192, device>
  flow.reduce_scatter %a -> %h piece_bytes [4096] of f32 {origin = #flow.origin<"h.0", "reduce", backward>} : !flow.buffer<8192, device> -> <4096, host>
  flow.reduce_scatter %a -> %n piece_bytes [4096] of f32 {origin = #flow.origin<"h.0", "reduce", backward>} : !flow.buffer<8192, device> -> <4096, nvme>
}

// -----

// Gradients are added where they rest: the new part goes there, the sum stays. NVMe moves whole blocks of 4 KiB.
// CHECK-LABEL: flow.section @last
// CHECK-DAG:     %[[HOST:.*]] = flow.use @host
// CHECK-DAG:     %[[NVME:.*]] = flow.use @nvme
// CHECK-DAG:     %[[SUM:.*]] = flow.view %[[HOST]][0] : <4096, host> -> <256, host>
// CHECK:         flow.transfer offload %{{.*}} -> %[[PART:.*]] {origin
// CHECK:         flow.launch @add[0, 64) (%[[SUM]], %[[PART]]) -> (%[[SUM]])
// CHECK:         flow.transfer read %[[NVME]] -> %[[BLOCK:.*]] {origin{{.*}}<4096, nvme> -> <4096, host>
// CHECK:         %[[SUM2:.*]] = flow.view %[[BLOCK]][0] : <4096, host> -> <256, host>
// CHECK:         flow.launch @add[0, 64) (%[[SUM2]], %{{.*}}) -> (%[[SUM2]])
// CHECK:         flow.transfer write %[[BLOCK]] -> %[[NVME]]
flow.home @host bytes(4096) class(gradient) tier(host)
flow.home @nvme bytes(4096) class(gradient) tier(nvme)
flow.section @last {
  %h = flow.use @host : <4096, host>
  %n = flow.use @nvme : <4096, nvme>
  %p = flow.alloc "part" class(partial) : <256, device>
  %s = flow.view %h[0] : <4096, host> -> <256, host>
  flow.launch @add[0, 64) (%s, %p) -> (%s) {origin = #flow.origin<"h.0", "accumulate", backward>} : (!flow.buffer<256, host>, !flow.buffer<256, device>) -> !flow.buffer<256, host>
  %t = flow.view %n[0] : <4096, nvme> -> <256, nvme>
  flow.launch @add[0, 64) (%t, %p) -> (%t) {origin = #flow.origin<"h.0", "accumulate", backward>} : (!flow.buffer<256, nvme>, !flow.buffer<256, device>) -> !flow.buffer<256, nvme>
}

// -----

// The norm slot of a gradient in the host's memory is computed there, with what the launch has for itself, and only the
// slot goes to the device.
// CHECK-LABEL: flow.section @only
// CHECK:         %[[SUMS:.*]] = flow.alloc "partial sums" class(workspace) : <528, host>
// CHECK:         flow.launch @sum_of_squares[0, 1) (%{{.*}}) -> (%[[SLOT:.*]]) scratch(%[[SUMS]] : !flow.buffer<528, host>) {{.*}} : (!flow.buffer<4096, host>) -> !flow.buffer<8, host>
// CHECK-NEXT:    flow.release %[[SUMS]]
// CHECK-NEXT:    flow.transfer upload %[[SLOT]] -> %{{.*}} : <8, host> -> <8, device>
// A launch that touches no home stays on the device.
// CHECK:         flow.launch @other[0, 1) {{.*}} : (!flow.buffer<4096, device>) -> !flow.buffer<4096, device>
flow.home @gradient bytes(4096) class(gradient) tier(host)
flow.section @only {
  %g = flow.use @gradient : <4096, host>
  %slots = flow.alloc "norm slots" class(feed) : <4096, device>
  %slot = flow.view %slots[64] : <4096, device> -> <8, device>
  %sums = flow.alloc "partial sums" class(workspace) : <528, device>
  flow.launch @sum_of_squares[0, 1) (%g) -> (%slot) scratch(%sums : !flow.buffer<528, device>) {origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<4096, host>) -> !flow.buffer<8, device>
  flow.launch @other[0, 1) (%slots) -> (%slots) {origin = #flow.origin<"update", "other", update>} : (!flow.buffer<4096, device>) -> !flow.buffer<4096, device>
}

// -----

// An update streams in chunks of 4,096 elements where its master rests. 6,000 elements are a chunk and a tail of 1,904,
// of which NVMe moves whole blocks and the others what was written. The scalar comes once. What is read and written has one staging buffer.
// CHECK-LABEL: flow.section @only
// CHECK-DAG:     %[[M:.*]] = flow.use @master
// CHECK:         flow.transfer read %{{.*}} -> %[[VS:.*]] {{[{].*}} : <16384, nvme> -> <16384, host>
// CHECK:         flow.transfer offload %{{.*}} -> %[[LR:.*]] {{[{].*}} : <4, device> -> <4, host>
// CHECK:         flow.launch @adam[0, 4096) (%{{.*}}, %[[VS]], %[[LR]]) -> (%{{.*}}, %[[VS]], %[[NEW:.*]]) {origin
// CHECK:         flow.transfer write %[[VS]] -> %{{.*}} : <16384, host> -> <16384, nvme>
// CHECK:         flow.transfer upload %[[NEW]] -> %{{.*}} : <8192, host> -> <8192, device>
// CHECK-NOT:     flow.transfer offload
// CHECK:         flow.transfer read {{.*}} : <8192, nvme> -> <8192, host>
// CHECK:         flow.view %[[M]][16384] : <24576, host> -> <7616, host>
// CHECK:         flow.launch @adam[0, 1904)
// CHECK:         flow.transfer upload {{.*}} : <3808, host> -> <3808, device>
// CHECK-NOT:     flow.update
flow.home @master bytes(24576) class(master) tier(host) {bucket = @b, role = #graph<role master>}
flow.home @variance bytes(24576) class(variance) tier(nvme) {bucket = @b, role = #graph<role variance>}
flow.home @parameter bytes(12288) class(parameter) tier(device) {bucket = @b, role = #graph<role parameter>}
flow.section @only {
  %m = flow.use @master : <24576, host>
  %v = flow.use @variance : <24576, nvme>
  %p = flow.use @parameter : <12288, device>
  %lr = flow.alloc "lr" class(feed) : <4, device>
  flow.update @adam(%m, %v, %lr, %m, %v, %p) {counts = array<i64: 1, 1, 1, 1, 1, 1>, element_bytes = array<i64: 4, 4, 0, 4, 4, 2>, num_inputs = 3 : i64, pieces = array<i64: 6000>, whole = array<i1: false, false, false, false, false, false>, origin = #flow.origin<"update", "update b", update>} : !flow.buffer<24576, host>, !flow.buffer<24576, nvme>, !flow.buffer<4, device>, !flow.buffer<24576, host>, !flow.buffer<24576, nvme>, !flow.buffer<12288, device>
}

// -----

// Where everything rests together nothing streams: one launch, in place.
// CHECK-LABEL: flow.section @only
// CHECK-NOT:     flow.transfer
// CHECK:         flow.launch @sgd[0, 6000)
// CHECK-NOT:     flow.launch
// CHECK:       flow.section @last
// A state that is whole on every rank is updated unit by unit, at this rank's piece of each.
// CHECK:         %[[U0:.*]] = flow.use @unit0
// CHECK:         %[[MINE:.*]] = flow.view %[[U0]][0] strides [256] : <512, device> -> <256, device>
// CHECK:         flow.launch @copy[0, 64) (%[[MINE]])
// CHECK:         flow.launch @copy[0, 128)
flow.home @parameter bytes(24576) class(parameter) tier(device) {bucket = @b, role = #graph<role parameter>}
flow.home @unit0 bytes(512) class(parameter) tier(device) {bucket = @c, role = #graph<role parameter>, unit = 0 : i64}
flow.home @unit1 bytes(1024) class(parameter) tier(device) {bucket = @c, role = #graph<role parameter>, unit = 1 : i64}
flow.section @only {
  %p = flow.use @parameter : <24576, device>
  flow.update @sgd(%p, %p) {counts = array<i64: 1, 1>, element_bytes = array<i64: 4, 4>, num_inputs = 1 : i64, pieces = array<i64: 6000>, whole = array<i1: false, false>, origin = #flow.origin<"update", "update b", update>} : !flow.buffer<24576, device>, !flow.buffer<24576, device>
}
flow.section @last {
  %u0 = flow.use @unit0 : <512, device>
  %u1 = flow.use @unit1 : <1024, device>
  %new = flow.alloc "updated" class(staging) : <4096, device>
  flow.update @copy(%u0, %u1, %new) {counts = array<i64: 2, 1>, element_bytes = array<i64: 4, 4>, num_inputs = 1 : i64, pieces = array<i64: 64, 128>, whole = array<i1: true, false>, origin = #flow.origin<"update", "update c", update>} : !flow.buffer<512, device>, !flow.buffer<1024, device>, !flow.buffer<4096, device>
}

// -----

// A checkpoint with another home leaves when it is made and comes back before its first backward use; one at home on
// the device is kept.
// CHECK-LABEL: flow.section @only
// CHECK:         flow.launch @make[0, 1) () -> (%[[C:.*]]) {origin
// CHECK:         flow.transfer offload %[[C]] -> %[[AWAY:.*]] {origin = #flow.origin<"h.0", "offload h.0.x", forward>}
// CHECK:         flow.launch @forward[0, 1) (%[[C]])
// CHECK:         flow.release %[[C]]
// CHECK:         flow.transfer upload %[[AWAY]] -> %[[BACK:.*]] {origin
// CHECK:         flow.view %[[BACK]][4096]
// CHECK:         flow.launch @backward[0, 1)
// CHECK-NOT:     flow.transfer
// CHECK:       flow.section @last
// CHECK-NOT:     flow.transfer
// CHECK:         flow.launch @backward
flow.section @only {
  %c = flow.alloc "h.0.x" class(checkpoint) {checkpoint_home = #flow<tier host>} : <8192, device>
  flow.launch @make[0, 1) () -> (%c) {origin = #flow.origin<"h.0", "make", forward>} : () -> !flow.buffer<8192, device>
  %half = flow.view %c[4096] : <8192, device> -> <4096, device>
  %y = flow.alloc "y" class(activation) : <8192, device>
  flow.launch @forward[0, 1) (%c) -> (%y) {origin = #flow.origin<"h.0", "forward", forward>} : (!flow.buffer<8192, device>) -> !flow.buffer<8192, device>
  flow.launch @backward[0, 1) (%half) -> (%half) {origin = #flow.origin<"h.0", "backward", backward>} : (!flow.buffer<4096, device>) -> !flow.buffer<4096, device>
}
flow.section @last {
  %c = flow.alloc "h.0.x" class(checkpoint) {checkpoint_home = #flow<tier device>} : <8192, device>
  flow.launch @make[0, 1) () -> (%c) {origin = #flow.origin<"h.0", "make", forward>} : () -> !flow.buffer<8192, device>
  flow.launch @backward[0, 1) (%c) -> (%c) {origin = #flow.origin<"h.0", "backward", backward>} : (!flow.buffer<8192, device>) -> !flow.buffer<8192, device>
}

// -----

// A disk takes whole blocks: of a checkpoint that does not fill its last one the rest is zeroed on the host. One that
// does is kept as it is.
// CHECK-LABEL: flow.section @only
// CHECK:         flow.launch @make[0, 1) () -> (%[[M:.*]]) {origin
// CHECK:         %[[BLOCK:.*]] = flow.alloc "h.0.mean" class(checkpoint) : <4096, host>
// CHECK:         %[[REST:.*]] = flow.view %[[BLOCK]][512] : <4096, host> -> <3584, host>
// CHECK:         flow.launch @{{.*}}[0, 896) () -> (%[[REST]]) {origin = #flow.origin<"h.0", "zero padding", forward>}
// CHECK:         %[[MEAN:.*]] = flow.view %[[BLOCK]][0] : <4096, host> -> <512, host>
// CHECK:         flow.transfer offload %[[M]] -> %[[MEAN]]
// CHECK:         flow.transfer write %[[BLOCK]] -> %[[DISK:.*]] {origin
// CHECK:         flow.transfer read %[[DISK]] -> %{{.*}} {origin = #flow.origin<"h.0", "read h.0.mean", backward>}
// CHECK:         flow.transfer upload %{{.*}} -> %[[BACK:.*]] {origin
// CHECK:         flow.launch @backward[0, 1) (%[[BACK]])
// CHECK:       flow.section @last
// CHECK:         flow.launch @make[0, 1) () -> (%[[X:.*]]) {origin
// CHECK-NOT:     flow.view
// CHECK-NOT:     flow.launch
// CHECK:         flow.transfer offload %[[X]]
// CHECK:         flow.transfer write
flow.section @only {
  %m = flow.alloc "h.0.mean" class(checkpoint) {checkpoint_home = #flow<tier nvme>} : <512, device>
  flow.launch @make[0, 1) () -> (%m) {origin = #flow.origin<"h.0", "make", forward>} : () -> !flow.buffer<512, device>
  flow.launch @backward[0, 1) (%m) -> (%m) {origin = #flow.origin<"h.0", "backward", backward>} : (!flow.buffer<512, device>) -> !flow.buffer<512, device>
}
flow.section @last {
  %x = flow.alloc "h.0.x" class(checkpoint) {checkpoint_home = #flow<tier nvme>} : <4096, device>
  flow.launch @make[0, 1) () -> (%x) {origin = #flow.origin<"h.0", "make", forward>} : () -> !flow.buffer<4096, device>
  flow.launch @backward[0, 1) (%x) -> (%x) {origin = #flow.origin<"h.0", "backward", backward>} : (!flow.buffer<4096, device>) -> !flow.buffer<4096, device>
}

// -----

// A whole parameter that rests elsewhere comes to the device for the launches of one function, and again for those of
// the next; the update works where it rests.
// CHECK-LABEL: flow.section @only
// CHECK:         %[[W:.*]] = flow.use @w
// CHECK:         flow.transfer read %[[W]] -> %[[STAGE:.*]] {origin = #flow.origin<"h.0", "read w", forward>}
// CHECK:         flow.transfer upload %[[STAGE]] -> %[[COPY:.*]] {origin
// CHECK:         %[[HALF:.*]] = flow.view %[[COPY]][2048]
// CHECK:         flow.launch @forward[0, 1) (%[[HALF]])
// CHECK-NOT:     flow.transfer
// CHECK:         flow.launch @forward[0, 1) (%[[COPY]])
// CHECK-NEXT:    flow.release %[[COPY]]
// CHECK:         flow.transfer read %[[W]]
// CHECK:         flow.transfer upload %{{.*}} -> %[[COPY2:.*]] {origin = #flow.origin<"h.1", "upload w", forward>}
// CHECK:         flow.launch @forward[0, 1) (%[[COPY2]])
// CHECK:         flow.launch @sgd[0, 1) (%[[HERE:.*]]) -> (%[[HERE]]) {{.*}} : (!flow.buffer<4096, host>)
// CHECK:         flow.transfer write %[[HERE]] -> %[[W]]
flow.home @w bytes(4096) class(parameter) tier(nvme) {bucket = @b, role = #graph<role parameter>, unit = 0 : i64}
flow.section @only {
  %w = flow.use @w : <4096, nvme>
  %half = flow.view %w[2048] : <4096, nvme> -> <2048, nvme>
  %y = flow.alloc "y" class(activation) : <64, device>
  flow.launch @forward[0, 1) (%half) -> (%y) {origin = #flow.origin<"h.0", "f", forward>} : (!flow.buffer<2048, nvme>) -> !flow.buffer<64, device>
  flow.launch @forward[0, 1) (%w) -> (%y) {origin = #flow.origin<"h.0", "f", forward>} : (!flow.buffer<4096, nvme>) -> !flow.buffer<64, device>
  flow.launch @forward[0, 1) (%w) -> (%y) {origin = #flow.origin<"h.1", "f", forward>} : (!flow.buffer<4096, nvme>) -> !flow.buffer<64, device>
  flow.launch @sgd[0, 1) (%w) -> (%w) {origin = #flow.origin<"update", "u", update>} : (!flow.buffer<4096, nvme>) -> !flow.buffer<4096, nvme>
}

// -----

// What several micro-batches of one section add to a gradient is added on the device, and leaves it once; the update
// finds it where it rests.
// CHECK-LABEL: flow.section @only
// CHECK:         %[[HOST:.*]] = flow.use @gradient
// CHECK:         %[[SUM:.*]] = flow.alloc "gradient" class(partial) : <4096, device>
// CHECK-NEXT:    flow.reduce_scatter %{{.*}} -> %[[SUM]] piece_bytes [4096]
// CHECK:         flow.launch @add[0, 64) (%{{.*}}, %{{.*}}) -> (%{{.*}}) {{.*}} : (!flow.buffer<256, device>, !flow.buffer<256, device>) -> !flow.buffer<256, device>
// CHECK:         flow.transfer offload %[[SUM]] -> %[[HOST]]
// CHECK:         flow.launch @sum_of_squares[0, 1) (%[[HOST]])
// CHECK-NOT:     flow.transfer offload
flow.home @gradient bytes(4096) class(gradient) tier(host) {bucket = @w, role = #graph<role gradient>}
flow.section @only {
  %g = flow.use @gradient : <4096, host>
  %a = flow.alloc "a" class(partial) : <8192, device>
  flow.reduce_scatter %a -> %g piece_bytes [4096] of f32 {origin = #flow.origin<"h.0", "reduce", backward>} : !flow.buffer<8192, device> -> <4096, host>
  %p = flow.alloc "part" class(partial) : <256, device>
  %s = flow.view %g[0] : <4096, host> -> <256, host>
  flow.launch @add[0, 64) (%s, %p) -> (%s) {origin = #flow.origin<"h.0", "accumulate", backward, micro_batch 1>} : (!flow.buffer<256, host>, !flow.buffer<256, device>) -> !flow.buffer<256, host>
  %slot = flow.alloc "norm slot" class(feed) : <8, device>
  flow.launch @sum_of_squares[0, 1) (%g) -> (%slot) {origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<4096, host>) -> !flow.buffer<8, device>
}

// -----

// A checkpoint that waits in slots of another tier: one section makes it on the device and sends it off, behind its last
// writer; another brings it back once, for all that read it. A slot of a disk is whole blocks.
// CHECK-LABEL: flow.section @warm
// CHECK:         %[[HOME:.*]] = flow.use @x.slots : <4096, nvme slots 3>
// CHECK:         flow.launch @make[0, 1) () -> (%[[HERE:[0-9]+]]) {{.*}} : () -> !flow.buffer<1000, device>
// CHECK:         flow.launch @{{.*}} {origin = #flow.origin<"h.0", "zero padding", forward>}
// CHECK:         flow.transfer offload %[[HERE]] -> %{{.*}} {origin = #flow.origin<"h.0", "offload x.slots", forward>}
// CHECK:         flow.transfer write %{{.*}} -> %[[HOME]] {origin = #flow.origin<"h.0", "write x.slots", forward>}
// CHECK:         flow.launch @next[0, 1) (%[[HERE]])
// CHECK-LABEL: flow.section @drain
// CHECK:         %[[HOME:.*]] = flow.use @x.slots : <4096, nvme slots 3>
// CHECK:         flow.transfer read %[[HOME]] -> %{{.*}} {origin = #flow.origin<"h.0", "read x.slots", recompute, micro_batch -2>}
// CHECK:         flow.transfer upload %{{.*}} -> %[[BACK:.*]] {origin = #flow.origin<"h.0", "upload x.slots", recompute, micro_batch -2>}
// CHECK:         flow.launch @repeat[0, 1) (%[[BACK]])
// CHECK-NOT:     flow.transfer
// CHECK:         flow.launch @backward[0, 1) (%[[BACK]])
flow.home @x.slots bytes(4096) class(checkpoint) tier(nvme) {slots = 3 : i64}
flow.section @warm {
  %slot = flow.use @x.slots : <4096, nvme slots 3>
  %x = flow.view %slot[0] : <4096, nvme slots 3> -> <1000, nvme>
  %y = flow.alloc "y" class(activation) : <64, device>
  flow.launch @make[0, 1) () -> (%x) {origin = #flow.origin<"h.0", "make", forward>} : () -> !flow.buffer<1000, nvme>
  flow.launch @next[0, 1) (%x) -> (%y) {origin = #flow.origin<"h.1", "next", forward>} : (!flow.buffer<1000, nvme>) -> !flow.buffer<64, device>
}
flow.section @drain {
  %slot = flow.use @x.slots : <4096, nvme slots 3>
  %x = flow.view %slot[0] : <4096, nvme slots 3> -> <1000, nvme>
  %y = flow.alloc "y" class(activation) : <64, device>
  flow.launch @repeat[0, 1) (%x) -> (%y) {origin = #flow.origin<"h.0", "repeat", recompute, micro_batch -2>} : (!flow.buffer<1000, nvme>) -> !flow.buffer<64, device>
  flow.launch @backward[0, 1) (%x) -> (%y) {origin = #flow.origin<"h.0", "backward", backward, micro_batch -2>} : (!flow.buffer<1000, nvme>) -> !flow.buffer<64, device>
}

// -----

// One that stays on the device is used where it waits.
// CHECK-LABEL: flow.section @warm
// CHECK:         %[[HOME:.*]] = flow.use @x.slots : <4096, device slots 3>
// CHECK-NOT:     flow.transfer
// CHECK:         flow.launch @make
flow.home @x.slots bytes(4096) class(checkpoint) tier(device) {slots = 3 : i64}
flow.section @warm {
  %slot = flow.use @x.slots : <4096, device slots 3>
  %x = flow.view %slot[0] : <4096, device slots 3> -> <1000, device>
  flow.launch @make[0, 1) () -> (%x) {origin = #flow.origin<"h.0", "make", forward>} : () -> !flow.buffer<1000, device>
}
