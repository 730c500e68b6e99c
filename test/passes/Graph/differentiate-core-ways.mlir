// RUN: windlass-opt %s --differentiate="repeat-core" | FileCheck %s

// Whoever looks for attention climbs from a softmax to a batched product, once through every op: each of these is read
// twice by the next, so that there are 2^40 ways up.
#id = affine_map<(d0, d1) -> (d0, d1)>
graph.state @w : tensor<4x4xf32> role(parameter) init(<normal = true, mean = 0.0 : f64, std = 1.0 : f64>) original("w") group("decay")

// CHECK-LABEL: graph.step @train
// CHECK:         graph.report "loss"
graph.step @evaluate {
  %0 = graph.read @w : tensor<4x4xf32>
  %1 = graph.map ins(%0, %0 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %2 = graph.map ins(%1, %1 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %3 = graph.map ins(%2, %2 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %4 = graph.map ins(%3, %3 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %5 = graph.map ins(%4, %4 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %6 = graph.map ins(%5, %5 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %7 = graph.map ins(%6, %6 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %8 = graph.map ins(%7, %7 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %9 = graph.map ins(%8, %8 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %10 = graph.map ins(%9, %9 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %11 = graph.map ins(%10, %10 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %12 = graph.map ins(%11, %11 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %13 = graph.map ins(%12, %12 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %14 = graph.map ins(%13, %13 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %15 = graph.map ins(%14, %14 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %16 = graph.map ins(%15, %15 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %17 = graph.map ins(%16, %16 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %18 = graph.map ins(%17, %17 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %19 = graph.map ins(%18, %18 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %20 = graph.map ins(%19, %19 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %21 = graph.map ins(%20, %20 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %22 = graph.map ins(%21, %21 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %23 = graph.map ins(%22, %22 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %24 = graph.map ins(%23, %23 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %25 = graph.map ins(%24, %24 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %26 = graph.map ins(%25, %25 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %27 = graph.map ins(%26, %26 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %28 = graph.map ins(%27, %27 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %29 = graph.map ins(%28, %28 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %30 = graph.map ins(%29, %29 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %31 = graph.map ins(%30, %30 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %32 = graph.map ins(%31, %31 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %33 = graph.map ins(%32, %32 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %34 = graph.map ins(%33, %33 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %35 = graph.map ins(%34, %34 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %36 = graph.map ins(%35, %35 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %37 = graph.map ins(%36, %36 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %38 = graph.map ins(%37, %37 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %39 = graph.map ins(%38, %38 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %40 = graph.map ins(%39, %39 : tensor<4x4xf32>, tensor<4x4xf32>) maps [#id, #id] -> tensor<4x4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    graph.yield %s : f32
  }
  %p, %lse = graph.softmax %40 : tensor<4x4xf32> -> tensor<4x4xf32>, tensor<4xf32>
  %loss = graph.reduce sum over [0, 1] ins(%p : tensor<4x4xf32>) maps [#id] -> tensor<f32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  graph.report "loss", %loss : tensor<f32>
}
