// RUN: windlass-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'dist.mesh' op axis dp must have at least 1 rank, found 0}}
dist.mesh @mesh dp(0)

// -----

// expected-error@+1 {{'dist.mesh' op axis dp stands twice}}
dist.mesh @mesh dp(2), dp(2)

// -----

dist.mesh @mesh dp_replicate(2), dp_shard(2)
// expected-error@+1 {{'dist.bucket' op has an owner, so there are no pieces to be cut further}}
dist.bucket @b zero(3) group("decay") layer("") of f32 classes [] units [] owner(0) over ["dp_shard"] then ["dp_replicate"]

// -----

dist.mesh @mesh dp(4)
func.func private @elsewhere(%shard: tensor<64xf32>) {
  // expected-error@+1 {{'dist.all_gather' op runs over axis "dp_shard", which the mesh does not have}}
  %unit = dist.all_gather %shard pieces [64] over ["dp_shard"] : tensor<64xf32> -> tensor<128xf32>
  return
}

// -----

dist.mesh @mesh dp_replicate(2), dp_shard(2)
func.func private @nowhere(%unit: tensor<128xf32>) {
  // expected-error@+1 {{'dist.reduce_scatter' op runs over no axis}}
  %shard = dist.reduce_scatter %unit pieces [64] over [] : tensor<128xf32> -> tensor<64xf32>
  return
}

// -----

dist.mesh @mesh dp_replicate(2), dp_shard(2)
func.func private @twice(%unit: tensor<128xf32>) {
  // expected-error@+1 {{'dist.reduce_scatter' op runs over axis "dp_shard" twice}}
  %shard = dist.reduce_scatter %unit pieces [64] over ["dp_shard", "dp_shard"] : tensor<128xf32> -> tensor<64xf32>
  return
}

// -----

// expected-error@+1 {{'dist.bucket' op zero must be 0, 1, 2 or 3, found 4}}
dist.bucket @b zero(4) group("decay") layer("") of f32 classes [] units []

// -----

// expected-error@+1 {{'dist.bucket' op piece of unit "w" must be a multiple of 64 elements, found 50}}
dist.bucket @b zero(3) group("decay") layer("") of f32 classes [] units [#dist.unit<"w", 100 in pieces of 50, [<"w", [100] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>]

// -----

// expected-error@+1 {{'dist.bucket' op only a bucket of ZeRO 3 has an owner, found ZeRO 2}}
dist.bucket @b zero(2) group("decay") layer("") of f32 classes [] units [] owner(0)

// -----

func.func private @broadcast(%shard: tensor<100xf32>) {
  // expected-error@+1 {{'dist.broadcast' op the shard must hold the pieces' 128 elements, found 100}}
  %unit = dist.broadcast %shard pieces [128] : tensor<100xf32> -> tensor<100xf32>
  return
}

// -----

func.func private @reduced(%unit: tensor<100xf32>) {
  // expected-error@+1 {{'dist.reduce' op expected one piece size per unit, found 2 for 1 units}}
  %shard = dist.reduce %unit pieces [64, 64] : tensor<100xf32> -> tensor<128xf32>
  return
}

// -----

func.func private @units(%shard: tensor<128xf32>) {
  // expected-error@+1 {{'dist.all_gather' op expected one piece size per unit, found 1 for 2 units}}
  %units:2 = dist.all_gather %shard pieces [128] : tensor<128xf32> -> tensor<100xf32>, tensor<100xf32>
  return
}

// -----

func.func private @gathered(%shard: tensor<100xf32>) {
  // expected-error@+1 {{'dist.all_gather' op the shard must hold the pieces' 128 elements, found 100}}
  %unit = dist.all_gather %shard pieces [128] : tensor<100xf32> -> tensor<200xf32>
  return
}

// -----

func.func private @reduced(%unit: tensor<200xf32>) {
  // expected-error@+1 {{'dist.reduce_scatter' op the shard must hold the pieces' 128 elements, found 64}}
  %shard = dist.reduce_scatter %unit pieces [128] : tensor<200xf32> -> tensor<64xf32>
  return
}

// -----

func.func private @function(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @launch(%x: tensor<4xf32>) {
  // expected-error@+1 {{'dist.launch' op 'function' is not a kernel of this module}}
  %y = dist.launch @function(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @kernel(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dist.kernel} {
  return %x : tensor<4xf32>
}
func.func private @launch(%x: tensor<8xf32>) {
  // expected-error@+1 {{'dist.launch' op kernel 'kernel' has type '(tensor<4xf32>) -> tensor<4xf32>'}}
  %y = dist.launch @kernel(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func private @packs(%a: tensor<8xf32>, %b: tensor<8xf32>) {
  // expected-error@+1 {{'dist.pack' op expected one offset per member, found 1 for 2 members}}
  %unit = dist.pack %a, %b at [0] : tensor<8xf32>, tensor<8xf32> -> tensor<16xf32>
  return
}

// -----

func.func private @overlaps(%a: tensor<8xf32>, %b: tensor<8xf32>) {
  // expected-error@+1 {{'dist.pack' op member 1 begins at element 4, but those before it end at 8}}
  %unit = dist.pack %a, %b at [0, 4] : tensor<8xf32>, tensor<8xf32> -> tensor<16xf32>
  return
}

// -----

func.func private @leaves(%unit: tensor<16xf32>) {
  // expected-error@+1 {{'dist.unpack' op the members end at element 20 of a unit of 16}}
  %members:2 = dist.unpack %unit at [0, 12] : tensor<16xf32> -> tensor<8xf32>, tensor<8xf32>
  return
}

// -----

dist.mesh @mesh dp_replicate(2), dp_shard(2)
// expected-error@+1 {{'dist.bucket' op shares pieces out over all axes, so there are none to cut them over then}}
dist.bucket @b zero(3) group("decay") layer("") of f32 classes [#graph<role parameter>] units [#dist.unit<"w", 200 in pieces of 128, [<"w", [200] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>] then ["dp_replicate"]

// -----

dist.mesh @mesh dp_replicate(2), dp_shard(2)
// expected-error@+1 {{'dist.bucket' op runs over axis "dp_shard" twice}}
dist.bucket @b zero(3) group("decay") layer("") of f32 classes [#graph<role parameter>] units [#dist.unit<"w", 200 in pieces of 128, [<"w", [200] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>] over ["dp_shard"] then ["dp_shard"]

// -----

dist.mesh @mesh dp_replicate(2), dp_shard(2)
// expected-error@+1 {{'dist.bucket' op piece of unit "w" must be 2 parts of a multiple of 64 elements, found 64}}
dist.bucket @b zero(3) group("decay") layer("") of f32 classes [#graph<role parameter>] units [#dist.unit<"w", 100 in pieces of 64, [<"w", [100] at 0, <normal = false, mean = 0.0 : f64, std = 0.0 : f64>>]>] over ["dp_shard"] then ["dp_replicate"]

// -----

func.func private @own(%unit: tensor<200xf32>) {
  // expected-error@+1 {{'dist.own_shard' op the shard must hold the pieces' 128 elements, found 64}}
  %shard = dist.own_shard %unit pieces [128] : tensor<200xf32> -> tensor<64xf32>
  return
}
