// RUN: windlass-opt %s --partition="ranks=2 zero=3" | FileCheck %s

// What is packed and moved together is of one segment of the step.

!v = tensor<8xf32>
#id = affine_map<(d0) -> (d0)>

// All parameters outside of layers are declared first. @late is read behind the last call, @between between
// two, @turned by an op that stands before the calls, but what that makes is read behind them. @statistic is
// read by evaluation alone, before the calls.
// CHECK-LABEL: dist.mesh @mesh dp(2)
// CHECK-NEXT:  dist.bucket @decay.0 {{.*}} layer("") {{.*}}<"decay.pack", 72 in pieces of 64, [<"early", [8] at 0, {{.*}}<"statistic", [8] at 64,
// CHECK-NEXT:  dist.bucket @h.0.decay.0 {{.*}} layer("h.0")
// CHECK-NEXT:  dist.bucket @decay.1 {{.*}} layer("") {{.*}}<"decay.pack.1", 8 in pieces of 64, [<"between",
// CHECK-NEXT:  dist.bucket @h.1.decay.0 {{.*}} layer("h.1")
// CHECK-NEXT:  dist.bucket @decay.2 {{.*}} layer("") {{.*}}<"decay.pack.2", 72 in pieces of 64, [<"late", [8] at 0, {{.*}}<"turned", [8] at 64,
graph.state @late : !v role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("late") group("decay")
graph.state @between : !v role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("between") group("decay")
graph.state @turned : !v role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("turned") group("decay")
graph.state @early : !v role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("early") group("decay")
graph.state @statistic : !v role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("statistic") group("decay")
graph.state @h.1.w : !v role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.1.w") group("decay") {layer = "h.1"}
graph.state @h.0.w : !v role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("h.0.w") group("decay") {layer = "h.0"}

func.func private @block(%x: !v, %w: !v) -> !v {
  %y = graph.map ins(%x, %w : !v, !v) maps [#id, #id] -> !v {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  return %y : !v
}

graph.step @train {
  %early = graph.read @early : !v
  %between = graph.read @between : !v
  %late = graph.read @late : !v
  %turned = graph.read @turned : !v
  %w0 = graph.read @h.0.w : !v
  %w1 = graph.read @h.1.w : !v
  %matrix = graph.reshape %turned : !v -> tensor<2x4xf32>
  %again = graph.reshape %matrix : tensor<2x4xf32> -> !v
  %x = graph.feed "x" : !v
  %x0 = graph.map ins(%x, %early : !v, !v) maps [#id, #id] -> !v {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %y0 = func.call @block(%x0, %w0) {layer = "h.0"} : (!v, !v) -> !v
  %x1 = graph.map ins(%y0, %between : !v, !v) maps [#id, #id] -> !v {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %y1 = func.call @block(%x1, %w1) {layer = "h.1"} : (!v, !v) -> !v
  %x2 = graph.map ins(%y1, %again : !v, !v) maps [#id, #id] -> !v {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %x3 = graph.map ins(%x2, %late : !v, !v) maps [#id, #id] -> !v {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  graph.report "y", %x3 : !v
}
graph.step @evaluate {
  %statistic = graph.read @statistic : !v
  %w0 = graph.read @h.0.w : !v
  %w1 = graph.read @h.1.w : !v
  %x = graph.feed "x" : !v
  %x0 = graph.map ins(%x, %statistic : !v, !v) maps [#id, #id] -> !v {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %y0 = func.call @block(%x0, %w0) {layer = "h.0"} : (!v, !v) -> !v
  %y1 = func.call @block(%y0, %w1) {layer = "h.1"} : (!v, !v) -> !v
  graph.report "y", %y1 : !v
}
