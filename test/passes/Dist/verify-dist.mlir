// RUN: windlass-opt %s --verify-dist --split-input-file --verify-diagnostics

// What form-kernels leaves is accepted: a sharded parameter, a kernel, a write.
dist.bucket @b zero(3) group("decay") layer("") of f32 classes [#graph<role parameter>] units [#dist.unit<"w", 100 in pieces of 64, [<"w", [100] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>]
func.func private @kernel(%x: tensor<64xf32>) -> tensor<64xf32> attributes {dist.kernel} {
  %y = graph.map ins(%x : tensor<64xf32>) maps [affine_map<(d0) -> (d0)>] -> tensor<64xf32> {
  ^bb0(%v: f32):
    graph.yield %v : f32
  }
  return %y : tensor<64xf32>
}
graph.step @train {
  %w = dist.read @b parameter : tensor<64xf32>
  %v = dist.launch @kernel(%w) : (tensor<64xf32>) -> tensor<64xf32>
  dist.write %v to @b parameter : tensor<64xf32>
}

// -----

// expected-error@+1 {{verify-dist: a whole state is left; partition must have cut it}}
graph.state @w : tensor<4xf32> role(parameter) init(<normal = false, mean = 1.0 : f64, std = 0.0 : f64>) original("w") group("decay")

// -----

func.func private @layer(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{verify-dist: compute is left outside kernels; form-kernels must have outlined it}}
  %y = graph.matmul %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

dist.bucket @b zero(3) group("decay") layer("") of f32 classes [#graph<role parameter>] units [#dist.unit<"w", 100 in pieces of 64, [<"w", [100] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>]
graph.step @train {
  %w = dist.read @b parameter : tensor<64xf32>
  dist.write %w to @b parameter : tensor<64xf32>
  // expected-error@+1 {{verify-dist: bucket 'b' is written a second time}}
  dist.write %w to @b parameter : tensor<64xf32>
}

// -----

graph.step @train {
  // expected-error@+1 {{verify-dist: 'b' is no bucket of this module}}
  %w = dist.read @b parameter : tensor<64xf32>
}

// -----

// A shard is a rank's pieces.
dist.bucket @b zero(3) group("decay") layer("") of f32 classes [#graph<role parameter>] units [#dist.unit<"w", 100 in pieces of 64, [<"w", [100] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>]
graph.step @train {
  // expected-error@+1 {{verify-dist: the shard of bucket 'b' has 64 elements, found 128}}
  %w = dist.read @b parameter : tensor<128xf32>
}

// -----

// ZeRO 2 shards moments and keeps parameters whole.
dist.bucket @b zero(2) group("decay") layer("") of f32 classes [#graph<role parameter>] units [#dist.unit<"w", 100 in pieces of 64, [<"w", [100] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>]
graph.step @train {
  %m = dist.read @b momentum : tensor<64xf32>
  // expected-error@+1 {{verify-dist: bucket 'b' has 1 whole units, found 2}}
  dist.write %m, %m to @b parameter : tensor<64xf32>, tensor<64xf32>
}

// -----

// A class that is cut further has parts of pieces.
dist.mesh @mesh dp_replicate(2), dp_shard(2)
dist.bucket @b zero(3) group("decay") layer("") of f32 classes [#graph<role parameter>, #graph<role momentum>] units [#dist.unit<"w", 256 in pieces of 128, [<"w", [256] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>] over ["dp_shard"] then ["dp_replicate"]
graph.step @train {
  %w = dist.read @b parameter : tensor<128xf32>
  %m = dist.read @b momentum : tensor<64xf32>
  // expected-error@+1 {{verify-dist: the shard of bucket 'b' has 64 elements, found 128}}
  %all = dist.read @b momentum : tensor<128xf32>
}
