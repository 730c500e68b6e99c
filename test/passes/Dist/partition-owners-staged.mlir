// RUN: windlass-opt %s --partition="ranks=2 owned staged bucket-bytes=65536" | FileCheck %s
// RUN: windlass-opt %s --partition="ranks=2 owned bucket-bytes=65536" | FileCheck %s --check-prefix=OWNED

// Where layers are cut over stages, a parameter that a step reads in two places rests in pieces: stages hand each
// other shards, of which every rank has one.

// CHECK:      dist.bucket @decay.0 zero(3) {{.*}}"table"{{.*}}>]{{$}}
// CHECK-NEXT: dist.bucket @decay.1 zero(3) {{.*}}"head"{{.*}}>] owner(0){{$}}
// OWNED:      dist.bucket @decay.0 zero(3) {{.*}}"table"{{.*}}>] owner(0){{$}}
// OWNED-NEXT: dist.bucket @decay.1 zero(3) {{.*}}"head"{{.*}}>] owner(1){{$}}
graph.state @table : tensor<128x128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("table") group("decay")
graph.state @head : tensor<128x128xf32> role(parameter) init(<normal = false, mean = 0.0 : f64, std = 0.0 : f64>) original("head") group("decay")

graph.step @evaluate {
  %x = graph.feed "x" : tensor<4x128xf32>
  %table = graph.read @table : tensor<128x128xf32>
  %head = graph.read @head : tensor<128x128xf32>
  %y = graph.matmul %x, %table : tensor<4x128xf32>, tensor<128x128xf32> -> tensor<4x128xf32>
  %z = graph.matmul %y, %head : tensor<4x128xf32>, tensor<128x128xf32> -> tensor<4x128xf32>
  %last = graph.matmul %z, %table : tensor<4x128xf32>, tensor<128x128xf32> -> tensor<4x128xf32>
  graph.report "y", %last : tensor<4x128xf32>
}
