// RUN: windlass-opt %s --elide-waits --split-input-file | FileCheck %s

// The example of the pass: compute waited for the upload, so who waits for compute need not.
// CHECK-LABEL: flow.section @only
// CHECK:         flow.feed {{.*}} waits = []}
// CHECK:         flow.transfer upload {{.*}} waits = [#flow.wait<host_compute : 1>]}
// CHECK:         flow.launch @a{{.*}} waits = [#flow.wait<cg_in : 1>]}
// CHECK:         flow.transfer offload {{.*}} waits = [#flow.wait<compute : 1>]}
// Nothing else implies this one: it is kept.
// CHECK:         flow.report {{.*}} waits = [#flow.wait<cg_out : 1>]}
flow.section @only {
  %x = flow.alloc "x" class(feed) {offset = 0 : i64} : <64, host>
  %d = flow.alloc "d" class(feed) {offset = 0 : i64} : <64, device>
  flow.feed "x" -> %x {origin = #flow.origin<"", "feed", forward>, waits = []} : <64, host>
  flow.transfer upload %x -> %d {origin = #flow.origin<"", "upload", forward>, waits = [#flow.wait<host_compute : 1>]} : <64, host> -> <64, device>
  flow.launch @a[0, 1) (%d) -> (%d) {origin = #flow.origin<"", "a", forward>, waits = [#flow.wait<cg_in : 1>]} : (!flow.buffer<64, device>) -> !flow.buffer<64, device>
  flow.transfer offload %d -> %x {origin = #flow.origin<"", "offload", forward>, waits = [#flow.wait<compute : 1>, #flow.wait<cg_in : 1>, #flow.wait<host_compute : 1>]} : <64, device> -> <64, host>
  flow.report "x", %x {origin = #flow.origin<"", "report", forward>, waits = [#flow.wait<cg_in : 1>, #flow.wait<cg_out : 1>]} : <64, host>
}

// -----

// What the instruction before on the same lane waited for is known; a later ordinal is not.
// CHECK-LABEL: flow.section @only
// CHECK:         flow.launch @a{{.*}} waits = [#flow.wait<cg_in : 1>]}
// CHECK:         flow.launch @a{{.*}} waits = []}
// CHECK:         flow.launch @a{{.*}} waits = [#flow.wait<cg_in : 2>]}
flow.section @only {
  %x = flow.alloc "x" class(feed) {offset = 0 : i64} : <64, host>
  %d = flow.alloc "d" class(feed) {offset = 0 : i64} : <64, device>
  flow.transfer upload %x -> %d {origin = #flow.origin<"", "upload", forward>, waits = []} : <64, host> -> <64, device>
  flow.transfer upload %x -> %d {origin = #flow.origin<"", "upload", forward>, waits = []} : <64, host> -> <64, device>
  flow.launch @a[0, 1) (%d) -> (%d) {origin = #flow.origin<"", "a", forward>, waits = [#flow.wait<cg_in : 1>]} : (!flow.buffer<64, device>) -> !flow.buffer<64, device>
  flow.launch @a[0, 1) (%d) -> (%d) {origin = #flow.origin<"", "a", forward>, waits = [#flow.wait<cg_in : 1>]} : (!flow.buffer<64, device>) -> !flow.buffer<64, device>
  flow.launch @a[0, 1) (%d) -> (%d) {origin = #flow.origin<"", "a", forward>, waits = [#flow.wait<cg_in : 2>]} : (!flow.buffer<64, device>) -> !flow.buffer<64, device>
}

// -----

// An NVMe lane keeps several transfers in flight: the second write starts before the first is complete, so what only
// the end of the first would say is not known to it. What the first waited for to start is.
// CHECK-LABEL: flow.section @only
// CHECK:         flow.transfer write {{.*}} waits = [#flow.wait<cg_out : 1>]}
// CHECK:         flow.transfer write {{.*}} waits = []}
// CHECK:         flow.transfer write {{.*}} waits = [#flow.wait<host_compute : 1>]}
flow.section @only {
  %d = flow.alloc "d" class(staging) {offset = 0 : i64} : <4096, device>
  %h = flow.alloc "h" class(staging) {offset = 0 : i64} : <4096, host>
  %n = flow.alloc "n" class(staging) {offset = 0 : i64} : <4096, nvme>
  flow.transfer offload %d -> %h {origin = #flow.origin<"", "offload", forward>, waits = []} : <4096, device> -> <4096, host>
  flow.transfer write %h -> %n {origin = #flow.origin<"", "write", forward>, waits = [#flow.wait<cg_out : 1>]} : <4096, host> -> <4096, nvme>
  flow.transfer write %h -> %n {origin = #flow.origin<"", "write", forward>, waits = [#flow.wait<cg_out : 1>]} : <4096, host> -> <4096, nvme>
  flow.feed "x" -> %h {origin = #flow.origin<"", "feed", forward>, waits = [#flow.wait<nc_out : 2>]} : <4096, host>
  flow.transfer write %h -> %n {origin = #flow.origin<"", "write", forward>, waits = [#flow.wait<cg_out : 1>, #flow.wait<host_compute : 1>]} : <4096, host> -> <4096, nvme>
}

// -----

// A wait for the section before is implied only where every section that may be it is covered.
// CHECK-LABEL: flow.section @middle
// CHECK:         flow.launch @a{{.*}} waits = [#flow.wait<gg : 0 previous {first = 1 : i64, middle = 1 : i64}>]}
// CHECK:         flow.launch @a{{.*}} waits = []}
// CHECK:         flow.launch @a{{.*}} waits = [#flow.wait<gg : 0 previous {first = 1 : i64, middle = 2 : i64}>]}
flow.section @middle {
  %d = flow.alloc "d" class(feed) {offset = 0 : i64} : <64, device>
  flow.launch @a[0, 1) (%d) -> (%d) {origin = #flow.origin<"", "a", forward>, waits = [#flow.wait<gg : 0 previous {first = 1 : i64, middle = 1 : i64}>]} : (!flow.buffer<64, device>) -> !flow.buffer<64, device>
  flow.launch @a[0, 1) (%d) -> (%d) {origin = #flow.origin<"", "a", forward>, waits = [#flow.wait<gg : 0 previous {first = 1 : i64, middle = 0 : i64}>]} : (!flow.buffer<64, device>) -> !flow.buffer<64, device>
  flow.launch @a[0, 1) (%d) -> (%d) {origin = #flow.origin<"", "a", forward>, waits = [#flow.wait<gg : 0 previous {first = 1 : i64, middle = 2 : i64}>]} : (!flow.buffer<64, device>) -> !flow.buffer<64, device>
}
