#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d2, 0, d1, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d2, 1, d1, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d2, 2, d1, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
#map6 = affine_map<(d0, d1) -> (d0)>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map8 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map9 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>
#map10 = affine_map<(d0) -> (d0)>
#map11 = affine_map<(d0) -> ()>
#map12 = affine_map<(d0, d1) -> (d1, d0, 0)>
#map13 = affine_map<() -> ()>
"builtin.module"() ({
  "dist.mesh"() <{dp = 4 : i64, sym_name = "mesh"}> : () -> ()
  "dist.bucket"() <{classes = [#graph<role parameter>, #graph<role momentum>, #graph<role variance>], group = "no_decay", layer = "", parameter_type = f32, stage = 2 : i64, sym_name = "no_decay.0", units = [#dist.unit<"no_decay.pack", 512 in pieces of 128, [<"transformer.ln_f.bias", [256] at 0, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.ln_f.weight", [256] at 256, <normal = false, mean = 1.000000e+00 : f64, std = 0.000000e+00 : f64>>]>]}> : () -> ()
  "dist.bucket"() <{classes = [#graph<role parameter>, #graph<role momentum>, #graph<role variance>], group = "decay", layer = "", parameter_type = f32, stage = 3 : i64, sym_name = "decay.0", units = [#dist.unit<"transformer.wpe.weight", 32768 in pieces of 8192, [<"transformer.wpe.weight", [128, 256] at 0, <normal = true, mean = 0.000000e+00 : f64, std = 2.000000e-02 : f64>>]>]}> : () -> ()
  "dist.bucket"() <{classes = [#graph<role parameter>, #graph<role momentum>, #graph<role variance>], group = "decay", layer = "", parameter_type = f32, stage = 3 : i64, sym_name = "decay.1", units = [#dist.unit<"transformer.wte.weight", 65536 in pieces of 16384, [<"transformer.wte.weight", [256, 256] at 0, <normal = true, mean = 0.000000e+00 : f64, std = 2.000000e-02 : f64>>]>]}> : () -> ()
  "dist.bucket"() <{classes = [#graph<role parameter>, #graph<role momentum>, #graph<role variance>], group = "no_decay", layer = "h.0", parameter_type = f32, stage = 3 : i64, sym_name = "h.0.no_decay.0", units = [#dist.unit<"h.0.no_decay.pack", 3328 in pieces of 832, [<"transformer.h.0.attn.c_attn.bias", [768] at 0, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.0.attn.c_proj.bias", [256] at 768, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.0.ln_1.bias", [256] at 1024, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.0.ln_1.weight", [256] at 1280, <normal = false, mean = 1.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.0.ln_2.bias", [256] at 1536, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.0.ln_2.weight", [256] at 1792, <normal = false, mean = 1.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.0.mlp.c_fc.bias", [1024] at 2048, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.0.mlp.c_proj.bias", [256] at 3072, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>]>]}> : () -> ()
  "dist.bucket"() <{classes = [#graph<role parameter>, #graph<role momentum>, #graph<role variance>], group = "decay", layer = "h.0", parameter_type = f32, stage = 3 : i64, sym_name = "h.0.decay.0", units = [#dist.unit<"transformer.h.0.attn.c_attn.weight", 196608 in pieces of 49152, [<"transformer.h.0.attn.c_attn.weight", [256, 768] at 0, <normal = true, mean = 0.000000e+00 : f64, std = 2.000000e-02 : f64>>]>, #dist.unit<"transformer.h.0.attn.c_proj.weight", 65536 in pieces of 16384, [<"transformer.h.0.attn.c_proj.weight", [256, 256] at 0, <normal = true, mean = 0.000000e+00 : f64, std = 0.0070710678118654745 : f64>>]>]}> : () -> ()
  "dist.bucket"() <{classes = [#graph<role parameter>, #graph<role momentum>, #graph<role variance>], group = "decay", layer = "h.0", parameter_type = f32, stage = 3 : i64, sym_name = "h.0.decay.1", units = [#dist.unit<"transformer.h.0.mlp.c_fc.weight", 262144 in pieces of 65536, [<"transformer.h.0.mlp.c_fc.weight", [256, 1024] at 0, <normal = true, mean = 0.000000e+00 : f64, std = 2.000000e-02 : f64>>]>]}> : () -> ()
  "dist.bucket"() <{classes = [#graph<role parameter>, #graph<role momentum>, #graph<role variance>], group = "decay", layer = "h.0", parameter_type = f32, stage = 3 : i64, sym_name = "h.0.decay.2", units = [#dist.unit<"transformer.h.0.mlp.c_proj.weight", 262144 in pieces of 65536, [<"transformer.h.0.mlp.c_proj.weight", [1024, 256] at 0, <normal = true, mean = 0.000000e+00 : f64, std = 0.0070710678118654745 : f64>>]>]}> : () -> ()
  "dist.bucket"() <{classes = [#graph<role parameter>, #graph<role momentum>, #graph<role variance>], group = "no_decay", layer = "h.1", parameter_type = f32, stage = 3 : i64, sym_name = "h.1.no_decay.0", units = [#dist.unit<"h.1.no_decay.pack", 3328 in pieces of 832, [<"transformer.h.1.attn.c_attn.bias", [768] at 0, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.1.attn.c_proj.bias", [256] at 768, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.1.ln_1.bias", [256] at 1024, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.1.ln_1.weight", [256] at 1280, <normal = false, mean = 1.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.1.ln_2.bias", [256] at 1536, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.1.ln_2.weight", [256] at 1792, <normal = false, mean = 1.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.1.mlp.c_fc.bias", [1024] at 2048, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.1.mlp.c_proj.bias", [256] at 3072, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>]>]}> : () -> ()
  "dist.bucket"() <{classes = [#graph<role parameter>, #graph<role momentum>, #graph<role variance>], group = "decay", layer = "h.1", parameter_type = f32, stage = 3 : i64, sym_name = "h.1.decay.0", units = [#dist.unit<"transformer.h.1.attn.c_attn.weight", 196608 in pieces of 49152, [<"transformer.h.1.attn.c_attn.weight", [256, 768] at 0, <normal = true, mean = 0.000000e+00 : f64, std = 2.000000e-02 : f64>>]>, #dist.unit<"transformer.h.1.attn.c_proj.weight", 65536 in pieces of 16384, [<"transformer.h.1.attn.c_proj.weight", [256, 256] at 0, <normal = true, mean = 0.000000e+00 : f64, std = 0.0070710678118654745 : f64>>]>]}> : () -> ()
  "dist.bucket"() <{classes = [#graph<role parameter>, #graph<role momentum>, #graph<role variance>], group = "decay", layer = "h.1", parameter_type = f32, stage = 3 : i64, sym_name = "h.1.decay.1", units = [#dist.unit<"transformer.h.1.mlp.c_fc.weight", 262144 in pieces of 65536, [<"transformer.h.1.mlp.c_fc.weight", [256, 1024] at 0, <normal = true, mean = 0.000000e+00 : f64, std = 2.000000e-02 : f64>>]>]}> : () -> ()
  "dist.bucket"() <{classes = [#graph<role parameter>, #graph<role momentum>, #graph<role variance>], group = "decay", layer = "h.1", parameter_type = f32, stage = 3 : i64, sym_name = "h.1.decay.2", units = [#dist.unit<"transformer.h.1.mlp.c_proj.weight", 262144 in pieces of 65536, [<"transformer.h.1.mlp.c_proj.weight", [1024, 256] at 0, <normal = true, mean = 0.000000e+00 : f64, std = 0.0070710678118654745 : f64>>]>]}> : () -> ()
  "dist.bucket"() <{classes = [#graph<role parameter>, #graph<role momentum>, #graph<role variance>], group = "no_decay", layer = "h.2", parameter_type = f32, stage = 3 : i64, sym_name = "h.2.no_decay.0", units = [#dist.unit<"h.2.no_decay.pack", 3328 in pieces of 832, [<"transformer.h.2.attn.c_attn.bias", [768] at 0, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.2.attn.c_proj.bias", [256] at 768, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.2.ln_1.bias", [256] at 1024, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.2.ln_1.weight", [256] at 1280, <normal = false, mean = 1.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.2.ln_2.bias", [256] at 1536, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.2.ln_2.weight", [256] at 1792, <normal = false, mean = 1.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.2.mlp.c_fc.bias", [1024] at 2048, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.2.mlp.c_proj.bias", [256] at 3072, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>]>]}> : () -> ()
  "dist.bucket"() <{classes = [#graph<role parameter>, #graph<role momentum>, #graph<role variance>], group = "decay", layer = "h.2", parameter_type = f32, stage = 3 : i64, sym_name = "h.2.decay.0", units = [#dist.unit<"transformer.h.2.attn.c_attn.weight", 196608 in pieces of 49152, [<"transformer.h.2.attn.c_attn.weight", [256, 768] at 0, <normal = true, mean = 0.000000e+00 : f64, std = 2.000000e-02 : f64>>]>, #dist.unit<"transformer.h.2.attn.c_proj.weight", 65536 in pieces of 16384, [<"transformer.h.2.attn.c_proj.weight", [256, 256] at 0, <normal = true, mean = 0.000000e+00 : f64, std = 0.0070710678118654745 : f64>>]>]}> : () -> ()
  "dist.bucket"() <{classes = [#graph<role parameter>, #graph<role momentum>, #graph<role variance>], group = "decay", layer = "h.2", parameter_type = f32, stage = 3 : i64, sym_name = "h.2.decay.1", units = [#dist.unit<"transformer.h.2.mlp.c_fc.weight", 262144 in pieces of 65536, [<"transformer.h.2.mlp.c_fc.weight", [256, 1024] at 0, <normal = true, mean = 0.000000e+00 : f64, std = 2.000000e-02 : f64>>]>]}> : () -> ()
  "dist.bucket"() <{classes = [#graph<role parameter>, #graph<role momentum>, #graph<role variance>], group = "decay", layer = "h.2", parameter_type = f32, stage = 3 : i64, sym_name = "h.2.decay.2", units = [#dist.unit<"transformer.h.2.mlp.c_proj.weight", 262144 in pieces of 65536, [<"transformer.h.2.mlp.c_proj.weight", [1024, 256] at 0, <normal = true, mean = 0.000000e+00 : f64, std = 0.0070710678118654745 : f64>>]>]}> : () -> ()
  "dist.bucket"() <{classes = [#graph<role parameter>, #graph<role momentum>, #graph<role variance>], group = "no_decay", layer = "h.3", parameter_type = f32, stage = 3 : i64, sym_name = "h.3.no_decay.0", units = [#dist.unit<"h.3.no_decay.pack", 3328 in pieces of 832, [<"transformer.h.3.attn.c_attn.bias", [768] at 0, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.3.attn.c_proj.bias", [256] at 768, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.3.ln_1.bias", [256] at 1024, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.3.ln_1.weight", [256] at 1280, <normal = false, mean = 1.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.3.ln_2.bias", [256] at 1536, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.3.ln_2.weight", [256] at 1792, <normal = false, mean = 1.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.3.mlp.c_fc.bias", [1024] at 2048, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>, <"transformer.h.3.mlp.c_proj.bias", [256] at 3072, <normal = false, mean = 0.000000e+00 : f64, std = 0.000000e+00 : f64>>]>]}> : () -> ()
  "dist.bucket"() <{classes = [#graph<role parameter>, #graph<role momentum>, #graph<role variance>], group = "decay", layer = "h.3", parameter_type = f32, stage = 3 : i64, sym_name = "h.3.decay.0", units = [#dist.unit<"transformer.h.3.attn.c_attn.weight", 196608 in pieces of 49152, [<"transformer.h.3.attn.c_attn.weight", [256, 768] at 0, <normal = true, mean = 0.000000e+00 : f64, std = 2.000000e-02 : f64>>]>, #dist.unit<"transformer.h.3.attn.c_proj.weight", 65536 in pieces of 16384, [<"transformer.h.3.attn.c_proj.weight", [256, 256] at 0, <normal = true, mean = 0.000000e+00 : f64, std = 0.0070710678118654745 : f64>>]>]}> : () -> ()
  "dist.bucket"() <{classes = [#graph<role parameter>, #graph<role momentum>, #graph<role variance>], group = "decay", layer = "h.3", parameter_type = f32, stage = 3 : i64, sym_name = "h.3.decay.1", units = [#dist.unit<"transformer.h.3.mlp.c_fc.weight", 262144 in pieces of 65536, [<"transformer.h.3.mlp.c_fc.weight", [256, 1024] at 0, <normal = true, mean = 0.000000e+00 : f64, std = 2.000000e-02 : f64>>]>]}> : () -> ()
  "dist.bucket"() <{classes = [#graph<role parameter>, #graph<role momentum>, #graph<role variance>], group = "decay", layer = "h.3", parameter_type = f32, stage = 3 : i64, sym_name = "h.3.decay.2", units = [#dist.unit<"transformer.h.3.mlp.c_proj.weight", 262144 in pieces of 65536, [<"transformer.h.3.mlp.c_proj.weight", [1024, 256] at 0, <normal = true, mean = 0.000000e+00 : f64, std = 0.0070710678118654745 : f64>>]>]}> : () -> ()
  "func.func"() <{function_type = (tensor<128x256xf32>, tensor<256xf32>, tensor<256xf32>) -> (tensor<128x256xf32>, tensor<128xf32>, tensor<128xf32>), sym_name = "layer_norm_267555d781", sym_visibility = "private"}> ({
  ^bb0(%arg237: tensor<128x256xf32>, %arg238: tensor<256xf32>, %arg239: tensor<256xf32>):
    %2165:3 = "graph.layer_norm"(%arg237, %arg238, %arg239) <{epsilon = 1.000000e-05 : f64}> : (tensor<128x256xf32>, tensor<256xf32>, tensor<256xf32>) -> (tensor<128x256xf32>, tensor<128xf32>, tensor<128xf32>)
    "func.return"(%2165#0, %2165#1, %2165#2) : (tensor<128x256xf32>, tensor<128xf32>, tensor<128xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x256xf32>, tensor<256x768xf32>) -> tensor<128x768xf32>, sym_name = "matmul_af068b4fc2", sym_visibility = "private"}> ({
  ^bb0(%arg235: tensor<128x256xf32>, %arg236: tensor<256x768xf32>):
    %2164 = "graph.matmul"(%arg235, %arg236) : (tensor<128x256xf32>, tensor<256x768xf32>) -> tensor<128x768xf32>
    "func.return"(%2164) : (tensor<128x768xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x768xf32>, tensor<768xf32>) -> tensor<128x768xf32>, sym_name = "map_d779a08551", sym_visibility = "private"}> ({
  ^bb0(%arg231: tensor<128x768xf32>, %arg232: tensor<768xf32>):
    %2162 = "graph.map"(%arg231, %arg232) <{maps = [#map, #map1]}> ({
    ^bb0(%arg233: f32, %arg234: f32):
      %2163 = "arith.addf"(%arg233, %arg234) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "graph.yield"(%2163) : (f32) -> ()
    }) : (tensor<128x768xf32>, tensor<768xf32>) -> tensor<128x768xf32>
    "func.return"(%2162) : (tensor<128x768xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<1x128x3x4x64xf32>) -> tensor<1x4x128x64xf32>, sym_name = "map_f8820e29cb", sym_visibility = "private"}> ({
  ^bb0(%arg229: tensor<1x128x3x4x64xf32>):
    %2161 = "graph.map"(%arg229) <{maps = [#map2]}> ({
    ^bb0(%arg230: f32):
      "graph.yield"(%arg230) : (f32) -> ()
    }) : (tensor<1x128x3x4x64xf32>) -> tensor<1x4x128x64xf32>
    "func.return"(%2161) : (tensor<1x4x128x64xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<1x128x3x4x64xf32>) -> tensor<1x4x128x64xf32>, sym_name = "map_f9876d1310", sym_visibility = "private"}> ({
  ^bb0(%arg227: tensor<1x128x3x4x64xf32>):
    %2160 = "graph.map"(%arg227) <{maps = [#map3]}> ({
    ^bb0(%arg228: f32):
      "graph.yield"(%arg228) : (f32) -> ()
    }) : (tensor<1x128x3x4x64xf32>) -> tensor<1x4x128x64xf32>
    "func.return"(%2160) : (tensor<1x4x128x64xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<1x128x3x4x64xf32>) -> tensor<1x4x128x64xf32>, sym_name = "map_0b0a1df5fc", sym_visibility = "private"}> ({
  ^bb0(%arg225: tensor<1x128x3x4x64xf32>):
    %2159 = "graph.map"(%arg225) <{maps = [#map4]}> ({
    ^bb0(%arg226: f32):
      "graph.yield"(%arg226) : (f32) -> ()
    }) : (tensor<1x128x3x4x64xf32>) -> tensor<1x4x128x64xf32>
    "func.return"(%2159) : (tensor<1x4x128x64xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<4x128x64xf32>, tensor<4x128x64xf32>) -> tensor<4x128x128xf32>, sym_name = "matmul_2ff3e8acb9", sym_visibility = "private"}> ({
  ^bb0(%arg223: tensor<4x128x64xf32>, %arg224: tensor<4x128x64xf32>):
    %2158 = "graph.matmul"(%arg223, %arg224) <{transpose_b}> : (tensor<4x128x64xf32>, tensor<4x128x64xf32>) -> tensor<4x128x128xf32>
    "func.return"(%2158) : (tensor<4x128x128xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<4x128x128xf32>) -> (tensor<4x128x128xf32>, tensor<4x128xf32>), sym_name = "softmax_f2e1bf9b2d", sym_visibility = "private"}> ({
  ^bb0(%arg222: tensor<4x128x128xf32>):
    %2157:2 = "graph.softmax"(%arg222) <{causal, scale = 1.250000e-01 : f64}> : (tensor<4x128x128xf32>) -> (tensor<4x128x128xf32>, tensor<4x128xf32>)
    "func.return"(%2157#0, %2157#1) : (tensor<4x128x128xf32>, tensor<4x128xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<4x128x128xf32>, tensor<4x128x64xf32>) -> tensor<4x128x64xf32>, sym_name = "matmul_82c4d10dba", sym_visibility = "private"}> ({
  ^bb0(%arg220: tensor<4x128x128xf32>, %arg221: tensor<4x128x64xf32>):
    %2156 = "graph.matmul"(%arg220, %arg221) : (tensor<4x128x128xf32>, tensor<4x128x64xf32>) -> tensor<4x128x64xf32>
    "func.return"(%2156) : (tensor<4x128x64xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<1x4x128x64xf32>) -> tensor<1x128x4x64xf32>, sym_name = "map_841b24dfba", sym_visibility = "private"}> ({
  ^bb0(%arg218: tensor<1x4x128x64xf32>):
    %2155 = "graph.map"(%arg218) <{maps = [#map5]}> ({
    ^bb0(%arg219: f32):
      "graph.yield"(%arg219) : (f32) -> ()
    }) : (tensor<1x4x128x64xf32>) -> tensor<1x128x4x64xf32>
    "func.return"(%2155) : (tensor<1x128x4x64xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x256xf32>, tensor<256x256xf32>) -> tensor<128x256xf32>, sym_name = "matmul_7fee3cc53a", sym_visibility = "private"}> ({
  ^bb0(%arg216: tensor<128x256xf32>, %arg217: tensor<256x256xf32>):
    %2154 = "graph.matmul"(%arg216, %arg217) : (tensor<128x256xf32>, tensor<256x256xf32>) -> tensor<128x256xf32>
    "func.return"(%2154) : (tensor<128x256xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x256xf32>, tensor<128x256xf32>, tensor<256xf32>) -> tensor<128x256xf32>, sym_name = "map_c882a0b45f", sym_visibility = "private"}> ({
  ^bb0(%arg210: tensor<128x256xf32>, %arg211: tensor<128x256xf32>, %arg212: tensor<256xf32>):
    %2151 = "graph.map"(%arg210, %arg211, %arg212) <{maps = [#map, #map, #map1]}> ({
    ^bb0(%arg213: f32, %arg214: f32, %arg215: f32):
      %2152 = "arith.addf"(%arg214, %arg215) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2153 = "arith.addf"(%arg213, %2152) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "graph.yield"(%2153) : (f32) -> ()
    }) : (tensor<128x256xf32>, tensor<128x256xf32>, tensor<256xf32>) -> tensor<128x256xf32>
    "func.return"(%2151) : (tensor<128x256xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x256xf32>, tensor<256x1024xf32>) -> tensor<128x1024xf32>, sym_name = "matmul_1ca2b83609", sym_visibility = "private"}> ({
  ^bb0(%arg208: tensor<128x256xf32>, %arg209: tensor<256x1024xf32>):
    %2150 = "graph.matmul"(%arg208, %arg209) : (tensor<128x256xf32>, tensor<256x1024xf32>) -> tensor<128x1024xf32>
    "func.return"(%2150) : (tensor<128x1024xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x1024xf32>, tensor<1024xf32>) -> tensor<128x1024xf32>, sym_name = "map_5b287d1780", sym_visibility = "private"}> ({
  ^bb0(%arg204: tensor<128x1024xf32>, %arg205: tensor<1024xf32>):
    %2135 = "graph.map"(%arg204, %arg205) <{maps = [#map, #map1]}> ({
    ^bb0(%arg206: f32, %arg207: f32):
      %2136 = "arith.addf"(%arg206, %arg207) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2137 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
      %2138 = "arith.constant"() <{value = 0.797884583 : f32}> : () -> f32
      %2139 = "arith.constant"() <{value = 4.471500e-02 : f32}> : () -> f32
      %2140 = "arith.constant"() <{value = 5.000000e-01 : f32}> : () -> f32
      %2141 = "arith.mulf"(%2136, %2140) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2142 = "arith.mulf"(%2136, %2136) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2143 = "arith.mulf"(%2142, %2136) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2144 = "arith.mulf"(%2143, %2139) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2145 = "arith.addf"(%2136, %2144) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2146 = "arith.mulf"(%2145, %2138) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2147 = "math.tanh"(%2146) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %2148 = "arith.addf"(%2147, %2137) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2149 = "arith.mulf"(%2141, %2148) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "graph.yield"(%2149) : (f32) -> ()
    }) : (tensor<128x1024xf32>, tensor<1024xf32>) -> tensor<128x1024xf32>
    "func.return"(%2135) : (tensor<128x1024xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x1024xf32>, tensor<1024x256xf32>) -> tensor<128x256xf32>, sym_name = "matmul_9fb005a893", sym_visibility = "private"}> ({
  ^bb0(%arg202: tensor<128x1024xf32>, %arg203: tensor<1024x256xf32>):
    %2134 = "graph.matmul"(%arg202, %arg203) : (tensor<128x1024xf32>, tensor<1024x256xf32>) -> tensor<128x256xf32>
    "func.return"(%2134) : (tensor<128x256xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x1024xf32>, tensor<1024xf32>) -> (tensor<128x1024xf32>, tensor<128x1024xf32>), sym_name = "map_c5bdd8b7ae", sym_visibility = "private"}> ({
  ^bb0(%arg198: tensor<128x1024xf32>, %arg199: tensor<1024xf32>):
    %2119:2 = "graph.map"(%arg198, %arg199) <{maps = [#map, #map1]}> ({
    ^bb0(%arg200: f32, %arg201: f32):
      %2120 = "arith.addf"(%arg200, %arg201) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2121 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
      %2122 = "arith.constant"() <{value = 0.797884583 : f32}> : () -> f32
      %2123 = "arith.constant"() <{value = 4.471500e-02 : f32}> : () -> f32
      %2124 = "arith.constant"() <{value = 5.000000e-01 : f32}> : () -> f32
      %2125 = "arith.mulf"(%2120, %2124) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2126 = "arith.mulf"(%2120, %2120) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2127 = "arith.mulf"(%2126, %2120) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2128 = "arith.mulf"(%2127, %2123) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2129 = "arith.addf"(%2120, %2128) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2130 = "arith.mulf"(%2129, %2122) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2131 = "math.tanh"(%2130) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %2132 = "arith.addf"(%2131, %2121) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2133 = "arith.mulf"(%2125, %2132) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "graph.yield"(%2120, %2133) : (f32, f32) -> ()
    }) : (tensor<128x1024xf32>, tensor<1024xf32>) -> (tensor<128x1024xf32>, tensor<128x1024xf32>)
    "func.return"(%2119#0, %2119#1) : (tensor<128x1024xf32>, tensor<128x1024xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x256xf32>) -> tensor<256xf32>, sym_name = "reduce_c203d7efa1", sym_visibility = "private"}> ({
  ^bb0(%arg196: tensor<128x256xf32>):
    %2118 = "graph.reduce"(%arg196) <{combine = #graph<combine sum>, dims = array<i64: 0>, maps = [#map]}> ({
    ^bb0(%arg197: f32):
      "graph.yield"(%arg197) : (f32) -> ()
    }) : (tensor<128x256xf32>) -> tensor<256xf32>
    "func.return"(%2118) : (tensor<256xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x256xf32>, tensor<1024x256xf32>) -> tensor<128x1024xf32>, sym_name = "matmul_72440f8312", sym_visibility = "private"}> ({
  ^bb0(%arg194: tensor<128x256xf32>, %arg195: tensor<1024x256xf32>):
    %2117 = "graph.matmul"(%arg194, %arg195) <{transpose_b}> : (tensor<128x256xf32>, tensor<1024x256xf32>) -> tensor<128x1024xf32>
    "func.return"(%2117) : (tensor<128x1024xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x1024xf32>, tensor<128x256xf32>) -> tensor<1024x256xf32>, sym_name = "matmul_d035e4089b", sym_visibility = "private"}> ({
  ^bb0(%arg192: tensor<128x1024xf32>, %arg193: tensor<128x256xf32>):
    %2116 = "graph.matmul"(%arg192, %arg193) <{transpose_a}> : (tensor<128x1024xf32>, tensor<128x256xf32>) -> tensor<1024x256xf32>
    "func.return"(%2116) : (tensor<1024x256xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x1024xf32>, tensor<128x1024xf32>) -> tensor<128x1024xf32>, sym_name = "map_0a4efb66fc", sym_visibility = "private"}> ({
  ^bb0(%arg188: tensor<128x1024xf32>, %arg189: tensor<128x1024xf32>):
    %2087 = "graph.map"(%arg188, %arg189) <{maps = [#map, #map]}> ({
    ^bb0(%arg190: f32, %arg191: f32):
      %2088 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
      %2089 = "arith.constant"() <{value = 0.797884583 : f32}> : () -> f32
      %2090 = "arith.constant"() <{value = 4.471500e-02 : f32}> : () -> f32
      %2091 = "arith.constant"() <{value = 5.000000e-01 : f32}> : () -> f32
      %2092 = "arith.mulf"(%arg190, %2091) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2093 = "arith.mulf"(%arg190, %arg190) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2094 = "arith.mulf"(%2093, %arg190) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2095 = "arith.mulf"(%2094, %2090) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2096 = "arith.addf"(%arg190, %2095) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2097 = "arith.mulf"(%2096, %2089) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2098 = "math.tanh"(%2097) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %2099 = "arith.addf"(%2098, %2088) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2100 = "arith.mulf"(%arg191, %2099) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2101 = "arith.mulf"(%arg191, %2092) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2102 = "arith.mulf"(%2098, %2098) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2103 = "arith.subf"(%2088, %2102) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2104 = "arith.mulf"(%2101, %2103) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2105 = "arith.mulf"(%2104, %2089) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2106 = "arith.mulf"(%2105, %2090) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2107 = "arith.mulf"(%2106, %arg190) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2108 = "arith.mulf"(%2106, %2093) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2109 = "arith.addf"(%2105, %2108) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2110 = "arith.mulf"(%2107, %arg190) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2111 = "arith.addf"(%2109, %2110) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2112 = "arith.mulf"(%2107, %arg190) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2113 = "arith.addf"(%2111, %2112) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2114 = "arith.mulf"(%2100, %2091) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2115 = "arith.addf"(%2113, %2114) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "graph.yield"(%2115) : (f32) -> ()
    }) : (tensor<128x1024xf32>, tensor<128x1024xf32>) -> tensor<128x1024xf32>
    "func.return"(%2087) : (tensor<128x1024xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x1024xf32>) -> tensor<1024xf32>, sym_name = "reduce_68a6a515c3", sym_visibility = "private"}> ({
  ^bb0(%arg186: tensor<128x1024xf32>):
    %2086 = "graph.reduce"(%arg186) <{combine = #graph<combine sum>, dims = array<i64: 0>, maps = [#map]}> ({
    ^bb0(%arg187: f32):
      "graph.yield"(%arg187) : (f32) -> ()
    }) : (tensor<128x1024xf32>) -> tensor<1024xf32>
    "func.return"(%2086) : (tensor<1024xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x1024xf32>, tensor<256x1024xf32>) -> tensor<128x256xf32>, sym_name = "matmul_913d388b2b", sym_visibility = "private"}> ({
  ^bb0(%arg184: tensor<128x1024xf32>, %arg185: tensor<256x1024xf32>):
    %2085 = "graph.matmul"(%arg184, %arg185) <{transpose_b}> : (tensor<128x1024xf32>, tensor<256x1024xf32>) -> tensor<128x256xf32>
    "func.return"(%2085) : (tensor<128x256xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x256xf32>, tensor<128x1024xf32>) -> tensor<256x1024xf32>, sym_name = "matmul_9615d47600", sym_visibility = "private"}> ({
  ^bb0(%arg182: tensor<128x256xf32>, %arg183: tensor<128x1024xf32>):
    %2084 = "graph.matmul"(%arg182, %arg183) <{transpose_a}> : (tensor<128x256xf32>, tensor<128x1024xf32>) -> tensor<256x1024xf32>
    "func.return"(%2084) : (tensor<256x1024xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x256xf32>, tensor<128x256xf32>, tensor<256xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<128x256xf32>, sym_name = "layer_norm_grad_096dbb748d", sym_visibility = "private"}> ({
  ^bb0(%arg177: tensor<128x256xf32>, %arg178: tensor<128x256xf32>, %arg179: tensor<256xf32>, %arg180: tensor<128xf32>, %arg181: tensor<128xf32>):
    %2083 = "graph.layer_norm_grad"(%arg177, %arg178, %arg179, %arg180, %arg181) : (tensor<128x256xf32>, tensor<128x256xf32>, tensor<256xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<128x256xf32>
    "func.return"(%2083) : (tensor<128x256xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x256xf32>, tensor<128x256xf32>, tensor<128xf32>, tensor<128xf32>) -> (tensor<256xf32>, tensor<256xf32>), sym_name = "reduce_8938ad99a8", sym_visibility = "private"}> ({
  ^bb0(%arg169: tensor<128x256xf32>, %arg170: tensor<128x256xf32>, %arg171: tensor<128xf32>, %arg172: tensor<128xf32>):
    %2079:2 = "graph.reduce"(%arg169, %arg170, %arg171, %arg172) <{combine = #graph<combine sum>, dims = array<i64: 0>, maps = [#map, #map, #map6, #map6]}> ({
    ^bb0(%arg173: f32, %arg174: f32, %arg175: f32, %arg176: f32):
      %2080 = "arith.subf"(%arg174, %arg175) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2081 = "arith.mulf"(%2080, %arg176) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2082 = "arith.mulf"(%arg173, %2081) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "graph.yield"(%2082, %arg173) : (f32, f32) -> ()
    }) : (tensor<128x256xf32>, tensor<128x256xf32>, tensor<128xf32>, tensor<128xf32>) -> (tensor<256xf32>, tensor<256xf32>)
    "func.return"(%2079#0, %2079#1) : (tensor<256xf32>, tensor<256xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x256xf32>, tensor<128x256xf32>) -> tensor<128x256xf32>, sym_name = "map_682b30d182", sym_visibility = "private"}> ({
  ^bb0(%arg165: tensor<128x256xf32>, %arg166: tensor<128x256xf32>):
    %2077 = "graph.map"(%arg165, %arg166) <{maps = [#map, #map]}> ({
    ^bb0(%arg167: f32, %arg168: f32):
      %2078 = "arith.addf"(%arg167, %arg168) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "graph.yield"(%2078) : (f32) -> ()
    }) : (tensor<128x256xf32>, tensor<128x256xf32>) -> tensor<128x256xf32>
    "func.return"(%2077) : (tensor<128x256xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x256xf32>, tensor<256x256xf32>) -> tensor<128x256xf32>, sym_name = "matmul_4302769c28", sym_visibility = "private"}> ({
  ^bb0(%arg163: tensor<128x256xf32>, %arg164: tensor<256x256xf32>):
    %2076 = "graph.matmul"(%arg163, %arg164) <{transpose_b}> : (tensor<128x256xf32>, tensor<256x256xf32>) -> tensor<128x256xf32>
    "func.return"(%2076) : (tensor<128x256xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x256xf32>, tensor<128x256xf32>) -> tensor<256x256xf32>, sym_name = "matmul_8cd306ee70", sym_visibility = "private"}> ({
  ^bb0(%arg161: tensor<128x256xf32>, %arg162: tensor<128x256xf32>):
    %2075 = "graph.matmul"(%arg161, %arg162) <{transpose_a}> : (tensor<128x256xf32>, tensor<128x256xf32>) -> tensor<256x256xf32>
    "func.return"(%2075) : (tensor<256x256xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<1x128x4x64xf32>) -> tensor<1x4x128x64xf32>, sym_name = "map_81500dec77", sym_visibility = "private"}> ({
  ^bb0(%arg159: tensor<1x128x4x64xf32>):
    %2074 = "graph.map"(%arg159) <{maps = [#map5]}> ({
    ^bb0(%arg160: f32):
      "graph.yield"(%arg160) : (f32) -> ()
    }) : (tensor<1x128x4x64xf32>) -> tensor<1x4x128x64xf32>
    "func.return"(%2074) : (tensor<1x4x128x64xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<1x128x4x64xf32>, tensor<1x128x4x64xf32>) -> tensor<1x4x128xf32>, sym_name = "reduce_dfa057dec6", sym_visibility = "private"}> ({
  ^bb0(%arg155: tensor<1x128x4x64xf32>, %arg156: tensor<1x128x4x64xf32>):
    %2072 = "graph.reduce"(%arg155, %arg156) <{combine = #graph<combine sum>, dims = array<i64: 3>, maps = [#map5, #map5]}> ({
    ^bb0(%arg157: f32, %arg158: f32):
      %2073 = "arith.mulf"(%arg157, %arg158) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "graph.yield"(%2073) : (f32) -> ()
    }) : (tensor<1x128x4x64xf32>, tensor<1x128x4x64xf32>) -> tensor<1x4x128xf32>
    "func.return"(%2072) : (tensor<1x4x128xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<4x128x128xf32>, tensor<4x128xf32>, tensor<4x128x128xf32>, tensor<4x128xf32>) -> (tensor<4x128x128xf32>, tensor<4x128x128xf32>), sym_name = "map_5428b4a251", sym_visibility = "private"}> ({
  ^bb0(%arg147: tensor<4x128x128xf32>, %arg148: tensor<4x128xf32>, %arg149: tensor<4x128x128xf32>, %arg150: tensor<4x128xf32>):
    %2059:2 = "graph.map"(%arg147, %arg148, %arg149, %arg150) <{maps = [#map7, #map8, #map7, #map8]}> ({
    ^bb0(%arg151: f32, %arg152: f32, %arg153: f32, %arg154: f32):
      %2060 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
      %2061 = "arith.constant"() <{value = 1.250000e-01 : f32}> : () -> f32
      %2062 = "arith.mulf"(%arg151, %2061) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2063 = "arith.subf"(%2062, %arg152) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2064 = "math.exp"(%2063) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %2065 = "graph.index"() <{dim = 1 : i64}> : () -> index
      %2066 = "graph.index"() <{dim = 2 : i64}> : () -> index
      %2067 = "arith.cmpi"(%2066, %2065) <{predicate = 3 : i64}> : (index, index) -> i1
      %2068 = "arith.select"(%2067, %2064, %2060) : (i1, f32, f32) -> f32
      %2069 = "arith.subf"(%arg153, %arg154) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2070 = "arith.mulf"(%2068, %2069) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2071 = "arith.mulf"(%2070, %2061) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "graph.yield"(%2068, %2071) : (f32, f32) -> ()
    }) : (tensor<4x128x128xf32>, tensor<4x128xf32>, tensor<4x128x128xf32>, tensor<4x128xf32>) -> (tensor<4x128x128xf32>, tensor<4x128x128xf32>)
    "func.return"(%2059#0, %2059#1) : (tensor<4x128x128xf32>, tensor<4x128x128xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<4x128x128xf32>, tensor<4x128x64xf32>) -> tensor<4x128x64xf32>, sym_name = "matmul_de7c18fe3b", sym_visibility = "private"}> ({
  ^bb0(%arg145: tensor<4x128x128xf32>, %arg146: tensor<4x128x64xf32>):
    %2058 = "graph.matmul"(%arg145, %arg146) <{transpose_a}> : (tensor<4x128x128xf32>, tensor<4x128x64xf32>) -> tensor<4x128x64xf32>
    "func.return"(%2058) : (tensor<4x128x64xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<1x4x128x64xf32>, tensor<1x4x128x64xf32>, tensor<1x4x128x64xf32>) -> tensor<1x128x3x4x64xf32>, sym_name = "stack_0fac26bb33", sym_visibility = "private"}> ({
  ^bb0(%arg142: tensor<1x4x128x64xf32>, %arg143: tensor<1x4x128x64xf32>, %arg144: tensor<1x4x128x64xf32>):
    %2057 = "graph.stack"(%arg142, %arg143, %arg144) <{axis = 2 : i64, map = #map9}> : (tensor<1x4x128x64xf32>, tensor<1x4x128x64xf32>, tensor<1x4x128x64xf32>) -> tensor<1x128x3x4x64xf32>
    "func.return"(%2057) : (tensor<1x128x3x4x64xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x768xf32>) -> tensor<768xf32>, sym_name = "reduce_7aeb403de4", sym_visibility = "private"}> ({
  ^bb0(%arg140: tensor<128x768xf32>):
    %2056 = "graph.reduce"(%arg140) <{combine = #graph<combine sum>, dims = array<i64: 0>, maps = [#map]}> ({
    ^bb0(%arg141: f32):
      "graph.yield"(%arg141) : (f32) -> ()
    }) : (tensor<128x768xf32>) -> tensor<768xf32>
    "func.return"(%2056) : (tensor<768xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x768xf32>, tensor<256x768xf32>) -> tensor<128x256xf32>, sym_name = "matmul_6665eec420", sym_visibility = "private"}> ({
  ^bb0(%arg138: tensor<128x768xf32>, %arg139: tensor<256x768xf32>):
    %2055 = "graph.matmul"(%arg138, %arg139) <{transpose_b}> : (tensor<128x768xf32>, tensor<256x768xf32>) -> tensor<128x256xf32>
    "func.return"(%2055) : (tensor<128x256xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x256xf32>, tensor<128x768xf32>) -> tensor<256x768xf32>, sym_name = "matmul_ba6a02475b", sym_visibility = "private"}> ({
  ^bb0(%arg136: tensor<128x256xf32>, %arg137: tensor<128x768xf32>):
    %2054 = "graph.matmul"(%arg136, %arg137) <{transpose_a}> : (tensor<128x256xf32>, tensor<128x768xf32>) -> tensor<256x768xf32>
    "func.return"(%2054) : (tensor<256x768xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = () -> tensor<1x128xi32>, sym_name = "map_9f1402138c", sym_visibility = "private"}> ({
    %2051 = "graph.map"() <{maps = []}> ({
      %2052 = "graph.index"() <{dim = 1 : i64}> : () -> index
      %2053 = "arith.index_cast"(%2052) : (index) -> i32
      "graph.yield"(%2053) : (i32) -> ()
    }) : () -> tensor<1x128xi32>
    "func.return"(%2051) : (tensor<1x128xi32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<256x256xf32>, tensor<128xi32>) -> tensor<128x256xf32>, sym_name = "embedding_0a19201301", sym_visibility = "private"}> ({
  ^bb0(%arg134: tensor<256x256xf32>, %arg135: tensor<128xi32>):
    %2050 = "graph.embedding"(%arg134, %arg135) : (tensor<256x256xf32>, tensor<128xi32>) -> tensor<128x256xf32>
    "func.return"(%2050) : (tensor<128x256xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x256xf32>, tensor<128xi32>) -> tensor<128x256xf32>, sym_name = "embedding_6db0201a46", sym_visibility = "private"}> ({
  ^bb0(%arg132: tensor<128x256xf32>, %arg133: tensor<128xi32>):
    %2049 = "graph.embedding"(%arg132, %arg133) : (tensor<128x256xf32>, tensor<128xi32>) -> tensor<128x256xf32>
    "func.return"(%2049) : (tensor<128x256xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x256xf32>, tensor<128xi32>) -> (tensor<128xf32>, tensor<128xf32>), sym_name = "cross_entropy_7d6873a198", sym_visibility = "private"}> ({
  ^bb0(%arg130: tensor<128x256xf32>, %arg131: tensor<128xi32>):
    %2048:2 = "graph.cross_entropy"(%arg130, %arg131) <{ignore_index = -100 : i64, smoothing = 0.000000e+00 : f64}> : (tensor<128x256xf32>, tensor<128xi32>) -> (tensor<128xf32>, tensor<128xf32>)
    "func.return"(%2048#0, %2048#1) : (tensor<128xf32>, tensor<128xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128xf32>) -> tensor<f32>, sym_name = "reduce_b0a0c4e601", sym_visibility = "private"}> ({
  ^bb0(%arg128: tensor<128xf32>):
    %2047 = "graph.reduce"(%arg128) <{combine = #graph<combine sum>, dims = array<i64: 0>, maps = [#map10]}> ({
    ^bb0(%arg129: f32):
      "graph.yield"(%arg129) : (f32) -> ()
    }) : (tensor<128xf32>) -> tensor<f32>
    "func.return"(%2047) : (tensor<f32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<f32>) -> tensor<128xf32>, sym_name = "map_8010058c4d", sym_visibility = "private"}> ({
  ^bb0(%arg126: tensor<f32>):
    %2046 = "graph.map"(%arg126) <{maps = [#map11]}> ({
    ^bb0(%arg127: f32):
      "graph.yield"(%arg127) : (f32) -> ()
    }) : (tensor<f32>) -> tensor<128xf32>
    "func.return"(%2046) : (tensor<128xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128xf32>, tensor<128x256xf32>, tensor<128xi32>, tensor<128xf32>) -> tensor<128x256xf32>, sym_name = "cross_entropy_grad_59eefeae21", sym_visibility = "private"}> ({
  ^bb0(%arg122: tensor<128xf32>, %arg123: tensor<128x256xf32>, %arg124: tensor<128xi32>, %arg125: tensor<128xf32>):
    %2045 = "graph.cross_entropy_grad"(%arg122, %arg123, %arg124, %arg125) <{ignore_index = -100 : i64, smoothing = 0.000000e+00 : f64}> : (tensor<128xf32>, tensor<128x256xf32>, tensor<128xi32>, tensor<128xf32>) -> tensor<128x256xf32>
    "func.return"(%2045) : (tensor<128x256xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x256xf32>, tensor<128xi32>) -> tensor<128x256xf32>, sym_name = "embedding_grad_ddcbbbf9fd", sym_visibility = "private"}> ({
  ^bb0(%arg120: tensor<128x256xf32>, %arg121: tensor<128xi32>):
    %2044 = "graph.embedding_grad"(%arg120, %arg121) : (tensor<128x256xf32>, tensor<128xi32>) -> tensor<128x256xf32>
    "func.return"(%2044) : (tensor<128x256xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128x256xf32>, tensor<128xi32>) -> tensor<256x256xf32>, sym_name = "embedding_grad_f7af83bb70", sym_visibility = "private"}> ({
  ^bb0(%arg118: tensor<128x256xf32>, %arg119: tensor<128xi32>):
    %2043 = "graph.embedding_grad"(%arg118, %arg119) : (tensor<128x256xf32>, tensor<128xi32>) -> tensor<256x256xf32>
    "func.return"(%2043) : (tensor<256x256xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<16384xf32>, tensor<16384xf32>) -> tensor<16384xf32>, sym_name = "map_c55c0b0445", sym_visibility = "private"}> ({
  ^bb0(%arg114: tensor<16384xf32>, %arg115: tensor<16384xf32>):
    %2041 = "graph.map"(%arg114, %arg115) <{maps = [#map10, #map10]}> ({
    ^bb0(%arg116: f32, %arg117: f32):
      %2042 = "arith.addf"(%arg116, %arg117) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "graph.yield"(%2042) : (f32) -> ()
    }) : (tensor<16384xf32>, tensor<16384xf32>) -> tensor<16384xf32>
    "func.return"(%2041) : (tensor<16384xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<4x23x8xf64>) -> tensor<f64>, sym_name = "reduce_5ef09bbf2e", sym_visibility = "private"}> ({
  ^bb0(%arg112: tensor<4x23x8xf64>):
    %2040 = "graph.reduce"(%arg112) <{combine = #graph<combine sum>, dims = array<i64: 0, 1>, maps = [#map12]}> ({
    ^bb0(%arg113: f64):
      "graph.yield"(%arg113) : (f64) -> ()
    }) : (tensor<4x23x8xf64>) -> tensor<f64>
    "func.return"(%2040) : (tensor<f64>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<f64>) -> tensor<f32>, sym_name = "map_7e5b3adb91", sym_visibility = "private"}> ({
  ^bb0(%arg110: tensor<f64>):
    %2037 = "graph.map"(%arg110) <{maps = [#map13]}> ({
    ^bb0(%arg111: f64):
      %2038 = "math.sqrt"(%arg111) <{fastmath = #arith.fastmath<none>}> : (f64) -> f64
      %2039 = "arith.truncf"(%2038) : (f64) -> f32
      "graph.yield"(%2039) : (f32) -> ()
    }) : (tensor<f64>) -> tensor<f32>
    "func.return"(%2037) : (tensor<f32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<f32>) -> tensor<f32>, sym_name = "map_857d564b1b", sym_visibility = "private"}> ({
  ^bb0(%arg108: tensor<f32>):
    %2031 = "graph.map"(%arg108) <{maps = [#map13]}> ({
    ^bb0(%arg109: f32):
      %2032 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
      %2033 = "arith.constant"() <{value = 9.99999997E-7 : f32}> : () -> f32
      %2034 = "arith.addf"(%arg109, %2033) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2035 = "arith.divf"(%2032, %2034) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2036 = "arith.minimumf"(%2035, %2032) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "graph.yield"(%2036) : (f32) -> ()
    }) : (tensor<f32>) -> tensor<f32>
    "func.return"(%2031) : (tensor<f32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>), sym_name = "map_766acaea4a", sym_visibility = "private"}> ({
  ^bb0(%arg92: tensor<128xf32>, %arg93: tensor<128xf32>, %arg94: tensor<128xf32>, %arg95: tensor<128xf32>, %arg96: tensor<f32>, %arg97: tensor<f32>, %arg98: tensor<f32>, %arg99: tensor<f32>):
    %2009:3 = "graph.map"(%arg92, %arg93, %arg94, %arg95, %arg96, %arg97, %arg98, %arg99) <{maps = [#map10, #map10, #map10, #map10, #map11, #map11, #map11, #map11]}> ({
    ^bb0(%arg100: f32, %arg101: f32, %arg102: f32, %arg103: f32, %arg104: f32, %arg105: f32, %arg106: f32, %arg107: f32):
      %2010 = "arith.constant"() <{value = 9.99999993E-9 : f32}> : () -> f32
      %2011 = "arith.constant"() <{value = 5.000000e-02 : f32}> : () -> f32
      %2012 = "arith.constant"() <{value = 0.949999988 : f32}> : () -> f32
      %2013 = "arith.constant"() <{value = 1.000000e-01 : f32}> : () -> f32
      %2014 = "arith.constant"() <{value = 0.899999976 : f32}> : () -> f32
      %2015 = "arith.mulf"(%arg103, %arg107) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2016 = "arith.mulf"(%arg101, %2014) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2017 = "arith.mulf"(%2015, %2013) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2018 = "arith.addf"(%2016, %2017) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2019 = "arith.mulf"(%arg102, %2012) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2020 = "arith.mulf"(%2015, %2011) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2021 = "arith.mulf"(%2020, %2015) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2022 = "arith.addf"(%2019, %2021) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2023 = "math.sqrt"(%2022) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %2024 = "math.sqrt"(%arg106) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %2025 = "arith.divf"(%2023, %2024) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2026 = "arith.addf"(%2025, %2010) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2027 = "arith.divf"(%arg104, %arg105) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2028 = "arith.mulf"(%2027, %2018) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2029 = "arith.divf"(%2028, %2026) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2030 = "arith.subf"(%arg100, %2029) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "graph.yield"(%2030, %2018, %2022) : (f32, f32, f32) -> ()
    }) : (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>)
    "func.return"(%2009#0, %2009#1, %2009#2) : (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<8192xf32>, tensor<8192xf32>, tensor<8192xf32>, tensor<8192xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<8192xf32>, tensor<8192xf32>, tensor<8192xf32>), sym_name = "map_7df8739a38", sym_visibility = "private"}> ({
  ^bb0(%arg76: tensor<8192xf32>, %arg77: tensor<8192xf32>, %arg78: tensor<8192xf32>, %arg79: tensor<8192xf32>, %arg80: tensor<f32>, %arg81: tensor<f32>, %arg82: tensor<f32>, %arg83: tensor<f32>):
    %1983:3 = "graph.map"(%arg76, %arg77, %arg78, %arg79, %arg80, %arg81, %arg82, %arg83) <{maps = [#map10, #map10, #map10, #map10, #map11, #map11, #map11, #map11]}> ({
    ^bb0(%arg84: f32, %arg85: f32, %arg86: f32, %arg87: f32, %arg88: f32, %arg89: f32, %arg90: f32, %arg91: f32):
      %1984 = "arith.constant"() <{value = 9.99999993E-9 : f32}> : () -> f32
      %1985 = "arith.constant"() <{value = 5.000000e-02 : f32}> : () -> f32
      %1986 = "arith.constant"() <{value = 0.949999988 : f32}> : () -> f32
      %1987 = "arith.constant"() <{value = 0.899999976 : f32}> : () -> f32
      %1988 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
      %1989 = "arith.constant"() <{value = 1.000000e-01 : f32}> : () -> f32
      %1990 = "arith.mulf"(%arg87, %arg91) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1991 = "arith.mulf"(%arg88, %1989) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1992 = "arith.subf"(%1988, %1991) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1993 = "arith.mulf"(%arg84, %1992) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1994 = "arith.mulf"(%arg85, %1987) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1995 = "arith.mulf"(%1990, %1989) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1996 = "arith.addf"(%1994, %1995) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1997 = "arith.mulf"(%arg86, %1986) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1998 = "arith.mulf"(%1990, %1985) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1999 = "arith.mulf"(%1998, %1990) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2000 = "arith.addf"(%1997, %1999) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2001 = "math.sqrt"(%2000) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %2002 = "math.sqrt"(%arg90) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %2003 = "arith.divf"(%2001, %2002) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2004 = "arith.addf"(%2003, %1984) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2005 = "arith.divf"(%arg88, %arg89) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2006 = "arith.mulf"(%2005, %1996) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2007 = "arith.divf"(%2006, %2004) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %2008 = "arith.subf"(%1993, %2007) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "graph.yield"(%2008, %1996, %2000) : (f32, f32, f32) -> ()
    }) : (tensor<8192xf32>, tensor<8192xf32>, tensor<8192xf32>, tensor<8192xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<8192xf32>, tensor<8192xf32>, tensor<8192xf32>)
    "func.return"(%1983#0, %1983#1, %1983#2) : (tensor<8192xf32>, tensor<8192xf32>, tensor<8192xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<16384xf32>, tensor<16384xf32>, tensor<16384xf32>, tensor<16384xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<16384xf32>, tensor<16384xf32>, tensor<16384xf32>), sym_name = "map_8a75040b62", sym_visibility = "private"}> ({
  ^bb0(%arg60: tensor<16384xf32>, %arg61: tensor<16384xf32>, %arg62: tensor<16384xf32>, %arg63: tensor<16384xf32>, %arg64: tensor<f32>, %arg65: tensor<f32>, %arg66: tensor<f32>, %arg67: tensor<f32>):
    %1957:3 = "graph.map"(%arg60, %arg61, %arg62, %arg63, %arg64, %arg65, %arg66, %arg67) <{maps = [#map10, #map10, #map10, #map10, #map11, #map11, #map11, #map11]}> ({
    ^bb0(%arg68: f32, %arg69: f32, %arg70: f32, %arg71: f32, %arg72: f32, %arg73: f32, %arg74: f32, %arg75: f32):
      %1958 = "arith.constant"() <{value = 9.99999993E-9 : f32}> : () -> f32
      %1959 = "arith.constant"() <{value = 5.000000e-02 : f32}> : () -> f32
      %1960 = "arith.constant"() <{value = 0.949999988 : f32}> : () -> f32
      %1961 = "arith.constant"() <{value = 0.899999976 : f32}> : () -> f32
      %1962 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
      %1963 = "arith.constant"() <{value = 1.000000e-01 : f32}> : () -> f32
      %1964 = "arith.mulf"(%arg71, %arg75) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1965 = "arith.mulf"(%arg72, %1963) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1966 = "arith.subf"(%1962, %1965) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1967 = "arith.mulf"(%arg68, %1966) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1968 = "arith.mulf"(%arg69, %1961) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1969 = "arith.mulf"(%1964, %1963) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1970 = "arith.addf"(%1968, %1969) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1971 = "arith.mulf"(%arg70, %1960) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1972 = "arith.mulf"(%1964, %1959) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1973 = "arith.mulf"(%1972, %1964) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1974 = "arith.addf"(%1971, %1973) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1975 = "math.sqrt"(%1974) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %1976 = "math.sqrt"(%arg74) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %1977 = "arith.divf"(%1975, %1976) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1978 = "arith.addf"(%1977, %1958) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1979 = "arith.divf"(%arg72, %arg73) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1980 = "arith.mulf"(%1979, %1970) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1981 = "arith.divf"(%1980, %1978) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1982 = "arith.subf"(%1967, %1981) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "graph.yield"(%1982, %1970, %1974) : (f32, f32, f32) -> ()
    }) : (tensor<16384xf32>, tensor<16384xf32>, tensor<16384xf32>, tensor<16384xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<16384xf32>, tensor<16384xf32>, tensor<16384xf32>)
    "func.return"(%1957#0, %1957#1, %1957#2) : (tensor<16384xf32>, tensor<16384xf32>, tensor<16384xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<832xf32>, tensor<832xf32>, tensor<832xf32>, tensor<832xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<832xf32>, tensor<832xf32>, tensor<832xf32>), sym_name = "map_01a800a21e", sym_visibility = "private"}> ({
  ^bb0(%arg44: tensor<832xf32>, %arg45: tensor<832xf32>, %arg46: tensor<832xf32>, %arg47: tensor<832xf32>, %arg48: tensor<f32>, %arg49: tensor<f32>, %arg50: tensor<f32>, %arg51: tensor<f32>):
    %1935:3 = "graph.map"(%arg44, %arg45, %arg46, %arg47, %arg48, %arg49, %arg50, %arg51) <{maps = [#map10, #map10, #map10, #map10, #map11, #map11, #map11, #map11]}> ({
    ^bb0(%arg52: f32, %arg53: f32, %arg54: f32, %arg55: f32, %arg56: f32, %arg57: f32, %arg58: f32, %arg59: f32):
      %1936 = "arith.constant"() <{value = 9.99999993E-9 : f32}> : () -> f32
      %1937 = "arith.constant"() <{value = 5.000000e-02 : f32}> : () -> f32
      %1938 = "arith.constant"() <{value = 0.949999988 : f32}> : () -> f32
      %1939 = "arith.constant"() <{value = 1.000000e-01 : f32}> : () -> f32
      %1940 = "arith.constant"() <{value = 0.899999976 : f32}> : () -> f32
      %1941 = "arith.mulf"(%arg55, %arg59) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1942 = "arith.mulf"(%arg53, %1940) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1943 = "arith.mulf"(%1941, %1939) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1944 = "arith.addf"(%1942, %1943) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1945 = "arith.mulf"(%arg54, %1938) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1946 = "arith.mulf"(%1941, %1937) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1947 = "arith.mulf"(%1946, %1941) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1948 = "arith.addf"(%1945, %1947) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1949 = "math.sqrt"(%1948) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %1950 = "math.sqrt"(%arg58) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %1951 = "arith.divf"(%1949, %1950) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1952 = "arith.addf"(%1951, %1936) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1953 = "arith.divf"(%arg56, %arg57) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1954 = "arith.mulf"(%1953, %1944) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1955 = "arith.divf"(%1954, %1952) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1956 = "arith.subf"(%arg52, %1955) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "graph.yield"(%1956, %1944, %1948) : (f32, f32, f32) -> ()
    }) : (tensor<832xf32>, tensor<832xf32>, tensor<832xf32>, tensor<832xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<832xf32>, tensor<832xf32>, tensor<832xf32>)
    "func.return"(%1935#0, %1935#1, %1935#2) : (tensor<832xf32>, tensor<832xf32>, tensor<832xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<65536xf32>, tensor<65536xf32>, tensor<65536xf32>, tensor<65536xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<65536xf32>, tensor<65536xf32>, tensor<65536xf32>), sym_name = "map_5ee22854cc", sym_visibility = "private"}> ({
  ^bb0(%arg28: tensor<65536xf32>, %arg29: tensor<65536xf32>, %arg30: tensor<65536xf32>, %arg31: tensor<65536xf32>, %arg32: tensor<f32>, %arg33: tensor<f32>, %arg34: tensor<f32>, %arg35: tensor<f32>):
    %1909:3 = "graph.map"(%arg28, %arg29, %arg30, %arg31, %arg32, %arg33, %arg34, %arg35) <{maps = [#map10, #map10, #map10, #map10, #map11, #map11, #map11, #map11]}> ({
    ^bb0(%arg36: f32, %arg37: f32, %arg38: f32, %arg39: f32, %arg40: f32, %arg41: f32, %arg42: f32, %arg43: f32):
      %1910 = "arith.constant"() <{value = 9.99999993E-9 : f32}> : () -> f32
      %1911 = "arith.constant"() <{value = 5.000000e-02 : f32}> : () -> f32
      %1912 = "arith.constant"() <{value = 0.949999988 : f32}> : () -> f32
      %1913 = "arith.constant"() <{value = 0.899999976 : f32}> : () -> f32
      %1914 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
      %1915 = "arith.constant"() <{value = 1.000000e-01 : f32}> : () -> f32
      %1916 = "arith.mulf"(%arg39, %arg43) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1917 = "arith.mulf"(%arg40, %1915) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1918 = "arith.subf"(%1914, %1917) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1919 = "arith.mulf"(%arg36, %1918) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1920 = "arith.mulf"(%arg37, %1913) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1921 = "arith.mulf"(%1916, %1915) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1922 = "arith.addf"(%1920, %1921) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1923 = "arith.mulf"(%arg38, %1912) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1924 = "arith.mulf"(%1916, %1911) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1925 = "arith.mulf"(%1924, %1916) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1926 = "arith.addf"(%1923, %1925) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1927 = "math.sqrt"(%1926) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %1928 = "math.sqrt"(%arg42) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %1929 = "arith.divf"(%1927, %1928) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1930 = "arith.addf"(%1929, %1910) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1931 = "arith.divf"(%arg40, %arg41) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1932 = "arith.mulf"(%1931, %1922) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1933 = "arith.divf"(%1932, %1930) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %1934 = "arith.subf"(%1919, %1933) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "graph.yield"(%1934, %1922, %1926) : (f32, f32, f32) -> ()
    }) : (tensor<65536xf32>, tensor<65536xf32>, tensor<65536xf32>, tensor<65536xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<65536xf32>, tensor<65536xf32>, tensor<65536xf32>)
    "func.return"(%1909#0, %1909#1, %1909#2) : (tensor<65536xf32>, tensor<65536xf32>, tensor<65536xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "flow.home"() <{bucket = "", buffer_class = "workspace", bytes = 167936 : i64, offset = 0 : i64, owner = -1 : i64, role = "", sym_name = "scratch", tier = #flow<tier device>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "no_decay.0", buffer_class = "parameter", bytes = 4096 : i64, offset = 167936 : i64, owner = -1 : i64, role = "parameter", sym_name = "no_decay.0.parameter.u0", tier = #flow<tier device>, unit = 0 : i64}> : () -> ()
  "flow.home"() <{bucket = "no_decay.0", buffer_class = "momentum", bytes = 4096 : i64, offset = 172032 : i64, owner = -1 : i64, role = "momentum", sym_name = "no_decay.0.momentum", tier = #flow<tier device>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "no_decay.0", buffer_class = "variance", bytes = 4096 : i64, offset = 176128 : i64, owner = -1 : i64, role = "variance", sym_name = "no_decay.0.variance", tier = #flow<tier device>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "decay.0", buffer_class = "parameter", bytes = 32768 : i64, offset = 180224 : i64, owner = -1 : i64, role = "parameter", sym_name = "decay.0.parameter", tier = #flow<tier device>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "decay.0", buffer_class = "momentum", bytes = 32768 : i64, offset = 0 : i64, owner = -1 : i64, role = "momentum", sym_name = "decay.0.momentum", tier = #flow<tier host>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "decay.0", buffer_class = "variance", bytes = 32768 : i64, offset = 32768 : i64, owner = -1 : i64, role = "variance", sym_name = "decay.0.variance", tier = #flow<tier host>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "decay.1", buffer_class = "parameter", bytes = 65536 : i64, offset = 212992 : i64, owner = -1 : i64, role = "parameter", sym_name = "decay.1.parameter", tier = #flow<tier device>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "decay.1", buffer_class = "momentum", bytes = 65536 : i64, offset = 0 : i64, owner = -1 : i64, role = "momentum", sym_name = "decay.1.momentum", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "decay.1", buffer_class = "variance", bytes = 65536 : i64, offset = 65536 : i64, owner = -1 : i64, role = "variance", sym_name = "decay.1.variance", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.0.no_decay.0", buffer_class = "parameter", bytes = 4096 : i64, offset = 278528 : i64, owner = -1 : i64, role = "parameter", sym_name = "h.0.no_decay.0.parameter", tier = #flow<tier device>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.0.no_decay.0", buffer_class = "momentum", bytes = 4096 : i64, offset = 282624 : i64, owner = -1 : i64, role = "momentum", sym_name = "h.0.no_decay.0.momentum", tier = #flow<tier device>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.0.no_decay.0", buffer_class = "variance", bytes = 4096 : i64, offset = 286720 : i64, owner = -1 : i64, role = "variance", sym_name = "h.0.no_decay.0.variance", tier = #flow<tier device>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.0.decay.0", buffer_class = "parameter", bytes = 262144 : i64, offset = 290816 : i64, owner = -1 : i64, role = "parameter", sym_name = "h.0.decay.0.parameter", tier = #flow<tier device>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.0.decay.0", buffer_class = "momentum", bytes = 262144 : i64, offset = 131072 : i64, owner = -1 : i64, role = "momentum", sym_name = "h.0.decay.0.momentum", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.0.decay.0", buffer_class = "variance", bytes = 262144 : i64, offset = 393216 : i64, owner = -1 : i64, role = "variance", sym_name = "h.0.decay.0.variance", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.0.decay.1", buffer_class = "parameter", bytes = 262144 : i64, offset = 552960 : i64, owner = -1 : i64, role = "parameter", sym_name = "h.0.decay.1.parameter", tier = #flow<tier device>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.0.decay.1", buffer_class = "momentum", bytes = 262144 : i64, offset = 655360 : i64, owner = -1 : i64, role = "momentum", sym_name = "h.0.decay.1.momentum", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.0.decay.1", buffer_class = "variance", bytes = 262144 : i64, offset = 917504 : i64, owner = -1 : i64, role = "variance", sym_name = "h.0.decay.1.variance", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.0.decay.2", buffer_class = "parameter", bytes = 262144 : i64, offset = 815104 : i64, owner = -1 : i64, role = "parameter", sym_name = "h.0.decay.2.parameter", tier = #flow<tier device>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.0.decay.2", buffer_class = "momentum", bytes = 262144 : i64, offset = 1179648 : i64, owner = -1 : i64, role = "momentum", sym_name = "h.0.decay.2.momentum", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.0.decay.2", buffer_class = "variance", bytes = 262144 : i64, offset = 1441792 : i64, owner = -1 : i64, role = "variance", sym_name = "h.0.decay.2.variance", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.1.no_decay.0", buffer_class = "parameter", bytes = 4096 : i64, offset = 1077248 : i64, owner = -1 : i64, role = "parameter", sym_name = "h.1.no_decay.0.parameter", tier = #flow<tier device>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.1.no_decay.0", buffer_class = "momentum", bytes = 4096 : i64, offset = 65536 : i64, owner = -1 : i64, role = "momentum", sym_name = "h.1.no_decay.0.momentum", tier = #flow<tier host>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.1.no_decay.0", buffer_class = "variance", bytes = 4096 : i64, offset = 69632 : i64, owner = -1 : i64, role = "variance", sym_name = "h.1.no_decay.0.variance", tier = #flow<tier host>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.1.decay.0", buffer_class = "parameter", bytes = 262144 : i64, offset = 1081344 : i64, owner = -1 : i64, role = "parameter", sym_name = "h.1.decay.0.parameter", tier = #flow<tier device>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.1.decay.0", buffer_class = "momentum", bytes = 262144 : i64, offset = 1703936 : i64, owner = -1 : i64, role = "momentum", sym_name = "h.1.decay.0.momentum", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.1.decay.0", buffer_class = "variance", bytes = 262144 : i64, offset = 1966080 : i64, owner = -1 : i64, role = "variance", sym_name = "h.1.decay.0.variance", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.1.decay.1", buffer_class = "parameter", bytes = 262144 : i64, offset = 73728 : i64, owner = -1 : i64, role = "parameter", sym_name = "h.1.decay.1.parameter", tier = #flow<tier host>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.1.decay.1", buffer_class = "momentum", bytes = 262144 : i64, offset = 2228224 : i64, owner = -1 : i64, role = "momentum", sym_name = "h.1.decay.1.momentum", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.1.decay.1", buffer_class = "variance", bytes = 262144 : i64, offset = 2490368 : i64, owner = -1 : i64, role = "variance", sym_name = "h.1.decay.1.variance", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.1.decay.2", buffer_class = "parameter", bytes = 262144 : i64, offset = 335872 : i64, owner = -1 : i64, role = "parameter", sym_name = "h.1.decay.2.parameter", tier = #flow<tier host>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.1.decay.2", buffer_class = "momentum", bytes = 262144 : i64, offset = 2752512 : i64, owner = -1 : i64, role = "momentum", sym_name = "h.1.decay.2.momentum", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.1.decay.2", buffer_class = "variance", bytes = 262144 : i64, offset = 3014656 : i64, owner = -1 : i64, role = "variance", sym_name = "h.1.decay.2.variance", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.2.no_decay.0", buffer_class = "parameter", bytes = 4096 : i64, offset = 1343488 : i64, owner = -1 : i64, role = "parameter", sym_name = "h.2.no_decay.0.parameter", tier = #flow<tier device>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.2.no_decay.0", buffer_class = "momentum", bytes = 4096 : i64, offset = 3276800 : i64, owner = -1 : i64, role = "momentum", sym_name = "h.2.no_decay.0.momentum", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.2.no_decay.0", buffer_class = "variance", bytes = 4096 : i64, offset = 3280896 : i64, owner = -1 : i64, role = "variance", sym_name = "h.2.no_decay.0.variance", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.2.decay.0", buffer_class = "parameter", bytes = 262144 : i64, offset = 598016 : i64, owner = -1 : i64, role = "parameter", sym_name = "h.2.decay.0.parameter", tier = #flow<tier host>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.2.decay.0", buffer_class = "momentum", bytes = 262144 : i64, offset = 3284992 : i64, owner = -1 : i64, role = "momentum", sym_name = "h.2.decay.0.momentum", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.2.decay.0", buffer_class = "variance", bytes = 262144 : i64, offset = 3547136 : i64, owner = -1 : i64, role = "variance", sym_name = "h.2.decay.0.variance", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.2.decay.1", buffer_class = "parameter", bytes = 262144 : i64, offset = 860160 : i64, owner = -1 : i64, role = "parameter", sym_name = "h.2.decay.1.parameter", tier = #flow<tier host>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.2.decay.1", buffer_class = "momentum", bytes = 262144 : i64, offset = 3809280 : i64, owner = -1 : i64, role = "momentum", sym_name = "h.2.decay.1.momentum", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.2.decay.1", buffer_class = "variance", bytes = 262144 : i64, offset = 4071424 : i64, owner = -1 : i64, role = "variance", sym_name = "h.2.decay.1.variance", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.2.decay.2", buffer_class = "parameter", bytes = 262144 : i64, offset = 1122304 : i64, owner = -1 : i64, role = "parameter", sym_name = "h.2.decay.2.parameter", tier = #flow<tier host>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.2.decay.2", buffer_class = "momentum", bytes = 262144 : i64, offset = 4333568 : i64, owner = -1 : i64, role = "momentum", sym_name = "h.2.decay.2.momentum", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.2.decay.2", buffer_class = "variance", bytes = 262144 : i64, offset = 4595712 : i64, owner = -1 : i64, role = "variance", sym_name = "h.2.decay.2.variance", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.3.no_decay.0", buffer_class = "parameter", bytes = 4096 : i64, offset = 1347584 : i64, owner = -1 : i64, role = "parameter", sym_name = "h.3.no_decay.0.parameter", tier = #flow<tier device>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.3.no_decay.0", buffer_class = "momentum", bytes = 4096 : i64, offset = 4857856 : i64, owner = -1 : i64, role = "momentum", sym_name = "h.3.no_decay.0.momentum", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.3.no_decay.0", buffer_class = "variance", bytes = 4096 : i64, offset = 4861952 : i64, owner = -1 : i64, role = "variance", sym_name = "h.3.no_decay.0.variance", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.3.decay.0", buffer_class = "parameter", bytes = 262144 : i64, offset = 1384448 : i64, owner = -1 : i64, role = "parameter", sym_name = "h.3.decay.0.parameter", tier = #flow<tier host>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.3.decay.0", buffer_class = "momentum", bytes = 262144 : i64, offset = 4866048 : i64, owner = -1 : i64, role = "momentum", sym_name = "h.3.decay.0.momentum", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.3.decay.0", buffer_class = "variance", bytes = 262144 : i64, offset = 5128192 : i64, owner = -1 : i64, role = "variance", sym_name = "h.3.decay.0.variance", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.3.decay.1", buffer_class = "parameter", bytes = 262144 : i64, offset = 1646592 : i64, owner = -1 : i64, role = "parameter", sym_name = "h.3.decay.1.parameter", tier = #flow<tier host>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.3.decay.1", buffer_class = "momentum", bytes = 262144 : i64, offset = 5390336 : i64, owner = -1 : i64, role = "momentum", sym_name = "h.3.decay.1.momentum", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.3.decay.1", buffer_class = "variance", bytes = 262144 : i64, offset = 5652480 : i64, owner = -1 : i64, role = "variance", sym_name = "h.3.decay.1.variance", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.3.decay.2", buffer_class = "parameter", bytes = 262144 : i64, offset = 1908736 : i64, owner = -1 : i64, role = "parameter", sym_name = "h.3.decay.2.parameter", tier = #flow<tier host>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.3.decay.2", buffer_class = "momentum", bytes = 262144 : i64, offset = 5914624 : i64, owner = -1 : i64, role = "momentum", sym_name = "h.3.decay.2.momentum", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "h.3.decay.2", buffer_class = "variance", bytes = 262144 : i64, offset = 6176768 : i64, owner = -1 : i64, role = "variance", sym_name = "h.3.decay.2.variance", tier = #flow<tier nvme>, unit = -1 : i64}> : () -> ()
  "flow.home"() <{bucket = "no_decay.0", buffer_class = "gradient", bytes = 4096 : i64, offset = 1351680 : i64, owner = -1 : i64, role = "gradient", sym_name = "no_decay.0.gradient.0", tier = #flow<tier device>, unit = -1 : i64}> {flow.element = f32} : () -> ()
  "flow.home"() <{bucket = "decay.0", buffer_class = "gradient", bytes = 32768 : i64, offset = 1355776 : i64, owner = -1 : i64, role = "gradient", sym_name = "decay.0.gradient.0", tier = #flow<tier device>, unit = -1 : i64}> {flow.element = f32} : () -> ()
  "flow.home"() <{bucket = "decay.1", buffer_class = "gradient", bytes = 65536 : i64, offset = 2170880 : i64, owner = -1 : i64, role = "gradient", sym_name = "decay.1.gradient.0", tier = #flow<tier host>, unit = -1 : i64}> {flow.element = f32} : () -> ()
  "flow.home"() <{bucket = "decay.1", buffer_class = "gradient", bytes = 65536 : i64, offset = 2236416 : i64, owner = -1 : i64, role = "gradient", sym_name = "decay.1.gradient.1", tier = #flow<tier host>, unit = -1 : i64}> {flow.element = f32} : () -> ()
  "flow.home"() <{bucket = "h.0.no_decay.0", buffer_class = "gradient", bytes = 4096 : i64, offset = 1388544 : i64, owner = -1 : i64, role = "gradient", sym_name = "h.0.no_decay.0.gradient.0", tier = #flow<tier device>, unit = -1 : i64}> {flow.element = f32} : () -> ()
  "flow.home"() <{bucket = "h.0.decay.0", buffer_class = "gradient", bytes = 262144 : i64, offset = 2301952 : i64, owner = -1 : i64, role = "gradient", sym_name = "h.0.decay.0.gradient.0", tier = #flow<tier host>, unit = -1 : i64}> {flow.element = f32} : () -> ()
  "flow.home"() <{bucket = "h.0.decay.1", buffer_class = "gradient", bytes = 262144 : i64, offset = 2564096 : i64, owner = -1 : i64, role = "gradient", sym_name = "h.0.decay.1.gradient.0", tier = #flow<tier host>, unit = -1 : i64}> {flow.element = f32} : () -> ()
  "flow.home"() <{bucket = "h.0.decay.2", buffer_class = "gradient", bytes = 262144 : i64, offset = 2826240 : i64, owner = -1 : i64, role = "gradient", sym_name = "h.0.decay.2.gradient.0", tier = #flow<tier host>, unit = -1 : i64}> {flow.element = f32} : () -> ()
  "flow.home"() <{bucket = "h.1.no_decay.0", buffer_class = "gradient", bytes = 4096 : i64, offset = 1392640 : i64, owner = -1 : i64, role = "gradient", sym_name = "h.1.no_decay.0.gradient.0", tier = #flow<tier device>, unit = -1 : i64}> {flow.element = f32} : () -> ()
  "flow.home"() <{bucket = "h.1.decay.0", buffer_class = "gradient", bytes = 262144 : i64, offset = 3088384 : i64, owner = -1 : i64, role = "gradient", sym_name = "h.1.decay.0.gradient.0", tier = #flow<tier host>, unit = -1 : i64}> {flow.element = f32} : () -> ()
  "flow.home"() <{bucket = "h.1.decay.1", buffer_class = "gradient", bytes = 262144 : i64, offset = 3350528 : i64, owner = -1 : i64, role = "gradient", sym_name = "h.1.decay.1.gradient.0", tier = #flow<tier host>, unit = -1 : i64}> {flow.element = f32} : () -> ()
  "flow.home"() <{bucket = "h.1.decay.2", buffer_class = "gradient", bytes = 262144 : i64, offset = 3612672 : i64, owner = -1 : i64, role = "gradient", sym_name = "h.1.decay.2.gradient.0", tier = #flow<tier host>, unit = -1 : i64}> {flow.element = f32} : () -> ()
  "flow.home"() <{bucket = "h.2.no_decay.0", buffer_class = "gradient", bytes = 4096 : i64, offset = 1396736 : i64, owner = -1 : i64, role = "gradient", sym_name = "h.2.no_decay.0.gradient.0", tier = #flow<tier device>, unit = -1 : i64}> {flow.element = f32} : () -> ()
  "flow.home"() <{bucket = "h.2.decay.0", buffer_class = "gradient", bytes = 262144 : i64, offset = 3874816 : i64, owner = -1 : i64, role = "gradient", sym_name = "h.2.decay.0.gradient.0", tier = #flow<tier host>, unit = -1 : i64}> {flow.element = f32} : () -> ()
  "flow.home"() <{bucket = "h.2.decay.1", buffer_class = "gradient", bytes = 262144 : i64, offset = 4136960 : i64, owner = -1 : i64, role = "gradient", sym_name = "h.2.decay.1.gradient.0", tier = #flow<tier host>, unit = -1 : i64}> {flow.element = f32} : () -> ()
  "flow.home"() <{bucket = "h.2.decay.2", buffer_class = "gradient", bytes = 262144 : i64, offset = 6438912 : i64, owner = -1 : i64, role = "gradient", sym_name = "h.2.decay.2.gradient.0", tier = #flow<tier nvme>, unit = -1 : i64}> {flow.element = f32} : () -> ()
  "flow.home"() <{bucket = "h.3.no_decay.0", buffer_class = "gradient", bytes = 4096 : i64, offset = 1400832 : i64, owner = -1 : i64, role = "gradient", sym_name = "h.3.no_decay.0.gradient.0", tier = #flow<tier device>, unit = -1 : i64}> {flow.element = f32} : () -> ()
  "flow.home"() <{bucket = "h.3.decay.0", buffer_class = "gradient", bytes = 262144 : i64, offset = 6701056 : i64, owner = -1 : i64, role = "gradient", sym_name = "h.3.decay.0.gradient.0", tier = #flow<tier nvme>, unit = -1 : i64}> {flow.element = f32} : () -> ()
  "flow.home"() <{bucket = "h.3.decay.1", buffer_class = "gradient", bytes = 262144 : i64, offset = 6963200 : i64, owner = -1 : i64, role = "gradient", sym_name = "h.3.decay.1.gradient.0", tier = #flow<tier nvme>, unit = -1 : i64}> {flow.element = f32} : () -> ()
  "flow.home"() <{bucket = "h.3.decay.2", buffer_class = "gradient", bytes = 262144 : i64, offset = 7225344 : i64, owner = -1 : i64, role = "gradient", sym_name = "h.3.decay.2.gradient.0", tier = #flow<tier nvme>, unit = -1 : i64}> {flow.element = f32} : () -> ()
  "flow.section"() <{sym_name = "evaluate"}> ({
    %1719 = "flow.use"() <{home = @scratch}> : () -> !flow.buffer<167936, device>
    %1720 = "flow.use"() <{home = @h.0.no_decay.0.parameter}> : () -> !flow.buffer<4096, device>
    %1721 = "flow.use"() <{home = @h.0.decay.0.parameter}> : () -> !flow.buffer<262144, device>
    %1722 = "flow.use"() <{home = @h.0.decay.1.parameter}> : () -> !flow.buffer<262144, device>
    %1723 = "flow.use"() <{home = @h.0.decay.2.parameter}> : () -> !flow.buffer<262144, device>
    %1724 = "flow.use"() <{home = @h.1.no_decay.0.parameter}> : () -> !flow.buffer<4096, device>
    %1725 = "flow.use"() <{home = @h.1.decay.0.parameter}> : () -> !flow.buffer<262144, device>
    %1726 = "flow.use"() <{home = @h.1.decay.1.parameter}> : () -> !flow.buffer<262144, host>
    %1727 = "flow.use"() <{home = @h.1.decay.2.parameter}> : () -> !flow.buffer<262144, host>
    %1728 = "flow.use"() <{home = @h.2.no_decay.0.parameter}> : () -> !flow.buffer<4096, device>
    %1729 = "flow.use"() <{home = @h.2.decay.0.parameter}> : () -> !flow.buffer<262144, host>
    %1730 = "flow.use"() <{home = @h.2.decay.1.parameter}> : () -> !flow.buffer<262144, host>
    %1731 = "flow.use"() <{home = @h.2.decay.2.parameter}> : () -> !flow.buffer<262144, host>
    %1732 = "flow.use"() <{home = @h.3.no_decay.0.parameter}> : () -> !flow.buffer<4096, device>
    %1733 = "flow.use"() <{home = @h.3.decay.0.parameter}> : () -> !flow.buffer<262144, host>
    %1734 = "flow.use"() <{home = @h.3.decay.1.parameter}> : () -> !flow.buffer<262144, host>
    %1735 = "flow.use"() <{home = @h.3.decay.2.parameter}> : () -> !flow.buffer<262144, host>
    %1736 = "flow.use"() <{home = @decay.1.parameter}> : () -> !flow.buffer<65536, device>
    %1737 = "flow.use"() <{home = @decay.0.parameter}> : () -> !flow.buffer<32768, device>
    %1738 = "flow.use"() <{home = @no_decay.0.parameter.u0}> : () -> !flow.buffer<4096, device>
    %1739 = "flow.alloc"() <{buffer_class = "feed", name = "tokens", offset = 4399104 : i64}> : () -> !flow.buffer<512, host>
    "flow.feed"(%1739) <{item = "tokens"}> {flow.end = 1000 : i64, flow.start = 0 : i64, origin = #flow.origin<"", "feed tokens", forward>} : (!flow.buffer<512, host>) -> ()
    %1740 = "flow.alloc"() <{buffer_class = "activation", name = "map", offset = 1929216 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1740) <{begin = 0 : i64, end = 1 : i64, kernel = @map_9f1402138c, operandSegmentSizes = array<i32: 0, 1, 0>}> {flow.end = 51 : i64, flow.start = 0 : i64, origin = #flow.origin<"", "map", forward>} : (!flow.buffer<512, device>) -> ()
    %1741 = "flow.alloc"() <{buffer_class = "gathered", name = "gather decay.1", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%1736, %1741) <{piece_bytes = array<i64: 65536>}> {flow.end = 26214 : i64, flow.start = 0 : i64, origin = #flow.origin<"", "gather decay.1", forward>} : (!flow.buffer<65536, device>, !flow.buffer<262144, device>) -> ()
    %1742 = "flow.alloc"() <{buffer_class = "feed", name = "tokens", offset = 1929728 : i64}> : () -> !flow.buffer<512, device>
    "flow.transfer"(%1739, %1742) <{kind = #flow<transfer_kind upload>}> {flow.end = 1051 : i64, flow.start = 1000 : i64, origin = #flow.origin<"", "upload tokens", forward>} : (!flow.buffer<512, host>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1739) : (!flow.buffer<512, host>) -> ()
    %1743 = "flow.alloc"() <{buffer_class = "activation", name = "embedding", offset = 1667072 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1741, %1742, %1743) <{begin = 0 : i64, end = 128 : i64, kernel = @embedding_0a19201301, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 52480 : i64, flow.start = 26214 : i64, origin = #flow.origin<"", "embedding", forward>} : (!flow.buffer<262144, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1742) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1741) : (!flow.buffer<262144, device>) -> ()
    %1744 = "flow.alloc"() <{buffer_class = "gathered", name = "gather decay.0", offset = 1798144 : i64}> : () -> !flow.buffer<131072, device>
    "flow.all_gather"(%1737, %1744) <{piece_bytes = array<i64: 32768>}> {flow.end = 39321 : i64, flow.start = 26214 : i64, origin = #flow.origin<"", "gather decay.0", forward>} : (!flow.buffer<32768, device>, !flow.buffer<131072, device>) -> ()
    %1745 = "flow.alloc"() <{buffer_class = "activation", name = "embedding", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1744, %1740, %1745) <{begin = 0 : i64, end = 128 : i64, kernel = @embedding_6db0201a46, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 78745 : i64, flow.start = 52480 : i64, origin = #flow.origin<"", "embedding", forward>} : (!flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1744) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1740) : (!flow.buffer<512, device>) -> ()
    %1746 = "flow.alloc"() <{buffer_class = "activation", name = "map", offset = 2846720 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1743, %1745, %1746) <{begin = 0 : i64, end = 128 : i64, kernel = @map_682b30d182, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 118067 : i64, flow.start = 78745 : i64, origin = #flow.origin<"", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1745) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1743) : (!flow.buffer<131072, device>) -> ()
    %1747 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather no_decay.0", offset = 3633152 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%1720, %1747) <{piece_bytes = array<i64: 3328>}> {flow.end = 40652 : i64, flow.start = 39321 : i64, origin = #flow.origin<"h.0", "gather no_decay.0", forward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %1748 = "flow.view"(%1747) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1749 = "flow.view"(%1747) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1750 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 2977792 : i64}> : () -> !flow.buffer<131072, device>
    %1751 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 2191360 : i64}> : () -> !flow.buffer<512, device>
    %1752 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 2191872 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1746, %1748, %1749, %1750, %1751, %1752) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 144588 : i64, flow.start = 118067 : i64, origin = #flow.origin<"h.0", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1752) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1751) : (!flow.buffer<512, device>) -> ()
    %1753 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.0", offset = 1404928 : i64}> : () -> !flow.buffer<786432, device>
    %1754 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.0", offset = 2584576 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%1721, %1753, %1754) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 145510 : i64, flow.start = 40652 : i64, origin = #flow.origin<"h.0", "gather decay.0", forward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    %1755 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 2191360 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1750, %1753, %1755, %1719) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 1152143 : i64, flow.start = 145510 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1753) : (!flow.buffer<786432, device>) -> ()
    "flow.release"(%1750) : (!flow.buffer<131072, device>) -> ()
    %1756 = "flow.view"(%1747) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %1757 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 1404928 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1755, %1756, %1757) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 1231093 : i64, flow.start = 1152143 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%1755) : (!flow.buffer<393216, device>) -> ()
    %1758 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 1798144 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1757, %1758) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 1283522 : i64, flow.start = 1231093 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1759 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 2060288 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1757, %1759) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 1335951 : i64, flow.start = 1283522 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1760 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 1929216 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1757, %1760) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 1388380 : i64, flow.start = 1335951 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1757) : (!flow.buffer<393216, device>) -> ()
    %1761 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1758, %1759, %1761, %1719) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 1556152 : i64, flow.start = 1388380 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1759) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1758) : (!flow.buffer<131072, device>) -> ()
    %1762 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.softmax", offset = 1667072 : i64}> : () -> !flow.buffer<262144, device>
    %1763 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.softmax", offset = 2060288 : i64}> : () -> !flow.buffer<2048, device>
    "flow.launch"(%1761, %1762, %1763) <{begin = 0 : i64, end = 4 : i64, kernel = @softmax_f2e1bf9b2d, operandSegmentSizes = array<i32: 1, 2, 0>}> {flow.end = 1672478 : i64, flow.start = 1556152 : i64, origin = #flow.origin<"h.0", "softmax", forward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%1763) : (!flow.buffer<2048, device>) -> ()
    "flow.release"(%1761) : (!flow.buffer<262144, device>) -> ()
    %1764 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1762, %1760, %1764, %1719) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 1840250 : i64, flow.start = 1672478 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1762) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1760) : (!flow.buffer<131072, device>) -> ()
    %1765 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 1536000 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1764, %1765) <{begin = 0 : i64, end = 1 : i64, kernel = @map_841b24dfba, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 1866465 : i64, flow.start = 1840250 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1764) : (!flow.buffer<131072, device>) -> ()
    %1766 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1765, %1754, %1766, %1719) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_7fee3cc53a, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 2202009 : i64, flow.start = 1866465 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1765) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1754) : (!flow.buffer<262144, device>) -> ()
    %1767 = "flow.view"(%1747) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1768 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 3502080 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1746, %1766, %1767, %1768) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 2241433 : i64, flow.start = 2202009 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1766) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1746) : (!flow.buffer<131072, device>) -> ()
    %1769 = "flow.view"(%1747) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1770 = "flow.view"(%1747) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1771 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 2977792 : i64}> : () -> !flow.buffer<131072, device>
    %1772 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 3108864 : i64}> : () -> !flow.buffer<512, device>
    %1773 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 3109376 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1768, %1769, %1770, %1771, %1772, %1773) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 2267955 : i64, flow.start = 2241433 : i64, origin = #flow.origin<"h.0", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1773) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1772) : (!flow.buffer<512, device>) -> ()
    %1774 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.1", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1722, %1774) <{piece_bytes = array<i64: 262144>}> {flow.end = 250368 : i64, flow.start = 145510 : i64, origin = #flow.origin<"h.0", "gather decay.1", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    %1775 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 2453504 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1771, %1774, %1775, %1719) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 3610132 : i64, flow.start = 2267955 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1774) : (!flow.buffer<1048576, device>) -> ()
    "flow.release"(%1771) : (!flow.buffer<131072, device>) -> ()
    %1776 = "flow.view"(%1747) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %1777 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 2977792 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1775, %1776, %1777) <{begin = 0 : i64, end = 128 : i64, kernel = @map_5b287d1780, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 3731374 : i64, flow.start = 3610132 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%1775) : (!flow.buffer<524288, device>) -> ()
    %1778 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.2", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1723, %1778) <{piece_bytes = array<i64: 262144>}> {flow.end = 355225 : i64, flow.start = 250368 : i64, origin = #flow.origin<"h.0", "gather decay.2", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    %1779 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 2453504 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1777, %1778, %1779, %1719) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_9fb005a893, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 5073551 : i64, flow.start = 3731374 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1778) : (!flow.buffer<1048576, device>) -> ()
    "flow.release"(%1777) : (!flow.buffer<524288, device>) -> ()
    %1780 = "flow.view"(%1747) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1781 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 3253248 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1768, %1779, %1780, %1781) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 5112975 : i64, flow.start = 5073551 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1779) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1768) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1747) : (!flow.buffer<13312, device>) -> ()
    %1782 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather no_decay.0", offset = 1798144 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%1724, %1782) <{piece_bytes = array<i64: 3328>}> {flow.end = 356556 : i64, flow.start = 355225 : i64, origin = #flow.origin<"h.1", "gather no_decay.0", forward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %1783 = "flow.view"(%1782) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1784 = "flow.view"(%1782) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1785 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    %1786 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 1536000 : i64}> : () -> !flow.buffer<512, device>
    %1787 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 1536512 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1781, %1783, %1784, %1785, %1786, %1787) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 5139496 : i64, flow.start = 5112975 : i64, origin = #flow.origin<"h.1", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1787) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1786) : (!flow.buffer<512, device>) -> ()
    %1788 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.0", offset = 1811456 : i64}> : () -> !flow.buffer<786432, device>
    %1789 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.0", offset = 2991104 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%1725, %1788, %1789) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 461414 : i64, flow.start = 356556 : i64, origin = #flow.origin<"h.1", "gather decay.0", forward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    %1790 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 2597888 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1785, %1788, %1790, %1719) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 6146129 : i64, flow.start = 5139496 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1788) : (!flow.buffer<786432, device>) -> ()
    "flow.release"(%1785) : (!flow.buffer<131072, device>) -> ()
    %1791 = "flow.view"(%1782) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %1792 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 1404928 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1790, %1791, %1792) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 6225080 : i64, flow.start = 6146129 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%1790) : (!flow.buffer<393216, device>) -> ()
    %1793 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 1811456 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1792, %1793) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 6277509 : i64, flow.start = 6225080 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1794 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 1942528 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1792, %1794) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 6329937 : i64, flow.start = 6277509 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1795 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 2073600 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1792, %1795) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 6382366 : i64, flow.start = 6329937 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1792) : (!flow.buffer<393216, device>) -> ()
    %1796 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1793, %1794, %1796, %1719) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 6550138 : i64, flow.start = 6382366 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1794) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1793) : (!flow.buffer<131072, device>) -> ()
    %1797 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.softmax", offset = 1811456 : i64}> : () -> !flow.buffer<262144, device>
    %1798 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.softmax", offset = 1667072 : i64}> : () -> !flow.buffer<2048, device>
    "flow.launch"(%1796, %1797, %1798) <{begin = 0 : i64, end = 4 : i64, kernel = @softmax_f2e1bf9b2d, operandSegmentSizes = array<i32: 1, 2, 0>}> {flow.end = 6666465 : i64, flow.start = 6550138 : i64, origin = #flow.origin<"h.1", "softmax", forward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%1798) : (!flow.buffer<2048, device>) -> ()
    "flow.release"(%1796) : (!flow.buffer<262144, device>) -> ()
    %1799 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1797, %1795, %1799, %1719) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 6834237 : i64, flow.start = 6666465 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1797) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1795) : (!flow.buffer<131072, device>) -> ()
    %1800 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 1536000 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1799, %1800) <{begin = 0 : i64, end = 1 : i64, kernel = @map_841b24dfba, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 6860451 : i64, flow.start = 6834237 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1799) : (!flow.buffer<131072, device>) -> ()
    %1801 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1800, %1789, %1801, %1719) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_7fee3cc53a, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 7195996 : i64, flow.start = 6860451 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1800) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1789) : (!flow.buffer<262144, device>) -> ()
    %1802 = "flow.view"(%1782) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1803 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 1667072 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1781, %1801, %1802, %1803) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 7235420 : i64, flow.start = 7195996 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1801) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1781) : (!flow.buffer<131072, device>) -> ()
    %1804 = "flow.view"(%1782) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1805 = "flow.view"(%1782) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1806 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 3384320 : i64}> : () -> !flow.buffer<131072, device>
    %1807 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 2860032 : i64}> : () -> !flow.buffer<512, device>
    %1808 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 2860544 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1803, %1804, %1805, %1806, %1807, %1808) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 7261941 : i64, flow.start = 7235420 : i64, origin = #flow.origin<"h.1", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1808) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1807) : (!flow.buffer<512, device>) -> ()
    %1809 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.1.parameter", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1726, %1809) <{kind = #flow<transfer_kind upload>}> {flow.end = 27265 : i64, flow.start = 1051 : i64, origin = #flow.origin<"h.1", "upload h.1.decay.1.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1810 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.1", offset = 1811456 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1809, %1810) <{piece_bytes = array<i64: 262144>}> {flow.end = 566272 : i64, flow.start = 461414 : i64, origin = #flow.origin<"h.1", "gather decay.1", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%1809) : (!flow.buffer<262144, device>) -> ()
    %1811 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 2860032 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1806, %1810, %1811, %1719) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 8604119 : i64, flow.start = 7261941 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1810) : (!flow.buffer<1048576, device>) -> ()
    "flow.release"(%1806) : (!flow.buffer<131072, device>) -> ()
    %1812 = "flow.view"(%1782) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %1813 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 3384320 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1811, %1812, %1813) <{begin = 0 : i64, end = 128 : i64, kernel = @map_5b287d1780, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 8725360 : i64, flow.start = 8604119 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%1811) : (!flow.buffer<524288, device>) -> ()
    %1814 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.2.parameter", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1727, %1814) <{kind = #flow<transfer_kind upload>}> {flow.end = 53480 : i64, flow.start = 27265 : i64, origin = #flow.origin<"h.1", "upload h.1.decay.2.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1815 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.2", offset = 1811456 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1814, %1815) <{piece_bytes = array<i64: 262144>}> {flow.end = 671129 : i64, flow.start = 566272 : i64, origin = #flow.origin<"h.1", "gather decay.2", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%1814) : (!flow.buffer<262144, device>) -> ()
    %1816 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1418240 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1813, %1815, %1816, %1719) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_9fb005a893, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 10067537 : i64, flow.start = 8725360 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1815) : (!flow.buffer<1048576, device>) -> ()
    "flow.release"(%1813) : (!flow.buffer<524288, device>) -> ()
    %1817 = "flow.view"(%1782) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1818 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 2860032 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1803, %1816, %1817, %1818) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 10106961 : i64, flow.start = 10067537 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1816) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1803) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1782) : (!flow.buffer<13312, device>) -> ()
    %1819 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather no_decay.0", offset = 1404928 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%1728, %1819) <{piece_bytes = array<i64: 3328>}> {flow.end = 672460 : i64, flow.start = 671129 : i64, origin = #flow.origin<"h.2", "gather no_decay.0", forward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %1820 = "flow.view"(%1819) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1821 = "flow.view"(%1819) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1822 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 2991104 : i64}> : () -> !flow.buffer<131072, device>
    %1823 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 2466816 : i64}> : () -> !flow.buffer<512, device>
    %1824 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 2467328 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1818, %1820, %1821, %1822, %1823, %1824) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 10133483 : i64, flow.start = 10106961 : i64, origin = #flow.origin<"h.2", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1824) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1823) : (!flow.buffer<512, device>) -> ()
    %1825 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.0.parameter", offset = 2204672 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1729, %1825) <{kind = #flow<transfer_kind upload>}> {flow.end = 79694 : i64, flow.start = 53480 : i64, origin = #flow.origin<"h.2", "upload h.2.decay.0.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1826 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.0", offset = 1418240 : i64}> : () -> !flow.buffer<786432, device>
    %1827 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.0", offset = 2597888 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%1825, %1826, %1827) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 777318 : i64, flow.start = 672460 : i64, origin = #flow.origin<"h.2", "gather decay.0", forward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1825) : (!flow.buffer<262144, device>) -> ()
    %1828 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 2204672 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1822, %1826, %1828, %1719) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 11140116 : i64, flow.start = 10133483 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1826) : (!flow.buffer<786432, device>) -> ()
    "flow.release"(%1822) : (!flow.buffer<131072, device>) -> ()
    %1829 = "flow.view"(%1819) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %1830 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 1418240 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1828, %1829, %1830) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 11219066 : i64, flow.start = 11140116 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%1828) : (!flow.buffer<393216, device>) -> ()
    %1831 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 1811456 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1830, %1831) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 11271495 : i64, flow.start = 11219066 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1832 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 2073600 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1830, %1832) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 11323924 : i64, flow.start = 11271495 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1833 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 1942528 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1830, %1833) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 11376353 : i64, flow.start = 11323924 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1830) : (!flow.buffer<393216, device>) -> ()
    %1834 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 1418240 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1831, %1832, %1834, %1719) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 11544125 : i64, flow.start = 11376353 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1832) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1831) : (!flow.buffer<131072, device>) -> ()
    %1835 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.softmax", offset = 1680384 : i64}> : () -> !flow.buffer<262144, device>
    %1836 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.softmax", offset = 2073600 : i64}> : () -> !flow.buffer<2048, device>
    "flow.launch"(%1834, %1835, %1836) <{begin = 0 : i64, end = 4 : i64, kernel = @softmax_f2e1bf9b2d, operandSegmentSizes = array<i32: 1, 2, 0>}> {flow.end = 11660451 : i64, flow.start = 11544125 : i64, origin = #flow.origin<"h.2", "softmax", forward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%1836) : (!flow.buffer<2048, device>) -> ()
    "flow.release"(%1834) : (!flow.buffer<262144, device>) -> ()
    %1837 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 1418240 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1835, %1833, %1837, %1719) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 11828224 : i64, flow.start = 11660451 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1835) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1833) : (!flow.buffer<131072, device>) -> ()
    %1838 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 1549312 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1837, %1838) <{begin = 0 : i64, end = 1 : i64, kernel = @map_841b24dfba, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 11854438 : i64, flow.start = 11828224 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1837) : (!flow.buffer<131072, device>) -> ()
    %1839 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 1418240 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1838, %1827, %1839, %1719) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_7fee3cc53a, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 12189982 : i64, flow.start = 11854438 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1838) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1827) : (!flow.buffer<262144, device>) -> ()
    %1840 = "flow.view"(%1819) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1841 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 3777536 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1818, %1839, %1840, %1841) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 12229406 : i64, flow.start = 12189982 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1839) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1818) : (!flow.buffer<131072, device>) -> ()
    %1842 = "flow.view"(%1819) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1843 = "flow.view"(%1819) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1844 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 2991104 : i64}> : () -> !flow.buffer<131072, device>
    %1845 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 2728960 : i64}> : () -> !flow.buffer<512, device>
    %1846 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 2729472 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1841, %1842, %1843, %1844, %1845, %1846) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 12255928 : i64, flow.start = 12229406 : i64, origin = #flow.origin<"h.2", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1846) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1845) : (!flow.buffer<512, device>) -> ()
    %1847 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.1.parameter", offset = 2466816 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1730, %1847) <{kind = #flow<transfer_kind upload>}> {flow.end = 105908 : i64, flow.start = 79694 : i64, origin = #flow.origin<"h.2", "upload h.2.decay.1.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1848 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.1", offset = 1418240 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1847, %1848) <{piece_bytes = array<i64: 262144>}> {flow.end = 882175 : i64, flow.start = 777318 : i64, origin = #flow.origin<"h.2", "gather decay.1", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%1847) : (!flow.buffer<262144, device>) -> ()
    %1849 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 2466816 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1844, %1848, %1849, %1719) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 13598105 : i64, flow.start = 12255928 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1848) : (!flow.buffer<1048576, device>) -> ()
    "flow.release"(%1844) : (!flow.buffer<131072, device>) -> ()
    %1850 = "flow.view"(%1819) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %1851 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 2991104 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1849, %1850, %1851) <{begin = 0 : i64, end = 128 : i64, kernel = @map_5b287d1780, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 13719347 : i64, flow.start = 13598105 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%1849) : (!flow.buffer<524288, device>) -> ()
    %1852 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.2.parameter", offset = 3515392 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1731, %1852) <{kind = #flow<transfer_kind upload>}> {flow.end = 132123 : i64, flow.start = 105908 : i64, origin = #flow.origin<"h.2", "upload h.2.decay.2.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1853 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.2", offset = 1418240 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1852, %1853) <{piece_bytes = array<i64: 262144>}> {flow.end = 987033 : i64, flow.start = 882175 : i64, origin = #flow.origin<"h.2", "gather decay.2", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%1852) : (!flow.buffer<262144, device>) -> ()
    %1854 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 3515392 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1851, %1853, %1854, %1719) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_9fb005a893, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 15061524 : i64, flow.start = 13719347 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1853) : (!flow.buffer<1048576, device>) -> ()
    "flow.release"(%1851) : (!flow.buffer<524288, device>) -> ()
    %1855 = "flow.view"(%1819) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1856 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 3253248 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1841, %1854, %1855, %1856) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 15100948 : i64, flow.start = 15061524 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1854) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1841) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1819) : (!flow.buffer<13312, device>) -> ()
    %1857 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather no_decay.0", offset = 1798144 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%1732, %1857) <{piece_bytes = array<i64: 3328>}> {flow.end = 988364 : i64, flow.start = 987033 : i64, origin = #flow.origin<"h.3", "gather no_decay.0", forward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %1858 = "flow.view"(%1857) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1859 = "flow.view"(%1857) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1860 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 1667072 : i64}> : () -> !flow.buffer<131072, device>
    %1861 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 2597888 : i64}> : () -> !flow.buffer<512, device>
    %1862 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 2598400 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1856, %1858, %1859, %1860, %1861, %1862) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 15127470 : i64, flow.start = 15100948 : i64, origin = #flow.origin<"h.3", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1862) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1861) : (!flow.buffer<512, device>) -> ()
    %1863 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.0.parameter", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1733, %1863) <{kind = #flow<transfer_kind upload>}> {flow.end = 158337 : i64, flow.start = 132123 : i64, origin = #flow.origin<"h.3", "upload h.3.decay.0.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1864 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.0", offset = 1811456 : i64}> : () -> !flow.buffer<786432, device>
    %1865 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.0", offset = 2991104 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%1863, %1864, %1865) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 1093222 : i64, flow.start = 988364 : i64, origin = #flow.origin<"h.3", "gather decay.0", forward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1863) : (!flow.buffer<262144, device>) -> ()
    %1866 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 2597888 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1860, %1864, %1866, %1719) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 16134103 : i64, flow.start = 15127470 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1864) : (!flow.buffer<786432, device>) -> ()
    "flow.release"(%1860) : (!flow.buffer<131072, device>) -> ()
    %1867 = "flow.view"(%1857) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %1868 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 1404928 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1866, %1867, %1868) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 16213053 : i64, flow.start = 16134103 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%1866) : (!flow.buffer<393216, device>) -> ()
    %1869 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 1811456 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1868, %1869) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 16265482 : i64, flow.start = 16213053 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1870 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 1942528 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1868, %1870) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 16317911 : i64, flow.start = 16265482 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1871 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 2073600 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1868, %1871) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 16370339 : i64, flow.start = 16317911 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1868) : (!flow.buffer<393216, device>) -> ()
    %1872 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1869, %1870, %1872, %1719) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 16538112 : i64, flow.start = 16370339 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1870) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1869) : (!flow.buffer<131072, device>) -> ()
    %1873 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.softmax", offset = 1811456 : i64}> : () -> !flow.buffer<262144, device>
    %1874 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.softmax", offset = 1667072 : i64}> : () -> !flow.buffer<2048, device>
    "flow.launch"(%1872, %1873, %1874) <{begin = 0 : i64, end = 4 : i64, kernel = @softmax_f2e1bf9b2d, operandSegmentSizes = array<i32: 1, 2, 0>}> {flow.end = 16654438 : i64, flow.start = 16538112 : i64, origin = #flow.origin<"h.3", "softmax", forward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%1874) : (!flow.buffer<2048, device>) -> ()
    "flow.release"(%1872) : (!flow.buffer<262144, device>) -> ()
    %1875 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1873, %1871, %1875, %1719) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 16822210 : i64, flow.start = 16654438 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1873) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1871) : (!flow.buffer<131072, device>) -> ()
    %1876 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 1536000 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1875, %1876) <{begin = 0 : i64, end = 1 : i64, kernel = @map_841b24dfba, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 16848424 : i64, flow.start = 16822210 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1875) : (!flow.buffer<131072, device>) -> ()
    %1877 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1876, %1865, %1877, %1719) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_7fee3cc53a, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 17183969 : i64, flow.start = 16848424 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1876) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1865) : (!flow.buffer<262144, device>) -> ()
    %1878 = "flow.view"(%1857) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1879 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 1667072 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1856, %1877, %1878, %1879) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 17223393 : i64, flow.start = 17183969 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1877) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1856) : (!flow.buffer<131072, device>) -> ()
    %1880 = "flow.view"(%1857) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1881 = "flow.view"(%1857) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1882 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 3384320 : i64}> : () -> !flow.buffer<131072, device>
    %1883 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 2860032 : i64}> : () -> !flow.buffer<512, device>
    %1884 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 2860544 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1879, %1880, %1881, %1882, %1883, %1884) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 17249914 : i64, flow.start = 17223393 : i64, origin = #flow.origin<"h.3", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1884) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1883) : (!flow.buffer<512, device>) -> ()
    %1885 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.1.parameter", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1734, %1885) <{kind = #flow<transfer_kind upload>}> {flow.end = 184552 : i64, flow.start = 158337 : i64, origin = #flow.origin<"h.3", "upload h.3.decay.1.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1886 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.1", offset = 1811456 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1885, %1886) <{piece_bytes = array<i64: 262144>}> {flow.end = 1198080 : i64, flow.start = 1093222 : i64, origin = #flow.origin<"h.3", "gather decay.1", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%1885) : (!flow.buffer<262144, device>) -> ()
    %1887 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 2860032 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1882, %1886, %1887, %1719) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 18592092 : i64, flow.start = 17249914 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1886) : (!flow.buffer<1048576, device>) -> ()
    "flow.release"(%1882) : (!flow.buffer<131072, device>) -> ()
    %1888 = "flow.view"(%1857) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %1889 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 3384320 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1887, %1888, %1889) <{begin = 0 : i64, end = 128 : i64, kernel = @map_5b287d1780, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 18713333 : i64, flow.start = 18592092 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%1887) : (!flow.buffer<524288, device>) -> ()
    %1890 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.2.parameter", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1735, %1890) <{kind = #flow<transfer_kind upload>}> {flow.end = 210766 : i64, flow.start = 184552 : i64, origin = #flow.origin<"h.3", "upload h.3.decay.2.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1891 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.2", offset = 1811456 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1890, %1891) <{piece_bytes = array<i64: 262144>}> {flow.end = 1302937 : i64, flow.start = 1198080 : i64, origin = #flow.origin<"h.3", "gather decay.2", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%1890) : (!flow.buffer<262144, device>) -> ()
    %1892 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1889, %1891, %1892, %1719) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_9fb005a893, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 20055511 : i64, flow.start = 18713333 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1891) : (!flow.buffer<1048576, device>) -> ()
    "flow.release"(%1889) : (!flow.buffer<524288, device>) -> ()
    %1893 = "flow.view"(%1857) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1894 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 1811456 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1879, %1892, %1893, %1894) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 20094935 : i64, flow.start = 20055511 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1892) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1879) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1857) : (!flow.buffer<13312, device>) -> ()
    %1895 = "flow.view"(%1738) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<2048, device>
    %1896 = "flow.view"(%1895) <{offset = 1024 : i64, stride = 0 : i64}> : (!flow.buffer<2048, device>) -> !flow.buffer<1024, device>
    %1897 = "flow.view"(%1895) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<2048, device>) -> !flow.buffer<1024, device>
    %1898 = "flow.alloc"() <{buffer_class = "activation", name = "layer_norm", offset = 1667072 : i64}> : () -> !flow.buffer<131072, device>
    %1899 = "flow.alloc"() <{buffer_class = "activation", name = "layer_norm", offset = 1798144 : i64}> : () -> !flow.buffer<512, device>
    %1900 = "flow.alloc"() <{buffer_class = "activation", name = "layer_norm", offset = 1798656 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1894, %1896, %1897, %1898, %1899, %1900) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 20121456 : i64, flow.start = 20094935 : i64, origin = #flow.origin<"", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1900) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1899) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1894) : (!flow.buffer<131072, device>) -> ()
    %1901 = "flow.alloc"() <{buffer_class = "gathered", name = "gather decay.1", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%1736, %1901) <{piece_bytes = array<i64: 65536>}> {flow.end = 1329152 : i64, flow.start = 1302937 : i64, origin = #flow.origin<"", "gather decay.1", forward>} : (!flow.buffer<65536, device>, !flow.buffer<262144, device>) -> ()
    %1902 = "flow.alloc"() <{buffer_class = "activation", name = "matmul", offset = 1798144 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1898, %1901, %1902, %1719) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_4302769c28, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 20457000 : i64, flow.start = 20121456 : i64, origin = #flow.origin<"", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1901) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1898) : (!flow.buffer<131072, device>) -> ()
    %1903 = "flow.alloc"() <{buffer_class = "feed", name = "labels", offset = 4399104 : i64}> : () -> !flow.buffer<512, host>
    "flow.feed"(%1903) <{item = "labels"}> {flow.end = 2000 : i64, flow.start = 1000 : i64, origin = #flow.origin<"", "feed labels", forward>} : (!flow.buffer<512, host>) -> ()
    %1904 = "flow.alloc"() <{buffer_class = "feed", name = "labels", offset = 1929216 : i64}> : () -> !flow.buffer<512, device>
    "flow.transfer"(%1903, %1904) <{kind = #flow<transfer_kind upload>}> {flow.end = 210817 : i64, flow.start = 210766 : i64, origin = #flow.origin<"", "upload labels", forward>} : (!flow.buffer<512, host>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1903) : (!flow.buffer<512, host>) -> ()
    %1905 = "flow.alloc"() <{buffer_class = "activation", name = "cross_entropy", offset = 1404928 : i64}> : () -> !flow.buffer<512, device>
    %1906 = "flow.alloc"() <{buffer_class = "activation", name = "cross_entropy", offset = 1405440 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1902, %1904, %1905, %1906) <{begin = 0 : i64, end = 128 : i64, kernel = @cross_entropy_7d6873a198, operandSegmentSizes = array<i32: 2, 2, 0>}> {flow.end = 20484853 : i64, flow.start = 20457000 : i64, origin = #flow.origin<"", "cross_entropy", forward>} : (!flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1906) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1904) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1902) : (!flow.buffer<131072, device>) -> ()
    %1907 = "flow.alloc"() <{buffer_class = "activation", name = "reduce", offset = 1405440 : i64}> : () -> !flow.buffer<4, device>
    "flow.launch"(%1905, %1907) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_b0a0c4e601, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 20484905 : i64, flow.start = 20484853 : i64, origin = #flow.origin<"", "reduce", forward>} : (!flow.buffer<512, device>, !flow.buffer<4, device>) -> ()
    "flow.release"(%1905) : (!flow.buffer<512, device>) -> ()
    %1908 = "flow.alloc"() <{buffer_class = "feed", name = "loss", offset = 4399104 : i64}> : () -> !flow.buffer<4, host>
    "flow.transfer"(%1907, %1908) <{kind = #flow<transfer_kind offload>}> {flow.end = 20484905 : i64, flow.start = 20484905 : i64, origin = #flow.origin<"", "report loss", forward>} : (!flow.buffer<4, device>, !flow.buffer<4, host>) -> ()
    "flow.release"(%1907) : (!flow.buffer<4, device>) -> ()
    "flow.report"(%1908) <{item = "loss"}> {flow.end = 20485905 : i64, flow.start = 20484905 : i64, origin = #flow.origin<"", "report loss", forward>} : (!flow.buffer<4, host>) -> ()
    "flow.release"(%1908) : (!flow.buffer<4, host>) -> ()
  }) : () -> ()
  "flow.section"() <{sym_name = "first"}> ({
    %1205 = "flow.use"() <{home = @scratch}> : () -> !flow.buffer<167936, device>
    %1206 = "flow.use"() <{home = @h.0.no_decay.0.parameter}> : () -> !flow.buffer<4096, device>
    %1207 = "flow.use"() <{home = @h.0.decay.0.parameter}> : () -> !flow.buffer<262144, device>
    %1208 = "flow.use"() <{home = @h.0.decay.1.parameter}> : () -> !flow.buffer<262144, device>
    %1209 = "flow.use"() <{home = @h.0.decay.2.parameter}> : () -> !flow.buffer<262144, device>
    %1210 = "flow.use"() <{home = @h.1.no_decay.0.parameter}> : () -> !flow.buffer<4096, device>
    %1211 = "flow.use"() <{home = @h.1.decay.0.parameter}> : () -> !flow.buffer<262144, device>
    %1212 = "flow.use"() <{home = @h.1.decay.1.parameter}> : () -> !flow.buffer<262144, host>
    %1213 = "flow.use"() <{home = @h.1.decay.2.parameter}> : () -> !flow.buffer<262144, host>
    %1214 = "flow.use"() <{home = @h.2.no_decay.0.parameter}> : () -> !flow.buffer<4096, device>
    %1215 = "flow.use"() <{home = @h.2.decay.0.parameter}> : () -> !flow.buffer<262144, host>
    %1216 = "flow.use"() <{home = @h.2.decay.1.parameter}> : () -> !flow.buffer<262144, host>
    %1217 = "flow.use"() <{home = @h.2.decay.2.parameter}> : () -> !flow.buffer<262144, host>
    %1218 = "flow.use"() <{home = @h.3.no_decay.0.parameter}> : () -> !flow.buffer<4096, device>
    %1219 = "flow.use"() <{home = @h.3.decay.0.parameter}> : () -> !flow.buffer<262144, host>
    %1220 = "flow.use"() <{home = @h.3.decay.1.parameter}> : () -> !flow.buffer<262144, host>
    %1221 = "flow.use"() <{home = @h.3.decay.2.parameter}> : () -> !flow.buffer<262144, host>
    %1222 = "flow.use"() <{home = @decay.1.parameter}> : () -> !flow.buffer<65536, device>
    %1223 = "flow.use"() <{home = @decay.0.parameter}> : () -> !flow.buffer<32768, device>
    %1224 = "flow.use"() <{home = @no_decay.0.parameter.u0}> : () -> !flow.buffer<4096, device>
    %1225 = "flow.use"() <{home = @h.3.decay.2.gradient.0}> : () -> !flow.buffer<262144, nvme>
    %1226 = "flow.use"() <{home = @h.3.decay.1.gradient.0}> : () -> !flow.buffer<262144, nvme>
    %1227 = "flow.use"() <{home = @h.3.decay.0.gradient.0}> : () -> !flow.buffer<262144, nvme>
    %1228 = "flow.use"() <{home = @h.3.no_decay.0.gradient.0}> : () -> !flow.buffer<4096, device>
    %1229 = "flow.use"() <{home = @h.2.decay.2.gradient.0}> : () -> !flow.buffer<262144, nvme>
    %1230 = "flow.use"() <{home = @h.2.decay.1.gradient.0}> : () -> !flow.buffer<262144, host>
    %1231 = "flow.use"() <{home = @h.2.decay.0.gradient.0}> : () -> !flow.buffer<262144, host>
    %1232 = "flow.use"() <{home = @h.2.no_decay.0.gradient.0}> : () -> !flow.buffer<4096, device>
    %1233 = "flow.use"() <{home = @h.1.decay.2.gradient.0}> : () -> !flow.buffer<262144, host>
    %1234 = "flow.use"() <{home = @h.1.decay.1.gradient.0}> : () -> !flow.buffer<262144, host>
    %1235 = "flow.use"() <{home = @h.1.decay.0.gradient.0}> : () -> !flow.buffer<262144, host>
    %1236 = "flow.use"() <{home = @h.1.no_decay.0.gradient.0}> : () -> !flow.buffer<4096, device>
    %1237 = "flow.use"() <{home = @h.0.decay.2.gradient.0}> : () -> !flow.buffer<262144, host>
    %1238 = "flow.use"() <{home = @h.0.decay.1.gradient.0}> : () -> !flow.buffer<262144, host>
    %1239 = "flow.use"() <{home = @h.0.decay.0.gradient.0}> : () -> !flow.buffer<262144, host>
    %1240 = "flow.use"() <{home = @h.0.no_decay.0.gradient.0}> : () -> !flow.buffer<4096, device>
    %1241 = "flow.use"() <{home = @decay.1.gradient.1}> : () -> !flow.buffer<65536, host>
    %1242 = "flow.use"() <{home = @decay.1.gradient.0}> : () -> !flow.buffer<65536, host>
    %1243 = "flow.use"() <{home = @decay.0.gradient.0}> : () -> !flow.buffer<32768, device>
    %1244 = "flow.use"() <{home = @no_decay.0.gradient.0}> : () -> !flow.buffer<4096, device>
    %1245 = "flow.alloc"() <{buffer_class = "feed", name = "loss_seed", offset = 5719552 : i64}> : () -> !flow.buffer<4, host>
    "flow.feed"(%1245) <{item = "loss_seed"}> {flow.end = 1000 : i64, flow.start = 0 : i64, origin = #flow.origin<"", "feed loss_seed", forward>} : (!flow.buffer<4, host>) -> ()
    %1246 = "flow.alloc"() <{buffer_class = "activation", name = "map", offset = 1975296 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1246) <{begin = 0 : i64, end = 1 : i64, kernel = @map_9f1402138c, operandSegmentSizes = array<i32: 0, 1, 0>}> {flow.end = 51 : i64, flow.start = 0 : i64, origin = #flow.origin<"", "map", forward>} : (!flow.buffer<512, device>) -> ()
    %1247 = "flow.alloc"() <{buffer_class = "gathered", name = "gather decay.1", offset = 1667072 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%1222, %1247) <{piece_bytes = array<i64: 65536>}> {flow.end = 26214 : i64, flow.start = 0 : i64, origin = #flow.origin<"", "gather decay.1", forward>} : (!flow.buffer<65536, device>, !flow.buffer<262144, device>) -> ()
    %1248 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.1.parameter", offset = 5908480 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1212, %1248) <{kind = #flow<transfer_kind upload>}> {flow.end = 26214 : i64, flow.start = 0 : i64, origin = #flow.origin<"h.1", "upload h.1.decay.1.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1249 = "flow.alloc"() <{buffer_class = "feed", name = "tokens", offset = 4399104 : i64}> : () -> !flow.buffer<512, host>
    "flow.feed"(%1249) <{item = "tokens"}> {flow.end = 2000 : i64, flow.start = 1000 : i64, origin = #flow.origin<"", "feed tokens", forward>} : (!flow.buffer<512, host>) -> ()
    %1250 = "flow.alloc"() <{buffer_class = "feed", name = "labels", offset = 5718016 : i64}> : () -> !flow.buffer<512, host>
    "flow.feed"(%1250) <{item = "labels"}> {flow.end = 3000 : i64, flow.start = 2000 : i64, origin = #flow.origin<"", "feed labels", forward>} : (!flow.buffer<512, host>) -> ()
    %1251 = "flow.alloc"() <{buffer_class = "feed", name = "tokens", offset = 1975808 : i64}> : () -> !flow.buffer<512, device>
    "flow.transfer"(%1249, %1251) <{kind = #flow<transfer_kind upload>}> {flow.end = 26265 : i64, flow.start = 26214 : i64, origin = #flow.origin<"", "upload tokens", forward>} : (!flow.buffer<512, host>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1249) : (!flow.buffer<512, host>) -> ()
    %1252 = "flow.alloc"() <{buffer_class = "gathered", name = "gather decay.0", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.all_gather"(%1223, %1252) <{piece_bytes = array<i64: 32768>}> {flow.end = 39321 : i64, flow.start = 26214 : i64, origin = #flow.origin<"", "gather decay.0", forward>} : (!flow.buffer<32768, device>, !flow.buffer<131072, device>) -> ()
    %1253 = "flow.alloc"() <{buffer_class = "activation", name = "embedding", offset = 1536000 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1247, %1251, %1253) <{begin = 0 : i64, end = 128 : i64, kernel = @embedding_0a19201301, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 52531 : i64, flow.start = 26265 : i64, origin = #flow.origin<"", "embedding", forward>} : (!flow.buffer<262144, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1247) : (!flow.buffer<262144, device>) -> ()
    %1254 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.2.parameter", offset = 6170624 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1213, %1254) <{kind = #flow<transfer_kind upload>}> {flow.end = 52480 : i64, flow.start = 26265 : i64, origin = #flow.origin<"h.1", "upload h.1.decay.2.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1255 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather no_decay.0", offset = 1929216 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%1206, %1255) <{piece_bytes = array<i64: 3328>}> {flow.end = 40652 : i64, flow.start = 39321 : i64, origin = #flow.origin<"h.0", "gather no_decay.0", forward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %1256 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.0", offset = 4073472 : i64}> : () -> !flow.buffer<786432, device>
    %1257 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.0", offset = 4859904 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%1207, %1256, %1257) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 145510 : i64, flow.start = 40652 : i64, origin = #flow.origin<"h.0", "gather decay.0", forward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    %1258 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.0.parameter", offset = 6432768 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1215, %1258) <{kind = #flow<transfer_kind upload>}> {flow.end = 78694 : i64, flow.start = 52480 : i64, origin = #flow.origin<"h.2", "upload h.2.decay.0.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1259 = "flow.alloc"() <{buffer_class = "activation", name = "embedding", offset = 1667072 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1252, %1246, %1259) <{begin = 0 : i64, end = 128 : i64, kernel = @embedding_6db0201a46, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 78796 : i64, flow.start = 52531 : i64, origin = #flow.origin<"", "embedding", forward>} : (!flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1252) : (!flow.buffer<131072, device>) -> ()
    %1260 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.1.parameter", offset = 6694912 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1216, %1260) <{kind = #flow<transfer_kind upload>}> {flow.end = 104908 : i64, flow.start = 78694 : i64, origin = #flow.origin<"h.2", "upload h.2.decay.1.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1261 = "flow.alloc"() <{buffer_class = "checkpoint", name = "map", offset = 1798144 : i64}> {checkpoint_home = #flow<tier host>} : () -> !flow.buffer<131072, device>
    "flow.launch"(%1253, %1259, %1261) <{begin = 0 : i64, end = 128 : i64, kernel = @map_682b30d182, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 118118 : i64, flow.start = 78796 : i64, origin = #flow.origin<"", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1259) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1253) : (!flow.buffer<131072, device>) -> ()
    %1262 = "flow.alloc"() <{buffer_class = "checkpoint", name = "map", offset = 4661248 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%1261, %1262) <{kind = #flow<transfer_kind offload>}> {flow.end = 131225 : i64, flow.start = 118118 : i64, origin = #flow.origin<"", "offload map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    %1263 = "flow.view"(%1255) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1264 = "flow.view"(%1255) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1265 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.layer_norm", offset = 7219200 : i64}> {checkpoint_home = #flow<tier host>} : () -> !flow.buffer<131072, device>
    %1266 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.layer_norm", offset = 1404928 : i64}> {checkpoint_home = #flow<tier host>} : () -> !flow.buffer<512, device>
    %1267 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.layer_norm", offset = 1405440 : i64}> {checkpoint_home = #flow<tier host>} : () -> !flow.buffer<512, device>
    "flow.launch"(%1261, %1263, %1264, %1265, %1266, %1267) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 144640 : i64, flow.start = 118118 : i64, origin = #flow.origin<"h.0", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %1268 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.layer_norm", offset = 5728256 : i64}> : () -> !flow.buffer<512, host>
    "flow.transfer"(%1267, %1268) <{kind = #flow<transfer_kind offload>}> {flow.end = 144691 : i64, flow.start = 144640 : i64, origin = #flow.origin<"h.0", "offload h.0.layer_norm", forward>} : (!flow.buffer<512, device>, !flow.buffer<512, host>) -> ()
    "flow.release"(%1267) : (!flow.buffer<512, device>) -> ()
    %1269 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.layer_norm", offset = 5728768 : i64}> : () -> !flow.buffer<512, host>
    "flow.transfer"(%1266, %1269) <{kind = #flow<transfer_kind offload>}> {flow.end = 144742 : i64, flow.start = 144691 : i64, origin = #flow.origin<"h.0", "offload h.0.layer_norm", forward>} : (!flow.buffer<512, device>, !flow.buffer<512, host>) -> ()
    "flow.release"(%1266) : (!flow.buffer<512, device>) -> ()
    %1270 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.layer_norm", offset = 4923392 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%1265, %1270) <{kind = #flow<transfer_kind offload>}> {flow.end = 157849 : i64, flow.start = 144742 : i64, origin = #flow.origin<"h.0", "offload h.0.layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    %1271 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1265, %1256, %1271, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 1152143 : i64, flow.start = 145510 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1265) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1256) : (!flow.buffer<786432, device>) -> ()
    %1272 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.1", offset = 1976320 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1208, %1272) <{piece_bytes = array<i64: 262144>}> {flow.end = 250368 : i64, flow.start = 145510 : i64, origin = #flow.origin<"h.0", "gather decay.1", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    %1273 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.2", offset = 3024896 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1209, %1273) <{piece_bytes = array<i64: 262144>}> {flow.end = 355225 : i64, flow.start = 250368 : i64, origin = #flow.origin<"h.0", "gather decay.2", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    %1274 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather no_decay.0", offset = 1942528 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%1210, %1274) <{piece_bytes = array<i64: 3328>}> {flow.end = 356556 : i64, flow.start = 355225 : i64, origin = #flow.origin<"h.1", "gather no_decay.0", forward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %1275 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.0", offset = 5122048 : i64}> : () -> !flow.buffer<786432, device>
    %1276 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.0", offset = 6957056 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%1211, %1275, %1276) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 461414 : i64, flow.start = 356556 : i64, origin = #flow.origin<"h.1", "gather decay.0", forward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    %1277 = "flow.view"(%1255) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %1278 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 4073472 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1271, %1277, %1278) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 1231093 : i64, flow.start = 1152143 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%1271) : (!flow.buffer<393216, device>) -> ()
    %1279 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1278, %1279) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 1283522 : i64, flow.start = 1231093 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1280 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 1536000 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1278, %1280) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 1335951 : i64, flow.start = 1283522 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1281 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 1667072 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1278, %1281) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 1388380 : i64, flow.start = 1335951 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1278) : (!flow.buffer<393216, device>) -> ()
    %1282 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 4073472 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1279, %1280, %1282, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 1556152 : i64, flow.start = 1388380 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1280) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1279) : (!flow.buffer<131072, device>) -> ()
    %1283 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.softmax", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    %1284 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.softmax", offset = 1969152 : i64}> {checkpoint_home = #flow<tier device>} : () -> !flow.buffer<2048, device>
    "flow.launch"(%1282, %1283, %1284) <{begin = 0 : i64, end = 4 : i64, kernel = @softmax_f2e1bf9b2d, operandSegmentSizes = array<i32: 1, 2, 0>}> {flow.end = 1672478 : i64, flow.start = 1556152 : i64, origin = #flow.origin<"h.0", "softmax", forward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%1282) : (!flow.buffer<262144, device>) -> ()
    %1285 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 4073472 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1283, %1281, %1285, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 1840250 : i64, flow.start = 1672478 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1283) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1281) : (!flow.buffer<131072, device>) -> ()
    %1286 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.map", offset = 1404928 : i64}> {checkpoint_home = #flow<tier host>} : () -> !flow.buffer<131072, device>
    "flow.launch"(%1285, %1286) <{begin = 0 : i64, end = 1 : i64, kernel = @map_841b24dfba, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 1866465 : i64, flow.start = 1840250 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1285) : (!flow.buffer<131072, device>) -> ()
    %1287 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.map", offset = 4792320 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%1286, %1287) <{kind = #flow<transfer_kind offload>}> {flow.end = 1879572 : i64, flow.start = 1866465 : i64, origin = #flow.origin<"h.0", "offload h.0.map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    %1288 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1536000 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1286, %1257, %1288, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_7fee3cc53a, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 2202009 : i64, flow.start = 1866465 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1286) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1257) : (!flow.buffer<262144, device>) -> ()
    %1289 = "flow.view"(%1255) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1290 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.map", offset = 7219200 : i64}> {checkpoint_home = #flow<tier host>} : () -> !flow.buffer<131072, device>
    "flow.launch"(%1261, %1288, %1289, %1290) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 2241433 : i64, flow.start = 2202009 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1288) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1261) : (!flow.buffer<131072, device>) -> ()
    %1291 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.map", offset = 5054464 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%1290, %1291) <{kind = #flow<transfer_kind offload>}> {flow.end = 2254540 : i64, flow.start = 2241433 : i64, origin = #flow.origin<"h.0", "offload h.0.map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    %1292 = "flow.view"(%1255) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1293 = "flow.view"(%1255) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1294 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 7350272 : i64}> : () -> !flow.buffer<131072, device>
    %1295 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 1404928 : i64}> : () -> !flow.buffer<512, device>
    %1296 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 1405440 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1290, %1292, %1293, %1294, %1295, %1296) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 2267955 : i64, flow.start = 2241433 : i64, origin = #flow.origin<"h.0", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1296) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1295) : (!flow.buffer<512, device>) -> ()
    %1297 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1294, %1272, %1297, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 3610132 : i64, flow.start = 2267955 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1294) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1272) : (!flow.buffer<1048576, device>) -> ()
    %1298 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.1", offset = 4073472 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1248, %1298) <{piece_bytes = array<i64: 262144>}> {flow.end = 566272 : i64, flow.start = 461414 : i64, origin = #flow.origin<"h.1", "gather decay.1", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%1248) : (!flow.buffer<262144, device>) -> ()
    %1299 = "flow.view"(%1255) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %1300 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 7350272 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1297, %1299, %1300) <{begin = 0 : i64, end = 128 : i64, kernel = @map_5b287d1780, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 3731374 : i64, flow.start = 3610132 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%1297) : (!flow.buffer<524288, device>) -> ()
    %1301 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1300, %1273, %1301, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_9fb005a893, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 5073551 : i64, flow.start = 3731374 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1300) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%1273) : (!flow.buffer<1048576, device>) -> ()
    %1302 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.2", offset = 1976320 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1254, %1302) <{piece_bytes = array<i64: 262144>}> {flow.end = 671129 : i64, flow.start = 566272 : i64, origin = #flow.origin<"h.1", "gather decay.2", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%1254) : (!flow.buffer<262144, device>) -> ()
    %1303 = "flow.view"(%1255) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1304 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.map", offset = 1798144 : i64}> {checkpoint_home = #flow<tier host>} : () -> !flow.buffer<131072, device>
    "flow.launch"(%1290, %1301, %1303, %1304) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 5112975 : i64, flow.start = 5073551 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1301) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1290) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1255) : (!flow.buffer<13312, device>) -> ()
    %1305 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.map", offset = 5185536 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%1304, %1305) <{kind = #flow<transfer_kind offload>}> {flow.end = 5126082 : i64, flow.start = 5112975 : i64, origin = #flow.origin<"h.0", "offload h.0.map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    %1306 = "flow.view"(%1274) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1307 = "flow.view"(%1274) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1308 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 5908480 : i64}> {checkpoint_home = #flow<tier nvme>} : () -> !flow.buffer<131072, device>
    %1309 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 1955840 : i64}> {checkpoint_home = #flow<tier nvme>} : () -> !flow.buffer<512, device>
    %1310 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 1956352 : i64}> {checkpoint_home = #flow<tier nvme>} : () -> !flow.buffer<512, device>
    "flow.launch"(%1304, %1306, %1307, %1308, %1309, %1310) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 5139496 : i64, flow.start = 5112975 : i64, origin = #flow.origin<"h.1", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %1311 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather no_decay.0", offset = 1929216 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%1214, %1311) <{piece_bytes = array<i64: 3328>}> {flow.end = 672460 : i64, flow.start = 671129 : i64, origin = #flow.origin<"h.2", "gather no_decay.0", forward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %1312 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 5713920 : i64}> : () -> !flow.buffer<512, host>
    "flow.transfer"(%1310, %1312) <{kind = #flow<transfer_kind offload>}> {flow.end = 5139548 : i64, flow.start = 5139496 : i64, origin = #flow.origin<"h.1", "offload h.1.layer_norm", forward>} : (!flow.buffer<512, device>, !flow.buffer<512, host>) -> ()
    "flow.release"(%1310) : (!flow.buffer<512, device>) -> ()
    %1313 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1308, %1275, %1313, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 6146129 : i64, flow.start = 5139496 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1275) : (!flow.buffer<786432, device>) -> ()
    %1314 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.0", offset = 3024896 : i64}> : () -> !flow.buffer<786432, device>
    %1315 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.0", offset = 3811328 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%1258, %1314, %1315) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 777318 : i64, flow.start = 672460 : i64, origin = #flow.origin<"h.2", "gather decay.0", forward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1258) : (!flow.buffer<262144, device>) -> ()
    %1316 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 7618560 : i64}> : () -> !flow.buffer<512, nvme>
    "flow.transfer"(%1312, %1316) <{kind = #flow<transfer_kind write>}> {flow.end = 5241596 : i64, flow.start = 5139548 : i64, origin = #flow.origin<"h.1", "write h.1.layer_norm", forward>} : (!flow.buffer<512, host>, !flow.buffer<512, nvme>) -> ()
    "flow.release"(%1312) : (!flow.buffer<512, host>) -> ()
    %1317 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 5718528 : i64}> : () -> !flow.buffer<512, host>
    "flow.transfer"(%1309, %1317) <{kind = #flow<transfer_kind offload>}> {flow.end = 5139599 : i64, flow.start = 5139548 : i64, origin = #flow.origin<"h.1", "offload h.1.layer_norm", forward>} : (!flow.buffer<512, device>, !flow.buffer<512, host>) -> ()
    "flow.release"(%1309) : (!flow.buffer<512, device>) -> ()
    %1318 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 5316608 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%1308, %1318) <{kind = #flow<transfer_kind offload>}> {flow.end = 5152706 : i64, flow.start = 5139599 : i64, origin = #flow.origin<"h.1", "offload h.1.layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    "flow.release"(%1308) : (!flow.buffer<131072, device>) -> ()
    %1319 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 7619072 : i64}> : () -> !flow.buffer<512, nvme>
    "flow.transfer"(%1317, %1319) <{kind = #flow<transfer_kind write>}> {flow.end = 5343644 : i64, flow.start = 5241596 : i64, origin = #flow.origin<"h.1", "write h.1.layer_norm", forward>} : (!flow.buffer<512, host>, !flow.buffer<512, nvme>) -> ()
    "flow.release"(%1317) : (!flow.buffer<512, host>) -> ()
    %1320 = "flow.view"(%1316) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<512, nvme>) -> !flow.buffer<4096, nvme>
    %1321 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 5709824 : i64}> : () -> !flow.buffer<4096, host>
    "flow.transfer"(%1320, %1321) <{kind = #flow<transfer_kind read>}> {flow.end = 5354199 : i64, flow.start = 5241596 : i64, origin = #flow.origin<"h.1", "read h.1.layer_norm", backward>} : (!flow.buffer<4096, nvme>, !flow.buffer<4096, host>) -> ()
    "flow.release"(%1316) : (!flow.buffer<512, nvme>) -> ()
    %1322 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 7487488 : i64}> : () -> !flow.buffer<131072, nvme>
    "flow.transfer"(%1318, %1322) <{kind = #flow<transfer_kind write>}> {flow.end = 5967932 : i64, flow.start = 5343644 : i64, origin = #flow.origin<"h.1", "write h.1.layer_norm", forward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, nvme>) -> ()
    "flow.release"(%1318) : (!flow.buffer<131072, host>) -> ()
    %1323 = "flow.view"(%1319) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<512, nvme>) -> !flow.buffer<4096, nvme>
    %1324 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 5713920 : i64}> : () -> !flow.buffer<4096, host>
    "flow.transfer"(%1323, %1324) <{kind = #flow<transfer_kind read>}> {flow.end = 5466802 : i64, flow.start = 5354199 : i64, origin = #flow.origin<"h.1", "read h.1.layer_norm", backward>} : (!flow.buffer<4096, nvme>, !flow.buffer<4096, host>) -> ()
    "flow.release"(%1319) : (!flow.buffer<512, nvme>) -> ()
    %1325 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 5447680 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%1322, %1325) <{kind = #flow<transfer_kind read>}> {flow.end = 6471230 : i64, flow.start = 5967932 : i64, origin = #flow.origin<"h.1", "read h.1.layer_norm", recompute>} : (!flow.buffer<131072, nvme>, !flow.buffer<131072, host>) -> ()
    "flow.release"(%1322) : (!flow.buffer<131072, nvme>) -> ()
    %1326 = "flow.view"(%1274) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %1327 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 5122048 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1313, %1326, %1327) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 6225080 : i64, flow.start = 6146129 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%1313) : (!flow.buffer<393216, device>) -> ()
    %1328 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1327, %1328) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 6277509 : i64, flow.start = 6225080 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1329 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 1536000 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1327, %1329) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 6329937 : i64, flow.start = 6277509 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1330 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 1667072 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1327, %1330) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 6382366 : i64, flow.start = 6329937 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1327) : (!flow.buffer<393216, device>) -> ()
    %1331 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 5122048 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1328, %1329, %1331, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 6550138 : i64, flow.start = 6382366 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1329) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1328) : (!flow.buffer<131072, device>) -> ()
    %1332 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.softmax", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    %1333 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.softmax", offset = 1971200 : i64}> {checkpoint_home = #flow<tier device>} : () -> !flow.buffer<2048, device>
    "flow.launch"(%1331, %1332, %1333) <{begin = 0 : i64, end = 4 : i64, kernel = @softmax_f2e1bf9b2d, operandSegmentSizes = array<i32: 1, 2, 0>}> {flow.end = 6666465 : i64, flow.start = 6550138 : i64, origin = #flow.origin<"h.1", "softmax", forward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%1331) : (!flow.buffer<262144, device>) -> ()
    %1334 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 5122048 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1332, %1330, %1334, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 6834237 : i64, flow.start = 6666465 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1332) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1330) : (!flow.buffer<131072, device>) -> ()
    %1335 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 1404928 : i64}> {checkpoint_home = #flow<tier nvme>} : () -> !flow.buffer<131072, device>
    "flow.launch"(%1334, %1335) <{begin = 0 : i64, end = 1 : i64, kernel = @map_841b24dfba, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 6860451 : i64, flow.start = 6834237 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1334) : (!flow.buffer<131072, device>) -> ()
    %1336 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 4399104 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%1335, %1336) <{kind = #flow<transfer_kind offload>}> {flow.end = 6873559 : i64, flow.start = 6860451 : i64, origin = #flow.origin<"h.1", "offload h.1.map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    %1337 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1536000 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1335, %1276, %1337, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_7fee3cc53a, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 7195996 : i64, flow.start = 6860451 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1335) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1276) : (!flow.buffer<262144, device>) -> ()
    %1338 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 7618560 : i64}> : () -> !flow.buffer<131072, nvme>
    "flow.transfer"(%1336, %1338) <{kind = #flow<transfer_kind write>}> {flow.end = 7497847 : i64, flow.start = 6873559 : i64, origin = #flow.origin<"h.1", "write h.1.map", forward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, nvme>) -> ()
    "flow.release"(%1336) : (!flow.buffer<131072, host>) -> ()
    %1339 = "flow.view"(%1274) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1340 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 6957056 : i64}> {checkpoint_home = #flow<tier nvme>} : () -> !flow.buffer<131072, device>
    "flow.launch"(%1304, %1337, %1339, %1340) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 7235420 : i64, flow.start = 7195996 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1337) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1304) : (!flow.buffer<131072, device>) -> ()
    %1341 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 4530176 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%1340, %1341) <{kind = #flow<transfer_kind offload>}> {flow.end = 7248527 : i64, flow.start = 7235420 : i64, origin = #flow.origin<"h.1", "offload h.1.map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    %1342 = "flow.view"(%1274) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1343 = "flow.view"(%1274) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1344 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 6170624 : i64}> : () -> !flow.buffer<131072, device>
    %1345 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 1404928 : i64}> : () -> !flow.buffer<512, device>
    %1346 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 1405440 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1340, %1342, %1343, %1344, %1345, %1346) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 7261941 : i64, flow.start = 7235420 : i64, origin = #flow.origin<"h.1", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1346) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1345) : (!flow.buffer<512, device>) -> ()
    %1347 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1344, %1298, %1347, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 8604119 : i64, flow.start = 7261941 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1344) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1298) : (!flow.buffer<1048576, device>) -> ()
    %1348 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.1", offset = 5122048 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1260, %1348) <{piece_bytes = array<i64: 262144>}> {flow.end = 882175 : i64, flow.start = 777318 : i64, origin = #flow.origin<"h.2", "gather decay.1", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%1260) : (!flow.buffer<262144, device>) -> ()
    %1349 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.2.parameter", offset = 6694912 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1217, %1349) <{kind = #flow<transfer_kind upload>}> {flow.end = 131123 : i64, flow.start = 104908 : i64, origin = #flow.origin<"h.2", "upload h.2.decay.2.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1350 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 7487488 : i64}> : () -> !flow.buffer<131072, nvme>
    "flow.transfer"(%1341, %1350) <{kind = #flow<transfer_kind write>}> {flow.end = 8122135 : i64, flow.start = 7497847 : i64, origin = #flow.origin<"h.1", "write h.1.map", forward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, nvme>) -> ()
    "flow.release"(%1341) : (!flow.buffer<131072, host>) -> ()
    %1351 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 5316608 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%1338, %1351) <{kind = #flow<transfer_kind read>}> {flow.end = 8001145 : i64, flow.start = 7497847 : i64, origin = #flow.origin<"h.1", "read h.1.map", backward>} : (!flow.buffer<131072, nvme>, !flow.buffer<131072, host>) -> ()
    "flow.release"(%1338) : (!flow.buffer<131072, nvme>) -> ()
    %1352 = "flow.view"(%1274) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %1353 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 6170624 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1347, %1352, %1353) <{begin = 0 : i64, end = 128 : i64, kernel = @map_5b287d1780, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 8725360 : i64, flow.start = 8604119 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%1347) : (!flow.buffer<524288, device>) -> ()
    %1354 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1667072 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1353, %1302, %1354, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_9fb005a893, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 10067537 : i64, flow.start = 8725360 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1353) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%1302) : (!flow.buffer<1048576, device>) -> ()
    %1355 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.2", offset = 4073472 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1349, %1355) <{piece_bytes = array<i64: 262144>}> {flow.end = 987033 : i64, flow.start = 882175 : i64, origin = #flow.origin<"h.2", "gather decay.2", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%1349) : (!flow.buffer<262144, device>) -> ()
    %1356 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.0.parameter", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1219, %1356) <{kind = #flow<transfer_kind upload>}> {flow.end = 157337 : i64, flow.start = 131123 : i64, origin = #flow.origin<"h.3", "upload h.3.decay.0.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1357 = "flow.view"(%1274) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1358 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 1798144 : i64}> {checkpoint_home = #flow<tier nvme>} : () -> !flow.buffer<131072, device>
    "flow.launch"(%1340, %1354, %1357, %1358) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 10106961 : i64, flow.start = 10067537 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1354) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1340) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1274) : (!flow.buffer<13312, device>) -> ()
    %1359 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 4399104 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%1358, %1359) <{kind = #flow<transfer_kind offload>}> {flow.end = 10120069 : i64, flow.start = 10106961 : i64, origin = #flow.origin<"h.1", "offload h.1.map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    %1360 = "flow.view"(%1311) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1361 = "flow.view"(%1311) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1362 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 1667072 : i64}> {checkpoint_home = #flow<tier nvme>} : () -> !flow.buffer<131072, device>
    %1363 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 1942528 : i64}> {checkpoint_home = #flow<tier nvme>} : () -> !flow.buffer<512, device>
    %1364 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 1943040 : i64}> {checkpoint_home = #flow<tier nvme>} : () -> !flow.buffer<512, device>
    "flow.launch"(%1358, %1360, %1361, %1362, %1363, %1364) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 10133483 : i64, flow.start = 10106961 : i64, origin = #flow.origin<"h.2", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %1365 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather no_decay.0", offset = 7627776 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%1218, %1365) <{piece_bytes = array<i64: 3328>}> {flow.end = 988364 : i64, flow.start = 987033 : i64, origin = #flow.origin<"h.3", "gather no_decay.0", forward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %1366 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 7618560 : i64}> : () -> !flow.buffer<131072, nvme>
    "flow.transfer"(%1359, %1366) <{kind = #flow<transfer_kind write>}> {flow.end = 10744357 : i64, flow.start = 10120069 : i64, origin = #flow.origin<"h.1", "write h.1.map", forward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, nvme>) -> ()
    "flow.release"(%1359) : (!flow.buffer<131072, host>) -> ()
    %1367 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 5718528 : i64}> : () -> !flow.buffer<512, host>
    "flow.transfer"(%1364, %1367) <{kind = #flow<transfer_kind offload>}> {flow.end = 10133534 : i64, flow.start = 10133483 : i64, origin = #flow.origin<"h.2", "offload h.2.layer_norm", forward>} : (!flow.buffer<512, device>, !flow.buffer<512, host>) -> ()
    "flow.release"(%1364) : (!flow.buffer<512, device>) -> ()
    %1368 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 1976320 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1362, %1314, %1368, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 11140116 : i64, flow.start = 10133483 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1314) : (!flow.buffer<786432, device>) -> ()
    %1369 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.0", offset = 6170624 : i64}> : () -> !flow.buffer<786432, device>
    %1370 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.0", offset = 7103488 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%1356, %1369, %1370) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 1093222 : i64, flow.start = 988364 : i64, origin = #flow.origin<"h.3", "gather decay.0", forward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1356) : (!flow.buffer<262144, device>) -> ()
    %1371 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.1.parameter", offset = 7365632 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1220, %1371) <{kind = #flow<transfer_kind upload>}> {flow.end = 183552 : i64, flow.start = 157337 : i64, origin = #flow.origin<"h.3", "upload h.3.decay.1.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1372 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 5719040 : i64}> : () -> !flow.buffer<512, host>
    "flow.transfer"(%1363, %1372) <{kind = #flow<transfer_kind offload>}> {flow.end = 10133585 : i64, flow.start = 10133534 : i64, origin = #flow.origin<"h.2", "offload h.2.layer_norm", forward>} : (!flow.buffer<512, device>, !flow.buffer<512, host>) -> ()
    "flow.release"(%1363) : (!flow.buffer<512, device>) -> ()
    %1373 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 4530176 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%1362, %1373) <{kind = #flow<transfer_kind offload>}> {flow.end = 10146693 : i64, flow.start = 10133585 : i64, origin = #flow.origin<"h.2", "offload h.2.layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    "flow.release"(%1362) : (!flow.buffer<131072, device>) -> ()
    %1374 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 7880704 : i64}> : () -> !flow.buffer<512, nvme>
    "flow.transfer"(%1367, %1374) <{kind = #flow<transfer_kind write>}> {flow.end = 10846405 : i64, flow.start = 10744357 : i64, origin = #flow.origin<"h.2", "write h.2.layer_norm", forward>} : (!flow.buffer<512, host>, !flow.buffer<512, nvme>) -> ()
    "flow.release"(%1367) : (!flow.buffer<512, host>) -> ()
    %1375 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 7881216 : i64}> : () -> !flow.buffer<512, nvme>
    "flow.transfer"(%1372, %1375) <{kind = #flow<transfer_kind write>}> {flow.end = 10948453 : i64, flow.start = 10846405 : i64, origin = #flow.origin<"h.2", "write h.2.layer_norm", forward>} : (!flow.buffer<512, host>, !flow.buffer<512, nvme>) -> ()
    "flow.release"(%1372) : (!flow.buffer<512, host>) -> ()
    %1376 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 7749632 : i64}> : () -> !flow.buffer<131072, nvme>
    "flow.transfer"(%1373, %1376) <{kind = #flow<transfer_kind write>}> {flow.end = 11572741 : i64, flow.start = 10948453 : i64, origin = #flow.origin<"h.2", "write h.2.layer_norm", forward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, nvme>) -> ()
    "flow.release"(%1373) : (!flow.buffer<131072, host>) -> ()
    %1377 = "flow.view"(%1311) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %1378 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 1404928 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1368, %1377, %1378) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 11219066 : i64, flow.start = 11140116 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%1368) : (!flow.buffer<393216, device>) -> ()
    %1379 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 1976320 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1378, %1379) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 11271495 : i64, flow.start = 11219066 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1380 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 2107392 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1378, %1380) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 11323924 : i64, flow.start = 11271495 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1381 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 2238464 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1378, %1381) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 11376353 : i64, flow.start = 11323924 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1378) : (!flow.buffer<393216, device>) -> ()
    %1382 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1379, %1380, %1382, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 11544125 : i64, flow.start = 11376353 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1380) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1379) : (!flow.buffer<131072, device>) -> ()
    %1383 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.softmax", offset = 1976320 : i64}> : () -> !flow.buffer<262144, device>
    %1384 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.softmax", offset = 1667072 : i64}> {checkpoint_home = #flow<tier host>} : () -> !flow.buffer<2048, device>
    "flow.launch"(%1382, %1383, %1384) <{begin = 0 : i64, end = 4 : i64, kernel = @softmax_f2e1bf9b2d, operandSegmentSizes = array<i32: 1, 2, 0>}> {flow.end = 11660451 : i64, flow.start = 11544125 : i64, origin = #flow.origin<"h.2", "softmax", forward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%1382) : (!flow.buffer<262144, device>) -> ()
    %1385 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.softmax", offset = 5726208 : i64}> : () -> !flow.buffer<2048, host>
    "flow.transfer"(%1384, %1385) <{kind = #flow<transfer_kind offload>}> {flow.end = 11660656 : i64, flow.start = 11660451 : i64, origin = #flow.origin<"h.2", "offload h.2.softmax", forward>} : (!flow.buffer<2048, device>, !flow.buffer<2048, host>) -> ()
    "flow.release"(%1384) : (!flow.buffer<2048, device>) -> ()
    %1386 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1383, %1381, %1386, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 11828224 : i64, flow.start = 11660451 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1383) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1381) : (!flow.buffer<131072, device>) -> ()
    %1387 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.map", offset = 1536000 : i64}> {checkpoint_home = #flow<tier host>} : () -> !flow.buffer<131072, device>
    "flow.launch"(%1386, %1387) <{begin = 0 : i64, end = 1 : i64, kernel = @map_841b24dfba, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 11854438 : i64, flow.start = 11828224 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1386) : (!flow.buffer<131072, device>) -> ()
    %1388 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.map", offset = 5578752 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%1387, %1388) <{kind = #flow<transfer_kind offload>}> {flow.end = 11867545 : i64, flow.start = 11854438 : i64, origin = #flow.origin<"h.2", "offload h.2.map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    %1389 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1387, %1315, %1389, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_7fee3cc53a, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 12189982 : i64, flow.start = 11854438 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1387) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1315) : (!flow.buffer<262144, device>) -> ()
    %1390 = "flow.view"(%1311) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1391 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.map", offset = 6957056 : i64}> {checkpoint_home = #flow<tier host>} : () -> !flow.buffer<131072, device>
    "flow.launch"(%1358, %1389, %1390, %1391) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 12229406 : i64, flow.start = 12189982 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1389) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1358) : (!flow.buffer<131072, device>) -> ()
    %1392 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.map", offset = 4399104 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%1391, %1392) <{kind = #flow<transfer_kind offload>}> {flow.end = 12242513 : i64, flow.start = 12229406 : i64, origin = #flow.origin<"h.2", "offload h.2.map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    %1393 = "flow.view"(%1311) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1394 = "flow.view"(%1311) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1395 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 3024896 : i64}> : () -> !flow.buffer<131072, device>
    %1396 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 1404928 : i64}> : () -> !flow.buffer<512, device>
    %1397 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 1405440 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1391, %1393, %1394, %1395, %1396, %1397) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 12255928 : i64, flow.start = 12229406 : i64, origin = #flow.origin<"h.2", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1397) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1396) : (!flow.buffer<512, device>) -> ()
    %1398 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1395, %1348, %1398, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 13598105 : i64, flow.start = 12255928 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1395) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1348) : (!flow.buffer<1048576, device>) -> ()
    %1399 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.1", offset = 1976320 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1371, %1399) <{piece_bytes = array<i64: 262144>}> {flow.end = 1198080 : i64, flow.start = 1093222 : i64, origin = #flow.origin<"h.3", "gather decay.1", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%1371) : (!flow.buffer<262144, device>) -> ()
    %1400 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.2.parameter", offset = 7365632 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1221, %1400) <{kind = #flow<transfer_kind upload>}> {flow.end = 209766 : i64, flow.start = 183552 : i64, origin = #flow.origin<"h.3", "upload h.3.decay.2.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1401 = "flow.view"(%1311) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %1402 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 5122048 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1398, %1401, %1402) <{begin = 0 : i64, end = 128 : i64, kernel = @map_5b287d1780, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 13719347 : i64, flow.start = 13598105 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%1398) : (!flow.buffer<524288, device>) -> ()
    %1403 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1402, %1355, %1403, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_9fb005a893, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 15061524 : i64, flow.start = 13719347 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1402) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%1355) : (!flow.buffer<1048576, device>) -> ()
    %1404 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.2", offset = 3024896 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1400, %1404) <{piece_bytes = array<i64: 262144>}> {flow.end = 1302937 : i64, flow.start = 1198080 : i64, origin = #flow.origin<"h.3", "gather decay.2", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%1400) : (!flow.buffer<262144, device>) -> ()
    %1405 = "flow.alloc"() <{buffer_class = "feed", name = "labels", offset = 1955840 : i64}> : () -> !flow.buffer<512, device>
    "flow.transfer"(%1250, %1405) <{kind = #flow<transfer_kind upload>}> {flow.end = 209817 : i64, flow.start = 209766 : i64, origin = #flow.origin<"", "upload labels", forward>} : (!flow.buffer<512, host>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1250) : (!flow.buffer<512, host>) -> ()
    %1406 = "flow.view"(%1311) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1407 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 7889920 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1391, %1403, %1406, %1407) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 15100948 : i64, flow.start = 15061524 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1403) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1391) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1311) : (!flow.buffer<13312, device>) -> ()
    %1408 = "flow.view"(%1365) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1409 = "flow.view"(%1365) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1410 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 8020992 : i64}> : () -> !flow.buffer<131072, device>
    %1411 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 8938496 : i64}> : () -> !flow.buffer<512, device>
    %1412 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 8939008 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1407, %1408, %1409, %1410, %1411, %1412) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 15127470 : i64, flow.start = 15100948 : i64, origin = #flow.origin<"h.3", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %1413 = "flow.alloc"() <{buffer_class = "gathered", name = "gather decay.1", offset = 4859904 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%1222, %1413) <{piece_bytes = array<i64: 65536>}> {flow.end = 1329152 : i64, flow.start = 1302937 : i64, origin = #flow.origin<"", "gather decay.1", forward>} : (!flow.buffer<65536, device>, !flow.buffer<262144, device>) -> ()
    %1414 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1410, %1369, %1414, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 16134103 : i64, flow.start = 15127470 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1369) : (!flow.buffer<786432, device>) -> ()
    %1415 = "flow.alloc"() <{buffer_class = "feed", name = "loss_seed", offset = 1958400 : i64}> : () -> !flow.buffer<4, device>
    "flow.transfer"(%1245, %1415) <{kind = #flow<transfer_kind upload>}> {flow.end = 209818 : i64, flow.start = 209817 : i64, origin = #flow.origin<"", "upload loss_seed", forward>} : (!flow.buffer<4, host>, !flow.buffer<4, device>) -> ()
    "flow.release"(%1245) : (!flow.buffer<4, host>) -> ()
    %1416 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather no_decay.0", offset = 1942528 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%1218, %1416) <{piece_bytes = array<i64: 3328>}> {flow.end = 1330483 : i64, flow.start = 1329152 : i64, origin = #flow.origin<"h.3", "gather no_decay.0", backward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %1417 = "flow.view"(%1365) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %1418 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 6710272 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1414, %1417, %1418) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 16213053 : i64, flow.start = 16134103 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%1414) : (!flow.buffer<393216, device>) -> ()
    %1419 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 1667072 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1418, %1419) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 16265482 : i64, flow.start = 16213053 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1420 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 1798144 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1418, %1420) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 16317911 : i64, flow.start = 16265482 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1421 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 4073472 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1418, %1421) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 16370339 : i64, flow.start = 16317911 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1422 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1419, %1420, %1422, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 16538112 : i64, flow.start = 16370339 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1420) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1419) : (!flow.buffer<131072, device>) -> ()
    %1423 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.softmax", offset = 1667072 : i64}> : () -> !flow.buffer<262144, device>
    %1424 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.softmax", offset = 1973248 : i64}> : () -> !flow.buffer<2048, device>
    "flow.launch"(%1422, %1423, %1424) <{begin = 0 : i64, end = 4 : i64, kernel = @softmax_f2e1bf9b2d, operandSegmentSizes = array<i32: 1, 2, 0>}> {flow.end = 16654438 : i64, flow.start = 16538112 : i64, origin = #flow.origin<"h.3", "softmax", forward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%1422) : (!flow.buffer<262144, device>) -> ()
    %1425 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1423, %1421, %1425, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 16822210 : i64, flow.start = 16654438 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1423) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1421) : (!flow.buffer<131072, device>) -> ()
    %1426 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 8152064 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1425, %1426) <{begin = 0 : i64, end = 1 : i64, kernel = @map_841b24dfba, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 16848424 : i64, flow.start = 16822210 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1425) : (!flow.buffer<131072, device>) -> ()
    %1427 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1426, %1370, %1427, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_7fee3cc53a, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 17183969 : i64, flow.start = 16848424 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1370) : (!flow.buffer<262144, device>) -> ()
    %1428 = "flow.view"(%1365) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1429 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 8283136 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1407, %1427, %1428, %1429) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 17223393 : i64, flow.start = 17183969 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1427) : (!flow.buffer<131072, device>) -> ()
    %1430 = "flow.view"(%1365) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1431 = "flow.view"(%1365) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1432 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 8676352 : i64}> : () -> !flow.buffer<131072, device>
    %1433 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 8939520 : i64}> : () -> !flow.buffer<512, device>
    %1434 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 8940032 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1429, %1430, %1431, %1432, %1433, %1434) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 17249914 : i64, flow.start = 17223393 : i64, origin = #flow.origin<"h.3", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %1435 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 5122048 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1432, %1399, %1435, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 18592092 : i64, flow.start = 17249914 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1399) : (!flow.buffer<1048576, device>) -> ()
    %1436 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.2.parameter", offset = 4597760 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1221, %1436) <{kind = #flow<transfer_kind upload>}> {flow.end = 236032 : i64, flow.start = 209818 : i64, origin = #flow.origin<"h.3", "upload h.3.decay.2.parameter", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1437 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather no_decay.0", offset = 1929216 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%1214, %1437) <{piece_bytes = array<i64: 3328>}> {flow.end = 1331814 : i64, flow.start = 1330483 : i64, origin = #flow.origin<"h.2", "gather no_decay.0", backward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %1438 = "flow.view"(%1365) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %1439 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 1404928 : i64}> : () -> !flow.buffer<524288, device>
    %1440 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 4073472 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1435, %1438, %1439, %1440) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c5bdd8b7ae, operandSegmentSizes = array<i32: 2, 2, 0>}> {flow.end = 18749788 : i64, flow.start = 18592092 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%1435) : (!flow.buffer<524288, device>) -> ()
    %1441 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 5253120 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1440, %1404, %1441, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_9fb005a893, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 20091965 : i64, flow.start = 18749788 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1404) : (!flow.buffer<1048576, device>) -> ()
    %1442 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.2", offset = 1976320 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1436, %1442) <{piece_bytes = array<i64: 262144>}> {flow.end = 1436672 : i64, flow.start = 1331814 : i64, origin = #flow.origin<"h.3", "gather decay.2", backward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%1436) : (!flow.buffer<262144, device>) -> ()
    %1443 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.1.parameter", offset = 4597760 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1220, %1443) <{kind = #flow<transfer_kind upload>}> {flow.end = 262246 : i64, flow.start = 236032 : i64, origin = #flow.origin<"h.3", "upload h.3.decay.1.parameter", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1444 = "flow.view"(%1365) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1445 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 5122048 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1429, %1441, %1444, %1445) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 20131389 : i64, flow.start = 20091965 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1441) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1365) : (!flow.buffer<13312, device>) -> ()
    %1446 = "flow.view"(%1224) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<2048, device>
    %1447 = "flow.view"(%1446) <{offset = 1024 : i64, stride = 0 : i64}> : (!flow.buffer<2048, device>) -> !flow.buffer<1024, device>
    %1448 = "flow.view"(%1446) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<2048, device>) -> !flow.buffer<1024, device>
    %1449 = "flow.alloc"() <{buffer_class = "activation", name = "layer_norm", offset = 5253120 : i64}> : () -> !flow.buffer<131072, device>
    %1450 = "flow.alloc"() <{buffer_class = "activation", name = "layer_norm", offset = 1956352 : i64}> : () -> !flow.buffer<512, device>
    %1451 = "flow.alloc"() <{buffer_class = "activation", name = "layer_norm", offset = 1956864 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1445, %1447, %1448, %1449, %1450, %1451) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 20157911 : i64, flow.start = 20131389 : i64, origin = #flow.origin<"", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %1452 = "flow.alloc"() <{buffer_class = "activation", name = "matmul", offset = 5384192 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1449, %1413, %1452, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_4302769c28, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 20493455 : i64, flow.start = 20157911 : i64, origin = #flow.origin<"", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    %1453 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.1", offset = 3024896 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1443, %1453) <{piece_bytes = array<i64: 262144>}> {flow.end = 1541529 : i64, flow.start = 1436672 : i64, origin = #flow.origin<"h.3", "gather decay.1", backward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%1443) : (!flow.buffer<262144, device>) -> ()
    %1454 = "flow.alloc"() <{buffer_class = "activation", name = "cross_entropy", offset = 1957888 : i64}> : () -> !flow.buffer<512, device>
    %1455 = "flow.alloc"() <{buffer_class = "activation", name = "cross_entropy", offset = 1957376 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1452, %1405, %1454, %1455) <{begin = 0 : i64, end = 128 : i64, kernel = @cross_entropy_7d6873a198, operandSegmentSizes = array<i32: 2, 2, 0>}> {flow.end = 20521308 : i64, flow.start = 20493455 : i64, origin = #flow.origin<"", "cross_entropy", forward>} : (!flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %1456 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.0.parameter", offset = 4597760 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1219, %1456) <{kind = #flow<transfer_kind upload>}> {flow.end = 288461 : i64, flow.start = 262246 : i64, origin = #flow.origin<"h.3", "upload h.3.decay.0.parameter", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1457 = "flow.alloc"() <{buffer_class = "activation", name = "reduce", offset = 1958464 : i64}> : () -> !flow.buffer<4, device>
    "flow.launch"(%1454, %1457) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_b0a0c4e601, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 20521359 : i64, flow.start = 20521308 : i64, origin = #flow.origin<"", "reduce", forward>} : (!flow.buffer<512, device>, !flow.buffer<4, device>) -> ()
    "flow.release"(%1454) : (!flow.buffer<512, device>) -> ()
    %1458 = "flow.alloc"() <{buffer_class = "feed", name = "loss", offset = 5718016 : i64}> : () -> !flow.buffer<4, host>
    "flow.transfer"(%1457, %1458) <{kind = #flow<transfer_kind offload>}> {flow.end = 20521360 : i64, flow.start = 20521359 : i64, origin = #flow.origin<"", "report loss", forward>} : (!flow.buffer<4, device>, !flow.buffer<4, host>) -> ()
    "flow.release"(%1457) : (!flow.buffer<4, device>) -> ()
    %1459 = "flow.alloc"() <{buffer_class = "activation", name = "map", offset = 1957888 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1415, %1459) <{begin = 0 : i64, end = 128 : i64, kernel = @map_8010058c4d, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 20521411 : i64, flow.start = 20521359 : i64, origin = #flow.origin<"", "map", backward>} : (!flow.buffer<4, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1415) : (!flow.buffer<4, device>) -> ()
    %1460 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.0.parameter", offset = 7103488 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1215, %1460) <{kind = #flow<transfer_kind upload>}> {flow.end = 314675 : i64, flow.start = 288461 : i64, origin = #flow.origin<"h.2", "upload h.2.decay.0.parameter", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    "flow.report"(%1458) <{item = "loss"}> {flow.end = 20522360 : i64, flow.start = 20521360 : i64, origin = #flow.origin<"", "report loss", forward>} : (!flow.buffer<4, host>) -> ()
    "flow.release"(%1458) : (!flow.buffer<4, host>) -> ()
    %1461 = "flow.alloc"() <{buffer_class = "activation", name = "cross_entropy_grad", offset = 5515264 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1459, %1452, %1405, %1455, %1461) <{begin = 0 : i64, end = 128 : i64, kernel = @cross_entropy_grad_59eefeae21, operandSegmentSizes = array<i32: 4, 1, 0>}> {flow.end = 20549264 : i64, flow.start = 20521411 : i64, origin = #flow.origin<"", "cross_entropy_grad", backward>} : (!flow.buffer<512, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1459) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1455) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1452) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1405) : (!flow.buffer<512, device>) -> ()
    %1462 = "flow.alloc"() <{buffer_class = "activation", name = "matmul", offset = 5384192 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1461, %1413, %1462, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_7fee3cc53a, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 20884808 : i64, flow.start = 20549264 : i64, origin = #flow.origin<"", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1413) : (!flow.buffer<262144, device>) -> ()
    %1463 = "flow.alloc"() <{buffer_class = "partial", name = "matmul", offset = 4859904 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1461, %1449, %1463, %1205) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_8cd306ee70, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 21220352 : i64, flow.start = 20884808 : i64, origin = #flow.origin<"", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1461) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1449) : (!flow.buffer<131072, device>) -> ()
    %1464 = "flow.alloc"() <{buffer_class = "staging", name = "decay.1.gradient.1", offset = 5253120 : i64}> : () -> !flow.buffer<65536, device>
    "flow.reduce_scatter"(%1463, %1464) <{element = f32, piece_bytes = array<i64: 65536>}> {flow.end = 21246567 : i64, flow.start = 21220352 : i64, origin = #flow.origin<"", "reduce decay.1", backward>} : (!flow.buffer<262144, device>, !flow.buffer<65536, device>) -> ()
    "flow.release"(%1463) : (!flow.buffer<262144, device>) -> ()
    %1465 = "flow.alloc"() <{buffer_class = "activation", name = "layer_norm_grad", offset = 8807424 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1462, %1445, %1447, %1450, %1451, %1465) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_grad_096dbb748d, operandSegmentSizes = array<i32: 5, 1, 0>}> {flow.end = 21259879 : i64, flow.start = 21220352 : i64, origin = #flow.origin<"", "layer_norm_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.transfer"(%1464, %1241) <{kind = #flow<transfer_kind offload>}> {flow.end = 21253120 : i64, flow.start = 21246567 : i64, origin = #flow.origin<"", "offload decay.1.gradient.1", backward>} : (!flow.buffer<65536, device>, !flow.buffer<65536, host>) -> ()
    "flow.release"(%1464) : (!flow.buffer<65536, device>) -> ()
    %1466 = "flow.alloc"() <{buffer_class = "partial", name = "reduce", offset = 4859904 : i64}> : () -> !flow.buffer<2048, device>
    %1467 = "flow.view"(%1466) <{offset = 1024 : i64, stride = 0 : i64}> : (!flow.buffer<2048, device>) -> !flow.buffer<1024, device>
    %1468 = "flow.view"(%1466) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<2048, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%1462, %1445, %1450, %1451, %1467, %1468) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_8938ad99a8, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 21286400 : i64, flow.start = 21259879 : i64, origin = #flow.origin<"", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>) -> ()
    "flow.release"(%1462) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1451) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1450) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1445) : (!flow.buffer<131072, device>) -> ()
    "flow.reduce_scatter"(%1466, %1244) <{element = f32, piece_bytes = array<i64: 512>}> {flow.end = 21286605 : i64, flow.start = 21286400 : i64, origin = #flow.origin<"", "reduce no_decay.0", backward>} : (!flow.buffer<2048, device>, !flow.buffer<4096, device>) -> ()
    "flow.release"(%1466) : (!flow.buffer<2048, device>) -> ()
    %1469 = "flow.alloc"() <{buffer_class = "partial", name = "h.3.reduce", offset = 1955840 : i64}> : () -> !flow.buffer<13312, device>
    %1470 = "flow.view"(%1469) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%1465, %1470) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_c203d7efa1, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 21299610 : i64, flow.start = 21286400 : i64, origin = #flow.origin<"h.3", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>) -> ()
    %1471 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 5661696 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1465, %1442, %1471, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_72440f8312, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 22641787 : i64, flow.start = 21299610 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1442) : (!flow.buffer<1048576, device>) -> ()
    %1472 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.0", offset = 4875264 : i64}> : () -> !flow.buffer<786432, device>
    %1473 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.0", offset = 7365632 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%1456, %1472, %1473) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 21391463 : i64, flow.start = 21286605 : i64, origin = #flow.origin<"h.3", "gather decay.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1456) : (!flow.buffer<262144, device>) -> ()
    %1474 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.map", offset = 8414208 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%1392, %1474) <{kind = #flow<transfer_kind upload>}> {flow.end = 12255621 : i64, flow.start = 12242513 : i64, origin = #flow.origin<"h.2", "upload h.2.map", recompute>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1392) : (!flow.buffer<131072, host>) -> ()
    %1475 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 4399104 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%1376, %1475) <{kind = #flow<transfer_kind read>}> {flow.end = 12076039 : i64, flow.start = 11572741 : i64, origin = #flow.origin<"h.2", "read h.2.layer_norm", recompute>} : (!flow.buffer<131072, nvme>, !flow.buffer<131072, host>) -> ()
    "flow.release"(%1376) : (!flow.buffer<131072, nvme>) -> ()
    %1476 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 8545280 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%1475, %1476) <{kind = #flow<transfer_kind upload>}> {flow.end = 12268728 : i64, flow.start = 12255621 : i64, origin = #flow.origin<"h.2", "upload h.2.layer_norm", recompute>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1475) : (!flow.buffer<131072, host>) -> ()
    %1477 = "flow.alloc"() <{buffer_class = "partial", name = "h.3.matmul", offset = 1976320 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.launch"(%1440, %1465, %1477, %1205) <{begin = 0 : i64, end = 1024 : i64, kernel = @matmul_d035e4089b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 23983964 : i64, flow.start = 22641787 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<524288, device>, !flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1440) : (!flow.buffer<524288, device>) -> ()
    %1478 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.2.gradient.0", offset = 4073472 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%1477, %1478) <{element = f32, piece_bytes = array<i64: 262144>}> {flow.end = 24088822 : i64, flow.start = 23983964 : i64, origin = #flow.origin<"h.3", "reduce decay.2", backward>} : (!flow.buffer<1048576, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1477) : (!flow.buffer<1048576, device>) -> ()
    %1479 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 6185984 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1439, %1471, %1479) <{begin = 0 : i64, end = 128 : i64, kernel = @map_0a4efb66fc, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 24151081 : i64, flow.start = 23983964 : i64, origin = #flow.origin<"h.3", "map", backward>} : (!flow.buffer<524288, device>, !flow.buffer<524288, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%1471) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%1439) : (!flow.buffer<524288, device>) -> ()
    %1480 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.2.gradient.0", offset = 4399104 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%1478, %1480) <{kind = #flow<transfer_kind offload>}> {flow.end = 24115036 : i64, flow.start = 24088822 : i64, origin = #flow.origin<"h.3", "offload h.3.decay.2.gradient.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%1478) : (!flow.buffer<262144, device>) -> ()
    "flow.transfer"(%1480, %1225) <{kind = #flow<transfer_kind write>}> {flow.end = 25263612 : i64, flow.start = 24115036 : i64, origin = #flow.origin<"h.3", "write h.3.decay.2.gradient.0", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, nvme>) -> ()
    "flow.release"(%1480) : (!flow.buffer<262144, host>) -> ()
    %1481 = "flow.view"(%1469) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    "flow.launch"(%1479, %1481) <{begin = 0 : i64, end = 1024 : i64, kernel = @reduce_68a6a515c3, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 24203920 : i64, flow.start = 24151081 : i64, origin = #flow.origin<"h.3", "reduce", backward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>) -> ()
    %1482 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1479, %1453, %1482, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_913d388b2b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 25546097 : i64, flow.start = 24203920 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1453) : (!flow.buffer<1048576, device>) -> ()
    %1483 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.0", offset = 4088832 : i64}> : () -> !flow.buffer<786432, device>
    %1484 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.0", offset = 7627776 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%1460, %1483, %1484) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 24193680 : i64, flow.start = 24088822 : i64, origin = #flow.origin<"h.2", "gather decay.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1460) : (!flow.buffer<262144, device>) -> ()
    %1485 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.1.parameter", offset = 1667072 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1216, %1485) <{kind = #flow<transfer_kind upload>}> {flow.end = 12294942 : i64, flow.start = 12268728 : i64, origin = #flow.origin<"h.2", "upload h.2.decay.1.parameter", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1486 = "flow.alloc"() <{buffer_class = "partial", name = "h.3.matmul", offset = 1976320 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.launch"(%1432, %1479, %1486, %1205) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_9615d47600, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 26888274 : i64, flow.start = 25546097 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1479) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%1432) : (!flow.buffer<131072, device>) -> ()
    %1487 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.1.gradient.0", offset = 3040256 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%1486, %1487) <{element = f32, piece_bytes = array<i64: 262144>}> {flow.end = 26993132 : i64, flow.start = 26888274 : i64, origin = #flow.origin<"h.3", "reduce decay.1", backward>} : (!flow.buffer<1048576, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1486) : (!flow.buffer<1048576, device>) -> ()
    %1488 = "flow.view"(%1416) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1489 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm_grad", offset = 1536000 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1482, %1429, %1488, %1433, %1434, %1489) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_grad_096dbb748d, operandSegmentSizes = array<i32: 5, 1, 0>}> {flow.end = 26927801 : i64, flow.start = 26888274 : i64, origin = #flow.origin<"h.3", "layer_norm_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    %1490 = "flow.view"(%1469) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1491 = "flow.view"(%1469) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%1482, %1429, %1433, %1434, %1490, %1491) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_8938ad99a8, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 26954322 : i64, flow.start = 26927801 : i64, origin = #flow.origin<"h.3", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>) -> ()
    "flow.release"(%1482) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1434) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1433) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1429) : (!flow.buffer<131072, device>) -> ()
    %1492 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 6448128 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1465, %1489, %1492) <{begin = 0 : i64, end = 128 : i64, kernel = @map_682b30d182, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 26993644 : i64, flow.start = 26954322 : i64, origin = #flow.origin<"h.3", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1489) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1465) : (!flow.buffer<131072, device>) -> ()
    %1493 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.1.gradient.0", offset = 4399104 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%1487, %1493) <{kind = #flow<transfer_kind offload>}> {flow.end = 27019346 : i64, flow.start = 26993132 : i64, origin = #flow.origin<"h.3", "offload h.3.decay.1.gradient.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%1487) : (!flow.buffer<262144, device>) -> ()
    %1494 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.1", offset = 1991680 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1485, %1494) <{piece_bytes = array<i64: 262144>}> {flow.end = 27097989 : i64, flow.start = 26993132 : i64, origin = #flow.origin<"h.2", "gather decay.1", backward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%1485) : (!flow.buffer<262144, device>) -> ()
    %1495 = "flow.view"(%1469) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%1492, %1495) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_c203d7efa1, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 27006853 : i64, flow.start = 26993644 : i64, origin = #flow.origin<"h.3", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>) -> ()
    %1496 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 5923840 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1492, %1473, %1496, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_4302769c28, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 27342398 : i64, flow.start = 27006853 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1473) : (!flow.buffer<262144, device>) -> ()
    %1497 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.2.parameter", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1217, %1497) <{kind = #flow<transfer_kind upload>}> {flow.end = 12321157 : i64, flow.start = 12294942 : i64, origin = #flow.origin<"h.2", "upload h.2.decay.2.parameter", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    "flow.transfer"(%1493, %1226) <{kind = #flow<transfer_kind write>}> {flow.end = 28167922 : i64, flow.start = 27019346 : i64, origin = #flow.origin<"h.3", "write h.3.decay.1.gradient.0", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, nvme>) -> ()
    "flow.release"(%1493) : (!flow.buffer<262144, host>) -> ()
    %1498 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.2", offset = 3040256 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1497, %1498) <{piece_bytes = array<i64: 262144>}> {flow.end = 27202847 : i64, flow.start = 27097989 : i64, origin = #flow.origin<"h.2", "gather decay.2", backward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%1497) : (!flow.buffer<262144, device>) -> ()
    %1499 = "flow.alloc"() <{buffer_class = "partial", name = "h.3.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1426, %1492, %1499, %1205) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_8cd306ee70, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 27677942 : i64, flow.start = 27342398 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    %1500 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 6579200 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1418, %1500) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 27730371 : i64, flow.start = 27677942 : i64, origin = #flow.origin<"h.3", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1501 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 7103488 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1418, %1501) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 27782800 : i64, flow.start = 27730371 : i64, origin = #flow.origin<"h.3", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1502 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 6054912 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1418, %1502) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 27835228 : i64, flow.start = 27782800 : i64, origin = #flow.origin<"h.3", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1418) : (!flow.buffer<393216, device>) -> ()
    %1503 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 6710272 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1496, %1503) <{begin = 0 : i64, end = 1 : i64, kernel = @map_81500dec77, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 27861443 : i64, flow.start = 27835228 : i64, origin = #flow.origin<"h.3", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    %1504 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 1667072 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1500, %1501, %1504, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 28029215 : i64, flow.start = 27861443 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    %1505 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 5661696 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1503, %1502, %1505, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 28196987 : i64, flow.start = 28029215 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1502) : (!flow.buffer<131072, device>) -> ()
    %1506 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.reduce", offset = 1976320 : i64}> : () -> !flow.buffer<2048, device>
    "flow.launch"(%1496, %1426, %1506) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_dfa057dec6, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 28223406 : i64, flow.start = 28196987 : i64, origin = #flow.origin<"h.3", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%1496) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1426) : (!flow.buffer<131072, device>) -> ()
    %1507 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 5923840 : i64}> : () -> !flow.buffer<262144, device>
    %1508 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 6185984 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1504, %1424, %1505, %1506, %1507, %1508) <{begin = 0 : i64, end = 4 : i64, kernel = @map_5428b4a251, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 28328674 : i64, flow.start = 28223406 : i64, origin = #flow.origin<"h.3", "map", backward>} : (!flow.buffer<262144, device>, !flow.buffer<2048, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>, !flow.buffer<262144, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1506) : (!flow.buffer<2048, device>) -> ()
    "flow.release"(%1505) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1504) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1424) : (!flow.buffer<2048, device>) -> ()
    %1509 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 1667072 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1508, %1501, %1509, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 28496446 : i64, flow.start = 28328674 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1501) : (!flow.buffer<131072, device>) -> ()
    %1510 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 1798144 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1508, %1500, %1510, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_de7c18fe3b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 28664218 : i64, flow.start = 28496446 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1508) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1500) : (!flow.buffer<131072, device>) -> ()
    %1511 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 6185984 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1507, %1503, %1511, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_de7c18fe3b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 28831990 : i64, flow.start = 28664218 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1507) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1503) : (!flow.buffer<131072, device>) -> ()
    %1512 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.stack", offset = 5661696 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1509, %1510, %1511, %1512) <{begin = 0 : i64, end = 1 : i64, kernel = @stack_0fac26bb33, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 28910633 : i64, flow.start = 28831990 : i64, origin = #flow.origin<"h.3", "stack", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%1511) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1510) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1509) : (!flow.buffer<131072, device>) -> ()
    %1513 = "flow.view"(%1469) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    "flow.launch"(%1512, %1513) <{begin = 0 : i64, end = 768 : i64, kernel = @reduce_7aeb403de4, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 28950262 : i64, flow.start = 28910633 : i64, origin = #flow.origin<"h.3", "reduce", backward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>) -> ()
    %1514 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 1667072 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1512, %1472, %1514, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_6665eec420, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 29956895 : i64, flow.start = 28950262 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<393216, device>, !flow.buffer<786432, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1472) : (!flow.buffer<786432, device>) -> ()
    %1515 = "flow.alloc"() <{buffer_class = "partial", name = "h.3.matmul", offset = 4875264 : i64}> : () -> !flow.buffer<786432, device>
    "flow.launch"(%1410, %1512, %1515, %1205) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_ba6a02475b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 30963528 : i64, flow.start = 29956895 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<393216, device>, !flow.buffer<786432, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1512) : (!flow.buffer<393216, device>) -> ()
    "flow.release"(%1410) : (!flow.buffer<131072, device>) -> ()
    %1516 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.0.gradient.0", offset = 5661696 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%1515, %1499, %1516) <{element = f32, piece_bytes = array<i64: 196608, 65536>}> {flow.end = 31068386 : i64, flow.start = 30963528 : i64, origin = #flow.origin<"h.3", "reduce decay.0", backward>} : (!flow.buffer<786432, device>, !flow.buffer<262144, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1515) : (!flow.buffer<786432, device>) -> ()
    "flow.release"(%1499) : (!flow.buffer<262144, device>) -> ()
    %1517 = "flow.view"(%1416) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1518 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm_grad", offset = 1798144 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1514, %1407, %1517, %1411, %1412, %1518) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_grad_096dbb748d, operandSegmentSizes = array<i32: 5, 1, 0>}> {flow.end = 31003054 : i64, flow.start = 30963528 : i64, origin = #flow.origin<"h.3", "layer_norm_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1416) : (!flow.buffer<13312, device>) -> ()
    %1519 = "flow.view"(%1469) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1520 = "flow.view"(%1469) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%1514, %1407, %1411, %1412, %1519, %1520) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_8938ad99a8, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 31029576 : i64, flow.start = 31003054 : i64, origin = #flow.origin<"h.3", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>) -> ()
    "flow.release"(%1514) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1412) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1411) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1407) : (!flow.buffer<131072, device>) -> ()
    %1521 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 8676352 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1492, %1518, %1521) <{begin = 0 : i64, end = 128 : i64, kernel = @map_682b30d182, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 31068898 : i64, flow.start = 31029576 : i64, origin = #flow.origin<"h.3", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1518) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1492) : (!flow.buffer<131072, device>) -> ()
    %1522 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.0.gradient.0", offset = 4399104 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%1516, %1522) <{kind = #flow<transfer_kind offload>}> {flow.end = 31094600 : i64, flow.start = 31068386 : i64, origin = #flow.origin<"h.3", "offload h.3.decay.0.gradient.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%1516) : (!flow.buffer<262144, device>) -> ()
    "flow.reduce_scatter"(%1469, %1228) <{element = f32, piece_bytes = array<i64: 3328>}> {flow.end = 31069717 : i64, flow.start = 31068386 : i64, origin = #flow.origin<"h.3", "reduce no_decay.0", backward>} : (!flow.buffer<13312, device>, !flow.buffer<4096, device>) -> ()
    "flow.release"(%1469) : (!flow.buffer<13312, device>) -> ()
    %1523 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 1536000 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1476, %1483, %1523, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 32075531 : i64, flow.start = 31068898 : i64, origin = #flow.origin<"h.2", "matmul", recompute>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    %1524 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.map", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%1388, %1524) <{kind = #flow<transfer_kind upload>}> {flow.end = 12334264 : i64, flow.start = 12321157 : i64, origin = #flow.origin<"h.2", "upload h.2.map", backward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1388) : (!flow.buffer<131072, host>) -> ()
    %1525 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 5578752 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%1366, %1525) <{kind = #flow<transfer_kind read>}> {flow.end = 12579338 : i64, flow.start = 12076039 : i64, origin = #flow.origin<"h.2", "read h.1.map", backward>} : (!flow.buffer<131072, nvme>, !flow.buffer<131072, host>) -> ()
    "flow.release"(%1366) : (!flow.buffer<131072, nvme>) -> ()
    %1526 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.0", offset = 4875264 : i64}> : () -> !flow.buffer<786432, device>
    %1527 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.0", offset = 7889920 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%1211, %1526, %1527) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 31174574 : i64, flow.start = 31069717 : i64, origin = #flow.origin<"h.1", "gather decay.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    "flow.transfer"(%1522, %1227) <{kind = #flow<transfer_kind write>}> {flow.end = 32243176 : i64, flow.start = 31094600 : i64, origin = #flow.origin<"h.3", "write h.3.decay.0.gradient.0", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, nvme>) -> ()
    "flow.release"(%1522) : (!flow.buffer<262144, host>) -> ()
    %1528 = "flow.view"(%1375) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<512, nvme>) -> !flow.buffer<4096, nvme>
    %1529 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 5718016 : i64}> : () -> !flow.buffer<4096, host>
    "flow.transfer"(%1528, %1529) <{kind = #flow<transfer_kind read>}> {flow.end = 12691941 : i64, flow.start = 12579338 : i64, origin = #flow.origin<"h.2", "read h.2.layer_norm", backward>} : (!flow.buffer<4096, nvme>, !flow.buffer<4096, host>) -> ()
    "flow.release"(%1375) : (!flow.buffer<512, nvme>) -> ()
    %1530 = "flow.view"(%1374) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<512, nvme>) -> !flow.buffer<4096, nvme>
    %1531 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 5722112 : i64}> : () -> !flow.buffer<4096, host>
    "flow.transfer"(%1530, %1531) <{kind = #flow<transfer_kind read>}> {flow.end = 12804544 : i64, flow.start = 12691941 : i64, origin = #flow.origin<"h.2", "read h.2.layer_norm", backward>} : (!flow.buffer<4096, nvme>, !flow.buffer<4096, host>) -> ()
    "flow.release"(%1374) : (!flow.buffer<512, nvme>) -> ()
    %1532 = "flow.view"(%1437) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %1533 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 7234560 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1523, %1532, %1533) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 32154481 : i64, flow.start = 32075531 : i64, origin = #flow.origin<"h.2", "map", recompute>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%1523) : (!flow.buffer<393216, device>) -> ()
    %1534 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather no_decay.0", offset = 1942528 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%1210, %1534) <{piece_bytes = array<i64: 3328>}> {flow.end = 31175906 : i64, flow.start = 31174574 : i64, origin = #flow.origin<"h.1", "gather no_decay.0", backward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %1535 = "flow.view"(%1437) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1536 = "flow.view"(%1437) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1537 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 1536000 : i64}> : () -> !flow.buffer<131072, device>
    %1538 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 1976320 : i64}> : () -> !flow.buffer<512, device>
    %1539 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 1976832 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1474, %1535, %1536, %1537, %1538, %1539) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 32181003 : i64, flow.start = 32154481 : i64, origin = #flow.origin<"h.2", "layer_norm", recompute>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %1540 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.softmax", offset = 1973248 : i64}> : () -> !flow.buffer<2048, device>
    "flow.transfer"(%1385, %1540) <{kind = #flow<transfer_kind upload>}> {flow.end = 12334469 : i64, flow.start = 12334264 : i64, origin = #flow.origin<"h.2", "upload h.2.softmax", backward>} : (!flow.buffer<2048, host>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%1385) : (!flow.buffer<2048, host>) -> ()
    %1541 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 6185984 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1537, %1494, %1541, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 33523180 : i64, flow.start = 32181003 : i64, origin = #flow.origin<"h.2", "matmul", recompute>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    %1542 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 1667072 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%1525, %1542) <{kind = #flow<transfer_kind upload>}> {flow.end = 12592445 : i64, flow.start = 12579338 : i64, origin = #flow.origin<"h.2", "upload h.1.map", backward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1525) : (!flow.buffer<131072, host>) -> ()
    %1543 = "flow.view"(%1529) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, host>) -> !flow.buffer<512, host>
    %1544 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 1977344 : i64}> : () -> !flow.buffer<512, device>
    "flow.transfer"(%1543, %1544) <{kind = #flow<transfer_kind upload>}> {flow.end = 12691992 : i64, flow.start = 12691941 : i64, origin = #flow.origin<"h.2", "upload h.2.layer_norm", backward>} : (!flow.buffer<512, host>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1529) : (!flow.buffer<4096, host>) -> ()
    %1545 = "flow.view"(%1531) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, host>) -> !flow.buffer<512, host>
    %1546 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 1977856 : i64}> : () -> !flow.buffer<512, device>
    "flow.transfer"(%1545, %1546) <{kind = #flow<transfer_kind upload>}> {flow.end = 12804595 : i64, flow.start = 12804544 : i64, origin = #flow.origin<"h.2", "upload h.2.layer_norm", backward>} : (!flow.buffer<512, host>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1531) : (!flow.buffer<4096, host>) -> ()
    %1547 = "flow.view"(%1437) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %1548 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 5661696 : i64}> : () -> !flow.buffer<524288, device>
    %1549 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 6710272 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1541, %1547, %1548, %1549) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c5bdd8b7ae, operandSegmentSizes = array<i32: 2, 2, 0>}> {flow.end = 33680876 : i64, flow.start = 33523180 : i64, origin = #flow.origin<"h.2", "map", recompute>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%1541) : (!flow.buffer<524288, device>) -> ()
    %1550 = "flow.alloc"() <{buffer_class = "partial", name = "h.2.reduce", offset = 1955840 : i64}> : () -> !flow.buffer<13312, device>
    %1551 = "flow.view"(%1550) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%1521, %1551) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_c203d7efa1, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 33694085 : i64, flow.start = 33680876 : i64, origin = #flow.origin<"h.2", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>) -> ()
    %1552 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 6185984 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1521, %1498, %1552, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_72440f8312, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 35036263 : i64, flow.start = 33694085 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1498) : (!flow.buffer<1048576, device>) -> ()
    %1553 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 1798144 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%1325, %1553) <{kind = #flow<transfer_kind upload>}> {flow.end = 12817702 : i64, flow.start = 12804595 : i64, origin = #flow.origin<"h.1", "upload h.1.layer_norm", recompute>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1325) : (!flow.buffer<131072, host>) -> ()
    %1554 = "flow.alloc"() <{buffer_class = "partial", name = "h.2.matmul", offset = 3040256 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.launch"(%1549, %1521, %1554, %1205) <{begin = 0 : i64, end = 1024 : i64, kernel = @matmul_d035e4089b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 36378440 : i64, flow.start = 35036263 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<524288, device>, !flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1549) : (!flow.buffer<524288, device>) -> ()
    %1555 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.2.gradient.0", offset = 8152064 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%1554, %1555) <{element = f32, piece_bytes = array<i64: 262144>}> {flow.end = 36483298 : i64, flow.start = 36378440 : i64, origin = #flow.origin<"h.2", "reduce decay.2", backward>} : (!flow.buffer<1048576, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1554) : (!flow.buffer<1048576, device>) -> ()
    %1556 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 6710272 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1548, %1552, %1556) <{begin = 0 : i64, end = 128 : i64, kernel = @map_0a4efb66fc, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 36545557 : i64, flow.start = 36378440 : i64, origin = #flow.origin<"h.2", "map", backward>} : (!flow.buffer<524288, device>, !flow.buffer<524288, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%1552) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%1548) : (!flow.buffer<524288, device>) -> ()
    %1557 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.2.gradient.0", offset = 4399104 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%1555, %1557) <{kind = #flow<transfer_kind offload>}> {flow.end = 36509512 : i64, flow.start = 36483298 : i64, origin = #flow.origin<"h.2", "offload h.2.decay.2.gradient.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%1555) : (!flow.buffer<262144, device>) -> ()
    %1558 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.0", offset = 3040256 : i64}> : () -> !flow.buffer<786432, device>
    %1559 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.0", offset = 3826688 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%1207, %1558, %1559) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 36588155 : i64, flow.start = 36483298 : i64, origin = #flow.origin<"h.0", "gather decay.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    "flow.transfer"(%1557, %1229) <{kind = #flow<transfer_kind write>}> {flow.end = 37658088 : i64, flow.start = 36509512 : i64, origin = #flow.origin<"h.2", "write h.2.decay.2.gradient.0", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, nvme>) -> ()
    "flow.release"(%1557) : (!flow.buffer<262144, host>) -> ()
    %1560 = "flow.view"(%1550) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    "flow.launch"(%1556, %1560) <{begin = 0 : i64, end = 1024 : i64, kernel = @reduce_68a6a515c3, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 36598395 : i64, flow.start = 36545557 : i64, origin = #flow.origin<"h.2", "reduce", backward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>) -> ()
    %1561 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather no_decay.0", offset = 1978368 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%1206, %1561) <{piece_bytes = array<i64: 3328>}> {flow.end = 36589486 : i64, flow.start = 36588155 : i64, origin = #flow.origin<"h.0", "gather no_decay.0", backward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %1562 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 5661696 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1556, %1494, %1562, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_913d388b2b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 37940572 : i64, flow.start = 36598395 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1494) : (!flow.buffer<1048576, device>) -> ()
    %1563 = "flow.alloc"() <{buffer_class = "partial", name = "h.2.matmul", offset = 1991680 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.launch"(%1537, %1556, %1563, %1205) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_9615d47600, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 39282750 : i64, flow.start = 37940572 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1556) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%1537) : (!flow.buffer<131072, device>) -> ()
    %1564 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.1.gradient.0", offset = 5792768 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%1563, %1564) <{element = f32, piece_bytes = array<i64: 262144>}> {flow.end = 39387607 : i64, flow.start = 39282750 : i64, origin = #flow.origin<"h.2", "reduce decay.1", backward>} : (!flow.buffer<1048576, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1563) : (!flow.buffer<1048576, device>) -> ()
    %1565 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm_grad", offset = 1536000 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1562, %1474, %1535, %1538, %1539, %1565) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_grad_096dbb748d, operandSegmentSizes = array<i32: 5, 1, 0>}> {flow.end = 39322276 : i64, flow.start = 39282750 : i64, origin = #flow.origin<"h.2", "layer_norm_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    %1566 = "flow.view"(%1550) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1567 = "flow.view"(%1550) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%1562, %1474, %1538, %1539, %1566, %1567) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_8938ad99a8, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 39348798 : i64, flow.start = 39322276 : i64, origin = #flow.origin<"h.2", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>) -> ()
    "flow.release"(%1562) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1539) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1538) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1474) : (!flow.buffer<131072, device>) -> ()
    %1568 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 5661696 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1521, %1565, %1568) <{begin = 0 : i64, end = 128 : i64, kernel = @map_682b30d182, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 39388119 : i64, flow.start = 39348798 : i64, origin = #flow.origin<"h.2", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1565) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1521) : (!flow.buffer<131072, device>) -> ()
    "flow.transfer"(%1564, %1230) <{kind = #flow<transfer_kind offload>}> {flow.end = 39413822 : i64, flow.start = 39387607 : i64, origin = #flow.origin<"h.2", "offload h.2.decay.1.gradient.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%1564) : (!flow.buffer<262144, device>) -> ()
    %1569 = "flow.view"(%1550) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%1568, %1569) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_c203d7efa1, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 39401329 : i64, flow.start = 39388119 : i64, origin = #flow.origin<"h.2", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>) -> ()
    %1570 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 1536000 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1568, %1484, %1570, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_4302769c28, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 39736873 : i64, flow.start = 39401329 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1484) : (!flow.buffer<262144, device>) -> ()
    %1571 = "flow.alloc"() <{buffer_class = "partial", name = "h.2.matmul", offset = 1991680 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1524, %1568, %1571, %1205) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_8cd306ee70, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 40072418 : i64, flow.start = 39736873 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    %1572 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.1.parameter", offset = 2647040 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1212, %1572) <{kind = #flow<transfer_kind upload>}> {flow.end = 12843916 : i64, flow.start = 12817702 : i64, origin = #flow.origin<"h.1", "upload h.1.decay.1.parameter", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1573 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 2253824 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1533, %1573) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 40124846 : i64, flow.start = 40072418 : i64, origin = #flow.origin<"h.2", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1574 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 2909184 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1533, %1574) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 40177275 : i64, flow.start = 40124846 : i64, origin = #flow.origin<"h.2", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1575 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 2384896 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1533, %1575) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 40229704 : i64, flow.start = 40177275 : i64, origin = #flow.origin<"h.2", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1533) : (!flow.buffer<393216, device>) -> ()
    %1576 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 6579200 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1570, %1576) <{begin = 0 : i64, end = 1 : i64, kernel = @map_81500dec77, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 40255918 : i64, flow.start = 40229704 : i64, origin = #flow.origin<"h.2", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    %1577 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 5792768 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1573, %1574, %1577, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 40423691 : i64, flow.start = 40255918 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    %1578 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 6054912 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1576, %1575, %1578, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 40591463 : i64, flow.start = 40423691 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1575) : (!flow.buffer<131072, device>) -> ()
    %1579 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.reduce", offset = 6710272 : i64}> : () -> !flow.buffer<2048, device>
    "flow.launch"(%1570, %1524, %1579) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_dfa057dec6, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 40617882 : i64, flow.start = 40591463 : i64, origin = #flow.origin<"h.2", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%1570) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1524) : (!flow.buffer<131072, device>) -> ()
    %1580 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    %1581 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 6317056 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1577, %1540, %1578, %1579, %1580, %1581) <{begin = 0 : i64, end = 4 : i64, kernel = @map_5428b4a251, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 40723149 : i64, flow.start = 40617882 : i64, origin = #flow.origin<"h.2", "map", backward>} : (!flow.buffer<262144, device>, !flow.buffer<2048, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>, !flow.buffer<262144, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1579) : (!flow.buffer<2048, device>) -> ()
    "flow.release"(%1578) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1577) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1540) : (!flow.buffer<2048, device>) -> ()
    %1582 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.2.parameter", offset = 2384896 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%1213, %1582) <{kind = #flow<transfer_kind upload>}> {flow.end = 12870131 : i64, flow.start = 12843916 : i64, origin = #flow.origin<"h.1", "upload h.1.decay.2.parameter", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %1583 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 5792768 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1581, %1574, %1583, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 40890921 : i64, flow.start = 40723149 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1574) : (!flow.buffer<131072, device>) -> ()
    %1584 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 2909184 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1581, %1573, %1584, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_de7c18fe3b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 41058693 : i64, flow.start = 40890921 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1581) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1573) : (!flow.buffer<131072, device>) -> ()
    %1585 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 2253824 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1580, %1576, %1585, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_de7c18fe3b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 41226466 : i64, flow.start = 41058693 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1580) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1576) : (!flow.buffer<131072, device>) -> ()
    %1586 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.stack", offset = 5923840 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1583, %1584, %1585, %1586) <{begin = 0 : i64, end = 1 : i64, kernel = @stack_0fac26bb33, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 41305109 : i64, flow.start = 41226466 : i64, origin = #flow.origin<"h.2", "stack", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%1585) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1584) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1583) : (!flow.buffer<131072, device>) -> ()
    %1587 = "flow.view"(%1550) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    "flow.launch"(%1586, %1587) <{begin = 0 : i64, end = 768 : i64, kernel = @reduce_7aeb403de4, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 41344738 : i64, flow.start = 41305109 : i64, origin = #flow.origin<"h.2", "reduce", backward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>) -> ()
    %1588 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 2253824 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1586, %1483, %1588, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_6665eec420, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 42351371 : i64, flow.start = 41344738 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<393216, device>, !flow.buffer<786432, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1483) : (!flow.buffer<786432, device>) -> ()
    %1589 = "flow.alloc"() <{buffer_class = "partial", name = "h.2.matmul", offset = 6317056 : i64}> : () -> !flow.buffer<786432, device>
    "flow.launch"(%1476, %1586, %1589, %1205) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_ba6a02475b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 43358003 : i64, flow.start = 42351371 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<393216, device>, !flow.buffer<786432, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1586) : (!flow.buffer<393216, device>) -> ()
    "flow.release"(%1476) : (!flow.buffer<131072, device>) -> ()
    %1590 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.0.gradient.0", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%1589, %1571, %1590) <{element = f32, piece_bytes = array<i64: 196608, 65536>}> {flow.end = 43462861 : i64, flow.start = 43358003 : i64, origin = #flow.origin<"h.2", "reduce decay.0", backward>} : (!flow.buffer<786432, device>, !flow.buffer<262144, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1589) : (!flow.buffer<786432, device>) -> ()
    "flow.release"(%1571) : (!flow.buffer<262144, device>) -> ()
    %1591 = "flow.view"(%1437) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1592 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm_grad", offset = 2909184 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1588, %1542, %1591, %1544, %1546, %1592) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_grad_096dbb748d, operandSegmentSizes = array<i32: 5, 1, 0>}> {flow.end = 43397530 : i64, flow.start = 43358003 : i64, origin = #flow.origin<"h.2", "layer_norm_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1437) : (!flow.buffer<13312, device>) -> ()
    %1593 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 4399104 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%1350, %1593) <{kind = #flow<transfer_kind read>}> {flow.end = 13307842 : i64, flow.start = 12804544 : i64, origin = #flow.origin<"h.1", "read h.1.map", recompute>} : (!flow.buffer<131072, nvme>, !flow.buffer<131072, host>) -> ()
    "flow.release"(%1350) : (!flow.buffer<131072, nvme>) -> ()
    %1594 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 4613120 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%1351, %1594) <{kind = #flow<transfer_kind upload>}> {flow.end = 12883238 : i64, flow.start = 12870131 : i64, origin = #flow.origin<"h.1", "upload h.1.map", backward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1351) : (!flow.buffer<131072, host>) -> ()
    %1595 = "flow.view"(%1550) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1596 = "flow.view"(%1550) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%1588, %1542, %1544, %1546, %1595, %1596) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_8938ad99a8, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 43424052 : i64, flow.start = 43397530 : i64, origin = #flow.origin<"h.2", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>) -> ()
    "flow.release"(%1588) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1546) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1544) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1542) : (!flow.buffer<131072, device>) -> ()
    %1597 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 4744192 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1568, %1592, %1597) <{begin = 0 : i64, end = 128 : i64, kernel = @map_682b30d182, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 43463373 : i64, flow.start = 43424052 : i64, origin = #flow.origin<"h.2", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1592) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1568) : (!flow.buffer<131072, device>) -> ()
    "flow.transfer"(%1590, %1231) <{kind = #flow<transfer_kind offload>}> {flow.end = 43489075 : i64, flow.start = 43462861 : i64, origin = #flow.origin<"h.2", "offload h.2.decay.0.gradient.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%1590) : (!flow.buffer<262144, device>) -> ()
    "flow.reduce_scatter"(%1550, %1232) <{element = f32, piece_bytes = array<i64: 3328>}> {flow.end = 43464192 : i64, flow.start = 43462861 : i64, origin = #flow.origin<"h.2", "reduce no_decay.0", backward>} : (!flow.buffer<13312, device>, !flow.buffer<4096, device>) -> ()
    "flow.release"(%1550) : (!flow.buffer<13312, device>) -> ()
    %1598 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1991680 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1553, %1526, %1598, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 44470006 : i64, flow.start = 43463373 : i64, origin = #flow.origin<"h.1", "matmul", recompute>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    %1599 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.map", offset = 7758848 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%1305, %1599) <{kind = #flow<transfer_kind upload>}> {flow.end = 12896345 : i64, flow.start = 12883238 : i64, origin = #flow.origin<"h.1", "upload h.0.map", backward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1305) : (!flow.buffer<131072, host>) -> ()
    %1600 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.1", offset = 5661696 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1572, %1600) <{piece_bytes = array<i64: 262144>}> {flow.end = 43569050 : i64, flow.start = 43464192 : i64, origin = #flow.origin<"h.1", "gather decay.1", backward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%1572) : (!flow.buffer<262144, device>) -> ()
    %1601 = "flow.view"(%1324) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, host>) -> !flow.buffer<512, host>
    %1602 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 1955840 : i64}> : () -> !flow.buffer<512, device>
    "flow.transfer"(%1601, %1602) <{kind = #flow<transfer_kind upload>}> {flow.end = 12896396 : i64, flow.start = 12896345 : i64, origin = #flow.origin<"h.1", "upload h.1.layer_norm", backward>} : (!flow.buffer<512, host>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1324) : (!flow.buffer<4096, host>) -> ()
    %1603 = "flow.view"(%1321) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, host>) -> !flow.buffer<512, host>
    %1604 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 1956352 : i64}> : () -> !flow.buffer<512, device>
    "flow.transfer"(%1603, %1604) <{kind = #flow<transfer_kind upload>}> {flow.end = 12896448 : i64, flow.start = 12896396 : i64, origin = #flow.origin<"h.1", "upload h.1.layer_norm", backward>} : (!flow.buffer<512, host>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1321) : (!flow.buffer<4096, host>) -> ()
    %1605 = "flow.view"(%1534) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %1606 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 1404928 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1598, %1605, %1606) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 44548956 : i64, flow.start = 44470006 : i64, origin = #flow.origin<"h.1", "map", recompute>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%1598) : (!flow.buffer<393216, device>) -> ()
    %1607 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 8152064 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%1593, %1607) <{kind = #flow<transfer_kind upload>}> {flow.end = 13320949 : i64, flow.start = 13307842 : i64, origin = #flow.origin<"h.1", "upload h.1.map", recompute>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1593) : (!flow.buffer<131072, host>) -> ()
    %1608 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.2", offset = 6710272 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1582, %1608) <{piece_bytes = array<i64: 262144>}> {flow.end = 43673908 : i64, flow.start = 43569050 : i64, origin = #flow.origin<"h.1", "gather decay.2", backward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%1582) : (!flow.buffer<262144, device>) -> ()
    %1609 = "flow.view"(%1534) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1610 = "flow.view"(%1534) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1611 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 8283136 : i64}> : () -> !flow.buffer<131072, device>
    %1612 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 1956864 : i64}> : () -> !flow.buffer<512, device>
    %1613 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 1957376 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1607, %1609, %1610, %1611, %1612, %1613) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 44575478 : i64, flow.start = 44548956 : i64, origin = #flow.origin<"h.1", "layer_norm", recompute>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %1614 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 2515968 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1611, %1600, %1614, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 45917655 : i64, flow.start = 44575478 : i64, origin = #flow.origin<"h.1", "matmul", recompute>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    %1615 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.layer_norm", offset = 8414208 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%1270, %1615) <{kind = #flow<transfer_kind upload>}> {flow.end = 13334057 : i64, flow.start = 13320949 : i64, origin = #flow.origin<"h.0", "upload h.0.layer_norm", recompute>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1270) : (!flow.buffer<131072, host>) -> ()
    %1616 = "flow.view"(%1534) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %1617 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 1991680 : i64}> : () -> !flow.buffer<524288, device>
    %1618 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 4088832 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1614, %1616, %1617, %1618) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c5bdd8b7ae, operandSegmentSizes = array<i32: 2, 2, 0>}> {flow.end = 46075351 : i64, flow.start = 45917655 : i64, origin = #flow.origin<"h.1", "map", recompute>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%1614) : (!flow.buffer<524288, device>) -> ()
    %1619 = "flow.alloc"() <{buffer_class = "partial", name = "h.1.reduce", offset = 1929216 : i64}> : () -> !flow.buffer<13312, device>
    %1620 = "flow.view"(%1619) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%1597, %1620) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_c203d7efa1, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 46088561 : i64, flow.start = 46075351 : i64, origin = #flow.origin<"h.1", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>) -> ()
    %1621 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 2515968 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1597, %1608, %1621, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_72440f8312, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 47430738 : i64, flow.start = 46088561 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1608) : (!flow.buffer<1048576, device>) -> ()
    %1622 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.map", offset = 8545280 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%1291, %1622) <{kind = #flow<transfer_kind upload>}> {flow.end = 13347164 : i64, flow.start = 13334057 : i64, origin = #flow.origin<"h.0", "upload h.0.map", recompute>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1291) : (!flow.buffer<131072, host>) -> ()
    %1623 = "flow.alloc"() <{buffer_class = "partial", name = "h.1.matmul", offset = 6710272 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.launch"(%1618, %1597, %1623, %1205) <{begin = 0 : i64, end = 1024 : i64, kernel = @matmul_d035e4089b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 48772916 : i64, flow.start = 47430738 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<524288, device>, !flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1618) : (!flow.buffer<524288, device>) -> ()
    %1624 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.2.gradient.0", offset = 4088832 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%1623, %1624) <{element = f32, piece_bytes = array<i64: 262144>}> {flow.end = 48877773 : i64, flow.start = 48772916 : i64, origin = #flow.origin<"h.1", "reduce decay.2", backward>} : (!flow.buffer<1048576, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1623) : (!flow.buffer<1048576, device>) -> ()
    %1625 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 8676352 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1606, %1625) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 48825344 : i64, flow.start = 48772916 : i64, origin = #flow.origin<"h.1", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1626 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 8807424 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1606, %1626) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 48877773 : i64, flow.start = 48825344 : i64, origin = #flow.origin<"h.1", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1627 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 8938496 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1606, %1627) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 48930202 : i64, flow.start = 48877773 : i64, origin = #flow.origin<"h.1", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1606) : (!flow.buffer<393216, device>) -> ()
    "flow.transfer"(%1624, %1233) <{kind = #flow<transfer_kind offload>}> {flow.end = 48903988 : i64, flow.start = 48877773 : i64, origin = #flow.origin<"h.1", "offload h.1.decay.2.gradient.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%1624) : (!flow.buffer<262144, device>) -> ()
    %1628 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 4088832 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1617, %1621, %1628) <{begin = 0 : i64, end = 128 : i64, kernel = @map_0a4efb66fc, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 49097319 : i64, flow.start = 48930202 : i64, origin = #flow.origin<"h.1", "map", backward>} : (!flow.buffer<524288, device>, !flow.buffer<524288, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%1621) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%1617) : (!flow.buffer<524288, device>) -> ()
    %1629 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.1", offset = 6710272 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1208, %1629) <{piece_bytes = array<i64: 262144>}> {flow.end = 48982631 : i64, flow.start = 48877773 : i64, origin = #flow.origin<"h.0", "gather decay.1", backward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    %1630 = "flow.view"(%1619) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    "flow.launch"(%1628, %1630) <{begin = 0 : i64, end = 1024 : i64, kernel = @reduce_68a6a515c3, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 49150157 : i64, flow.start = 49097319 : i64, origin = #flow.origin<"h.1", "reduce", backward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>) -> ()
    %1631 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.2", offset = 1991680 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%1209, %1631) <{piece_bytes = array<i64: 262144>}> {flow.end = 49087488 : i64, flow.start = 48982631 : i64, origin = #flow.origin<"h.0", "gather decay.2", backward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    %1632 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1628, %1600, %1632, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_913d388b2b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 50492334 : i64, flow.start = 49150157 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1600) : (!flow.buffer<1048576, device>) -> ()
    %1633 = "flow.alloc"() <{buffer_class = "partial", name = "h.1.matmul", offset = 5661696 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.launch"(%1611, %1628, %1633, %1205) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_9615d47600, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 51834512 : i64, flow.start = 50492334 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1628) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%1611) : (!flow.buffer<131072, device>) -> ()
    %1634 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.1.gradient.0", offset = 1536000 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%1633, %1634) <{element = f32, piece_bytes = array<i64: 262144>}> {flow.end = 51939369 : i64, flow.start = 51834512 : i64, origin = #flow.origin<"h.1", "reduce decay.1", backward>} : (!flow.buffer<1048576, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1633) : (!flow.buffer<1048576, device>) -> ()
    %1635 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm_grad", offset = 4088832 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1632, %1607, %1609, %1612, %1613, %1635) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_grad_096dbb748d, operandSegmentSizes = array<i32: 5, 1, 0>}> {flow.end = 51874038 : i64, flow.start = 51834512 : i64, origin = #flow.origin<"h.1", "layer_norm_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    %1636 = "flow.view"(%1619) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1637 = "flow.view"(%1619) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%1632, %1607, %1612, %1613, %1636, %1637) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_8938ad99a8, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 51900560 : i64, flow.start = 51874038 : i64, origin = #flow.origin<"h.1", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>) -> ()
    "flow.release"(%1632) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1613) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1612) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1607) : (!flow.buffer<131072, device>) -> ()
    %1638 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1597, %1635, %1638) <{begin = 0 : i64, end = 128 : i64, kernel = @map_682b30d182, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 51939881 : i64, flow.start = 51900560 : i64, origin = #flow.origin<"h.1", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1635) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1597) : (!flow.buffer<131072, device>) -> ()
    "flow.transfer"(%1634, %1234) <{kind = #flow<transfer_kind offload>}> {flow.end = 51965584 : i64, flow.start = 51939369 : i64, origin = #flow.origin<"h.1", "offload h.1.decay.1.gradient.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%1634) : (!flow.buffer<262144, device>) -> ()
    %1639 = "flow.view"(%1619) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%1638, %1639) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_c203d7efa1, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 51953091 : i64, flow.start = 51939881 : i64, origin = #flow.origin<"h.1", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>) -> ()
    %1640 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 4744192 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1638, %1527, %1640, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_4302769c28, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 52288635 : i64, flow.start = 51953091 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1527) : (!flow.buffer<262144, device>) -> ()
    %1641 = "flow.alloc"() <{buffer_class = "partial", name = "h.1.matmul", offset = 1536000 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1594, %1638, %1641, %1205) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_8cd306ee70, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 52624180 : i64, flow.start = 52288635 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    %1642 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.map", offset = 5923840 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%1287, %1642) <{kind = #flow<transfer_kind upload>}> {flow.end = 13360271 : i64, flow.start = 13347164 : i64, origin = #flow.origin<"h.0", "upload h.0.map", backward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1287) : (!flow.buffer<131072, host>) -> ()
    %1643 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 6054912 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1640, %1643) <{begin = 0 : i64, end = 1 : i64, kernel = @map_81500dec77, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 52650394 : i64, flow.start = 52624180 : i64, origin = #flow.origin<"h.1", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    %1644 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 4088832 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1625, %1626, %1644, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 52818166 : i64, flow.start = 52650394 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    %1645 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 4350976 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1643, %1627, %1645, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 52985938 : i64, flow.start = 52818166 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1627) : (!flow.buffer<131072, device>) -> ()
    %1646 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.reduce", offset = 1956864 : i64}> : () -> !flow.buffer<2048, device>
    "flow.launch"(%1640, %1594, %1646) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_dfa057dec6, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 53012357 : i64, flow.start = 52985938 : i64, origin = #flow.origin<"h.1", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%1640) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1594) : (!flow.buffer<131072, device>) -> ()
    %1647 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 4613120 : i64}> : () -> !flow.buffer<262144, device>
    %1648 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 5661696 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1644, %1333, %1645, %1646, %1647, %1648) <{begin = 0 : i64, end = 4 : i64, kernel = @map_5428b4a251, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 53117625 : i64, flow.start = 53012357 : i64, origin = #flow.origin<"h.1", "map", backward>} : (!flow.buffer<262144, device>, !flow.buffer<2048, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>, !flow.buffer<262144, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1646) : (!flow.buffer<2048, device>) -> ()
    "flow.release"(%1645) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1644) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1333) : (!flow.buffer<2048, device>) -> ()
    %1649 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 4088832 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1648, %1626, %1649, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 53285397 : i64, flow.start = 53117625 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1626) : (!flow.buffer<131072, device>) -> ()
    %1650 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 4219904 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1648, %1625, %1650, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_de7c18fe3b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 53453169 : i64, flow.start = 53285397 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1648) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1625) : (!flow.buffer<131072, device>) -> ()
    %1651 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 5661696 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1647, %1643, %1651, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_de7c18fe3b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 53620941 : i64, flow.start = 53453169 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1647) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1643) : (!flow.buffer<131072, device>) -> ()
    %1652 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.stack", offset = 4350976 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1649, %1650, %1651, %1652) <{begin = 0 : i64, end = 1 : i64, kernel = @stack_0fac26bb33, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 53699584 : i64, flow.start = 53620941 : i64, origin = #flow.origin<"h.1", "stack", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%1651) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1650) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1649) : (!flow.buffer<131072, device>) -> ()
    %1653 = "flow.view"(%1619) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    "flow.launch"(%1652, %1653) <{begin = 0 : i64, end = 768 : i64, kernel = @reduce_7aeb403de4, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 53739213 : i64, flow.start = 53699584 : i64, origin = #flow.origin<"h.1", "reduce", backward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>) -> ()
    %1654 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 5661696 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1652, %1526, %1654, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_6665eec420, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 54745846 : i64, flow.start = 53739213 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<393216, device>, !flow.buffer<786432, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1526) : (!flow.buffer<786432, device>) -> ()
    %1655 = "flow.alloc"() <{buffer_class = "partial", name = "h.1.matmul", offset = 4744192 : i64}> : () -> !flow.buffer<786432, device>
    "flow.launch"(%1553, %1652, %1655, %1205) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_ba6a02475b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 55752479 : i64, flow.start = 54745846 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<393216, device>, !flow.buffer<786432, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1652) : (!flow.buffer<393216, device>) -> ()
    "flow.release"(%1553) : (!flow.buffer<131072, device>) -> ()
    %1656 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.0.gradient.0", offset = 4088832 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%1655, %1641, %1656) <{element = f32, piece_bytes = array<i64: 196608, 65536>}> {flow.end = 55857337 : i64, flow.start = 55752479 : i64, origin = #flow.origin<"h.1", "reduce decay.0", backward>} : (!flow.buffer<786432, device>, !flow.buffer<262144, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1655) : (!flow.buffer<786432, device>) -> ()
    "flow.release"(%1641) : (!flow.buffer<262144, device>) -> ()
    %1657 = "flow.view"(%1534) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1658 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm_grad", offset = 1798144 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1654, %1599, %1657, %1602, %1604, %1658) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_grad_096dbb748d, operandSegmentSizes = array<i32: 5, 1, 0>}> {flow.end = 55792005 : i64, flow.start = 55752479 : i64, origin = #flow.origin<"h.1", "layer_norm_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1534) : (!flow.buffer<13312, device>) -> ()
    %1659 = "flow.alloc"() <{buffer_class = "checkpoint", name = "map", offset = 5792768 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%1262, %1659) <{kind = #flow<transfer_kind upload>}> {flow.end = 13373378 : i64, flow.start = 13360271 : i64, origin = #flow.origin<"h.0", "upload map", backward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1262) : (!flow.buffer<131072, host>) -> ()
    %1660 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.layer_norm", offset = 1956864 : i64}> : () -> !flow.buffer<512, device>
    "flow.transfer"(%1269, %1660) <{kind = #flow<transfer_kind upload>}> {flow.end = 13373429 : i64, flow.start = 13373378 : i64, origin = #flow.origin<"h.0", "upload h.0.layer_norm", backward>} : (!flow.buffer<512, host>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1269) : (!flow.buffer<512, host>) -> ()
    %1661 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.layer_norm", offset = 1957376 : i64}> : () -> !flow.buffer<512, device>
    "flow.transfer"(%1268, %1661) <{kind = #flow<transfer_kind upload>}> {flow.end = 13373481 : i64, flow.start = 13373429 : i64, origin = #flow.origin<"h.0", "upload h.0.layer_norm", backward>} : (!flow.buffer<512, host>, !flow.buffer<512, device>) -> ()
    "flow.release"(%1268) : (!flow.buffer<512, host>) -> ()
    %1662 = "flow.view"(%1619) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1663 = "flow.view"(%1619) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%1654, %1599, %1602, %1604, %1662, %1663) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_8938ad99a8, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 55818527 : i64, flow.start = 55792005 : i64, origin = #flow.origin<"h.1", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>) -> ()
    "flow.release"(%1654) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1604) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1602) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1599) : (!flow.buffer<131072, device>) -> ()
    %1664 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 6054912 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1638, %1658, %1664) <{begin = 0 : i64, end = 128 : i64, kernel = @map_682b30d182, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 55857849 : i64, flow.start = 55818527 : i64, origin = #flow.origin<"h.1", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1658) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1638) : (!flow.buffer<131072, device>) -> ()
    "flow.transfer"(%1656, %1235) <{kind = #flow<transfer_kind offload>}> {flow.end = 55883551 : i64, flow.start = 55857337 : i64, origin = #flow.origin<"h.1", "offload h.1.decay.0.gradient.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%1656) : (!flow.buffer<262144, device>) -> ()
    "flow.reduce_scatter"(%1619, %1236) <{element = f32, piece_bytes = array<i64: 3328>}> {flow.end = 55858668 : i64, flow.start = 55857337 : i64, origin = #flow.origin<"h.1", "reduce no_decay.0", backward>} : (!flow.buffer<13312, device>, !flow.buffer<4096, device>) -> ()
    "flow.release"(%1619) : (!flow.buffer<13312, device>) -> ()
    %1665 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1615, %1558, %1665, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 56864482 : i64, flow.start = 55857849 : i64, origin = #flow.origin<"h.0", "matmul", recompute>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    %1666 = "flow.view"(%1561) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %1667 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 5137408 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1665, %1666, %1667) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 56943432 : i64, flow.start = 56864482 : i64, origin = #flow.origin<"h.0", "map", recompute>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%1665) : (!flow.buffer<393216, device>) -> ()
    %1668 = "flow.view"(%1561) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1669 = "flow.view"(%1561) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1670 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 6185984 : i64}> : () -> !flow.buffer<131072, device>
    %1671 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 1942528 : i64}> : () -> !flow.buffer<512, device>
    %1672 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 1943040 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%1622, %1668, %1669, %1670, %1671, %1672) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 56969954 : i64, flow.start = 56943432 : i64, origin = #flow.origin<"h.0", "layer_norm", recompute>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %1673 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 4088832 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1670, %1629, %1673, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 58312131 : i64, flow.start = 56969954 : i64, origin = #flow.origin<"h.0", "matmul", recompute>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    %1674 = "flow.view"(%1561) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %1675 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 1404928 : i64}> : () -> !flow.buffer<524288, device>
    %1676 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 4613120 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1673, %1674, %1675, %1676) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c5bdd8b7ae, operandSegmentSizes = array<i32: 2, 2, 0>}> {flow.end = 58469827 : i64, flow.start = 58312131 : i64, origin = #flow.origin<"h.0", "map", recompute>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%1673) : (!flow.buffer<524288, device>) -> ()
    %1677 = "flow.alloc"() <{buffer_class = "partial", name = "h.0.reduce", offset = 1929216 : i64}> : () -> !flow.buffer<13312, device>
    %1678 = "flow.view"(%1677) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%1664, %1678) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_c203d7efa1, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 58483036 : i64, flow.start = 58469827 : i64, origin = #flow.origin<"h.0", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>) -> ()
    %1679 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 4088832 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1664, %1631, %1679, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_72440f8312, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 59825214 : i64, flow.start = 58483036 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1631) : (!flow.buffer<1048576, device>) -> ()
    %1680 = "flow.alloc"() <{buffer_class = "partial", name = "h.0.matmul", offset = 1991680 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.launch"(%1676, %1664, %1680, %1205) <{begin = 0 : i64, end = 1024 : i64, kernel = @matmul_d035e4089b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 61167391 : i64, flow.start = 59825214 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<524288, device>, !flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1676) : (!flow.buffer<524288, device>) -> ()
    %1681 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.2.gradient.0", offset = 5530624 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%1680, %1681) <{element = f32, piece_bytes = array<i64: 262144>}> {flow.end = 61272249 : i64, flow.start = 61167391 : i64, origin = #flow.origin<"h.0", "reduce decay.2", backward>} : (!flow.buffer<1048576, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1680) : (!flow.buffer<1048576, device>) -> ()
    %1682 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 4613120 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%1675, %1679, %1682) <{begin = 0 : i64, end = 128 : i64, kernel = @map_0a4efb66fc, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 61334508 : i64, flow.start = 61167391 : i64, origin = #flow.origin<"h.0", "map", backward>} : (!flow.buffer<524288, device>, !flow.buffer<524288, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%1679) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%1675) : (!flow.buffer<524288, device>) -> ()
    "flow.transfer"(%1681, %1237) <{kind = #flow<transfer_kind offload>}> {flow.end = 61298463 : i64, flow.start = 61272249 : i64, origin = #flow.origin<"h.0", "offload h.0.decay.2.gradient.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%1681) : (!flow.buffer<262144, device>) -> ()
    %1683 = "flow.view"(%1677) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    "flow.launch"(%1682, %1683) <{begin = 0 : i64, end = 1024 : i64, kernel = @reduce_68a6a515c3, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 61387346 : i64, flow.start = 61334508 : i64, origin = #flow.origin<"h.0", "reduce", backward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>) -> ()
    %1684 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1682, %1629, %1684, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_913d388b2b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 62729524 : i64, flow.start = 61387346 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1629) : (!flow.buffer<1048576, device>) -> ()
    %1685 = "flow.alloc"() <{buffer_class = "partial", name = "h.0.matmul", offset = 1991680 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.launch"(%1670, %1682, %1685, %1205) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_9615d47600, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 64071701 : i64, flow.start = 62729524 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1682) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%1670) : (!flow.buffer<131072, device>) -> ()
    %1686 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.1.gradient.0", offset = 1536000 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%1685, %1686) <{element = f32, piece_bytes = array<i64: 262144>}> {flow.end = 64176558 : i64, flow.start = 64071701 : i64, origin = #flow.origin<"h.0", "reduce decay.1", backward>} : (!flow.buffer<1048576, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1685) : (!flow.buffer<1048576, device>) -> ()
    %1687 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm_grad", offset = 1798144 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1684, %1622, %1668, %1671, %1672, %1687) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_grad_096dbb748d, operandSegmentSizes = array<i32: 5, 1, 0>}> {flow.end = 64111227 : i64, flow.start = 64071701 : i64, origin = #flow.origin<"h.0", "layer_norm_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    %1688 = "flow.view"(%1677) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1689 = "flow.view"(%1677) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%1684, %1622, %1671, %1672, %1688, %1689) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_8938ad99a8, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 64137749 : i64, flow.start = 64111227 : i64, origin = #flow.origin<"h.0", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>) -> ()
    "flow.release"(%1684) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1672) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1671) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1622) : (!flow.buffer<131072, device>) -> ()
    %1690 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1664, %1687, %1690) <{begin = 0 : i64, end = 128 : i64, kernel = @map_682b30d182, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 64177070 : i64, flow.start = 64137749 : i64, origin = #flow.origin<"h.0", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1687) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1664) : (!flow.buffer<131072, device>) -> ()
    "flow.transfer"(%1686, %1238) <{kind = #flow<transfer_kind offload>}> {flow.end = 64202773 : i64, flow.start = 64176558 : i64, origin = #flow.origin<"h.0", "offload h.0.decay.1.gradient.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%1686) : (!flow.buffer<262144, device>) -> ()
    %1691 = "flow.view"(%1677) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%1690, %1691) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_c203d7efa1, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 64190280 : i64, flow.start = 64177070 : i64, origin = #flow.origin<"h.0", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>) -> ()
    %1692 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 2515968 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1690, %1559, %1692, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_4302769c28, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 64525824 : i64, flow.start = 64190280 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1559) : (!flow.buffer<262144, device>) -> ()
    %1693 = "flow.alloc"() <{buffer_class = "partial", name = "h.0.matmul", offset = 1536000 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1642, %1690, %1693, %1205) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_8cd306ee70, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 64861369 : i64, flow.start = 64525824 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    %1694 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 1798144 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1667, %1694) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 64913797 : i64, flow.start = 64861369 : i64, origin = #flow.origin<"h.0", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1695 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 3826688 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1667, %1695) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 64966226 : i64, flow.start = 64913797 : i64, origin = #flow.origin<"h.0", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %1696 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 2647040 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1667, %1696) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 65018655 : i64, flow.start = 64966226 : i64, origin = #flow.origin<"h.0", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1667) : (!flow.buffer<393216, device>) -> ()
    %1697 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 3957760 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1692, %1697) <{begin = 0 : i64, end = 1 : i64, kernel = @map_81500dec77, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 65044869 : i64, flow.start = 65018655 : i64, origin = #flow.origin<"h.0", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    %1698 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1991680 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1694, %1695, %1698, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 65212642 : i64, flow.start = 65044869 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    %1699 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 2253824 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1697, %1696, %1699, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 65380414 : i64, flow.start = 65212642 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1696) : (!flow.buffer<131072, device>) -> ()
    %1700 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.reduce", offset = 1942528 : i64}> : () -> !flow.buffer<2048, device>
    "flow.launch"(%1692, %1642, %1700) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_dfa057dec6, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 65406833 : i64, flow.start = 65380414 : i64, origin = #flow.origin<"h.0", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%1692) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1642) : (!flow.buffer<131072, device>) -> ()
    %1701 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 2515968 : i64}> : () -> !flow.buffer<262144, device>
    %1702 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 2778112 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1698, %1284, %1699, %1700, %1701, %1702) <{begin = 0 : i64, end = 4 : i64, kernel = @map_5428b4a251, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 65512100 : i64, flow.start = 65406833 : i64, origin = #flow.origin<"h.0", "map", backward>} : (!flow.buffer<262144, device>, !flow.buffer<2048, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>, !flow.buffer<262144, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1700) : (!flow.buffer<2048, device>) -> ()
    "flow.release"(%1699) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1698) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1284) : (!flow.buffer<2048, device>) -> ()
    %1703 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1991680 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1702, %1695, %1703, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 65679872 : i64, flow.start = 65512100 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1695) : (!flow.buffer<131072, device>) -> ()
    %1704 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 2122752 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1702, %1694, %1704, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_de7c18fe3b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 65847644 : i64, flow.start = 65679872 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1702) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1694) : (!flow.buffer<131072, device>) -> ()
    %1705 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1798144 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1701, %1697, %1705, %1205) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_de7c18fe3b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 66015417 : i64, flow.start = 65847644 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1701) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%1697) : (!flow.buffer<131072, device>) -> ()
    %1706 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.stack", offset = 2253824 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%1703, %1704, %1705, %1706) <{begin = 0 : i64, end = 1 : i64, kernel = @stack_0fac26bb33, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 66094060 : i64, flow.start = 66015417 : i64, origin = #flow.origin<"h.0", "stack", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%1705) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1704) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1703) : (!flow.buffer<131072, device>) -> ()
    %1707 = "flow.view"(%1677) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    "flow.launch"(%1706, %1707) <{begin = 0 : i64, end = 768 : i64, kernel = @reduce_7aeb403de4, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 66133689 : i64, flow.start = 66094060 : i64, origin = #flow.origin<"h.0", "reduce", backward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>) -> ()
    %1708 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1798144 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1706, %1558, %1708, %1205) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_6665eec420, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 67140322 : i64, flow.start = 66133689 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<393216, device>, !flow.buffer<786432, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1558) : (!flow.buffer<786432, device>) -> ()
    %1709 = "flow.alloc"() <{buffer_class = "partial", name = "h.0.matmul", offset = 2647040 : i64}> : () -> !flow.buffer<786432, device>
    "flow.launch"(%1615, %1706, %1709, %1205) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_ba6a02475b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 68146955 : i64, flow.start = 67140322 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<393216, device>, !flow.buffer<786432, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%1706) : (!flow.buffer<393216, device>) -> ()
    "flow.release"(%1615) : (!flow.buffer<131072, device>) -> ()
    %1710 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.0.gradient.0", offset = 1991680 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%1709, %1693, %1710) <{element = f32, piece_bytes = array<i64: 196608, 65536>}> {flow.end = 68251812 : i64, flow.start = 68146955 : i64, origin = #flow.origin<"h.0", "reduce decay.0", backward>} : (!flow.buffer<786432, device>, !flow.buffer<262144, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1709) : (!flow.buffer<786432, device>) -> ()
    "flow.release"(%1693) : (!flow.buffer<262144, device>) -> ()
    %1711 = "flow.view"(%1561) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1712 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm_grad", offset = 2253824 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1708, %1659, %1711, %1660, %1661, %1712) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_grad_096dbb748d, operandSegmentSizes = array<i32: 5, 1, 0>}> {flow.end = 68186481 : i64, flow.start = 68146955 : i64, origin = #flow.origin<"h.0", "layer_norm_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1561) : (!flow.buffer<13312, device>) -> ()
    %1713 = "flow.view"(%1677) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %1714 = "flow.view"(%1677) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%1708, %1659, %1660, %1661, %1713, %1714) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_8938ad99a8, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 68213003 : i64, flow.start = 68186481 : i64, origin = #flow.origin<"h.0", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>) -> ()
    "flow.release"(%1708) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1661) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1660) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%1659) : (!flow.buffer<131072, device>) -> ()
    %1715 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 1798144 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1690, %1712, %1715) <{begin = 0 : i64, end = 128 : i64, kernel = @map_682b30d182, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 68252324 : i64, flow.start = 68213003 : i64, origin = #flow.origin<"h.0", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1712) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1690) : (!flow.buffer<131072, device>) -> ()
    "flow.transfer"(%1710, %1239) <{kind = #flow<transfer_kind offload>}> {flow.end = 68278027 : i64, flow.start = 68251812 : i64, origin = #flow.origin<"h.0", "offload h.0.decay.0.gradient.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%1710) : (!flow.buffer<262144, device>) -> ()
    "flow.reduce_scatter"(%1677, %1240) <{element = f32, piece_bytes = array<i64: 3328>}> {flow.end = 68253143 : i64, flow.start = 68251812 : i64, origin = #flow.origin<"h.0", "reduce no_decay.0", backward>} : (!flow.buffer<13312, device>, !flow.buffer<4096, device>) -> ()
    "flow.release"(%1677) : (!flow.buffer<13312, device>) -> ()
    %1716 = "flow.alloc"() <{buffer_class = "partial", name = "embedding_grad", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%1715, %1246, %1716) <{begin = 0 : i64, end = 256 : i64, kernel = @embedding_grad_ddcbbbf9fd, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 68278590 : i64, flow.start = 68252324 : i64, origin = #flow.origin<"", "embedding_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%1246) : (!flow.buffer<512, device>) -> ()
    "flow.reduce_scatter"(%1716, %1243) <{element = f32, piece_bytes = array<i64: 32768>}> {flow.end = 68291697 : i64, flow.start = 68278590 : i64, origin = #flow.origin<"", "reduce decay.0", backward>} : (!flow.buffer<131072, device>, !flow.buffer<32768, device>) -> ()
    "flow.release"(%1716) : (!flow.buffer<131072, device>) -> ()
    %1717 = "flow.alloc"() <{buffer_class = "partial", name = "embedding_grad", offset = 1536000 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%1715, %1251, %1717) <{begin = 0 : i64, end = 256 : i64, kernel = @embedding_grad_f7af83bb70, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 68317963 : i64, flow.start = 68278590 : i64, origin = #flow.origin<"", "embedding_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%1715) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%1251) : (!flow.buffer<512, device>) -> ()
    %1718 = "flow.alloc"() <{buffer_class = "staging", name = "decay.1.gradient.0", offset = 1404928 : i64}> : () -> !flow.buffer<65536, device>
    "flow.reduce_scatter"(%1717, %1718) <{element = f32, piece_bytes = array<i64: 65536>}> {flow.end = 68344177 : i64, flow.start = 68317963 : i64, origin = #flow.origin<"", "reduce decay.1", backward>} : (!flow.buffer<262144, device>, !flow.buffer<65536, device>) -> ()
    "flow.release"(%1717) : (!flow.buffer<262144, device>) -> ()
    "flow.transfer"(%1718, %1242) <{kind = #flow<transfer_kind offload>}> {flow.end = 68350731 : i64, flow.start = 68344177 : i64, origin = #flow.origin<"", "offload decay.1.gradient.0", backward>} : (!flow.buffer<65536, device>, !flow.buffer<65536, host>) -> ()
    "flow.release"(%1718) : (!flow.buffer<65536, device>) -> ()
  }) : () -> ()
  "flow.section"() <{sym_name = "last"}> ({
    %215 = "flow.use"() <{home = @scratch}> : () -> !flow.buffer<167936, device>
    %216 = "flow.use"() <{home = @h.3.decay.2.gradient.0}> : () -> !flow.buffer<262144, nvme>
    %217 = "flow.use"() <{home = @h.3.decay.1.gradient.0}> : () -> !flow.buffer<262144, nvme>
    %218 = "flow.use"() <{home = @h.3.decay.0.gradient.0}> : () -> !flow.buffer<262144, nvme>
    %219 = "flow.use"() <{home = @h.3.no_decay.0.gradient.0}> : () -> !flow.buffer<4096, device>
    %220 = "flow.use"() <{home = @h.2.decay.2.gradient.0}> : () -> !flow.buffer<262144, nvme>
    %221 = "flow.use"() <{home = @h.2.decay.1.gradient.0}> : () -> !flow.buffer<262144, host>
    %222 = "flow.use"() <{home = @h.2.decay.0.gradient.0}> : () -> !flow.buffer<262144, host>
    %223 = "flow.use"() <{home = @h.2.no_decay.0.gradient.0}> : () -> !flow.buffer<4096, device>
    %224 = "flow.use"() <{home = @h.1.decay.2.gradient.0}> : () -> !flow.buffer<262144, host>
    %225 = "flow.use"() <{home = @h.1.decay.1.gradient.0}> : () -> !flow.buffer<262144, host>
    %226 = "flow.use"() <{home = @h.1.decay.0.gradient.0}> : () -> !flow.buffer<262144, host>
    %227 = "flow.use"() <{home = @h.1.no_decay.0.gradient.0}> : () -> !flow.buffer<4096, device>
    %228 = "flow.use"() <{home = @h.0.decay.2.gradient.0}> : () -> !flow.buffer<262144, host>
    %229 = "flow.use"() <{home = @h.0.decay.1.gradient.0}> : () -> !flow.buffer<262144, host>
    %230 = "flow.use"() <{home = @h.0.decay.0.gradient.0}> : () -> !flow.buffer<262144, host>
    %231 = "flow.use"() <{home = @h.0.no_decay.0.gradient.0}> : () -> !flow.buffer<4096, device>
    %232 = "flow.use"() <{home = @decay.1.gradient.1}> : () -> !flow.buffer<65536, host>
    %233 = "flow.use"() <{home = @decay.1.gradient.0}> : () -> !flow.buffer<65536, host>
    %234 = "flow.use"() <{home = @decay.0.gradient.0}> : () -> !flow.buffer<32768, device>
    %235 = "flow.use"() <{home = @no_decay.0.gradient.0}> : () -> !flow.buffer<4096, device>
    %236 = "flow.use"() <{home = @no_decay.0.parameter.u0}> : () -> !flow.buffer<4096, device>
    %237 = "flow.use"() <{home = @no_decay.0.momentum}> : () -> !flow.buffer<4096, device>
    %238 = "flow.use"() <{home = @no_decay.0.variance}> : () -> !flow.buffer<4096, device>
    %239 = "flow.use"() <{home = @decay.0.parameter}> : () -> !flow.buffer<32768, device>
    %240 = "flow.use"() <{home = @decay.0.momentum}> : () -> !flow.buffer<32768, host>
    %241 = "flow.use"() <{home = @decay.0.variance}> : () -> !flow.buffer<32768, host>
    %242 = "flow.use"() <{home = @decay.1.parameter}> : () -> !flow.buffer<65536, device>
    %243 = "flow.use"() <{home = @decay.1.momentum}> : () -> !flow.buffer<65536, nvme>
    %244 = "flow.use"() <{home = @decay.1.variance}> : () -> !flow.buffer<65536, nvme>
    %245 = "flow.use"() <{home = @h.0.no_decay.0.parameter}> : () -> !flow.buffer<4096, device>
    %246 = "flow.use"() <{home = @h.0.no_decay.0.momentum}> : () -> !flow.buffer<4096, device>
    %247 = "flow.use"() <{home = @h.0.no_decay.0.variance}> : () -> !flow.buffer<4096, device>
    %248 = "flow.use"() <{home = @h.0.decay.0.parameter}> : () -> !flow.buffer<262144, device>
    %249 = "flow.use"() <{home = @h.0.decay.0.momentum}> : () -> !flow.buffer<262144, nvme>
    %250 = "flow.use"() <{home = @h.0.decay.0.variance}> : () -> !flow.buffer<262144, nvme>
    %251 = "flow.use"() <{home = @h.0.decay.1.parameter}> : () -> !flow.buffer<262144, device>
    %252 = "flow.use"() <{home = @h.0.decay.1.momentum}> : () -> !flow.buffer<262144, nvme>
    %253 = "flow.use"() <{home = @h.0.decay.1.variance}> : () -> !flow.buffer<262144, nvme>
    %254 = "flow.use"() <{home = @h.0.decay.2.parameter}> : () -> !flow.buffer<262144, device>
    %255 = "flow.use"() <{home = @h.0.decay.2.momentum}> : () -> !flow.buffer<262144, nvme>
    %256 = "flow.use"() <{home = @h.0.decay.2.variance}> : () -> !flow.buffer<262144, nvme>
    %257 = "flow.use"() <{home = @h.1.no_decay.0.parameter}> : () -> !flow.buffer<4096, device>
    %258 = "flow.use"() <{home = @h.1.no_decay.0.momentum}> : () -> !flow.buffer<4096, host>
    %259 = "flow.use"() <{home = @h.1.no_decay.0.variance}> : () -> !flow.buffer<4096, host>
    %260 = "flow.use"() <{home = @h.1.decay.0.parameter}> : () -> !flow.buffer<262144, device>
    %261 = "flow.use"() <{home = @h.1.decay.0.momentum}> : () -> !flow.buffer<262144, nvme>
    %262 = "flow.use"() <{home = @h.1.decay.0.variance}> : () -> !flow.buffer<262144, nvme>
    %263 = "flow.use"() <{home = @h.1.decay.1.parameter}> : () -> !flow.buffer<262144, host>
    %264 = "flow.use"() <{home = @h.1.decay.1.momentum}> : () -> !flow.buffer<262144, nvme>
    %265 = "flow.use"() <{home = @h.1.decay.1.variance}> : () -> !flow.buffer<262144, nvme>
    %266 = "flow.use"() <{home = @h.1.decay.2.parameter}> : () -> !flow.buffer<262144, host>
    %267 = "flow.use"() <{home = @h.1.decay.2.momentum}> : () -> !flow.buffer<262144, nvme>
    %268 = "flow.use"() <{home = @h.1.decay.2.variance}> : () -> !flow.buffer<262144, nvme>
    %269 = "flow.use"() <{home = @h.2.no_decay.0.parameter}> : () -> !flow.buffer<4096, device>
    %270 = "flow.use"() <{home = @h.2.no_decay.0.momentum}> : () -> !flow.buffer<4096, nvme>
    %271 = "flow.use"() <{home = @h.2.no_decay.0.variance}> : () -> !flow.buffer<4096, nvme>
    %272 = "flow.use"() <{home = @h.2.decay.0.parameter}> : () -> !flow.buffer<262144, host>
    %273 = "flow.use"() <{home = @h.2.decay.0.momentum}> : () -> !flow.buffer<262144, nvme>
    %274 = "flow.use"() <{home = @h.2.decay.0.variance}> : () -> !flow.buffer<262144, nvme>
    %275 = "flow.use"() <{home = @h.2.decay.1.parameter}> : () -> !flow.buffer<262144, host>
    %276 = "flow.use"() <{home = @h.2.decay.1.momentum}> : () -> !flow.buffer<262144, nvme>
    %277 = "flow.use"() <{home = @h.2.decay.1.variance}> : () -> !flow.buffer<262144, nvme>
    %278 = "flow.use"() <{home = @h.2.decay.2.parameter}> : () -> !flow.buffer<262144, host>
    %279 = "flow.use"() <{home = @h.2.decay.2.momentum}> : () -> !flow.buffer<262144, nvme>
    %280 = "flow.use"() <{home = @h.2.decay.2.variance}> : () -> !flow.buffer<262144, nvme>
    %281 = "flow.use"() <{home = @h.3.no_decay.0.parameter}> : () -> !flow.buffer<4096, device>
    %282 = "flow.use"() <{home = @h.3.no_decay.0.momentum}> : () -> !flow.buffer<4096, nvme>
    %283 = "flow.use"() <{home = @h.3.no_decay.0.variance}> : () -> !flow.buffer<4096, nvme>
    %284 = "flow.use"() <{home = @h.3.decay.0.parameter}> : () -> !flow.buffer<262144, host>
    %285 = "flow.use"() <{home = @h.3.decay.0.momentum}> : () -> !flow.buffer<262144, nvme>
    %286 = "flow.use"() <{home = @h.3.decay.0.variance}> : () -> !flow.buffer<262144, nvme>
    %287 = "flow.use"() <{home = @h.3.decay.1.parameter}> : () -> !flow.buffer<262144, host>
    %288 = "flow.use"() <{home = @h.3.decay.1.momentum}> : () -> !flow.buffer<262144, nvme>
    %289 = "flow.use"() <{home = @h.3.decay.1.variance}> : () -> !flow.buffer<262144, nvme>
    %290 = "flow.use"() <{home = @h.3.decay.2.parameter}> : () -> !flow.buffer<262144, host>
    %291 = "flow.use"() <{home = @h.3.decay.2.momentum}> : () -> !flow.buffer<262144, nvme>
    %292 = "flow.use"() <{home = @h.3.decay.2.variance}> : () -> !flow.buffer<262144, nvme>
    %293 = "flow.alloc"() <{buffer_class = "feed", name = "loss_seed", offset = 4792832 : i64}> : () -> !flow.buffer<4, host>
    "flow.feed"(%293) <{item = "loss_seed"}> {flow.end = 1000 : i64, flow.start = 0 : i64, origin = #flow.origin<"", "feed loss_seed", forward>} : (!flow.buffer<4, host>) -> ()
    %294 = "flow.alloc"() <{buffer_class = "activation", name = "map", offset = 9061376 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%294) <{begin = 0 : i64, end = 1 : i64, kernel = @map_9f1402138c, operandSegmentSizes = array<i32: 0, 1, 0>}> {flow.end = 51 : i64, flow.start = 0 : i64, origin = #flow.origin<"", "map", forward>} : (!flow.buffer<512, device>) -> ()
    %295 = "flow.alloc"() <{buffer_class = "gathered", name = "gather decay.1", offset = 5337088 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%242, %295) <{piece_bytes = array<i64: 65536>}> {flow.end = 26214 : i64, flow.start = 0 : i64, origin = #flow.origin<"", "gather decay.1", forward>} : (!flow.buffer<65536, device>, !flow.buffer<262144, device>) -> ()
    %296 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.1.parameter", offset = 6123520 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%263, %296) <{kind = #flow<transfer_kind upload>}> {flow.end = 26214 : i64, flow.start = 0 : i64, origin = #flow.origin<"h.1", "upload h.1.decay.1.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %297 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.2.gradient.0", offset = 4399104 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%216, %297) <{kind = #flow<transfer_kind read>}> {flow.end = 906596 : i64, flow.start = 0 : i64, origin = #flow.origin<"h.3", "read h.3.decay.2.gradient.0", backward>} : (!flow.buffer<262144, nvme>, !flow.buffer<262144, host>) -> ()
    %298 = "flow.alloc"() <{buffer_class = "feed", name = "update.norm slots", offset = 9051136 : i64}> : () -> !flow.buffer<4096, device>
    "flow.launch"(%298) <{begin = 0 : i64, end = 1024 : i64, kernel = @map_507489e1d0, operandSegmentSizes = array<i32: 0, 1, 0>}> {flow.end = 460 : i64, flow.start = 51 : i64, origin = #flow.origin<"update", "zero padding", update>} : (!flow.buffer<4096, device>) -> ()
    %299 = "flow.alloc"() <{buffer_class = "staging", name = "update.updated no_decay.0", offset = 9047040 : i64}> : () -> !flow.buffer<4096, device>
    %300 = "flow.view"(%299) <{offset = 512 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3584, device>
    "flow.launch"(%300) <{begin = 0 : i64, end = 896 : i64, kernel = @map_49a5fdfe2a, operandSegmentSizes = array<i32: 0, 1, 0>}> {flow.end = 819 : i64, flow.start = 460 : i64, origin = #flow.origin<"update", "zero padding", update>} : (!flow.buffer<3584, device>) -> ()
    %301 = "flow.alloc"() <{buffer_class = "feed", name = "tokens", offset = 4661248 : i64}> : () -> !flow.buffer<512, host>
    "flow.feed"(%301) <{item = "tokens"}> {flow.end = 2000 : i64, flow.start = 1000 : i64, origin = #flow.origin<"", "feed tokens", forward>} : (!flow.buffer<512, host>) -> ()
    %302 = "flow.alloc"() <{buffer_class = "feed", name = "labels", offset = 4792320 : i64}> : () -> !flow.buffer<512, host>
    "flow.feed"(%302) <{item = "labels"}> {flow.end = 3000 : i64, flow.start = 2000 : i64, origin = #flow.origin<"", "feed labels", forward>} : (!flow.buffer<512, host>) -> ()
    %303 = "flow.alloc"() <{buffer_class = "feed", name = "update.learning_rate", offset = 6176768 : i64}> : () -> !flow.buffer<4, host>
    "flow.feed"(%303) <{item = "learning_rate"}> {flow.end = 4000 : i64, flow.start = 3000 : i64, origin = #flow.origin<"update", "feed learning_rate", update>} : (!flow.buffer<4, host>) -> ()
    %304 = "flow.alloc"() <{buffer_class = "feed", name = "update.bias_correction1", offset = 6176832 : i64}> : () -> !flow.buffer<4, host>
    "flow.feed"(%304) <{item = "bias_correction1"}> {flow.end = 5000 : i64, flow.start = 4000 : i64, origin = #flow.origin<"update", "feed bias_correction1", update>} : (!flow.buffer<4, host>) -> ()
    %305 = "flow.alloc"() <{buffer_class = "feed", name = "update.bias_correction2", offset = 6176896 : i64}> : () -> !flow.buffer<4, host>
    "flow.feed"(%305) <{item = "bias_correction2"}> {flow.end = 5999 : i64, flow.start = 5000 : i64, origin = #flow.origin<"update", "feed bias_correction2", update>} : (!flow.buffer<4, host>) -> ()
    %306 = "flow.alloc"() <{buffer_class = "feed", name = "tokens", offset = 9061888 : i64}> : () -> !flow.buffer<512, device>
    "flow.transfer"(%301, %306) <{kind = #flow<transfer_kind upload>}> {flow.end = 26265 : i64, flow.start = 26214 : i64, origin = #flow.origin<"", "upload tokens", forward>} : (!flow.buffer<512, host>, !flow.buffer<512, device>) -> ()
    "flow.release"(%301) : (!flow.buffer<512, host>) -> ()
    %307 = "flow.alloc"() <{buffer_class = "gathered", name = "gather decay.0", offset = 6385664 : i64}> : () -> !flow.buffer<131072, device>
    "flow.all_gather"(%239, %307) <{piece_bytes = array<i64: 32768>}> {flow.end = 39321 : i64, flow.start = 26214 : i64, origin = #flow.origin<"", "gather decay.0", forward>} : (!flow.buffer<32768, device>, !flow.buffer<131072, device>) -> ()
    %308 = "flow.alloc"() <{buffer_class = "activation", name = "embedding", offset = 6516736 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%295, %306, %308) <{begin = 0 : i64, end = 128 : i64, kernel = @embedding_0a19201301, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 52531 : i64, flow.start = 26265 : i64, origin = #flow.origin<"", "embedding", forward>} : (!flow.buffer<262144, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%295) : (!flow.buffer<262144, device>) -> ()
    %309 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.2.parameter", offset = 7434240 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%266, %309) <{kind = #flow<transfer_kind upload>}> {flow.end = 52480 : i64, flow.start = 26265 : i64, origin = #flow.origin<"h.1", "upload h.1.decay.2.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %310 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather no_decay.0", offset = 7840768 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%245, %310) <{piece_bytes = array<i64: 3328>}> {flow.end = 40652 : i64, flow.start = 39321 : i64, origin = #flow.origin<"h.0", "gather no_decay.0", forward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %311 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.0", offset = 4550656 : i64}> : () -> !flow.buffer<786432, device>
    %312 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.0", offset = 3239936 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%248, %311, %312) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 145510 : i64, flow.start = 40652 : i64, origin = #flow.origin<"h.0", "gather decay.0", forward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    %313 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.0.parameter", offset = 7172096 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%272, %313) <{kind = #flow<transfer_kind upload>}> {flow.end = 78694 : i64, flow.start = 52480 : i64, origin = #flow.origin<"h.2", "upload h.2.decay.0.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %314 = "flow.alloc"() <{buffer_class = "activation", name = "embedding", offset = 6909952 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%307, %294, %314) <{begin = 0 : i64, end = 128 : i64, kernel = @embedding_6db0201a46, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 78796 : i64, flow.start = 52531 : i64, origin = #flow.origin<"", "embedding", forward>} : (!flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%307) : (!flow.buffer<131072, device>) -> ()
    %315 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.1.parameter", offset = 6647808 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%275, %315) <{kind = #flow<transfer_kind upload>}> {flow.end = 104908 : i64, flow.start = 78694 : i64, origin = #flow.origin<"h.2", "upload h.2.decay.1.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %316 = "flow.alloc"() <{buffer_class = "checkpoint", name = "map", offset = 7696384 : i64}> {checkpoint_home = #flow<tier host>} : () -> !flow.buffer<131072, device>
    "flow.launch"(%308, %314, %316) <{begin = 0 : i64, end = 128 : i64, kernel = @map_682b30d182, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 118118 : i64, flow.start = 78796 : i64, origin = #flow.origin<"", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%314) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%308) : (!flow.buffer<131072, device>) -> ()
    %317 = "flow.alloc"() <{buffer_class = "checkpoint", name = "map", offset = 4923392 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%316, %317) <{kind = #flow<transfer_kind offload>}> {flow.end = 131225 : i64, flow.start = 118118 : i64, origin = #flow.origin<"", "offload map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    %318 = "flow.view"(%310) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %319 = "flow.view"(%310) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %320 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.layer_norm", offset = 6385664 : i64}> {checkpoint_home = #flow<tier host>} : () -> !flow.buffer<131072, device>
    %321 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.layer_norm", offset = 9055232 : i64}> {checkpoint_home = #flow<tier host>} : () -> !flow.buffer<512, device>
    %322 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.layer_norm", offset = 9055744 : i64}> {checkpoint_home = #flow<tier host>} : () -> !flow.buffer<512, device>
    "flow.launch"(%316, %318, %319, %320, %321, %322) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 144640 : i64, flow.start = 118118 : i64, origin = #flow.origin<"h.0", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %323 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.layer_norm", offset = 5849088 : i64}> : () -> !flow.buffer<512, host>
    "flow.transfer"(%322, %323) <{kind = #flow<transfer_kind offload>}> {flow.end = 144691 : i64, flow.start = 144640 : i64, origin = #flow.origin<"h.0", "offload h.0.layer_norm", forward>} : (!flow.buffer<512, device>, !flow.buffer<512, host>) -> ()
    "flow.release"(%322) : (!flow.buffer<512, device>) -> ()
    %324 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.layer_norm", offset = 5849600 : i64}> : () -> !flow.buffer<512, host>
    "flow.transfer"(%321, %324) <{kind = #flow<transfer_kind offload>}> {flow.end = 144742 : i64, flow.start = 144691 : i64, origin = #flow.origin<"h.0", "offload h.0.layer_norm", forward>} : (!flow.buffer<512, device>, !flow.buffer<512, host>) -> ()
    "flow.release"(%321) : (!flow.buffer<512, device>) -> ()
    %325 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.layer_norm", offset = 5054464 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%320, %325) <{kind = #flow<transfer_kind offload>}> {flow.end = 157849 : i64, flow.start = 144742 : i64, origin = #flow.origin<"h.0", "offload h.0.layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    %326 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 2453504 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%320, %311, %326, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 1152143 : i64, flow.start = 145510 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%320) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%311) : (!flow.buffer<786432, device>) -> ()
    %327 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.1", offset = 3502080 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%251, %327) <{piece_bytes = array<i64: 262144>}> {flow.end = 250368 : i64, flow.start = 145510 : i64, origin = #flow.origin<"h.0", "gather decay.1", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    %328 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.2", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%254, %328) <{piece_bytes = array<i64: 262144>}> {flow.end = 355225 : i64, flow.start = 250368 : i64, origin = #flow.origin<"h.0", "gather decay.2", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    %329 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather no_decay.0", offset = 7827456 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%257, %329) <{piece_bytes = array<i64: 3328>}> {flow.end = 356556 : i64, flow.start = 355225 : i64, origin = #flow.origin<"h.1", "gather no_decay.0", forward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %330 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.0", offset = 5337088 : i64}> : () -> !flow.buffer<786432, device>
    %331 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.0", offset = 6909952 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%260, %330, %331) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 461414 : i64, flow.start = 356556 : i64, origin = #flow.origin<"h.1", "gather decay.0", forward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    %332 = "flow.view"(%310) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %333 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 2846720 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%326, %332, %333) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 1231093 : i64, flow.start = 1152143 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%326) : (!flow.buffer<393216, device>) -> ()
    %334 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 2453504 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%333, %334) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 1283522 : i64, flow.start = 1231093 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %335 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 2584576 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%333, %335) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 1335951 : i64, flow.start = 1283522 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %336 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 2715648 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%333, %336) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 1388380 : i64, flow.start = 1335951 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%333) : (!flow.buffer<393216, device>) -> ()
    %337 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 6385664 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%334, %335, %337, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 1556152 : i64, flow.start = 1388380 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%335) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%334) : (!flow.buffer<131072, device>) -> ()
    %338 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.softmax", offset = 2453504 : i64}> : () -> !flow.buffer<262144, device>
    %339 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.softmax", offset = 9055232 : i64}> {checkpoint_home = #flow<tier device>} : () -> !flow.buffer<2048, device>
    "flow.launch"(%337, %338, %339) <{begin = 0 : i64, end = 4 : i64, kernel = @softmax_f2e1bf9b2d, operandSegmentSizes = array<i32: 1, 2, 0>}> {flow.end = 1672478 : i64, flow.start = 1556152 : i64, origin = #flow.origin<"h.0", "softmax", forward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%337) : (!flow.buffer<262144, device>) -> ()
    %340 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 6516736 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%338, %336, %340, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 1840250 : i64, flow.start = 1672478 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%338) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%336) : (!flow.buffer<131072, device>) -> ()
    %341 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.map", offset = 6385664 : i64}> {checkpoint_home = #flow<tier host>} : () -> !flow.buffer<131072, device>
    "flow.launch"(%340, %341) <{begin = 0 : i64, end = 1 : i64, kernel = @map_841b24dfba, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 1866465 : i64, flow.start = 1840250 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%340) : (!flow.buffer<131072, device>) -> ()
    %342 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.map", offset = 5185536 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%341, %342) <{kind = #flow<transfer_kind offload>}> {flow.end = 1879572 : i64, flow.start = 1866465 : i64, origin = #flow.origin<"h.0", "offload h.0.map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    %343 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 5206016 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%341, %312, %343, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_7fee3cc53a, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 2202009 : i64, flow.start = 1866465 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%341) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%312) : (!flow.buffer<262144, device>) -> ()
    %344 = "flow.view"(%310) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %345 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.map", offset = 5074944 : i64}> {checkpoint_home = #flow<tier host>} : () -> !flow.buffer<131072, device>
    "flow.launch"(%316, %343, %344, %345) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 2241433 : i64, flow.start = 2202009 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%343) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%316) : (!flow.buffer<131072, device>) -> ()
    %346 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.map", offset = 5316608 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%345, %346) <{kind = #flow<transfer_kind offload>}> {flow.end = 2254540 : i64, flow.start = 2241433 : i64, origin = #flow.origin<"h.0", "offload h.0.map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    %347 = "flow.view"(%310) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %348 = "flow.view"(%310) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %349 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 5206016 : i64}> : () -> !flow.buffer<131072, device>
    %350 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 9057280 : i64}> : () -> !flow.buffer<512, device>
    %351 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 9057792 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%345, %347, %348, %349, %350, %351) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 2267955 : i64, flow.start = 2241433 : i64, origin = #flow.origin<"h.0", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%351) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%350) : (!flow.buffer<512, device>) -> ()
    %352 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 4550656 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%349, %327, %352, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 3610132 : i64, flow.start = 2267955 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%349) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%327) : (!flow.buffer<1048576, device>) -> ()
    %353 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.1", offset = 2453504 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%296, %353) <{piece_bytes = array<i64: 262144>}> {flow.end = 566272 : i64, flow.start = 461414 : i64, origin = #flow.origin<"h.1", "gather decay.1", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%296) : (!flow.buffer<262144, device>) -> ()
    %354 = "flow.view"(%310) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %355 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 6123520 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%352, %354, %355) <{begin = 0 : i64, end = 128 : i64, kernel = @map_5b287d1780, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 3731374 : i64, flow.start = 3610132 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%352) : (!flow.buffer<524288, device>) -> ()
    %356 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 5206016 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%355, %328, %356, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_9fb005a893, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 5073551 : i64, flow.start = 3731374 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%355) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%328) : (!flow.buffer<1048576, device>) -> ()
    %357 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.2", offset = 3502080 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%309, %357) <{piece_bytes = array<i64: 262144>}> {flow.end = 671129 : i64, flow.start = 566272 : i64, origin = #flow.origin<"h.1", "gather decay.2", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%309) : (!flow.buffer<262144, device>) -> ()
    %358 = "flow.view"(%310) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %359 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.map", offset = 2191360 : i64}> {checkpoint_home = #flow<tier host>} : () -> !flow.buffer<131072, device>
    "flow.launch"(%345, %356, %358, %359) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 5112975 : i64, flow.start = 5073551 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%356) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%345) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%310) : (!flow.buffer<13312, device>) -> ()
    %360 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.map", offset = 5447680 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%359, %360) <{kind = #flow<transfer_kind offload>}> {flow.end = 5126082 : i64, flow.start = 5112975 : i64, origin = #flow.origin<"h.0", "offload h.0.map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    %361 = "flow.view"(%329) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %362 = "flow.view"(%329) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %363 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 2322432 : i64}> {checkpoint_home = #flow<tier nvme>} : () -> !flow.buffer<131072, device>
    %364 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 9057280 : i64}> {checkpoint_home = #flow<tier nvme>} : () -> !flow.buffer<512, device>
    %365 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 9057792 : i64}> {checkpoint_home = #flow<tier nvme>} : () -> !flow.buffer<512, device>
    "flow.launch"(%359, %361, %362, %363, %364, %365) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 5139496 : i64, flow.start = 5112975 : i64, origin = #flow.origin<"h.1", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %366 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather no_decay.0", offset = 7565312 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%269, %366) <{piece_bytes = array<i64: 3328>}> {flow.end = 672460 : i64, flow.start = 671129 : i64, origin = #flow.origin<"h.2", "gather no_decay.0", forward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %367 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 4792896 : i64}> : () -> !flow.buffer<512, host>
    "flow.transfer"(%365, %367) <{kind = #flow<transfer_kind offload>}> {flow.end = 5139548 : i64, flow.start = 5139496 : i64, origin = #flow.origin<"h.1", "offload h.1.layer_norm", forward>} : (!flow.buffer<512, device>, !flow.buffer<512, host>) -> ()
    "flow.release"(%365) : (!flow.buffer<512, device>) -> ()
    %368 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%363, %330, %368, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 6146129 : i64, flow.start = 5139496 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%330) : (!flow.buffer<786432, device>) -> ()
    %369 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.0", offset = 4550656 : i64}> : () -> !flow.buffer<786432, device>
    %370 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.0", offset = 6385664 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%313, %369, %370) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 777318 : i64, flow.start = 672460 : i64, origin = #flow.origin<"h.2", "gather decay.0", forward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%313) : (!flow.buffer<262144, device>) -> ()
    %371 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 8142848 : i64}> : () -> !flow.buffer<512, nvme>
    "flow.transfer"(%367, %371) <{kind = #flow<transfer_kind write>}> {flow.end = 5241596 : i64, flow.start = 5139548 : i64, origin = #flow.origin<"h.1", "write h.1.layer_norm", forward>} : (!flow.buffer<512, host>, !flow.buffer<512, nvme>) -> ()
    "flow.release"(%367) : (!flow.buffer<512, host>) -> ()
    %372 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 4793408 : i64}> : () -> !flow.buffer<512, host>
    "flow.transfer"(%364, %372) <{kind = #flow<transfer_kind offload>}> {flow.end = 5139599 : i64, flow.start = 5139548 : i64, origin = #flow.origin<"h.1", "offload h.1.layer_norm", forward>} : (!flow.buffer<512, device>, !flow.buffer<512, host>) -> ()
    "flow.release"(%364) : (!flow.buffer<512, device>) -> ()
    %373 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 4661248 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%363, %373) <{kind = #flow<transfer_kind offload>}> {flow.end = 5152706 : i64, flow.start = 5139599 : i64, origin = #flow.origin<"h.1", "offload h.1.layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    "flow.release"(%363) : (!flow.buffer<131072, device>) -> ()
    %374 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 8143360 : i64}> : () -> !flow.buffer<512, nvme>
    "flow.transfer"(%372, %374) <{kind = #flow<transfer_kind write>}> {flow.end = 5343644 : i64, flow.start = 5241596 : i64, origin = #flow.origin<"h.1", "write h.1.layer_norm", forward>} : (!flow.buffer<512, host>, !flow.buffer<512, nvme>) -> ()
    "flow.release"(%372) : (!flow.buffer<512, host>) -> ()
    %375 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 7618560 : i64}> : () -> !flow.buffer<131072, nvme>
    "flow.transfer"(%373, %375) <{kind = #flow<transfer_kind write>}> {flow.end = 5967932 : i64, flow.start = 5343644 : i64, origin = #flow.origin<"h.1", "write h.1.layer_norm", forward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, nvme>) -> ()
    "flow.release"(%373) : (!flow.buffer<131072, host>) -> ()
    %376 = "flow.view"(%329) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %377 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 1798144 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%368, %376, %377) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 6225080 : i64, flow.start = 6146129 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%368) : (!flow.buffer<393216, device>) -> ()
    %378 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 1667072 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%377, %378) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 6277509 : i64, flow.start = 6225080 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %379 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 5337088 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%377, %379) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 6329937 : i64, flow.start = 6277509 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %380 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 2322432 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%377, %380) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 6382366 : i64, flow.start = 6329937 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%377) : (!flow.buffer<393216, device>) -> ()
    %381 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%378, %379, %381, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 6550138 : i64, flow.start = 6382366 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%379) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%378) : (!flow.buffer<131072, device>) -> ()
    %382 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.softmax", offset = 1667072 : i64}> : () -> !flow.buffer<262144, device>
    %383 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.softmax", offset = 9057280 : i64}> {checkpoint_home = #flow<tier device>} : () -> !flow.buffer<2048, device>
    "flow.launch"(%381, %382, %383) <{begin = 0 : i64, end = 4 : i64, kernel = @softmax_f2e1bf9b2d, operandSegmentSizes = array<i32: 1, 2, 0>}> {flow.end = 6666465 : i64, flow.start = 6550138 : i64, origin = #flow.origin<"h.1", "softmax", forward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%381) : (!flow.buffer<262144, device>) -> ()
    %384 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%382, %380, %384, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 6834237 : i64, flow.start = 6666465 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%382) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%380) : (!flow.buffer<131072, device>) -> ()
    %385 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 2322432 : i64}> {checkpoint_home = #flow<tier nvme>} : () -> !flow.buffer<131072, device>
    "flow.launch"(%384, %385) <{begin = 0 : i64, end = 1 : i64, kernel = @map_841b24dfba, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 6860451 : i64, flow.start = 6834237 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%384) : (!flow.buffer<131072, device>) -> ()
    %386 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 4661248 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%385, %386) <{kind = #flow<transfer_kind offload>}> {flow.end = 6873559 : i64, flow.start = 6860451 : i64, origin = #flow.origin<"h.1", "offload h.1.map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    %387 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%385, %331, %387, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_7fee3cc53a, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 7195996 : i64, flow.start = 6860451 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%385) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%331) : (!flow.buffer<262144, device>) -> ()
    %388 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 7487488 : i64}> : () -> !flow.buffer<131072, nvme>
    "flow.transfer"(%386, %388) <{kind = #flow<transfer_kind write>}> {flow.end = 7497847 : i64, flow.start = 6873559 : i64, origin = #flow.origin<"h.1", "write h.1.map", forward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, nvme>) -> ()
    "flow.release"(%386) : (!flow.buffer<131072, host>) -> ()
    %389 = "flow.view"(%329) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %390 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 7172096 : i64}> {checkpoint_home = #flow<tier nvme>} : () -> !flow.buffer<131072, device>
    "flow.launch"(%359, %387, %389, %390) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 7235420 : i64, flow.start = 7195996 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%387) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%359) : (!flow.buffer<131072, device>) -> ()
    %391 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 5578752 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%390, %391) <{kind = #flow<transfer_kind offload>}> {flow.end = 7248527 : i64, flow.start = 7235420 : i64, origin = #flow.origin<"h.1", "offload h.1.map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    %392 = "flow.view"(%329) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %393 = "flow.view"(%329) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %394 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 6909952 : i64}> : () -> !flow.buffer<131072, device>
    %395 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 9059328 : i64}> : () -> !flow.buffer<512, device>
    %396 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 9059840 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%390, %392, %393, %394, %395, %396) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 7261941 : i64, flow.start = 7235420 : i64, origin = #flow.origin<"h.1", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%396) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%395) : (!flow.buffer<512, device>) -> ()
    %397 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 5337088 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%394, %353, %397, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 8604119 : i64, flow.start = 7261941 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%394) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%353) : (!flow.buffer<1048576, device>) -> ()
    %398 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.1", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%315, %398) <{piece_bytes = array<i64: 262144>}> {flow.end = 882175 : i64, flow.start = 777318 : i64, origin = #flow.origin<"h.2", "gather decay.1", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%315) : (!flow.buffer<262144, device>) -> ()
    %399 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.2.parameter", offset = 6647808 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%278, %399) <{kind = #flow<transfer_kind upload>}> {flow.end = 131123 : i64, flow.start = 104908 : i64, origin = #flow.origin<"h.2", "upload h.2.decay.2.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %400 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 7749632 : i64}> : () -> !flow.buffer<131072, nvme>
    "flow.transfer"(%391, %400) <{kind = #flow<transfer_kind write>}> {flow.end = 8122135 : i64, flow.start = 7497847 : i64, origin = #flow.origin<"h.1", "write h.1.map", forward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, nvme>) -> ()
    "flow.release"(%391) : (!flow.buffer<131072, host>) -> ()
    %401 = "flow.view"(%329) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %402 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 5861376 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%397, %401, %402) <{begin = 0 : i64, end = 128 : i64, kernel = @map_5b287d1780, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 8725360 : i64, flow.start = 8604119 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%397) : (!flow.buffer<524288, device>) -> ()
    %403 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 5337088 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%402, %357, %403, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_9fb005a893, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 10067537 : i64, flow.start = 8725360 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%402) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%357) : (!flow.buffer<1048576, device>) -> ()
    %404 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.2", offset = 2453504 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%399, %404) <{piece_bytes = array<i64: 262144>}> {flow.end = 987033 : i64, flow.start = 882175 : i64, origin = #flow.origin<"h.2", "gather decay.2", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%399) : (!flow.buffer<262144, device>) -> ()
    %405 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.0.parameter", offset = 6909952 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%284, %405) <{kind = #flow<transfer_kind upload>}> {flow.end = 157337 : i64, flow.start = 131123 : i64, origin = #flow.origin<"h.3", "upload h.3.decay.0.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %406 = "flow.view"(%329) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %407 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 4288512 : i64}> {checkpoint_home = #flow<tier nvme>} : () -> !flow.buffer<131072, device>
    "flow.launch"(%390, %403, %406, %407) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 10106961 : i64, flow.start = 10067537 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%403) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%390) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%329) : (!flow.buffer<13312, device>) -> ()
    %408 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 5578752 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%407, %408) <{kind = #flow<transfer_kind offload>}> {flow.end = 10120069 : i64, flow.start = 10106961 : i64, origin = #flow.origin<"h.1", "offload h.1.map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    %409 = "flow.view"(%366) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %410 = "flow.view"(%366) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %411 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 4419584 : i64}> {checkpoint_home = #flow<tier nvme>} : () -> !flow.buffer<131072, device>
    %412 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 9059328 : i64}> {checkpoint_home = #flow<tier nvme>} : () -> !flow.buffer<512, device>
    %413 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 9059840 : i64}> {checkpoint_home = #flow<tier nvme>} : () -> !flow.buffer<512, device>
    "flow.launch"(%407, %409, %410, %411, %412, %413) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 10133483 : i64, flow.start = 10106961 : i64, origin = #flow.origin<"h.2", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %414 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather no_decay.0", offset = 7578624 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%281, %414) <{piece_bytes = array<i64: 3328>}> {flow.end = 988364 : i64, flow.start = 987033 : i64, origin = #flow.origin<"h.3", "gather no_decay.0", forward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %415 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 7880704 : i64}> : () -> !flow.buffer<131072, nvme>
    "flow.transfer"(%408, %415) <{kind = #flow<transfer_kind write>}> {flow.end = 10744357 : i64, flow.start = 10120069 : i64, origin = #flow.origin<"h.1", "write h.1.map", forward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, nvme>) -> ()
    "flow.release"(%408) : (!flow.buffer<131072, host>) -> ()
    %416 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 4792896 : i64}> : () -> !flow.buffer<512, host>
    "flow.transfer"(%413, %416) <{kind = #flow<transfer_kind offload>}> {flow.end = 10133534 : i64, flow.start = 10133483 : i64, origin = #flow.origin<"h.2", "offload h.2.layer_norm", forward>} : (!flow.buffer<512, device>, !flow.buffer<512, host>) -> ()
    "flow.release"(%413) : (!flow.buffer<512, device>) -> ()
    %417 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 3502080 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%411, %369, %417, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 11140116 : i64, flow.start = 10133483 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%369) : (!flow.buffer<786432, device>) -> ()
    %418 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.0", offset = 5337088 : i64}> : () -> !flow.buffer<786432, device>
    %419 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.0", offset = 6647808 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%405, %418, %419) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 1093222 : i64, flow.start = 988364 : i64, origin = #flow.origin<"h.3", "gather decay.0", forward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%405) : (!flow.buffer<262144, device>) -> ()
    %420 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.1.parameter", offset = 6123520 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%287, %420) <{kind = #flow<transfer_kind upload>}> {flow.end = 183552 : i64, flow.start = 157337 : i64, origin = #flow.origin<"h.3", "upload h.3.decay.1.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %421 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 4793408 : i64}> : () -> !flow.buffer<512, host>
    "flow.transfer"(%412, %421) <{kind = #flow<transfer_kind offload>}> {flow.end = 10133585 : i64, flow.start = 10133534 : i64, origin = #flow.origin<"h.2", "offload h.2.layer_norm", forward>} : (!flow.buffer<512, device>, !flow.buffer<512, host>) -> ()
    "flow.release"(%412) : (!flow.buffer<512, device>) -> ()
    %422 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 4661248 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%411, %422) <{kind = #flow<transfer_kind offload>}> {flow.end = 10146693 : i64, flow.start = 10133585 : i64, origin = #flow.origin<"h.2", "offload h.2.layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    "flow.release"(%411) : (!flow.buffer<131072, device>) -> ()
    %423 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 8143872 : i64}> : () -> !flow.buffer<512, nvme>
    "flow.transfer"(%416, %423) <{kind = #flow<transfer_kind write>}> {flow.end = 10846405 : i64, flow.start = 10744357 : i64, origin = #flow.origin<"h.2", "write h.2.layer_norm", forward>} : (!flow.buffer<512, host>, !flow.buffer<512, nvme>) -> ()
    "flow.release"(%416) : (!flow.buffer<512, host>) -> ()
    %424 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 8144384 : i64}> : () -> !flow.buffer<512, nvme>
    "flow.transfer"(%421, %424) <{kind = #flow<transfer_kind write>}> {flow.end = 10948453 : i64, flow.start = 10846405 : i64, origin = #flow.origin<"h.2", "write h.2.layer_norm", forward>} : (!flow.buffer<512, host>, !flow.buffer<512, nvme>) -> ()
    "flow.release"(%421) : (!flow.buffer<512, host>) -> ()
    %425 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 8011776 : i64}> : () -> !flow.buffer<131072, nvme>
    "flow.transfer"(%422, %425) <{kind = #flow<transfer_kind write>}> {flow.end = 11572741 : i64, flow.start = 10948453 : i64, origin = #flow.origin<"h.2", "write h.2.layer_norm", forward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, nvme>) -> ()
    "flow.release"(%422) : (!flow.buffer<131072, host>) -> ()
    %426 = "flow.view"(%366) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %427 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 3895296 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%417, %426, %427) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 11219066 : i64, flow.start = 11140116 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%417) : (!flow.buffer<393216, device>) -> ()
    %428 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 3502080 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%427, %428) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 11271495 : i64, flow.start = 11219066 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %429 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 3633152 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%427, %429) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 11323924 : i64, flow.start = 11271495 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %430 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 4419584 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%427, %430) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 11376353 : i64, flow.start = 11323924 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%427) : (!flow.buffer<393216, device>) -> ()
    %431 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 3764224 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%428, %429, %431, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 11544125 : i64, flow.start = 11376353 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%429) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%428) : (!flow.buffer<131072, device>) -> ()
    %432 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.softmax", offset = 3502080 : i64}> : () -> !flow.buffer<262144, device>
    %433 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.softmax", offset = 4026368 : i64}> {checkpoint_home = #flow<tier host>} : () -> !flow.buffer<2048, device>
    "flow.launch"(%431, %432, %433) <{begin = 0 : i64, end = 4 : i64, kernel = @softmax_f2e1bf9b2d, operandSegmentSizes = array<i32: 1, 2, 0>}> {flow.end = 11660451 : i64, flow.start = 11544125 : i64, origin = #flow.origin<"h.2", "softmax", forward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%431) : (!flow.buffer<262144, device>) -> ()
    %434 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.softmax", offset = 5840896 : i64}> : () -> !flow.buffer<2048, host>
    "flow.transfer"(%433, %434) <{kind = #flow<transfer_kind offload>}> {flow.end = 11660656 : i64, flow.start = 11660451 : i64, origin = #flow.origin<"h.2", "offload h.2.softmax", forward>} : (!flow.buffer<2048, device>, !flow.buffer<2048, host>) -> ()
    "flow.release"(%433) : (!flow.buffer<2048, device>) -> ()
    %435 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 3764224 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%432, %430, %435, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 11828224 : i64, flow.start = 11660451 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%432) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%430) : (!flow.buffer<131072, device>) -> ()
    %436 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.map", offset = 3502080 : i64}> {checkpoint_home = #flow<tier host>} : () -> !flow.buffer<131072, device>
    "flow.launch"(%435, %436) <{begin = 0 : i64, end = 1 : i64, kernel = @map_841b24dfba, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 11854438 : i64, flow.start = 11828224 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%435) : (!flow.buffer<131072, device>) -> ()
    %437 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.map", offset = 5853184 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%436, %437) <{kind = #flow<transfer_kind offload>}> {flow.end = 11867545 : i64, flow.start = 11854438 : i64, origin = #flow.origin<"h.2", "offload h.2.map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    %438 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 3633152 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%436, %370, %438, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_7fee3cc53a, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 12189982 : i64, flow.start = 11854438 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%436) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%370) : (!flow.buffer<262144, device>) -> ()
    %439 = "flow.view"(%366) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %440 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.map", offset = 6909952 : i64}> {checkpoint_home = #flow<tier host>} : () -> !flow.buffer<131072, device>
    "flow.launch"(%407, %438, %439, %440) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 12229406 : i64, flow.start = 12189982 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%438) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%407) : (!flow.buffer<131072, device>) -> ()
    %441 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.map", offset = 4661248 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%440, %441) <{kind = #flow<transfer_kind offload>}> {flow.end = 12242513 : i64, flow.start = 12229406 : i64, origin = #flow.origin<"h.2", "offload h.2.map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    %442 = "flow.view"(%366) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %443 = "flow.view"(%366) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %444 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 6385664 : i64}> : () -> !flow.buffer<131072, device>
    %445 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 9059328 : i64}> : () -> !flow.buffer<512, device>
    %446 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 9059840 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%440, %442, %443, %444, %445, %446) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 12255928 : i64, flow.start = 12229406 : i64, origin = #flow.origin<"h.2", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%446) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%445) : (!flow.buffer<512, device>) -> ()
    %447 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 4550656 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%444, %398, %447, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 13598105 : i64, flow.start = 12255928 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%444) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%398) : (!flow.buffer<1048576, device>) -> ()
    %448 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.1", offset = 3502080 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%420, %448) <{piece_bytes = array<i64: 262144>}> {flow.end = 1198080 : i64, flow.start = 1093222 : i64, origin = #flow.origin<"h.3", "gather decay.1", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%420) : (!flow.buffer<262144, device>) -> ()
    %449 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.2.parameter", offset = 5074944 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%290, %449) <{kind = #flow<transfer_kind upload>}> {flow.end = 209766 : i64, flow.start = 183552 : i64, origin = #flow.origin<"h.3", "upload h.3.decay.2.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %450 = "flow.view"(%366) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %451 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 6123520 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%447, %450, %451) <{begin = 0 : i64, end = 128 : i64, kernel = @map_5b287d1780, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 13719347 : i64, flow.start = 13598105 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%447) : (!flow.buffer<524288, device>) -> ()
    %452 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 7041024 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%451, %404, %452, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_9fb005a893, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 15061524 : i64, flow.start = 13719347 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%451) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%404) : (!flow.buffer<1048576, device>) -> ()
    %453 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.2", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%449, %453) <{piece_bytes = array<i64: 262144>}> {flow.end = 1302937 : i64, flow.start = 1198080 : i64, origin = #flow.origin<"h.3", "gather decay.2", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%449) : (!flow.buffer<262144, device>) -> ()
    %454 = "flow.alloc"() <{buffer_class = "feed", name = "labels", offset = 9020416 : i64}> : () -> !flow.buffer<512, device>
    "flow.transfer"(%302, %454) <{kind = #flow<transfer_kind upload>}> {flow.end = 209817 : i64, flow.start = 209766 : i64, origin = #flow.origin<"", "upload labels", forward>} : (!flow.buffer<512, host>, !flow.buffer<512, device>) -> ()
    "flow.release"(%302) : (!flow.buffer<512, host>) -> ()
    %455 = "flow.view"(%366) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %456 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 7434240 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%440, %452, %455, %456) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 15100948 : i64, flow.start = 15061524 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%452) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%440) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%366) : (!flow.buffer<13312, device>) -> ()
    %457 = "flow.view"(%414) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %458 = "flow.view"(%414) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %459 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 7958528 : i64}> : () -> !flow.buffer<131072, device>
    %460 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 9059328 : i64}> : () -> !flow.buffer<512, device>
    %461 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 9059840 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%456, %457, %458, %459, %460, %461) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 15127470 : i64, flow.start = 15100948 : i64, origin = #flow.origin<"h.3", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %462 = "flow.alloc"() <{buffer_class = "gathered", name = "gather decay.1", offset = 6909952 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%242, %462) <{piece_bytes = array<i64: 65536>}> {flow.end = 1329152 : i64, flow.start = 1302937 : i64, origin = #flow.origin<"", "gather decay.1", forward>} : (!flow.buffer<65536, device>, !flow.buffer<262144, device>) -> ()
    %463 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 4550656 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%459, %418, %463, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 16134103 : i64, flow.start = 15127470 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%418) : (!flow.buffer<786432, device>) -> ()
    %464 = "flow.alloc"() <{buffer_class = "feed", name = "loss_seed", offset = 9022976 : i64}> : () -> !flow.buffer<4, device>
    "flow.transfer"(%293, %464) <{kind = #flow<transfer_kind upload>}> {flow.end = 209818 : i64, flow.start = 209817 : i64, origin = #flow.origin<"", "upload loss_seed", forward>} : (!flow.buffer<4, host>, !flow.buffer<4, device>) -> ()
    "flow.release"(%293) : (!flow.buffer<4, host>) -> ()
    %465 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather no_decay.0", offset = 8351744 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%281, %465) <{piece_bytes = array<i64: 3328>}> {flow.end = 1330483 : i64, flow.start = 1329152 : i64, origin = #flow.origin<"h.3", "gather no_decay.0", backward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %466 = "flow.view"(%414) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %467 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 6123520 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%463, %466, %467) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 16213053 : i64, flow.start = 16134103 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%463) : (!flow.buffer<393216, device>) -> ()
    %468 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 6516736 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%467, %468) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 16265482 : i64, flow.start = 16213053 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %469 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 7303168 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%467, %469) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 16317911 : i64, flow.start = 16265482 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %470 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 7172096 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%467, %470) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 16370339 : i64, flow.start = 16317911 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %471 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 2453504 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%468, %469, %471, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 16538112 : i64, flow.start = 16370339 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%469) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%468) : (!flow.buffer<131072, device>) -> ()
    %472 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.softmax", offset = 2715648 : i64}> : () -> !flow.buffer<262144, device>
    %473 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.softmax", offset = 9024512 : i64}> : () -> !flow.buffer<2048, device>
    "flow.launch"(%471, %472, %473) <{begin = 0 : i64, end = 4 : i64, kernel = @softmax_f2e1bf9b2d, operandSegmentSizes = array<i32: 1, 2, 0>}> {flow.end = 16654438 : i64, flow.start = 16538112 : i64, origin = #flow.origin<"h.3", "softmax", forward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%471) : (!flow.buffer<262144, device>) -> ()
    %474 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 6516736 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%472, %470, %474, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 16822210 : i64, flow.start = 16654438 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%472) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%470) : (!flow.buffer<131072, device>) -> ()
    %475 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 8089600 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%474, %475) <{begin = 0 : i64, end = 1 : i64, kernel = @map_841b24dfba, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 16848424 : i64, flow.start = 16822210 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%474) : (!flow.buffer<131072, device>) -> ()
    %476 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 6516736 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%475, %419, %476, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_7fee3cc53a, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 17183969 : i64, flow.start = 16848424 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%419) : (!flow.buffer<262144, device>) -> ()
    %477 = "flow.view"(%414) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %478 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 6778880 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%456, %476, %477, %478) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 17223393 : i64, flow.start = 17183969 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%476) : (!flow.buffer<131072, device>) -> ()
    %479 = "flow.view"(%414) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %480 = "flow.view"(%414) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %481 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 8220672 : i64}> : () -> !flow.buffer<131072, device>
    %482 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 9060352 : i64}> : () -> !flow.buffer<512, device>
    %483 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 9060864 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%478, %479, %480, %481, %482, %483) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 17249914 : i64, flow.start = 17223393 : i64, origin = #flow.origin<"h.3", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %484 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 4550656 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%481, %448, %484, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 18592092 : i64, flow.start = 17249914 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%448) : (!flow.buffer<1048576, device>) -> ()
    %485 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.2.parameter", offset = 6516736 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%290, %485) <{kind = #flow<transfer_kind upload>}> {flow.end = 236032 : i64, flow.start = 209818 : i64, origin = #flow.origin<"h.3", "upload h.3.decay.2.parameter", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %486 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather no_decay.0", offset = 9007104 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%269, %486) <{piece_bytes = array<i64: 3328>}> {flow.end = 1331814 : i64, flow.start = 1330483 : i64, origin = #flow.origin<"h.2", "gather no_decay.0", backward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %487 = "flow.view"(%414) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %488 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 3502080 : i64}> : () -> !flow.buffer<524288, device>
    %489 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 5074944 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%484, %487, %488, %489) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c5bdd8b7ae, operandSegmentSizes = array<i32: 2, 2, 0>}> {flow.end = 18749788 : i64, flow.start = 18592092 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%484) : (!flow.buffer<524288, device>) -> ()
    %490 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 5992448 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%489, %453, %490, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_9fb005a893, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 20091965 : i64, flow.start = 18749788 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%453) : (!flow.buffer<1048576, device>) -> ()
    %491 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.2", offset = 2453504 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%485, %491) <{piece_bytes = array<i64: 262144>}> {flow.end = 1436672 : i64, flow.start = 1331814 : i64, origin = #flow.origin<"h.3", "gather decay.2", backward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%485) : (!flow.buffer<262144, device>) -> ()
    %492 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.1.parameter", offset = 6516736 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%287, %492) <{kind = #flow<transfer_kind upload>}> {flow.end = 262246 : i64, flow.start = 236032 : i64, origin = #flow.origin<"h.3", "upload h.3.decay.1.parameter", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %493 = "flow.view"(%414) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %494 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 5861376 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%478, %490, %493, %494) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 20131389 : i64, flow.start = 20091965 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%490) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%414) : (!flow.buffer<13312, device>) -> ()
    %495 = "flow.view"(%236) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<2048, device>
    %496 = "flow.view"(%495) <{offset = 1024 : i64, stride = 0 : i64}> : (!flow.buffer<2048, device>) -> !flow.buffer<1024, device>
    %497 = "flow.view"(%495) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<2048, device>) -> !flow.buffer<1024, device>
    %498 = "flow.alloc"() <{buffer_class = "activation", name = "layer_norm", offset = 5992448 : i64}> : () -> !flow.buffer<131072, device>
    %499 = "flow.alloc"() <{buffer_class = "activation", name = "layer_norm", offset = 9020928 : i64}> : () -> !flow.buffer<512, device>
    %500 = "flow.alloc"() <{buffer_class = "activation", name = "layer_norm", offset = 9021440 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%494, %496, %497, %498, %499, %500) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 20157911 : i64, flow.start = 20131389 : i64, origin = #flow.origin<"", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %501 = "flow.alloc"() <{buffer_class = "activation", name = "matmul", offset = 5599232 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%498, %462, %501, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_4302769c28, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 20493455 : i64, flow.start = 20157911 : i64, origin = #flow.origin<"", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    %502 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.1", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%492, %502) <{piece_bytes = array<i64: 262144>}> {flow.end = 1541529 : i64, flow.start = 1436672 : i64, origin = #flow.origin<"h.3", "gather decay.1", backward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%492) : (!flow.buffer<262144, device>) -> ()
    %503 = "flow.alloc"() <{buffer_class = "activation", name = "cross_entropy", offset = 9022464 : i64}> : () -> !flow.buffer<512, device>
    %504 = "flow.alloc"() <{buffer_class = "activation", name = "cross_entropy", offset = 9021952 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%501, %454, %503, %504) <{begin = 0 : i64, end = 128 : i64, kernel = @cross_entropy_7d6873a198, operandSegmentSizes = array<i32: 2, 2, 0>}> {flow.end = 20521308 : i64, flow.start = 20493455 : i64, origin = #flow.origin<"", "cross_entropy", forward>} : (!flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %505 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.0.parameter", offset = 4026368 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%284, %505) <{kind = #flow<transfer_kind upload>}> {flow.end = 288461 : i64, flow.start = 262246 : i64, origin = #flow.origin<"h.3", "upload h.3.decay.0.parameter", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %506 = "flow.alloc"() <{buffer_class = "activation", name = "reduce", offset = 9023040 : i64}> : () -> !flow.buffer<4, device>
    "flow.launch"(%503, %506) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_b0a0c4e601, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 20521359 : i64, flow.start = 20521308 : i64, origin = #flow.origin<"", "reduce", forward>} : (!flow.buffer<512, device>, !flow.buffer<4, device>) -> ()
    "flow.release"(%503) : (!flow.buffer<512, device>) -> ()
    %507 = "flow.alloc"() <{buffer_class = "feed", name = "loss", offset = 4792320 : i64}> : () -> !flow.buffer<4, host>
    "flow.transfer"(%506, %507) <{kind = #flow<transfer_kind offload>}> {flow.end = 20521360 : i64, flow.start = 20521359 : i64, origin = #flow.origin<"", "report loss", forward>} : (!flow.buffer<4, device>, !flow.buffer<4, host>) -> ()
    "flow.release"(%506) : (!flow.buffer<4, device>) -> ()
    %508 = "flow.alloc"() <{buffer_class = "activation", name = "map", offset = 9022464 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%464, %508) <{begin = 0 : i64, end = 128 : i64, kernel = @map_8010058c4d, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 20521411 : i64, flow.start = 20521359 : i64, origin = #flow.origin<"", "map", backward>} : (!flow.buffer<4, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%464) : (!flow.buffer<4, device>) -> ()
    %509 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.0.parameter", offset = 7172096 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%272, %509) <{kind = #flow<transfer_kind upload>}> {flow.end = 314675 : i64, flow.start = 288461 : i64, origin = #flow.origin<"h.2", "upload h.2.decay.0.parameter", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    "flow.report"(%507) <{item = "loss"}> {flow.end = 20522360 : i64, flow.start = 20521360 : i64, origin = #flow.origin<"", "report loss", forward>} : (!flow.buffer<4, host>) -> ()
    "flow.release"(%507) : (!flow.buffer<4, host>) -> ()
    %510 = "flow.alloc"() <{buffer_class = "activation", name = "cross_entropy_grad", offset = 6647808 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%508, %501, %454, %504, %510) <{begin = 0 : i64, end = 128 : i64, kernel = @cross_entropy_grad_59eefeae21, operandSegmentSizes = array<i32: 4, 1, 0>}> {flow.end = 20549264 : i64, flow.start = 20521411 : i64, origin = #flow.origin<"", "cross_entropy_grad", backward>} : (!flow.buffer<512, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%508) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%504) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%501) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%454) : (!flow.buffer<512, device>) -> ()
    %511 = "flow.alloc"() <{buffer_class = "activation", name = "matmul", offset = 6516736 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%510, %462, %511, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_7fee3cc53a, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 20884808 : i64, flow.start = 20549264 : i64, origin = #flow.origin<"", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%462) : (!flow.buffer<262144, device>) -> ()
    %512 = "flow.alloc"() <{buffer_class = "partial", name = "matmul", offset = 5599232 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%510, %498, %512, %215) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_8cd306ee70, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 21220352 : i64, flow.start = 20884808 : i64, origin = #flow.origin<"", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%510) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%498) : (!flow.buffer<131072, device>) -> ()
    %513 = "flow.alloc"() <{buffer_class = "partial", name = "reduce decay.1", offset = 5992448 : i64}> : () -> !flow.buffer<65536, device>
    "flow.reduce_scatter"(%512, %513) <{element = f32, piece_bytes = array<i64: 65536>}> {flow.end = 21246567 : i64, flow.start = 21220352 : i64, origin = #flow.origin<"", "reduce decay.1", backward>} : (!flow.buffer<262144, device>, !flow.buffer<65536, device>) -> ()
    "flow.release"(%512) : (!flow.buffer<262144, device>) -> ()
    %514 = "flow.alloc"() <{buffer_class = "activation", name = "layer_norm_grad", offset = 6909952 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%511, %494, %496, %499, %500, %514) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_grad_096dbb748d, operandSegmentSizes = array<i32: 5, 1, 0>}> {flow.end = 21259879 : i64, flow.start = 21220352 : i64, origin = #flow.origin<"", "layer_norm_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    %515 = "flow.alloc"() <{buffer_class = "staging", name = "reduce decay.1", offset = 4792320 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%513, %515) <{kind = #flow<transfer_kind offload>}> {flow.end = 21253120 : i64, flow.start = 21246567 : i64, origin = #flow.origin<"", "offload reduce decay.1", backward>} : (!flow.buffer<65536, device>, !flow.buffer<65536, host>) -> ()
    "flow.release"(%513) : (!flow.buffer<65536, device>) -> ()
    "flow.launch"(%232, %515, %232) <{begin = 0 : i64, end = 16384 : i64, kernel = @map_c55c0b0445, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 21292442 : i64, flow.start = 21253120 : i64, origin = #flow.origin<"", "accumulate decay.1", backward>} : (!flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>) -> ()
    "flow.release"(%515) : (!flow.buffer<65536, host>) -> ()
    %516 = "flow.alloc"() <{buffer_class = "partial", name = "reduce", offset = 9026560 : i64}> : () -> !flow.buffer<2048, device>
    %517 = "flow.view"(%516) <{offset = 1024 : i64, stride = 0 : i64}> : (!flow.buffer<2048, device>) -> !flow.buffer<1024, device>
    %518 = "flow.view"(%516) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<2048, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%511, %494, %499, %500, %517, %518) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_8938ad99a8, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 21286400 : i64, flow.start = 21259879 : i64, origin = #flow.origin<"", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>) -> ()
    "flow.release"(%511) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%500) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%499) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%494) : (!flow.buffer<131072, device>) -> ()
    %519 = "flow.alloc"() <{buffer_class = "partial", name = "reduce no_decay.0", offset = 9020416 : i64}> : () -> !flow.buffer<4096, device>
    "flow.reduce_scatter"(%516, %519) <{element = f32, piece_bytes = array<i64: 512>}> {flow.end = 21286605 : i64, flow.start = 21286400 : i64, origin = #flow.origin<"", "reduce no_decay.0", backward>} : (!flow.buffer<2048, device>, !flow.buffer<4096, device>) -> ()
    "flow.release"(%516) : (!flow.buffer<2048, device>) -> ()
    %520 = "flow.alloc"() <{buffer_class = "partial", name = "h.3.reduce", offset = 8482816 : i64}> : () -> !flow.buffer<13312, device>
    %521 = "flow.view"(%520) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%514, %521) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_c203d7efa1, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 21299610 : i64, flow.start = 21286400 : i64, origin = #flow.origin<"h.3", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>) -> ()
    %522 = "flow.view"(%235) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<512, device>
    %523 = "flow.view"(%519) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<512, device>
    "flow.launch"(%522, %523, %522) <{begin = 0 : i64, end = 128 : i64, kernel = @map_e2ede67cd7, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 21299763 : i64, flow.start = 21299610 : i64, origin = #flow.origin<"", "accumulate no_decay.0", backward>} : (!flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%519) : (!flow.buffer<4096, device>) -> ()
    %524 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 5599232 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%514, %491, %524, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_72440f8312, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 22641941 : i64, flow.start = 21299763 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%491) : (!flow.buffer<1048576, device>) -> ()
    %525 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.0", offset = 4288512 : i64}> : () -> !flow.buffer<786432, device>
    %526 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.0", offset = 6516736 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%505, %525, %526) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 21391463 : i64, flow.start = 21286605 : i64, origin = #flow.origin<"h.3", "gather decay.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%505) : (!flow.buffer<262144, device>) -> ()
    %527 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.map", offset = 7827456 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%441, %527) <{kind = #flow<transfer_kind upload>}> {flow.end = 12255621 : i64, flow.start = 12242513 : i64, origin = #flow.origin<"h.2", "upload h.2.map", recompute>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%441) : (!flow.buffer<131072, host>) -> ()
    %528 = "flow.alloc"() <{buffer_class = "partial", name = "h.3.matmul", offset = 2453504 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.launch"(%489, %514, %528, %215) <{begin = 0 : i64, end = 1024 : i64, kernel = @matmul_d035e4089b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 23984118 : i64, flow.start = 22641941 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<524288, device>, !flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%489) : (!flow.buffer<524288, device>) -> ()
    %529 = "flow.alloc"() <{buffer_class = "partial", name = "h.3.reduce decay.2", offset = 4026368 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%528, %529) <{element = f32, piece_bytes = array<i64: 262144>}> {flow.end = 24088976 : i64, flow.start = 23984118 : i64, origin = #flow.origin<"h.3", "reduce decay.2", backward>} : (!flow.buffer<1048576, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%528) : (!flow.buffer<1048576, device>) -> ()
    %530 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 5074944 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%488, %524, %530) <{begin = 0 : i64, end = 128 : i64, kernel = @map_0a4efb66fc, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 24151235 : i64, flow.start = 23984118 : i64, origin = #flow.origin<"h.3", "map", backward>} : (!flow.buffer<524288, device>, !flow.buffer<524288, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%524) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%488) : (!flow.buffer<524288, device>) -> ()
    %531 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.reduce decay.2", offset = 4661248 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%529, %531) <{kind = #flow<transfer_kind offload>}> {flow.end = 24115190 : i64, flow.start = 24088976 : i64, origin = #flow.origin<"h.3", "offload h.3.reduce decay.2", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%529) : (!flow.buffer<262144, device>) -> ()
    "flow.launch"(%297, %531, %297) <{begin = 0 : i64, end = 65536 : i64, kernel = @map_ece6c0aae5, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 24272476 : i64, flow.start = 24115190 : i64, origin = #flow.origin<"h.3", "accumulate decay.2", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, host>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%531) : (!flow.buffer<262144, host>) -> ()
    %532 = "flow.view"(%520) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    "flow.launch"(%530, %532) <{begin = 0 : i64, end = 1024 : i64, kernel = @reduce_68a6a515c3, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 24204073 : i64, flow.start = 24151235 : i64, origin = #flow.origin<"h.3", "reduce", backward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>) -> ()
    %533 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 7041024 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%530, %502, %533, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_913d388b2b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 25546251 : i64, flow.start = 24204073 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%502) : (!flow.buffer<1048576, device>) -> ()
    %534 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.0", offset = 3502080 : i64}> : () -> !flow.buffer<786432, device>
    %535 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.0", offset = 7565312 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%509, %534, %535) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 24193833 : i64, flow.start = 24088976 : i64, origin = #flow.origin<"h.2", "gather decay.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%509) : (!flow.buffer<262144, device>) -> ()
    %536 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.1.parameter", offset = 5599232 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%275, %536) <{kind = #flow<transfer_kind upload>}> {flow.end = 12281835 : i64, flow.start = 12255621 : i64, origin = #flow.origin<"h.2", "upload h.2.decay.1.parameter", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    "flow.transfer"(%297, %216) <{kind = #flow<transfer_kind write>}> {flow.end = 25421052 : i64, flow.start = 24272476 : i64, origin = #flow.origin<"h.3", "write h.3.decay.2.gradient.0", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, nvme>) -> ()
    "flow.release"(%297) : (!flow.buffer<262144, host>) -> ()
    %537 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.1.gradient.0", offset = 4661248 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%217, %537) <{kind = #flow<transfer_kind read>}> {flow.end = 1813193 : i64, flow.start = 906596 : i64, origin = #flow.origin<"h.3", "read h.3.decay.1.gradient.0", backward>} : (!flow.buffer<262144, nvme>, !flow.buffer<262144, host>) -> ()
    %538 = "flow.alloc"() <{buffer_class = "partial", name = "h.3.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.launch"(%481, %530, %538, %215) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_9615d47600, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 26888428 : i64, flow.start = 25546251 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%530) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%481) : (!flow.buffer<131072, device>) -> ()
    %539 = "flow.alloc"() <{buffer_class = "partial", name = "h.3.reduce decay.1", offset = 5861376 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%538, %539) <{element = f32, piece_bytes = array<i64: 262144>}> {flow.end = 26993285 : i64, flow.start = 26888428 : i64, origin = #flow.origin<"h.3", "reduce decay.1", backward>} : (!flow.buffer<1048576, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%538) : (!flow.buffer<1048576, device>) -> ()
    %540 = "flow.view"(%465) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %541 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm_grad", offset = 7172096 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%533, %478, %540, %482, %483, %541) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_grad_096dbb748d, operandSegmentSizes = array<i32: 5, 1, 0>}> {flow.end = 26927954 : i64, flow.start = 26888428 : i64, origin = #flow.origin<"h.3", "layer_norm_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    %542 = "flow.view"(%520) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %543 = "flow.view"(%520) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%533, %478, %482, %483, %542, %543) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_8938ad99a8, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 26954476 : i64, flow.start = 26927954 : i64, origin = #flow.origin<"h.3", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>) -> ()
    "flow.release"(%533) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%483) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%482) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%478) : (!flow.buffer<131072, device>) -> ()
    %544 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 8220672 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%514, %541, %544) <{begin = 0 : i64, end = 128 : i64, kernel = @map_682b30d182, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 26993797 : i64, flow.start = 26954476 : i64, origin = #flow.origin<"h.3", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%541) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%514) : (!flow.buffer<131072, device>) -> ()
    %545 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.reduce decay.1", offset = 4399104 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%539, %545) <{kind = #flow<transfer_kind offload>}> {flow.end = 27019500 : i64, flow.start = 26993285 : i64, origin = #flow.origin<"h.3", "offload h.3.reduce decay.1", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%539) : (!flow.buffer<262144, device>) -> ()
    %546 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.1", offset = 2453504 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%536, %546) <{piece_bytes = array<i64: 262144>}> {flow.end = 27098143 : i64, flow.start = 26993285 : i64, origin = #flow.origin<"h.2", "gather decay.1", backward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%536) : (!flow.buffer<262144, device>) -> ()
    %547 = "flow.view"(%520) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%544, %547) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_c203d7efa1, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 27007007 : i64, flow.start = 26993797 : i64, origin = #flow.origin<"h.3", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>) -> ()
    %548 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 5337088 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%544, %526, %548, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_4302769c28, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 27342551 : i64, flow.start = 27007007 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%526) : (!flow.buffer<262144, device>) -> ()
    %549 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.2.parameter", offset = 5074944 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%278, %549) <{kind = #flow<transfer_kind upload>}> {flow.end = 12308049 : i64, flow.start = 12281835 : i64, origin = #flow.origin<"h.2", "upload h.2.decay.2.parameter", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    "flow.launch"(%537, %545, %537) <{begin = 0 : i64, end = 65536 : i64, kernel = @map_ece6c0aae5, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 27176786 : i64, flow.start = 27019500 : i64, origin = #flow.origin<"h.3", "accumulate decay.1", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, host>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%545) : (!flow.buffer<262144, host>) -> ()
    %550 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.2", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%549, %550) <{piece_bytes = array<i64: 262144>}> {flow.end = 27203001 : i64, flow.start = 27098143 : i64, origin = #flow.origin<"h.2", "gather decay.2", backward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%549) : (!flow.buffer<262144, device>) -> ()
    "flow.transfer"(%537, %217) <{kind = #flow<transfer_kind write>}> {flow.end = 28325362 : i64, flow.start = 27176786 : i64, origin = #flow.origin<"h.3", "write h.3.decay.1.gradient.0", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, nvme>) -> ()
    "flow.release"(%537) : (!flow.buffer<262144, host>) -> ()
    %551 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.0.gradient.0", offset = 4399104 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%218, %551) <{kind = #flow<transfer_kind read>}> {flow.end = 2719790 : i64, flow.start = 1813193 : i64, origin = #flow.origin<"h.3", "read h.3.decay.0.gradient.0", backward>} : (!flow.buffer<262144, nvme>, !flow.buffer<262144, host>) -> ()
    %552 = "flow.alloc"() <{buffer_class = "partial", name = "h.3.matmul", offset = 5468160 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%475, %544, %552, %215) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_8cd306ee70, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 27678096 : i64, flow.start = 27342551 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    %553 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 6516736 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%467, %553) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 27730524 : i64, flow.start = 27678096 : i64, origin = #flow.origin<"h.3", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %554 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 6778880 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%467, %554) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 27782953 : i64, flow.start = 27730524 : i64, origin = #flow.origin<"h.3", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %555 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 5730304 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%467, %555) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 27835382 : i64, flow.start = 27782953 : i64, origin = #flow.origin<"h.3", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%467) : (!flow.buffer<393216, device>) -> ()
    %556 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 6647808 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%548, %556) <{begin = 0 : i64, end = 1 : i64, kernel = @map_81500dec77, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 27861596 : i64, flow.start = 27835382 : i64, origin = #flow.origin<"h.3", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    %557 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 5074944 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%553, %554, %557, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 28029369 : i64, flow.start = 27861596 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    %558 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 5992448 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%556, %555, %558, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 28197141 : i64, flow.start = 28029369 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%555) : (!flow.buffer<131072, device>) -> ()
    %559 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 5578752 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%425, %559) <{kind = #flow<transfer_kind read>}> {flow.end = 12076039 : i64, flow.start = 11572741 : i64, origin = #flow.origin<"h.2", "read h.2.layer_norm", recompute>} : (!flow.buffer<131072, nvme>, !flow.buffer<131072, host>) -> ()
    "flow.release"(%425) : (!flow.buffer<131072, nvme>) -> ()
    %560 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.reduce", offset = 9020416 : i64}> : () -> !flow.buffer<2048, device>
    "flow.launch"(%548, %475, %560) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_dfa057dec6, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 28223560 : i64, flow.start = 28197141 : i64, origin = #flow.origin<"h.3", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%548) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%475) : (!flow.buffer<131072, device>) -> ()
    %561 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 5730304 : i64}> : () -> !flow.buffer<262144, device>
    %562 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 6254592 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%557, %473, %558, %560, %561, %562) <{begin = 0 : i64, end = 4 : i64, kernel = @map_5428b4a251, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 28328827 : i64, flow.start = 28223560 : i64, origin = #flow.origin<"h.3", "map", backward>} : (!flow.buffer<262144, device>, !flow.buffer<2048, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>, !flow.buffer<262144, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%560) : (!flow.buffer<2048, device>) -> ()
    "flow.release"(%558) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%557) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%473) : (!flow.buffer<2048, device>) -> ()
    %563 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 5992448 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%562, %554, %563, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 28496599 : i64, flow.start = 28328827 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%554) : (!flow.buffer<131072, device>) -> ()
    %564 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 6123520 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%562, %553, %564, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_de7c18fe3b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 28664371 : i64, flow.start = 28496599 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%562) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%553) : (!flow.buffer<131072, device>) -> ()
    %565 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 8089600 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%559, %565) <{kind = #flow<transfer_kind upload>}> {flow.end = 12321157 : i64, flow.start = 12308049 : i64, origin = #flow.origin<"h.2", "upload h.2.layer_norm", recompute>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%559) : (!flow.buffer<131072, host>) -> ()
    %566 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 6254592 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%561, %556, %566, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_de7c18fe3b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 28832144 : i64, flow.start = 28664371 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%561) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%556) : (!flow.buffer<131072, device>) -> ()
    %567 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.stack", offset = 5074944 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%563, %564, %566, %567) <{begin = 0 : i64, end = 1 : i64, kernel = @stack_0fac26bb33, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 28910787 : i64, flow.start = 28832144 : i64, origin = #flow.origin<"h.3", "stack", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%566) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%564) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%563) : (!flow.buffer<131072, device>) -> ()
    %568 = "flow.view"(%520) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    "flow.launch"(%567, %568) <{begin = 0 : i64, end = 768 : i64, kernel = @reduce_7aeb403de4, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 28950416 : i64, flow.start = 28910787 : i64, origin = #flow.origin<"h.3", "reduce", backward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>) -> ()
    %569 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 5730304 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%567, %525, %569, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_6665eec420, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 29957049 : i64, flow.start = 28950416 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<393216, device>, !flow.buffer<786432, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%525) : (!flow.buffer<786432, device>) -> ()
    %570 = "flow.alloc"() <{buffer_class = "partial", name = "h.3.matmul", offset = 4288512 : i64}> : () -> !flow.buffer<786432, device>
    "flow.launch"(%459, %567, %570, %215) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_ba6a02475b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 30963682 : i64, flow.start = 29957049 : i64, origin = #flow.origin<"h.3", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<393216, device>, !flow.buffer<786432, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%567) : (!flow.buffer<393216, device>) -> ()
    "flow.release"(%459) : (!flow.buffer<131072, device>) -> ()
    %571 = "flow.alloc"() <{buffer_class = "partial", name = "h.3.reduce decay.0", offset = 5074944 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%570, %552, %571) <{element = f32, piece_bytes = array<i64: 196608, 65536>}> {flow.end = 31068539 : i64, flow.start = 30963682 : i64, origin = #flow.origin<"h.3", "reduce decay.0", backward>} : (!flow.buffer<786432, device>, !flow.buffer<262144, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%570) : (!flow.buffer<786432, device>) -> ()
    "flow.release"(%552) : (!flow.buffer<262144, device>) -> ()
    %572 = "flow.view"(%465) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %573 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm_grad", offset = 5337088 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%569, %456, %572, %460, %461, %573) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_grad_096dbb748d, operandSegmentSizes = array<i32: 5, 1, 0>}> {flow.end = 31003208 : i64, flow.start = 30963682 : i64, origin = #flow.origin<"h.3", "layer_norm_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%465) : (!flow.buffer<13312, device>) -> ()
    %574 = "flow.view"(%520) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %575 = "flow.view"(%520) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%569, %456, %460, %461, %574, %575) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_8938ad99a8, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 31029730 : i64, flow.start = 31003208 : i64, origin = #flow.origin<"h.3", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>) -> ()
    "flow.release"(%569) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%461) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%460) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%456) : (!flow.buffer<131072, device>) -> ()
    %576 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 8351744 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%544, %573, %576) <{begin = 0 : i64, end = 128 : i64, kernel = @map_682b30d182, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 31069051 : i64, flow.start = 31029730 : i64, origin = #flow.origin<"h.3", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%573) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%544) : (!flow.buffer<131072, device>) -> ()
    %577 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.reduce decay.0", offset = 5578752 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%571, %577) <{kind = #flow<transfer_kind offload>}> {flow.end = 31094754 : i64, flow.start = 31068539 : i64, origin = #flow.origin<"h.3", "offload h.3.reduce decay.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%571) : (!flow.buffer<262144, device>) -> ()
    %578 = "flow.alloc"() <{buffer_class = "partial", name = "h.3.reduce no_decay.0", offset = 9020416 : i64}> : () -> !flow.buffer<4096, device>
    "flow.reduce_scatter"(%520, %578) <{element = f32, piece_bytes = array<i64: 3328>}> {flow.end = 31069870 : i64, flow.start = 31068539 : i64, origin = #flow.origin<"h.3", "reduce no_decay.0", backward>} : (!flow.buffer<13312, device>, !flow.buffer<4096, device>) -> ()
    "flow.release"(%520) : (!flow.buffer<13312, device>) -> ()
    %579 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 6123520 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%565, %534, %579, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 32075684 : i64, flow.start = 31069051 : i64, origin = #flow.origin<"h.2", "matmul", recompute>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    %580 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.map", offset = 7958528 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%437, %580) <{kind = #flow<transfer_kind upload>}> {flow.end = 12334264 : i64, flow.start = 12321157 : i64, origin = #flow.origin<"h.2", "upload h.2.map", backward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%437) : (!flow.buffer<131072, host>) -> ()
    %581 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.0", offset = 5337088 : i64}> : () -> !flow.buffer<786432, device>
    %582 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.0", offset = 7041024 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%260, %581, %582) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 31174728 : i64, flow.start = 31069870 : i64, origin = #flow.origin<"h.1", "gather decay.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    %583 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.2.gradient.0", offset = 4661248 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%220, %583) <{kind = #flow<transfer_kind read>}> {flow.end = 12982636 : i64, flow.start = 12076039 : i64, origin = #flow.origin<"h.2", "read h.2.decay.2.gradient.0", backward>} : (!flow.buffer<262144, nvme>, !flow.buffer<262144, host>) -> ()
    "flow.launch"(%551, %577, %551) <{begin = 0 : i64, end = 65536 : i64, kernel = @map_ece6c0aae5, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 31252040 : i64, flow.start = 31094754 : i64, origin = #flow.origin<"h.3", "accumulate decay.0", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, host>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%577) : (!flow.buffer<262144, host>) -> ()
    "flow.transfer"(%551, %218) <{kind = #flow<transfer_kind write>}> {flow.end = 32400616 : i64, flow.start = 31252040 : i64, origin = #flow.origin<"h.3", "write h.3.decay.0.gradient.0", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, nvme>) -> ()
    "flow.release"(%551) : (!flow.buffer<262144, host>) -> ()
    %584 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 5578752 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%415, %584) <{kind = #flow<transfer_kind read>}> {flow.end = 13485934 : i64, flow.start = 12982636 : i64, origin = #flow.origin<"h.2", "read h.1.map", backward>} : (!flow.buffer<131072, nvme>, !flow.buffer<131072, host>) -> ()
    "flow.release"(%415) : (!flow.buffer<131072, nvme>) -> ()
    %585 = "flow.view"(%219) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %586 = "flow.view"(%578) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    "flow.launch"(%585, %586, %585) <{begin = 0 : i64, end = 832 : i64, kernel = @map_be68dd71bc, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 32076683 : i64, flow.start = 32075684 : i64, origin = #flow.origin<"h.3", "accumulate no_decay.0", backward>} : (!flow.buffer<3328, device>, !flow.buffer<3328, device>, !flow.buffer<3328, device>) -> ()
    "flow.release"(%578) : (!flow.buffer<4096, device>) -> ()
    %587 = "flow.view"(%486) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %588 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 6647808 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%579, %587, %588) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 32155633 : i64, flow.start = 32076683 : i64, origin = #flow.origin<"h.2", "map", recompute>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%579) : (!flow.buffer<393216, device>) -> ()
    %589 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather no_decay.0", offset = 9020416 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%257, %589) <{piece_bytes = array<i64: 3328>}> {flow.end = 31176059 : i64, flow.start = 31174728 : i64, origin = #flow.origin<"h.1", "gather no_decay.0", backward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %590 = "flow.view"(%486) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %591 = "flow.view"(%486) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %592 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 8744960 : i64}> : () -> !flow.buffer<131072, device>
    %593 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 9063424 : i64}> : () -> !flow.buffer<512, device>
    %594 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 9063936 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%527, %590, %591, %592, %593, %594) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 32182155 : i64, flow.start = 32155633 : i64, origin = #flow.origin<"h.2", "layer_norm", recompute>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %595 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.softmax", offset = 9059328 : i64}> : () -> !flow.buffer<2048, device>
    "flow.transfer"(%434, %595) <{kind = #flow<transfer_kind upload>}> {flow.end = 12334469 : i64, flow.start = 12334264 : i64, origin = #flow.origin<"h.2", "upload h.2.softmax", backward>} : (!flow.buffer<2048, host>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%434) : (!flow.buffer<2048, host>) -> ()
    %596 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 4812800 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%592, %546, %596, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 33524332 : i64, flow.start = 32182155 : i64, origin = #flow.origin<"h.2", "matmul", recompute>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    %597 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.1.parameter", offset = 7303168 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%263, %597) <{kind = #flow<transfer_kind upload>}> {flow.end = 12360683 : i64, flow.start = 12334469 : i64, origin = #flow.origin<"h.1", "upload h.1.decay.1.parameter", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %598 = "flow.view"(%424) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<512, nvme>) -> !flow.buffer<4096, nvme>
    %599 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 5840896 : i64}> : () -> !flow.buffer<4096, host>
    "flow.transfer"(%598, %599) <{kind = #flow<transfer_kind read>}> {flow.end = 13598538 : i64, flow.start = 13485934 : i64, origin = #flow.origin<"h.2", "read h.2.layer_norm", backward>} : (!flow.buffer<4096, nvme>, !flow.buffer<4096, host>) -> ()
    "flow.release"(%424) : (!flow.buffer<512, nvme>) -> ()
    %600 = "flow.view"(%423) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<512, nvme>) -> !flow.buffer<4096, nvme>
    %601 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 5844992 : i64}> : () -> !flow.buffer<4096, host>
    "flow.transfer"(%600, %601) <{kind = #flow<transfer_kind read>}> {flow.end = 13711141 : i64, flow.start = 13598538 : i64, origin = #flow.origin<"h.2", "read h.2.layer_norm", backward>} : (!flow.buffer<4096, nvme>, !flow.buffer<4096, host>) -> ()
    "flow.release"(%423) : (!flow.buffer<512, nvme>) -> ()
    %602 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 5709824 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%375, %602) <{kind = #flow<transfer_kind read>}> {flow.end = 14214439 : i64, flow.start = 13711141 : i64, origin = #flow.origin<"h.1", "read h.1.layer_norm", recompute>} : (!flow.buffer<131072, nvme>, !flow.buffer<131072, host>) -> ()
    "flow.release"(%375) : (!flow.buffer<131072, nvme>) -> ()
    %603 = "flow.view"(%486) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %604 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 4288512 : i64}> : () -> !flow.buffer<524288, device>
    %605 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 6123520 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%596, %603, %604, %605) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c5bdd8b7ae, operandSegmentSizes = array<i32: 2, 2, 0>}> {flow.end = 33682028 : i64, flow.start = 33524332 : i64, origin = #flow.origin<"h.2", "map", recompute>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%596) : (!flow.buffer<524288, device>) -> ()
    %606 = "flow.alloc"() <{buffer_class = "partial", name = "h.2.reduce", offset = 9033728 : i64}> : () -> !flow.buffer<13312, device>
    %607 = "flow.view"(%606) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%576, %607) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_c203d7efa1, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 33695237 : i64, flow.start = 33682028 : i64, origin = #flow.origin<"h.2", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>) -> ()
    %608 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 4812800 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%576, %550, %608, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_72440f8312, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 35037415 : i64, flow.start = 33695237 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%550) : (!flow.buffer<1048576, device>) -> ()
    %609 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 8220672 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%584, %609) <{kind = #flow<transfer_kind upload>}> {flow.end = 13499042 : i64, flow.start = 13485934 : i64, origin = #flow.origin<"h.2", "upload h.1.map", backward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%584) : (!flow.buffer<131072, host>) -> ()
    %610 = "flow.view"(%599) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, host>) -> !flow.buffer<512, host>
    %611 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 9062400 : i64}> : () -> !flow.buffer<512, device>
    "flow.transfer"(%610, %611) <{kind = #flow<transfer_kind upload>}> {flow.end = 13598589 : i64, flow.start = 13598538 : i64, origin = #flow.origin<"h.2", "upload h.2.layer_norm", backward>} : (!flow.buffer<512, host>, !flow.buffer<512, device>) -> ()
    "flow.release"(%599) : (!flow.buffer<4096, host>) -> ()
    %612 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 5578752 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%400, %612) <{kind = #flow<transfer_kind read>}> {flow.end = 14717738 : i64, flow.start = 14214439 : i64, origin = #flow.origin<"h.1", "read h.1.map", recompute>} : (!flow.buffer<131072, nvme>, !flow.buffer<131072, host>) -> ()
    "flow.release"(%400) : (!flow.buffer<131072, nvme>) -> ()
    %613 = "flow.view"(%601) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, host>) -> !flow.buffer<512, host>
    %614 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.2.layer_norm", offset = 9062912 : i64}> : () -> !flow.buffer<512, device>
    "flow.transfer"(%613, %614) <{kind = #flow<transfer_kind upload>}> {flow.end = 13711192 : i64, flow.start = 13711141 : i64, origin = #flow.origin<"h.2", "upload h.2.layer_norm", backward>} : (!flow.buffer<512, host>, !flow.buffer<512, device>) -> ()
    "flow.release"(%601) : (!flow.buffer<4096, host>) -> ()
    %615 = "flow.alloc"() <{buffer_class = "partial", name = "h.2.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.launch"(%605, %576, %615, %215) <{begin = 0 : i64, end = 1024 : i64, kernel = @matmul_d035e4089b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 36379592 : i64, flow.start = 35037415 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<524288, device>, !flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%605) : (!flow.buffer<524288, device>) -> ()
    %616 = "flow.alloc"() <{buffer_class = "partial", name = "h.2.reduce decay.2", offset = 6123520 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%615, %616) <{element = f32, piece_bytes = array<i64: 262144>}> {flow.end = 36484450 : i64, flow.start = 36379592 : i64, origin = #flow.origin<"h.2", "reduce decay.2", backward>} : (!flow.buffer<1048576, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%615) : (!flow.buffer<1048576, device>) -> ()
    %617 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 8482816 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%588, %617) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 36432021 : i64, flow.start = 36379592 : i64, origin = #flow.origin<"h.2", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %618 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 8613888 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%588, %618) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 36484450 : i64, flow.start = 36432021 : i64, origin = #flow.origin<"h.2", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %619 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 8876032 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%588, %619) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 36536878 : i64, flow.start = 36484450 : i64, origin = #flow.origin<"h.2", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%588) : (!flow.buffer<393216, device>) -> ()
    %620 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.reduce decay.2", offset = 4399104 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%616, %620) <{kind = #flow<transfer_kind offload>}> {flow.end = 36510664 : i64, flow.start = 36484450 : i64, origin = #flow.origin<"h.2", "offload h.2.reduce decay.2", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%616) : (!flow.buffer<262144, device>) -> ()
    "flow.launch"(%583, %620, %583) <{begin = 0 : i64, end = 65536 : i64, kernel = @map_ece6c0aae5, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 36667950 : i64, flow.start = 36510664 : i64, origin = #flow.origin<"h.2", "accumulate decay.2", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, host>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%620) : (!flow.buffer<262144, host>) -> ()
    %621 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 6123520 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%604, %608, %621) <{begin = 0 : i64, end = 128 : i64, kernel = @map_0a4efb66fc, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 36703995 : i64, flow.start = 36536878 : i64, origin = #flow.origin<"h.2", "map", backward>} : (!flow.buffer<524288, device>, !flow.buffer<524288, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%608) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%604) : (!flow.buffer<524288, device>) -> ()
    %622 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.1", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%597, %622) <{piece_bytes = array<i64: 262144>}> {flow.end = 36589307 : i64, flow.start = 36484450 : i64, origin = #flow.origin<"h.1", "gather decay.1", backward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%597) : (!flow.buffer<262144, device>) -> ()
    "flow.transfer"(%583, %220) <{kind = #flow<transfer_kind write>}> {flow.end = 37816526 : i64, flow.start = 36667950 : i64, origin = #flow.origin<"h.2", "write h.2.decay.2.gradient.0", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, nvme>) -> ()
    "flow.release"(%583) : (!flow.buffer<262144, host>) -> ()
    %623 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 5853184 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%388, %623) <{kind = #flow<transfer_kind read>}> {flow.end = 15221036 : i64, flow.start = 14717738 : i64, origin = #flow.origin<"h.1", "read h.1.map", backward>} : (!flow.buffer<131072, nvme>, !flow.buffer<131072, host>) -> ()
    "flow.release"(%388) : (!flow.buffer<131072, nvme>) -> ()
    %624 = "flow.view"(%606) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    "flow.launch"(%621, %624) <{begin = 0 : i64, end = 1024 : i64, kernel = @reduce_68a6a515c3, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 36756834 : i64, flow.start = 36703995 : i64, origin = #flow.origin<"h.2", "reduce", backward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>) -> ()
    %625 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.0", offset = 4550656 : i64}> : () -> !flow.buffer<786432, device>
    %626 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.0", offset = 7303168 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%248, %625, %626) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 36694165 : i64, flow.start = 36589307 : i64, origin = #flow.origin<"h.0", "gather decay.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    %627 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 6647808 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%621, %546, %627, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_913d388b2b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 38099011 : i64, flow.start = 36756834 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%546) : (!flow.buffer<1048576, device>) -> ()
    %628 = "flow.alloc"() <{buffer_class = "partial", name = "h.2.matmul", offset = 2453504 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.launch"(%592, %621, %628, %215) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_9615d47600, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 39441188 : i64, flow.start = 38099011 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%621) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%592) : (!flow.buffer<131072, device>) -> ()
    %629 = "flow.alloc"() <{buffer_class = "partial", name = "h.2.reduce decay.1", offset = 4288512 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%628, %629) <{element = f32, piece_bytes = array<i64: 262144>}> {flow.end = 39546046 : i64, flow.start = 39441188 : i64, origin = #flow.origin<"h.2", "reduce decay.1", backward>} : (!flow.buffer<1048576, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%628) : (!flow.buffer<1048576, device>) -> ()
    %630 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm_grad", offset = 6778880 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%627, %527, %590, %593, %594, %630) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_grad_096dbb748d, operandSegmentSizes = array<i32: 5, 1, 0>}> {flow.end = 39480715 : i64, flow.start = 39441188 : i64, origin = #flow.origin<"h.2", "layer_norm_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    %631 = "flow.view"(%606) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %632 = "flow.view"(%606) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%627, %527, %593, %594, %631, %632) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_8938ad99a8, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 39507236 : i64, flow.start = 39480715 : i64, origin = #flow.origin<"h.2", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>) -> ()
    "flow.release"(%627) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%594) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%593) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%527) : (!flow.buffer<131072, device>) -> ()
    %633 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 8744960 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%576, %630, %633) <{begin = 0 : i64, end = 128 : i64, kernel = @map_682b30d182, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 39546558 : i64, flow.start = 39507236 : i64, origin = #flow.origin<"h.2", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%630) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%576) : (!flow.buffer<131072, device>) -> ()
    %634 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.reduce decay.1", offset = 4399104 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%629, %634) <{kind = #flow<transfer_kind offload>}> {flow.end = 39572260 : i64, flow.start = 39546046 : i64, origin = #flow.origin<"h.2", "offload h.2.reduce decay.1", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%629) : (!flow.buffer<262144, device>) -> ()
    %635 = "flow.view"(%606) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%633, %635) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_c203d7efa1, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 39559767 : i64, flow.start = 39546558 : i64, origin = #flow.origin<"h.2", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>) -> ()
    %636 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 8351744 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%633, %535, %636, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_4302769c28, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 39895312 : i64, flow.start = 39559767 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%535) : (!flow.buffer<262144, device>) -> ()
    "flow.launch"(%221, %634, %221) <{begin = 0 : i64, end = 65536 : i64, kernel = @map_ece6c0aae5, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 39729547 : i64, flow.start = 39572260 : i64, origin = #flow.origin<"h.2", "accumulate decay.1", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, host>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%634) : (!flow.buffer<262144, host>) -> ()
    %637 = "flow.alloc"() <{buffer_class = "staging", name = "update.norm slots", offset = 5840896 : i64}> : () -> !flow.buffer<8, host>
    "flow.launch"(%221, %637) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_575b9031df, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 39781977 : i64, flow.start = 39729547 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<262144, host>, !flow.buffer<8, host>) -> ()
    %638 = "flow.alloc"() <{buffer_class = "partial", name = "h.2.matmul", offset = 3239936 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%580, %633, %638, %215) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_8cd306ee70, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 40230856 : i64, flow.start = 39895312 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    %639 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 7827456 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%602, %639) <{kind = #flow<transfer_kind upload>}> {flow.end = 14227546 : i64, flow.start = 14214439 : i64, origin = #flow.origin<"h.1", "upload h.1.layer_norm", recompute>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%602) : (!flow.buffer<131072, host>) -> ()
    %640 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 7565312 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%636, %640) <{begin = 0 : i64, end = 1 : i64, kernel = @map_81500dec77, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 40257070 : i64, flow.start = 40230856 : i64, origin = #flow.origin<"h.2", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    %641 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 4288512 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%617, %618, %641, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 40424843 : i64, flow.start = 40257070 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    %642 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 2715648 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%640, %619, %642, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 40592615 : i64, flow.start = 40424843 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%619) : (!flow.buffer<131072, device>) -> ()
    %643 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.reduce", offset = 7696384 : i64}> : () -> !flow.buffer<2048, device>
    "flow.launch"(%636, %580, %643) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_dfa057dec6, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 40619034 : i64, flow.start = 40592615 : i64, origin = #flow.origin<"h.2", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%636) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%580) : (!flow.buffer<131072, device>) -> ()
    %644 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 2453504 : i64}> : () -> !flow.buffer<262144, device>
    %645 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 2977792 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%641, %595, %642, %643, %644, %645) <{begin = 0 : i64, end = 4 : i64, kernel = @map_5428b4a251, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 40724301 : i64, flow.start = 40619034 : i64, origin = #flow.origin<"h.2", "map", backward>} : (!flow.buffer<262144, device>, !flow.buffer<2048, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>, !flow.buffer<262144, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%643) : (!flow.buffer<2048, device>) -> ()
    "flow.release"(%642) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%641) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%595) : (!flow.buffer<2048, device>) -> ()
    %646 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 7958528 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%612, %646) <{kind = #flow<transfer_kind upload>}> {flow.end = 14730845 : i64, flow.start = 14717738 : i64, origin = #flow.origin<"h.1", "upload h.1.map", recompute>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%612) : (!flow.buffer<131072, host>) -> ()
    %647 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 7696384 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%645, %618, %647, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 40892073 : i64, flow.start = 40724301 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%618) : (!flow.buffer<131072, device>) -> ()
    %648 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 8351744 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%645, %617, %648, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_de7c18fe3b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 41059845 : i64, flow.start = 40892073 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%645) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%617) : (!flow.buffer<131072, device>) -> ()
    %649 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 4288512 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%644, %640, %649, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_de7c18fe3b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 41227618 : i64, flow.start = 41059845 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%644) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%640) : (!flow.buffer<131072, device>) -> ()
    %650 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.stack", offset = 6123520 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%647, %648, %649, %650) <{begin = 0 : i64, end = 1 : i64, kernel = @stack_0fac26bb33, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 41306261 : i64, flow.start = 41227618 : i64, origin = #flow.origin<"h.2", "stack", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%649) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%648) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%647) : (!flow.buffer<131072, device>) -> ()
    %651 = "flow.view"(%606) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    "flow.launch"(%650, %651) <{begin = 0 : i64, end = 768 : i64, kernel = @reduce_7aeb403de4, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 41345890 : i64, flow.start = 41306261 : i64, origin = #flow.origin<"h.2", "reduce", backward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>) -> ()
    %652 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 4288512 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%650, %534, %652, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_6665eec420, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 42352523 : i64, flow.start = 41345890 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<393216, device>, !flow.buffer<786432, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%534) : (!flow.buffer<786432, device>) -> ()
    %653 = "flow.alloc"() <{buffer_class = "partial", name = "h.2.matmul", offset = 2453504 : i64}> : () -> !flow.buffer<786432, device>
    "flow.launch"(%565, %650, %653, %215) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_ba6a02475b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 43359155 : i64, flow.start = 42352523 : i64, origin = #flow.origin<"h.2", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<393216, device>, !flow.buffer<786432, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%650) : (!flow.buffer<393216, device>) -> ()
    "flow.release"(%565) : (!flow.buffer<131072, device>) -> ()
    %654 = "flow.alloc"() <{buffer_class = "partial", name = "h.2.reduce decay.0", offset = 6516736 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%653, %638, %654) <{element = f32, piece_bytes = array<i64: 196608, 65536>}> {flow.end = 43464013 : i64, flow.start = 43359155 : i64, origin = #flow.origin<"h.2", "reduce decay.0", backward>} : (!flow.buffer<786432, device>, !flow.buffer<262144, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%653) : (!flow.buffer<786432, device>) -> ()
    "flow.release"(%638) : (!flow.buffer<262144, device>) -> ()
    %655 = "flow.view"(%486) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %656 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm_grad", offset = 4419584 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%652, %609, %655, %611, %614, %656) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_grad_096dbb748d, operandSegmentSizes = array<i32: 5, 1, 0>}> {flow.end = 43398682 : i64, flow.start = 43359155 : i64, origin = #flow.origin<"h.2", "layer_norm_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%486) : (!flow.buffer<13312, device>) -> ()
    %657 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.2.parameter", offset = 6778880 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%266, %657) <{kind = #flow<transfer_kind upload>}> {flow.end = 14757059 : i64, flow.start = 14730845 : i64, origin = #flow.origin<"h.1", "upload h.1.decay.2.parameter", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %658 = "flow.view"(%374) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<512, nvme>) -> !flow.buffer<4096, nvme>
    %659 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 5578752 : i64}> : () -> !flow.buffer<4096, host>
    "flow.transfer"(%658, %659) <{kind = #flow<transfer_kind read>}> {flow.end = 15333639 : i64, flow.start = 15221036 : i64, origin = #flow.origin<"h.1", "read h.1.layer_norm", backward>} : (!flow.buffer<4096, nvme>, !flow.buffer<4096, host>) -> ()
    "flow.release"(%374) : (!flow.buffer<512, nvme>) -> ()
    %660 = "flow.view"(%606) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %661 = "flow.view"(%606) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%652, %609, %611, %614, %660, %661) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_8938ad99a8, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 43425204 : i64, flow.start = 43398682 : i64, origin = #flow.origin<"h.2", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>) -> ()
    "flow.release"(%652) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%614) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%611) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%609) : (!flow.buffer<131072, device>) -> ()
    %662 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 8351744 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%633, %656, %662) <{begin = 0 : i64, end = 128 : i64, kernel = @map_682b30d182, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 43464525 : i64, flow.start = 43425204 : i64, origin = #flow.origin<"h.2", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%656) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%633) : (!flow.buffer<131072, device>) -> ()
    %663 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.reduce decay.0", offset = 4399104 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%654, %663) <{kind = #flow<transfer_kind offload>}> {flow.end = 43490228 : i64, flow.start = 43464013 : i64, origin = #flow.origin<"h.2", "offload h.2.reduce decay.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%654) : (!flow.buffer<262144, device>) -> ()
    %664 = "flow.alloc"() <{buffer_class = "partial", name = "h.2.reduce no_decay.0", offset = 8089600 : i64}> : () -> !flow.buffer<4096, device>
    "flow.reduce_scatter"(%606, %664) <{element = f32, piece_bytes = array<i64: 3328>}> {flow.end = 43465344 : i64, flow.start = 43464013 : i64, origin = #flow.origin<"h.2", "reduce no_decay.0", backward>} : (!flow.buffer<13312, device>, !flow.buffer<4096, device>) -> ()
    "flow.release"(%606) : (!flow.buffer<13312, device>) -> ()
    %665 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 6123520 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%639, %581, %665, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 44471158 : i64, flow.start = 43464525 : i64, origin = #flow.origin<"h.1", "matmul", recompute>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    %666 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.map", offset = 8220672 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%623, %666) <{kind = #flow<transfer_kind upload>}> {flow.end = 15234143 : i64, flow.start = 15221036 : i64, origin = #flow.origin<"h.1", "upload h.1.map", backward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%623) : (!flow.buffer<131072, host>) -> ()
    %667 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.2", offset = 2453504 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%657, %667) <{piece_bytes = array<i64: 262144>}> {flow.end = 43570202 : i64, flow.start = 43465344 : i64, origin = #flow.origin<"h.1", "gather decay.2", backward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%657) : (!flow.buffer<262144, device>) -> ()
    %668 = "flow.view"(%371) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<512, nvme>) -> !flow.buffer<4096, nvme>
    %669 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 5582848 : i64}> : () -> !flow.buffer<4096, host>
    "flow.transfer"(%668, %669) <{kind = #flow<transfer_kind read>}> {flow.end = 15446242 : i64, flow.start = 15333639 : i64, origin = #flow.origin<"h.1", "read h.1.layer_norm", backward>} : (!flow.buffer<4096, nvme>, !flow.buffer<4096, host>) -> ()
    "flow.release"(%371) : (!flow.buffer<512, nvme>) -> ()
    "flow.launch"(%222, %663, %222) <{begin = 0 : i64, end = 65536 : i64, kernel = @map_ece6c0aae5, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 43647514 : i64, flow.start = 43490228 : i64, origin = #flow.origin<"h.2", "accumulate decay.0", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, host>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%663) : (!flow.buffer<262144, host>) -> ()
    %670 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.2.gradient.0", offset = 4661248 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%220, %670) <{kind = #flow<transfer_kind read>}> {flow.end = 38723123 : i64, flow.start = 37816526 : i64, origin = #flow.origin<"update", "read h.2.decay.2.gradient.0", update>} : (!flow.buffer<262144, nvme>, !flow.buffer<262144, host>) -> ()
    %671 = "flow.view"(%222) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    %672 = "flow.alloc"() <{buffer_class = "staging", name = "update.norm slots", offset = 5709824 : i64}> : () -> !flow.buffer<8, host>
    "flow.launch"(%671, %672) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_011562fc87, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 43686837 : i64, flow.start = 43647514 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<196608, host>, !flow.buffer<8, host>) -> ()
    %673 = "flow.view"(%222) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    %674 = "flow.alloc"() <{buffer_class = "staging", name = "update.norm slots", offset = 5709888 : i64}> : () -> !flow.buffer<8, host>
    "flow.launch"(%673, %674) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_b1b5c48b11, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 43699946 : i64, flow.start = 43686837 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<65536, host>, !flow.buffer<8, host>) -> ()
    %675 = "flow.view"(%223) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %676 = "flow.view"(%664) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    "flow.launch"(%675, %676, %675) <{begin = 0 : i64, end = 832 : i64, kernel = @map_be68dd71bc, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 44472156 : i64, flow.start = 44471158 : i64, origin = #flow.origin<"h.2", "accumulate no_decay.0", backward>} : (!flow.buffer<3328, device>, !flow.buffer<3328, device>, !flow.buffer<3328, device>) -> ()
    "flow.release"(%664) : (!flow.buffer<4096, device>) -> ()
    %677 = "flow.view"(%589) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %678 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 6647808 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%665, %677, %678) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 44551107 : i64, flow.start = 44472156 : i64, origin = #flow.origin<"h.1", "map", recompute>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%665) : (!flow.buffer<393216, device>) -> ()
    %679 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather no_decay.0", offset = 9007104 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%245, %679) <{piece_bytes = array<i64: 3328>}> {flow.end = 43571533 : i64, flow.start = 43570202 : i64, origin = #flow.origin<"h.0", "gather no_decay.0", backward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %680 = "flow.alloc"() <{buffer_class = "staging", name = "update.norm slots", offset = 5709952 : i64}> : () -> !flow.buffer<8, host>
    "flow.launch"(%670, %680) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_575b9031df, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 43752376 : i64, flow.start = 43699946 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<262144, host>, !flow.buffer<8, host>) -> ()
    "flow.release"(%670) : (!flow.buffer<262144, host>) -> ()
    %681 = "flow.view"(%218) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %682 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.0.gradient.0", offset = 4399104 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%681, %682) <{kind = #flow<transfer_kind read>}> {flow.end = 39428071 : i64, flow.start = 38723123 : i64, origin = #flow.origin<"update", "read h.3.decay.0.gradient.0", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %683 = "flow.view"(%589) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %684 = "flow.view"(%589) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %685 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 8482816 : i64}> : () -> !flow.buffer<131072, device>
    %686 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 9060352 : i64}> : () -> !flow.buffer<512, device>
    %687 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 9060864 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%646, %683, %684, %685, %686, %687) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 44577628 : i64, flow.start = 44551107 : i64, origin = #flow.origin<"h.1", "layer_norm", recompute>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %688 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.map", offset = 8089600 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%360, %688) <{kind = #flow<transfer_kind upload>}> {flow.end = 15247250 : i64, flow.start = 15234143 : i64, origin = #flow.origin<"h.1", "upload h.0.map", backward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%360) : (!flow.buffer<131072, host>) -> ()
    %689 = "flow.view"(%659) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, host>) -> !flow.buffer<512, host>
    %690 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 9059328 : i64}> : () -> !flow.buffer<512, device>
    "flow.transfer"(%689, %690) <{kind = #flow<transfer_kind upload>}> {flow.end = 15333690 : i64, flow.start = 15333639 : i64, origin = #flow.origin<"h.1", "upload h.1.layer_norm", backward>} : (!flow.buffer<512, host>, !flow.buffer<512, device>) -> ()
    "flow.release"(%659) : (!flow.buffer<4096, host>) -> ()
    %691 = "flow.view"(%669) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, host>) -> !flow.buffer<512, host>
    %692 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.1.layer_norm", offset = 9059840 : i64}> : () -> !flow.buffer<512, device>
    "flow.transfer"(%691, %692) <{kind = #flow<transfer_kind upload>}> {flow.end = 15446293 : i64, flow.start = 15446242 : i64, origin = #flow.origin<"h.1", "upload h.1.layer_norm", backward>} : (!flow.buffer<512, host>, !flow.buffer<512, device>) -> ()
    "flow.release"(%669) : (!flow.buffer<4096, host>) -> ()
    %693 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 4026368 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%685, %622, %693, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 45919806 : i64, flow.start = 44577628 : i64, origin = #flow.origin<"h.1", "matmul", recompute>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    %694 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.layer_norm", offset = 7565312 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%325, %694) <{kind = #flow<transfer_kind upload>}> {flow.end = 15459401 : i64, flow.start = 15446293 : i64, origin = #flow.origin<"h.0", "upload h.0.layer_norm", recompute>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%325) : (!flow.buffer<131072, host>) -> ()
    %695 = "flow.alloc"() <{buffer_class = "staging", name = "update.norm slots", offset = 5054464 : i64}> : () -> !flow.buffer<8, host>
    "flow.launch"(%682, %695) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_011562fc87, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 43791699 : i64, flow.start = 43752376 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<196608, host>, !flow.buffer<8, host>) -> ()
    "flow.release"(%682) : (!flow.buffer<196608, host>) -> ()
    %696 = "flow.view"(%218) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %697 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.0.gradient.0", offset = 4399104 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%696, %697) <{kind = #flow<transfer_kind read>}> {flow.end = 39729720 : i64, flow.start = 39428071 : i64, origin = #flow.origin<"update", "read h.3.decay.0.gradient.0", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %698 = "flow.alloc"() <{buffer_class = "staging", name = "update.norm slots", offset = 5054528 : i64}> : () -> !flow.buffer<8, host>
    "flow.launch"(%697, %698) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_b1b5c48b11, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 43804808 : i64, flow.start = 43791699 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<65536, host>, !flow.buffer<8, host>) -> ()
    "flow.release"(%697) : (!flow.buffer<65536, host>) -> ()
    %699 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.1.gradient.0", offset = 4399104 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%217, %699) <{kind = #flow<transfer_kind read>}> {flow.end = 40636317 : i64, flow.start = 39729720 : i64, origin = #flow.origin<"update", "read h.3.decay.1.gradient.0", update>} : (!flow.buffer<262144, nvme>, !flow.buffer<262144, host>) -> ()
    %700 = "flow.view"(%589) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %701 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 3502080 : i64}> : () -> !flow.buffer<524288, device>
    %702 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 6123520 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%693, %700, %701, %702) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c5bdd8b7ae, operandSegmentSizes = array<i32: 2, 2, 0>}> {flow.end = 46077502 : i64, flow.start = 45919806 : i64, origin = #flow.origin<"h.1", "map", recompute>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%693) : (!flow.buffer<524288, device>) -> ()
    %703 = "flow.alloc"() <{buffer_class = "partial", name = "h.1.reduce", offset = 9033728 : i64}> : () -> !flow.buffer<13312, device>
    %704 = "flow.view"(%703) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%662, %704) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_c203d7efa1, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 46090711 : i64, flow.start = 46077502 : i64, origin = #flow.origin<"h.1", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>) -> ()
    %705 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 4026368 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%662, %667, %705, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_72440f8312, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 47432889 : i64, flow.start = 46090711 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%667) : (!flow.buffer<1048576, device>) -> ()
    %706 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.map", offset = 7696384 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%346, %706) <{kind = #flow<transfer_kind upload>}> {flow.end = 15472508 : i64, flow.start = 15459401 : i64, origin = #flow.origin<"h.0", "upload h.0.map", recompute>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%346) : (!flow.buffer<131072, host>) -> ()
    %707 = "flow.alloc"() <{buffer_class = "staging", name = "update.norm slots", offset = 5054592 : i64}> : () -> !flow.buffer<8, host>
    "flow.launch"(%699, %707) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_575b9031df, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 43857239 : i64, flow.start = 43804808 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<262144, host>, !flow.buffer<8, host>) -> ()
    "flow.release"(%699) : (!flow.buffer<262144, host>) -> ()
    %708 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.2.gradient.0", offset = 4399104 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%216, %708) <{kind = #flow<transfer_kind read>}> {flow.end = 41542914 : i64, flow.start = 40636317 : i64, origin = #flow.origin<"update", "read h.3.decay.2.gradient.0", update>} : (!flow.buffer<262144, nvme>, !flow.buffer<262144, host>) -> ()
    %709 = "flow.alloc"() <{buffer_class = "staging", name = "update.norm slots", offset = 5054656 : i64}> : () -> !flow.buffer<8, host>
    "flow.launch"(%708, %709) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_575b9031df, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 43909669 : i64, flow.start = 43857239 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<262144, host>, !flow.buffer<8, host>) -> ()
    "flow.release"(%708) : (!flow.buffer<262144, host>) -> ()
    %710 = "flow.alloc"() <{buffer_class = "staging", name = "decay.1.momentum", offset = 5513216 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%243, %710) <{kind = #flow<transfer_kind read>}> {flow.end = 41844563 : i64, flow.start = 41542914 : i64, origin = #flow.origin<"update", "read decay.1.momentum", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %711 = "flow.alloc"() <{buffer_class = "partial", name = "h.1.matmul", offset = 2453504 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.launch"(%702, %662, %711, %215) <{begin = 0 : i64, end = 1024 : i64, kernel = @matmul_d035e4089b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 48775066 : i64, flow.start = 47432889 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<524288, device>, !flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%702) : (!flow.buffer<524288, device>) -> ()
    %712 = "flow.alloc"() <{buffer_class = "staging", name = "decay.1.variance", offset = 5578752 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%244, %712) <{kind = #flow<transfer_kind read>}> {flow.end = 42146213 : i64, flow.start = 41844563 : i64, origin = #flow.origin<"update", "read decay.1.variance", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %713 = "flow.view"(%249) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %714 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.0.momentum", offset = 4661248 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%713, %714) <{kind = #flow<transfer_kind read>}> {flow.end = 42851160 : i64, flow.start = 42146213 : i64, origin = #flow.origin<"update", "read h.0.decay.0.momentum", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %715 = "flow.view"(%250) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %716 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.0.variance", offset = 5316608 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%715, %716) <{kind = #flow<transfer_kind read>}> {flow.end = 43556108 : i64, flow.start = 42851160 : i64, origin = #flow.origin<"update", "read h.0.decay.0.variance", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %717 = "flow.alloc"() <{buffer_class = "partial", name = "h.1.reduce decay.2", offset = 6123520 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%711, %717) <{element = f32, piece_bytes = array<i64: 262144>}> {flow.end = 48879924 : i64, flow.start = 48775066 : i64, origin = #flow.origin<"h.1", "reduce decay.2", backward>} : (!flow.buffer<1048576, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%711) : (!flow.buffer<1048576, device>) -> ()
    %718 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 8613888 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%678, %718) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 48827495 : i64, flow.start = 48775066 : i64, origin = #flow.origin<"h.1", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %719 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 8744960 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%678, %719) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 48879924 : i64, flow.start = 48827495 : i64, origin = #flow.origin<"h.1", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %720 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 8876032 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%678, %720) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 48932352 : i64, flow.start = 48879924 : i64, origin = #flow.origin<"h.1", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%678) : (!flow.buffer<393216, device>) -> ()
    %721 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.reduce decay.2", offset = 4399104 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%717, %721) <{kind = #flow<transfer_kind offload>}> {flow.end = 48906138 : i64, flow.start = 48879924 : i64, origin = #flow.origin<"h.1", "offload h.1.reduce decay.2", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%717) : (!flow.buffer<262144, device>) -> ()
    "flow.launch"(%224, %721, %224) <{begin = 0 : i64, end = 65536 : i64, kernel = @map_ece6c0aae5, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 49063424 : i64, flow.start = 48906138 : i64, origin = #flow.origin<"h.1", "accumulate decay.2", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, host>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%721) : (!flow.buffer<262144, host>) -> ()
    %722 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 6123520 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%701, %705, %722) <{begin = 0 : i64, end = 128 : i64, kernel = @map_0a4efb66fc, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 49099469 : i64, flow.start = 48932352 : i64, origin = #flow.origin<"h.1", "map", backward>} : (!flow.buffer<524288, device>, !flow.buffer<524288, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%705) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%701) : (!flow.buffer<524288, device>) -> ()
    %723 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.1", offset = 2453504 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%251, %723) <{piece_bytes = array<i64: 262144>}> {flow.end = 48984781 : i64, flow.start = 48879924 : i64, origin = #flow.origin<"h.0", "gather decay.1", backward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    %724 = "flow.alloc"() <{buffer_class = "staging", name = "update.norm slots", offset = 5054720 : i64}> : () -> !flow.buffer<8, host>
    "flow.launch"(%224, %724) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_575b9031df, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 49115855 : i64, flow.start = 49063424 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<262144, host>, !flow.buffer<8, host>) -> ()
    %725 = "flow.view"(%703) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    "flow.launch"(%722, %725) <{begin = 0 : i64, end = 1024 : i64, kernel = @reduce_68a6a515c3, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 49152308 : i64, flow.start = 49099469 : i64, origin = #flow.origin<"h.1", "reduce", backward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>) -> ()
    %726 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.2", offset = 3502080 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%254, %726) <{piece_bytes = array<i64: 262144>}> {flow.end = 49089639 : i64, flow.start = 48984781 : i64, origin = #flow.origin<"h.0", "gather decay.2", backward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    %727 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 6647808 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%722, %622, %727, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_913d388b2b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 50494485 : i64, flow.start = 49152308 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%622) : (!flow.buffer<1048576, device>) -> ()
    %728 = "flow.alloc"() <{buffer_class = "partial", name = "h.1.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.launch"(%685, %722, %728, %215) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_9615d47600, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 51836662 : i64, flow.start = 50494485 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%722) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%685) : (!flow.buffer<131072, device>) -> ()
    %729 = "flow.alloc"() <{buffer_class = "partial", name = "h.1.reduce decay.1", offset = 6123520 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%728, %729) <{element = f32, piece_bytes = array<i64: 262144>}> {flow.end = 51941520 : i64, flow.start = 51836662 : i64, origin = #flow.origin<"h.1", "reduce decay.1", backward>} : (!flow.buffer<1048576, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%728) : (!flow.buffer<1048576, device>) -> ()
    %730 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm_grad", offset = 6385664 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%727, %646, %683, %686, %687, %730) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_grad_096dbb748d, operandSegmentSizes = array<i32: 5, 1, 0>}> {flow.end = 51876188 : i64, flow.start = 51836662 : i64, origin = #flow.origin<"h.1", "layer_norm_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    %731 = "flow.view"(%703) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %732 = "flow.view"(%703) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%727, %646, %686, %687, %731, %732) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_8938ad99a8, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 51902710 : i64, flow.start = 51876188 : i64, origin = #flow.origin<"h.1", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>) -> ()
    "flow.release"(%727) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%687) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%686) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%646) : (!flow.buffer<131072, device>) -> ()
    %733 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 8482816 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%662, %730, %733) <{begin = 0 : i64, end = 128 : i64, kernel = @map_682b30d182, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 51942032 : i64, flow.start = 51902710 : i64, origin = #flow.origin<"h.1", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%730) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%662) : (!flow.buffer<131072, device>) -> ()
    %734 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.reduce decay.1", offset = 4399104 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%729, %734) <{kind = #flow<transfer_kind offload>}> {flow.end = 51967734 : i64, flow.start = 51941520 : i64, origin = #flow.origin<"h.1", "offload h.1.reduce decay.1", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%729) : (!flow.buffer<262144, device>) -> ()
    %735 = "flow.view"(%703) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%733, %735) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_c203d7efa1, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 51955241 : i64, flow.start = 51942032 : i64, origin = #flow.origin<"h.1", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>) -> ()
    %736 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 8351744 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%733, %582, %736, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_4302769c28, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 52290786 : i64, flow.start = 51955241 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%582) : (!flow.buffer<262144, device>) -> ()
    "flow.launch"(%225, %734, %225) <{begin = 0 : i64, end = 65536 : i64, kernel = @map_ece6c0aae5, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 52125020 : i64, flow.start = 51967734 : i64, origin = #flow.origin<"h.1", "accumulate decay.1", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, host>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%734) : (!flow.buffer<262144, host>) -> ()
    %737 = "flow.alloc"() <{buffer_class = "staging", name = "update.norm slots", offset = 5054784 : i64}> : () -> !flow.buffer<8, host>
    "flow.launch"(%225, %737) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_575b9031df, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 52177451 : i64, flow.start = 52125020 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<262144, host>, !flow.buffer<8, host>) -> ()
    %738 = "flow.alloc"() <{buffer_class = "partial", name = "h.1.matmul", offset = 2191360 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%666, %733, %738, %215) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_8cd306ee70, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 52626330 : i64, flow.start = 52290786 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    %739 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.map", offset = 7958528 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%342, %739) <{kind = #flow<transfer_kind upload>}> {flow.end = 15485615 : i64, flow.start = 15472508 : i64, origin = #flow.origin<"h.0", "upload h.0.map", backward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%342) : (!flow.buffer<131072, host>) -> ()
    %740 = "flow.view"(%249) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %741 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.0.momentum", offset = 5251072 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%740, %741) <{kind = #flow<transfer_kind read>}> {flow.end = 43857757 : i64, flow.start = 43556108 : i64, origin = #flow.origin<"update", "read h.0.decay.0.momentum", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %742 = "flow.view"(%250) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %743 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.0.variance", offset = 5644288 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%742, %743) <{kind = #flow<transfer_kind read>}> {flow.end = 44159406 : i64, flow.start = 43857757 : i64, origin = #flow.origin<"update", "read h.0.decay.0.variance", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %744 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 6385664 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%736, %744) <{begin = 0 : i64, end = 1 : i64, kernel = @map_81500dec77, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 52652544 : i64, flow.start = 52626330 : i64, origin = #flow.origin<"h.1", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    %745 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%718, %719, %745, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 52820316 : i64, flow.start = 52652544 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    %746 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1929216 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%744, %720, %746, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 52988089 : i64, flow.start = 52820316 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%720) : (!flow.buffer<131072, device>) -> ()
    %747 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.reduce", offset = 8876032 : i64}> : () -> !flow.buffer<2048, device>
    "flow.launch"(%736, %666, %747) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_dfa057dec6, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 53014508 : i64, flow.start = 52988089 : i64, origin = #flow.origin<"h.1", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%736) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%666) : (!flow.buffer<131072, device>) -> ()
    %748 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 1667072 : i64}> : () -> !flow.buffer<262144, device>
    %749 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 6123520 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%745, %383, %746, %747, %748, %749) <{begin = 0 : i64, end = 4 : i64, kernel = @map_5428b4a251, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 53119775 : i64, flow.start = 53014508 : i64, origin = #flow.origin<"h.1", "map", backward>} : (!flow.buffer<262144, device>, !flow.buffer<2048, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>, !flow.buffer<262144, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%747) : (!flow.buffer<2048, device>) -> ()
    "flow.release"(%746) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%745) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%383) : (!flow.buffer<2048, device>) -> ()
    %750 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%749, %719, %750, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 53287547 : i64, flow.start = 53119775 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%719) : (!flow.buffer<131072, device>) -> ()
    %751 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1536000 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%749, %718, %751, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_de7c18fe3b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 53455319 : i64, flow.start = 53287547 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%749) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%718) : (!flow.buffer<131072, device>) -> ()
    %752 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1929216 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%748, %744, %752, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_de7c18fe3b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 53623092 : i64, flow.start = 53455319 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%748) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%744) : (!flow.buffer<131072, device>) -> ()
    %753 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.stack", offset = 6123520 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%750, %751, %752, %753) <{begin = 0 : i64, end = 1 : i64, kernel = @stack_0fac26bb33, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 53701735 : i64, flow.start = 53623092 : i64, origin = #flow.origin<"h.1", "stack", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%752) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%751) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%750) : (!flow.buffer<131072, device>) -> ()
    %754 = "flow.view"(%703) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    "flow.launch"(%753, %754) <{begin = 0 : i64, end = 768 : i64, kernel = @reduce_7aeb403de4, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 53741364 : i64, flow.start = 53701735 : i64, origin = #flow.origin<"h.1", "reduce", backward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>) -> ()
    %755 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 8220672 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%753, %581, %755, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_6665eec420, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 54747996 : i64, flow.start = 53741364 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<393216, device>, !flow.buffer<786432, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%581) : (!flow.buffer<786432, device>) -> ()
    %756 = "flow.alloc"() <{buffer_class = "partial", name = "h.1.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<786432, device>
    "flow.launch"(%639, %753, %756, %215) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_ba6a02475b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 55754629 : i64, flow.start = 54747996 : i64, origin = #flow.origin<"h.1", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<393216, device>, !flow.buffer<786432, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%753) : (!flow.buffer<393216, device>) -> ()
    "flow.release"(%639) : (!flow.buffer<131072, device>) -> ()
    %757 = "flow.alloc"() <{buffer_class = "partial", name = "h.1.reduce decay.0", offset = 5337088 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%756, %738, %757) <{element = f32, piece_bytes = array<i64: 196608, 65536>}> {flow.end = 55859487 : i64, flow.start = 55754629 : i64, origin = #flow.origin<"h.1", "reduce decay.0", backward>} : (!flow.buffer<786432, device>, !flow.buffer<262144, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%756) : (!flow.buffer<786432, device>) -> ()
    "flow.release"(%738) : (!flow.buffer<262144, device>) -> ()
    %758 = "flow.view"(%589) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %759 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm_grad", offset = 8351744 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%755, %688, %758, %690, %692, %759) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_grad_096dbb748d, operandSegmentSizes = array<i32: 5, 1, 0>}> {flow.end = 55794156 : i64, flow.start = 55754629 : i64, origin = #flow.origin<"h.1", "layer_norm_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%589) : (!flow.buffer<13312, device>) -> ()
    %760 = "flow.alloc"() <{buffer_class = "checkpoint", name = "map", offset = 7827456 : i64}> : () -> !flow.buffer<131072, device>
    "flow.transfer"(%317, %760) <{kind = #flow<transfer_kind upload>}> {flow.end = 15498722 : i64, flow.start = 15485615 : i64, origin = #flow.origin<"h.0", "upload map", backward>} : (!flow.buffer<131072, host>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%317) : (!flow.buffer<131072, host>) -> ()
    %761 = "flow.view"(%252) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %762 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.1.momentum", offset = 4857856 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%761, %762) <{kind = #flow<transfer_kind read>}> {flow.end = 44864354 : i64, flow.start = 44159406 : i64, origin = #flow.origin<"update", "read h.0.decay.1.momentum", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %763 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.layer_norm", offset = 9057280 : i64}> : () -> !flow.buffer<512, device>
    "flow.transfer"(%324, %763) <{kind = #flow<transfer_kind upload>}> {flow.end = 15498773 : i64, flow.start = 15498722 : i64, origin = #flow.origin<"h.0", "upload h.0.layer_norm", backward>} : (!flow.buffer<512, host>, !flow.buffer<512, device>) -> ()
    "flow.release"(%324) : (!flow.buffer<512, host>) -> ()
    %764 = "flow.alloc"() <{buffer_class = "checkpoint", name = "h.0.layer_norm", offset = 9057792 : i64}> : () -> !flow.buffer<512, device>
    "flow.transfer"(%323, %764) <{kind = #flow<transfer_kind upload>}> {flow.end = 15498825 : i64, flow.start = 15498773 : i64, origin = #flow.origin<"h.0", "upload h.0.layer_norm", backward>} : (!flow.buffer<512, host>, !flow.buffer<512, device>) -> ()
    "flow.release"(%323) : (!flow.buffer<512, host>) -> ()
    %765 = "flow.view"(%703) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %766 = "flow.view"(%703) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%755, %688, %690, %692, %765, %766) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_8938ad99a8, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 55820677 : i64, flow.start = 55794156 : i64, origin = #flow.origin<"h.1", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>) -> ()
    "flow.release"(%755) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%692) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%690) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%688) : (!flow.buffer<131072, device>) -> ()
    %767 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 8089600 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%733, %759, %767) <{begin = 0 : i64, end = 128 : i64, kernel = @map_682b30d182, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 55859999 : i64, flow.start = 55820677 : i64, origin = #flow.origin<"h.1", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%759) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%733) : (!flow.buffer<131072, device>) -> ()
    %768 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.reduce decay.0", offset = 4399104 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%757, %768) <{kind = #flow<transfer_kind offload>}> {flow.end = 55885701 : i64, flow.start = 55859487 : i64, origin = #flow.origin<"h.1", "offload h.1.reduce decay.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%757) : (!flow.buffer<262144, device>) -> ()
    %769 = "flow.alloc"() <{buffer_class = "partial", name = "h.1.reduce no_decay.0", offset = 9020416 : i64}> : () -> !flow.buffer<4096, device>
    "flow.reduce_scatter"(%703, %769) <{element = f32, piece_bytes = array<i64: 3328>}> {flow.end = 55860818 : i64, flow.start = 55859487 : i64, origin = #flow.origin<"h.1", "reduce no_decay.0", backward>} : (!flow.buffer<13312, device>, !flow.buffer<4096, device>) -> ()
    "flow.release"(%703) : (!flow.buffer<13312, device>) -> ()
    %770 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%694, %625, %770, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 56866632 : i64, flow.start = 55859999 : i64, origin = #flow.origin<"h.0", "matmul", recompute>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    %771 = "flow.view"(%298) <{offset = 704 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.transfer"(%737, %771) <{kind = #flow<transfer_kind upload>}> {flow.end = 52177452 : i64, flow.start = 52177451 : i64, origin = #flow.origin<"update", "upload update.norm slots", update>} : (!flow.buffer<8, host>, !flow.buffer<8, device>) -> ()
    "flow.release"(%737) : (!flow.buffer<8, host>) -> ()
    %772 = "flow.view"(%298) <{offset = 768 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.transfer"(%724, %772) <{kind = #flow<transfer_kind upload>}> {flow.end = 52177452 : i64, flow.start = 52177452 : i64, origin = #flow.origin<"update", "upload update.norm slots", update>} : (!flow.buffer<8, host>, !flow.buffer<8, device>) -> ()
    "flow.release"(%724) : (!flow.buffer<8, host>) -> ()
    %773 = "flow.view"(%298) <{offset = 896 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.transfer"(%672, %773) <{kind = #flow<transfer_kind upload>}> {flow.end = 52177453 : i64, flow.start = 52177452 : i64, origin = #flow.origin<"update", "upload update.norm slots", update>} : (!flow.buffer<8, host>, !flow.buffer<8, device>) -> ()
    "flow.release"(%672) : (!flow.buffer<8, host>) -> ()
    %774 = "flow.view"(%298) <{offset = 960 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.transfer"(%674, %774) <{kind = #flow<transfer_kind upload>}> {flow.end = 52177454 : i64, flow.start = 52177453 : i64, origin = #flow.origin<"update", "upload update.norm slots", update>} : (!flow.buffer<8, host>, !flow.buffer<8, device>) -> ()
    "flow.release"(%674) : (!flow.buffer<8, host>) -> ()
    %775 = "flow.view"(%298) <{offset = 1024 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.transfer"(%637, %775) <{kind = #flow<transfer_kind upload>}> {flow.end = 52177455 : i64, flow.start = 52177454 : i64, origin = #flow.origin<"update", "upload update.norm slots", update>} : (!flow.buffer<8, host>, !flow.buffer<8, device>) -> ()
    "flow.release"(%637) : (!flow.buffer<8, host>) -> ()
    %776 = "flow.view"(%298) <{offset = 1088 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.transfer"(%680, %776) <{kind = #flow<transfer_kind upload>}> {flow.end = 52177456 : i64, flow.start = 52177455 : i64, origin = #flow.origin<"update", "upload update.norm slots", update>} : (!flow.buffer<8, host>, !flow.buffer<8, device>) -> ()
    "flow.release"(%680) : (!flow.buffer<8, host>) -> ()
    %777 = "flow.view"(%298) <{offset = 1216 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.transfer"(%695, %777) <{kind = #flow<transfer_kind upload>}> {flow.end = 52177456 : i64, flow.start = 52177456 : i64, origin = #flow.origin<"update", "upload update.norm slots", update>} : (!flow.buffer<8, host>, !flow.buffer<8, device>) -> ()
    "flow.release"(%695) : (!flow.buffer<8, host>) -> ()
    %778 = "flow.view"(%298) <{offset = 1280 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.transfer"(%698, %778) <{kind = #flow<transfer_kind upload>}> {flow.end = 52177457 : i64, flow.start = 52177456 : i64, origin = #flow.origin<"update", "upload update.norm slots", update>} : (!flow.buffer<8, host>, !flow.buffer<8, device>) -> ()
    "flow.release"(%698) : (!flow.buffer<8, host>) -> ()
    %779 = "flow.view"(%298) <{offset = 1344 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.transfer"(%707, %779) <{kind = #flow<transfer_kind upload>}> {flow.end = 52177458 : i64, flow.start = 52177457 : i64, origin = #flow.origin<"update", "upload update.norm slots", update>} : (!flow.buffer<8, host>, !flow.buffer<8, device>) -> ()
    "flow.release"(%707) : (!flow.buffer<8, host>) -> ()
    %780 = "flow.view"(%298) <{offset = 1408 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.transfer"(%709, %780) <{kind = #flow<transfer_kind upload>}> {flow.end = 52177459 : i64, flow.start = 52177458 : i64, origin = #flow.origin<"update", "upload update.norm slots", update>} : (!flow.buffer<8, host>, !flow.buffer<8, device>) -> ()
    "flow.release"(%709) : (!flow.buffer<8, host>) -> ()
    "flow.launch"(%226, %768, %226) <{begin = 0 : i64, end = 65536 : i64, kernel = @map_ece6c0aae5, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 56042988 : i64, flow.start = 55885701 : i64, origin = #flow.origin<"h.1", "accumulate decay.0", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, host>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%768) : (!flow.buffer<262144, host>) -> ()
    %781 = "flow.view"(%226) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    %782 = "flow.alloc"() <{buffer_class = "staging", name = "update.norm slots", offset = 4399168 : i64}> : () -> !flow.buffer<8, host>
    "flow.launch"(%781, %782) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_011562fc87, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 56082311 : i64, flow.start = 56042988 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<196608, host>, !flow.buffer<8, host>) -> ()
    %783 = "flow.view"(%298) <{offset = 576 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.transfer"(%782, %783) <{kind = #flow<transfer_kind upload>}> {flow.end = 56082312 : i64, flow.start = 56082311 : i64, origin = #flow.origin<"update", "upload update.norm slots", update>} : (!flow.buffer<8, host>, !flow.buffer<8, device>) -> ()
    "flow.release"(%782) : (!flow.buffer<8, host>) -> ()
    %784 = "flow.view"(%226) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    %785 = "flow.alloc"() <{buffer_class = "staging", name = "update.norm slots", offset = 4399104 : i64}> : () -> !flow.buffer<8, host>
    "flow.launch"(%784, %785) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_b1b5c48b11, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 56095420 : i64, flow.start = 56082311 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<65536, host>, !flow.buffer<8, host>) -> ()
    %786 = "flow.view"(%298) <{offset = 640 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.transfer"(%785, %786) <{kind = #flow<transfer_kind upload>}> {flow.end = 56095421 : i64, flow.start = 56095420 : i64, origin = #flow.origin<"update", "upload update.norm slots", update>} : (!flow.buffer<8, host>, !flow.buffer<8, device>) -> ()
    "flow.release"(%785) : (!flow.buffer<8, host>) -> ()
    %787 = "flow.view"(%253) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %788 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.1.variance", offset = 5054464 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%787, %788) <{kind = #flow<transfer_kind read>}> {flow.end = 45569302 : i64, flow.start = 44864354 : i64, origin = #flow.origin<"update", "read h.0.decay.1.variance", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %789 = "flow.view"(%227) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %790 = "flow.view"(%769) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    "flow.launch"(%789, %790, %789) <{begin = 0 : i64, end = 832 : i64, kernel = @map_be68dd71bc, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 56867630 : i64, flow.start = 56866632 : i64, origin = #flow.origin<"h.1", "accumulate no_decay.0", backward>} : (!flow.buffer<3328, device>, !flow.buffer<3328, device>, !flow.buffer<3328, device>) -> ()
    "flow.release"(%769) : (!flow.buffer<4096, device>) -> ()
    %791 = "flow.view"(%679) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %792 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 6909952 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%770, %791, %792) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 56946581 : i64, flow.start = 56867630 : i64, origin = #flow.origin<"h.0", "map", recompute>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%770) : (!flow.buffer<393216, device>) -> ()
    %793 = "flow.view"(%679) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %794 = "flow.view"(%679) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %795 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 8220672 : i64}> : () -> !flow.buffer<131072, device>
    %796 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 9058304 : i64}> : () -> !flow.buffer<512, device>
    %797 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 9058816 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%706, %793, %794, %795, %796, %797) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 56973102 : i64, flow.start = 56946581 : i64, origin = #flow.origin<"h.0", "layer_norm", recompute>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %798 = "flow.alloc"() <{buffer_class = "feed", name = "update.learning_rate", offset = 9059328 : i64}> : () -> !flow.buffer<4, device>
    "flow.transfer"(%303, %798) <{kind = #flow<transfer_kind upload>}> {flow.end = 56095421 : i64, flow.start = 56095421 : i64, origin = #flow.origin<"update", "upload update.learning_rate", update>} : (!flow.buffer<4, host>, !flow.buffer<4, device>) -> ()
    %799 = "flow.alloc"() <{buffer_class = "feed", name = "update.bias_correction1", offset = 9059392 : i64}> : () -> !flow.buffer<4, device>
    "flow.transfer"(%304, %799) <{kind = #flow<transfer_kind upload>}> {flow.end = 56095421 : i64, flow.start = 56095421 : i64, origin = #flow.origin<"update", "upload update.bias_correction1", update>} : (!flow.buffer<4, host>, !flow.buffer<4, device>) -> ()
    %800 = "flow.alloc"() <{buffer_class = "feed", name = "update.bias_correction2", offset = 9059456 : i64}> : () -> !flow.buffer<4, device>
    "flow.transfer"(%305, %800) <{kind = #flow<transfer_kind upload>}> {flow.end = 56095422 : i64, flow.start = 56095421 : i64, origin = #flow.origin<"update", "upload update.bias_correction2", update>} : (!flow.buffer<4, host>, !flow.buffer<4, device>) -> ()
    %801 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 5861376 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%795, %723, %801, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 58315280 : i64, flow.start = 56973102 : i64, origin = #flow.origin<"h.0", "matmul", recompute>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    %802 = "flow.view"(%679) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %803 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 5337088 : i64}> : () -> !flow.buffer<524288, device>
    %804 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 6385664 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%801, %802, %803, %804) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c5bdd8b7ae, operandSegmentSizes = array<i32: 2, 2, 0>}> {flow.end = 58472976 : i64, flow.start = 58315280 : i64, origin = #flow.origin<"h.0", "map", recompute>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%801) : (!flow.buffer<524288, device>) -> ()
    %805 = "flow.alloc"() <{buffer_class = "partial", name = "h.0.reduce", offset = 8351744 : i64}> : () -> !flow.buffer<13312, device>
    %806 = "flow.view"(%805) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%767, %806) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_c203d7efa1, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 58486185 : i64, flow.start = 58472976 : i64, origin = #flow.origin<"h.0", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>) -> ()
    %807 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 5861376 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%767, %726, %807, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_72440f8312, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 59828363 : i64, flow.start = 58486185 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%726) : (!flow.buffer<1048576, device>) -> ()
    %808 = "flow.alloc"() <{buffer_class = "partial", name = "h.0.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.launch"(%804, %767, %808, %215) <{begin = 0 : i64, end = 1024 : i64, kernel = @matmul_d035e4089b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 61170540 : i64, flow.start = 59828363 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<524288, device>, !flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%804) : (!flow.buffer<524288, device>) -> ()
    %809 = "flow.alloc"() <{buffer_class = "partial", name = "h.0.reduce decay.2", offset = 4026368 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%808, %809) <{element = f32, piece_bytes = array<i64: 262144>}> {flow.end = 61275397 : i64, flow.start = 61170540 : i64, origin = #flow.origin<"h.0", "reduce decay.2", backward>} : (!flow.buffer<1048576, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%808) : (!flow.buffer<1048576, device>) -> ()
    %810 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 3502080 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%803, %807, %810) <{begin = 0 : i64, end = 128 : i64, kernel = @map_0a4efb66fc, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 61337657 : i64, flow.start = 61170540 : i64, origin = #flow.origin<"h.0", "map", backward>} : (!flow.buffer<524288, device>, !flow.buffer<524288, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%807) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%803) : (!flow.buffer<524288, device>) -> ()
    %811 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.reduce decay.2", offset = 4399104 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%809, %811) <{kind = #flow<transfer_kind offload>}> {flow.end = 61301612 : i64, flow.start = 61275397 : i64, origin = #flow.origin<"h.0", "offload h.0.reduce decay.2", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%809) : (!flow.buffer<262144, device>) -> ()
    "flow.launch"(%228, %811, %228) <{begin = 0 : i64, end = 65536 : i64, kernel = @map_ece6c0aae5, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 61458898 : i64, flow.start = 61301612 : i64, origin = #flow.origin<"h.0", "accumulate decay.2", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, host>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%811) : (!flow.buffer<262144, host>) -> ()
    %812 = "flow.view"(%805) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    "flow.launch"(%810, %812) <{begin = 0 : i64, end = 1024 : i64, kernel = @reduce_68a6a515c3, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 61390495 : i64, flow.start = 61337657 : i64, origin = #flow.origin<"h.0", "reduce", backward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>) -> ()
    %813 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 4026368 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%810, %723, %813, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_913d388b2b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 62732672 : i64, flow.start = 61390495 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%723) : (!flow.buffer<1048576, device>) -> ()
    %814 = "flow.alloc"() <{buffer_class = "staging", name = "update.norm slots", offset = 4399104 : i64}> : () -> !flow.buffer<8, host>
    "flow.launch"(%228, %814) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_575b9031df, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 61511329 : i64, flow.start = 61458898 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<262144, host>, !flow.buffer<8, host>) -> ()
    %815 = "flow.view"(%298) <{offset = 448 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.transfer"(%814, %815) <{kind = #flow<transfer_kind upload>}> {flow.end = 61511329 : i64, flow.start = 61511329 : i64, origin = #flow.origin<"update", "upload update.norm slots", update>} : (!flow.buffer<8, host>, !flow.buffer<8, device>) -> ()
    "flow.release"(%814) : (!flow.buffer<8, host>) -> ()
    %816 = "flow.alloc"() <{buffer_class = "partial", name = "h.0.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.launch"(%795, %810, %816, %215) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_9615d47600, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 64074850 : i64, flow.start = 62732672 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%810) : (!flow.buffer<524288, device>) -> ()
    "flow.release"(%795) : (!flow.buffer<131072, device>) -> ()
    %817 = "flow.alloc"() <{buffer_class = "partial", name = "h.0.reduce decay.1", offset = 5337088 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%816, %817) <{element = f32, piece_bytes = array<i64: 262144>}> {flow.end = 64179707 : i64, flow.start = 64074850 : i64, origin = #flow.origin<"h.0", "reduce decay.1", backward>} : (!flow.buffer<1048576, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%816) : (!flow.buffer<1048576, device>) -> ()
    %818 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm_grad", offset = 4157440 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%813, %706, %793, %796, %797, %818) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_grad_096dbb748d, operandSegmentSizes = array<i32: 5, 1, 0>}> {flow.end = 64114376 : i64, flow.start = 64074850 : i64, origin = #flow.origin<"h.0", "layer_norm_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    %819 = "flow.view"(%805) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %820 = "flow.view"(%805) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%813, %706, %796, %797, %819, %820) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_8938ad99a8, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 64140898 : i64, flow.start = 64114376 : i64, origin = #flow.origin<"h.0", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>) -> ()
    "flow.release"(%813) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%797) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%796) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%706) : (!flow.buffer<131072, device>) -> ()
    %821 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 7696384 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%767, %818, %821) <{begin = 0 : i64, end = 128 : i64, kernel = @map_682b30d182, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 64180219 : i64, flow.start = 64140898 : i64, origin = #flow.origin<"h.0", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%818) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%767) : (!flow.buffer<131072, device>) -> ()
    %822 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.reduce decay.1", offset = 4399104 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%817, %822) <{kind = #flow<transfer_kind offload>}> {flow.end = 64205922 : i64, flow.start = 64179707 : i64, origin = #flow.origin<"h.0", "offload h.0.reduce decay.1", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%817) : (!flow.buffer<262144, device>) -> ()
    %823 = "flow.view"(%805) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%821, %823) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_c203d7efa1, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 64193429 : i64, flow.start = 64180219 : i64, origin = #flow.origin<"h.0", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>) -> ()
    %824 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1667072 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%821, %626, %824, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_4302769c28, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 64528973 : i64, flow.start = 64193429 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%626) : (!flow.buffer<262144, device>) -> ()
    "flow.launch"(%229, %822, %229) <{begin = 0 : i64, end = 65536 : i64, kernel = @map_ece6c0aae5, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 64363208 : i64, flow.start = 64205922 : i64, origin = #flow.origin<"h.0", "accumulate decay.1", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, host>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%822) : (!flow.buffer<262144, host>) -> ()
    %825 = "flow.alloc"() <{buffer_class = "staging", name = "update.norm slots", offset = 4399104 : i64}> : () -> !flow.buffer<8, host>
    "flow.launch"(%229, %825) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_575b9031df, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 64415638 : i64, flow.start = 64363208 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<262144, host>, !flow.buffer<8, host>) -> ()
    %826 = "flow.view"(%298) <{offset = 384 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.transfer"(%825, %826) <{kind = #flow<transfer_kind upload>}> {flow.end = 64415639 : i64, flow.start = 64415638 : i64, origin = #flow.origin<"update", "upload update.norm slots", update>} : (!flow.buffer<8, host>, !flow.buffer<8, device>) -> ()
    "flow.release"(%825) : (!flow.buffer<8, host>) -> ()
    %827 = "flow.alloc"() <{buffer_class = "partial", name = "h.0.matmul", offset = 5337088 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%739, %821, %827, %215) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_8cd306ee70, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 64864517 : i64, flow.start = 64528973 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    %828 = "flow.alloc"() <{buffer_class = "staging", name = "decay.0.momentum", offset = 5861376 : i64}> : () -> !flow.buffer<32768, device>
    "flow.transfer"(%240, %828) <{kind = #flow<transfer_kind upload>}> {flow.end = 64418916 : i64, flow.start = 64415639 : i64, origin = #flow.origin<"update", "upload decay.0.momentum", update>} : (!flow.buffer<32768, host>, !flow.buffer<32768, device>) -> ()
    %829 = "flow.alloc"() <{buffer_class = "staging", name = "decay.0.variance", offset = 5894144 : i64}> : () -> !flow.buffer<32768, device>
    "flow.transfer"(%241, %829) <{kind = #flow<transfer_kind upload>}> {flow.end = 64422193 : i64, flow.start = 64418916 : i64, origin = #flow.origin<"update", "upload decay.0.variance", update>} : (!flow.buffer<32768, host>, !flow.buffer<32768, device>) -> ()
    %830 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 7303168 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%792, %830) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 64916946 : i64, flow.start = 64864517 : i64, origin = #flow.origin<"h.0", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %831 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 7434240 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%792, %831) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 64969375 : i64, flow.start = 64916946 : i64, origin = #flow.origin<"h.0", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %832 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 1798144 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%792, %832) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 65021804 : i64, flow.start = 64969375 : i64, origin = #flow.origin<"h.0", "map", backward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%792) : (!flow.buffer<393216, device>) -> ()
    %833 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 5599232 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%824, %833) <{begin = 0 : i64, end = 1 : i64, kernel = @map_81500dec77, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 65048018 : i64, flow.start = 65021804 : i64, origin = #flow.origin<"h.0", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    %834 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%830, %831, %834, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 65215790 : i64, flow.start = 65048018 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    %835 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1929216 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%833, %832, %835, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 65383563 : i64, flow.start = 65215790 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%832) : (!flow.buffer<131072, device>) -> ()
    %836 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.reduce", offset = 9020416 : i64}> : () -> !flow.buffer<2048, device>
    "flow.launch"(%824, %739, %836) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_dfa057dec6, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 65409982 : i64, flow.start = 65383563 : i64, origin = #flow.origin<"h.0", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%824) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%739) : (!flow.buffer<131072, device>) -> ()
    %837 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 1667072 : i64}> : () -> !flow.buffer<262144, device>
    %838 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 2191360 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%834, %339, %835, %836, %837, %838) <{begin = 0 : i64, end = 4 : i64, kernel = @map_5428b4a251, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 65515249 : i64, flow.start = 65409982 : i64, origin = #flow.origin<"h.0", "map", backward>} : (!flow.buffer<262144, device>, !flow.buffer<2048, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>, !flow.buffer<262144, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%836) : (!flow.buffer<2048, device>) -> ()
    "flow.release"(%835) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%834) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%339) : (!flow.buffer<2048, device>) -> ()
    %839 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%838, %831, %839, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 65683021 : i64, flow.start = 65515249 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%831) : (!flow.buffer<131072, device>) -> ()
    %840 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1536000 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%838, %830, %840, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_de7c18fe3b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 65850793 : i64, flow.start = 65683021 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%838) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%830) : (!flow.buffer<131072, device>) -> ()
    %841 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1929216 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%837, %833, %841, %215) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_de7c18fe3b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 66018565 : i64, flow.start = 65850793 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%837) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%833) : (!flow.buffer<131072, device>) -> ()
    %842 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.stack", offset = 2191360 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%839, %840, %841, %842) <{begin = 0 : i64, end = 1 : i64, kernel = @stack_0fac26bb33, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 66097209 : i64, flow.start = 66018565 : i64, origin = #flow.origin<"h.0", "stack", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%841) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%840) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%839) : (!flow.buffer<131072, device>) -> ()
    %843 = "flow.view"(%805) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    "flow.launch"(%842, %843) <{begin = 0 : i64, end = 768 : i64, kernel = @reduce_7aeb403de4, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 66136837 : i64, flow.start = 66097209 : i64, origin = #flow.origin<"h.0", "reduce", backward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>) -> ()
    %844 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 2584576 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%842, %625, %844, %215) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_6665eec420, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 67143470 : i64, flow.start = 66136837 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<393216, device>, !flow.buffer<786432, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%625) : (!flow.buffer<786432, device>) -> ()
    %845 = "flow.alloc"() <{buffer_class = "partial", name = "h.0.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<786432, device>
    "flow.launch"(%694, %842, %845, %215) <{begin = 0 : i64, end = 256 : i64, kernel = @matmul_ba6a02475b, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 68150103 : i64, flow.start = 67143470 : i64, origin = #flow.origin<"h.0", "matmul", backward>} : (!flow.buffer<131072, device>, !flow.buffer<393216, device>, !flow.buffer<786432, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%842) : (!flow.buffer<393216, device>) -> ()
    "flow.release"(%694) : (!flow.buffer<131072, device>) -> ()
    %846 = "flow.alloc"() <{buffer_class = "partial", name = "h.0.reduce decay.0", offset = 2191360 : i64}> : () -> !flow.buffer<262144, device>
    "flow.reduce_scatter"(%845, %827, %846) <{element = f32, piece_bytes = array<i64: 196608, 65536>}> {flow.end = 68254961 : i64, flow.start = 68150103 : i64, origin = #flow.origin<"h.0", "reduce decay.0", backward>} : (!flow.buffer<786432, device>, !flow.buffer<262144, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%845) : (!flow.buffer<786432, device>) -> ()
    "flow.release"(%827) : (!flow.buffer<262144, device>) -> ()
    %847 = "flow.view"(%679) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %848 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm_grad", offset = 2453504 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%844, %760, %847, %763, %764, %848) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_grad_096dbb748d, operandSegmentSizes = array<i32: 5, 1, 0>}> {flow.end = 68189630 : i64, flow.start = 68150103 : i64, origin = #flow.origin<"h.0", "layer_norm_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%679) : (!flow.buffer<13312, device>) -> ()
    %849 = "flow.alloc"() <{buffer_class = "staging", name = "decay.1.momentum", offset = 5795840 : i64}> : () -> !flow.buffer<65536, device>
    "flow.transfer"(%710, %849) <{kind = #flow<transfer_kind upload>}> {flow.end = 64428746 : i64, flow.start = 64422193 : i64, origin = #flow.origin<"update", "upload decay.1.momentum", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, device>) -> ()
    "flow.release"(%710) : (!flow.buffer<65536, host>) -> ()
    %850 = "flow.alloc"() <{buffer_class = "staging", name = "decay.1.variance", offset = 5730304 : i64}> : () -> !flow.buffer<65536, device>
    "flow.transfer"(%712, %850) <{kind = #flow<transfer_kind upload>}> {flow.end = 64435300 : i64, flow.start = 64428746 : i64, origin = #flow.origin<"update", "upload decay.1.variance", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, device>) -> ()
    "flow.release"(%712) : (!flow.buffer<65536, host>) -> ()
    %851 = "flow.view"(%805) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %852 = "flow.view"(%805) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    "flow.launch"(%844, %760, %763, %764, %851, %852) <{begin = 0 : i64, end = 256 : i64, kernel = @reduce_8938ad99a8, operandSegmentSizes = array<i32: 4, 2, 0>}> {flow.end = 68216151 : i64, flow.start = 68189630 : i64, origin = #flow.origin<"h.0", "reduce", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>) -> ()
    "flow.release"(%844) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%764) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%763) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%760) : (!flow.buffer<131072, device>) -> ()
    %853 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 5599232 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%821, %848, %853) <{begin = 0 : i64, end = 128 : i64, kernel = @map_682b30d182, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 68255473 : i64, flow.start = 68216151 : i64, origin = #flow.origin<"h.0", "map", backward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%848) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%821) : (!flow.buffer<131072, device>) -> ()
    %854 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.reduce decay.0", offset = 4399104 : i64}> : () -> !flow.buffer<262144, host>
    "flow.transfer"(%846, %854) <{kind = #flow<transfer_kind offload>}> {flow.end = 68281175 : i64, flow.start = 68254961 : i64, origin = #flow.origin<"h.0", "offload h.0.reduce decay.0", backward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%846) : (!flow.buffer<262144, device>) -> ()
    %855 = "flow.alloc"() <{buffer_class = "partial", name = "h.0.reduce no_decay.0", offset = 1404928 : i64}> : () -> !flow.buffer<4096, device>
    "flow.reduce_scatter"(%805, %855) <{element = f32, piece_bytes = array<i64: 3328>}> {flow.end = 68256292 : i64, flow.start = 68254961 : i64, origin = #flow.origin<"h.0", "reduce no_decay.0", backward>} : (!flow.buffer<13312, device>, !flow.buffer<4096, device>) -> ()
    "flow.release"(%805) : (!flow.buffer<13312, device>) -> ()
    %856 = "flow.alloc"() <{buffer_class = "partial", name = "embedding_grad", offset = 1667072 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%853, %294, %856) <{begin = 0 : i64, end = 256 : i64, kernel = @embedding_grad_ddcbbbf9fd, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 68281739 : i64, flow.start = 68255473 : i64, origin = #flow.origin<"", "embedding_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%294) : (!flow.buffer<512, device>) -> ()
    "flow.launch"(%230, %854, %230) <{begin = 0 : i64, end = 65536 : i64, kernel = @map_ece6c0aae5, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 68438462 : i64, flow.start = 68281175 : i64, origin = #flow.origin<"h.0", "accumulate decay.0", backward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, host>, !flow.buffer<262144, host>) -> ()
    "flow.release"(%854) : (!flow.buffer<262144, host>) -> ()
    %857 = "flow.view"(%231) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %858 = "flow.view"(%855) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    "flow.launch"(%857, %858, %857) <{begin = 0 : i64, end = 832 : i64, kernel = @map_be68dd71bc, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 68282737 : i64, flow.start = 68281739 : i64, origin = #flow.origin<"h.0", "accumulate no_decay.0", backward>} : (!flow.buffer<3328, device>, !flow.buffer<3328, device>, !flow.buffer<3328, device>) -> ()
    "flow.release"(%855) : (!flow.buffer<4096, device>) -> ()
    %859 = "flow.alloc"() <{buffer_class = "partial", name = "reduce decay.0", offset = 1798144 : i64}> : () -> !flow.buffer<32768, device>
    "flow.reduce_scatter"(%856, %859) <{element = f32, piece_bytes = array<i64: 32768>}> {flow.end = 68294846 : i64, flow.start = 68281739 : i64, origin = #flow.origin<"", "reduce decay.0", backward>} : (!flow.buffer<131072, device>, !flow.buffer<32768, device>) -> ()
    "flow.release"(%856) : (!flow.buffer<131072, device>) -> ()
    %860 = "flow.alloc"() <{buffer_class = "partial", name = "embedding_grad", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%853, %306, %860) <{begin = 0 : i64, end = 256 : i64, kernel = @embedding_grad_f7af83bb70, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 68322110 : i64, flow.start = 68282737 : i64, origin = #flow.origin<"", "embedding_grad", backward>} : (!flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%853) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%306) : (!flow.buffer<512, device>) -> ()
    "flow.launch"(%234, %859, %234) <{begin = 0 : i64, end = 8192 : i64, kernel = @map_5ff1e1a1a9, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 68331940 : i64, flow.start = 68322110 : i64, origin = #flow.origin<"", "accumulate decay.0", backward>} : (!flow.buffer<32768, device>, !flow.buffer<32768, device>, !flow.buffer<32768, device>) -> ()
    "flow.release"(%859) : (!flow.buffer<32768, device>) -> ()
    %861 = "flow.alloc"() <{buffer_class = "partial", name = "reduce decay.1", offset = 1667072 : i64}> : () -> !flow.buffer<65536, device>
    "flow.reduce_scatter"(%860, %861) <{element = f32, piece_bytes = array<i64: 65536>}> {flow.end = 68348324 : i64, flow.start = 68322110 : i64, origin = #flow.origin<"", "reduce decay.1", backward>} : (!flow.buffer<262144, device>, !flow.buffer<65536, device>) -> ()
    "flow.release"(%860) : (!flow.buffer<262144, device>) -> ()
    %862 = "flow.view"(%235) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<512, device>
    %863 = "flow.view"(%298) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.launch"(%862, %863) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_fda4dc1a8a, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 68331992 : i64, flow.start = 68331940 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<512, device>, !flow.buffer<8, device>) -> ()
    %864 = "flow.view"(%298) <{offset = 64 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.launch"(%234, %864) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_8425ee9f63, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 68335270 : i64, flow.start = 68331992 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<32768, device>, !flow.buffer<8, device>) -> ()
    %865 = "flow.view"(%231) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %866 = "flow.view"(%298) <{offset = 192 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.launch"(%865, %866) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_0639027761, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 68335603 : i64, flow.start = 68335270 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<3328, device>, !flow.buffer<8, device>) -> ()
    %867 = "flow.view"(%227) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %868 = "flow.view"(%298) <{offset = 512 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.launch"(%867, %868) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_0639027761, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 68335937 : i64, flow.start = 68335603 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<3328, device>, !flow.buffer<8, device>) -> ()
    %869 = "flow.view"(%223) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %870 = "flow.view"(%298) <{offset = 832 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.launch"(%869, %870) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_0639027761, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 68336271 : i64, flow.start = 68335937 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<3328, device>, !flow.buffer<8, device>) -> ()
    %871 = "flow.view"(%219) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %872 = "flow.view"(%298) <{offset = 1152 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.launch"(%871, %872) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_0639027761, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 68336604 : i64, flow.start = 68336271 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<3328, device>, !flow.buffer<8, device>) -> ()
    %873 = "flow.alloc"() <{buffer_class = "staging", name = "reduce decay.1", offset = 5513216 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%861, %873) <{kind = #flow<transfer_kind offload>}> {flow.end = 68354878 : i64, flow.start = 68348324 : i64, origin = #flow.origin<"", "offload reduce decay.1", backward>} : (!flow.buffer<65536, device>, !flow.buffer<65536, host>) -> ()
    "flow.release"(%861) : (!flow.buffer<65536, device>) -> ()
    "flow.launch"(%233, %873, %233) <{begin = 0 : i64, end = 16384 : i64, kernel = @map_c55c0b0445, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 68477783 : i64, flow.start = 68438462 : i64, origin = #flow.origin<"", "accumulate decay.1", backward>} : (!flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>) -> ()
    "flow.release"(%873) : (!flow.buffer<65536, host>) -> ()
    "flow.launch"(%233, %232, %233) <{begin = 0 : i64, end = 16384 : i64, kernel = @map_c55c0b0445, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 68517105 : i64, flow.start = 68477783 : i64, origin = #flow.origin<"update", "update decay.1", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>) -> ()
    %874 = "flow.alloc"() <{buffer_class = "staging", name = "update.norm slots", offset = 4399104 : i64}> : () -> !flow.buffer<8, host>
    "flow.launch"(%233, %874) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_b1b5c48b11, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 68530214 : i64, flow.start = 68517105 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<65536, host>, !flow.buffer<8, host>) -> ()
    %875 = "flow.alloc"() <{buffer_class = "staging", name = "decay.1.gradient.0", offset = 1601536 : i64}> : () -> !flow.buffer<65536, device>
    "flow.transfer"(%233, %875) <{kind = #flow<transfer_kind upload>}> {flow.end = 68523659 : i64, flow.start = 68517105 : i64, origin = #flow.origin<"update", "upload decay.1.gradient.0", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, device>) -> ()
    %876 = "flow.view"(%298) <{offset = 128 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.transfer"(%874, %876) <{kind = #flow<transfer_kind upload>}> {flow.end = 68530215 : i64, flow.start = 68530214 : i64, origin = #flow.origin<"update", "upload update.norm slots", update>} : (!flow.buffer<8, host>, !flow.buffer<8, device>) -> ()
    "flow.release"(%874) : (!flow.buffer<8, host>) -> ()
    %877 = "flow.view"(%230) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    %878 = "flow.alloc"() <{buffer_class = "staging", name = "update.norm slots", offset = 4399168 : i64}> : () -> !flow.buffer<8, host>
    "flow.launch"(%877, %878) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_011562fc87, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 68569537 : i64, flow.start = 68530214 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<196608, host>, !flow.buffer<8, host>) -> ()
    %879 = "flow.view"(%298) <{offset = 256 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.transfer"(%878, %879) <{kind = #flow<transfer_kind upload>}> {flow.end = 68569538 : i64, flow.start = 68569537 : i64, origin = #flow.origin<"update", "upload update.norm slots", update>} : (!flow.buffer<8, host>, !flow.buffer<8, device>) -> ()
    "flow.release"(%878) : (!flow.buffer<8, host>) -> ()
    %880 = "flow.view"(%230) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    %881 = "flow.alloc"() <{buffer_class = "staging", name = "update.norm slots", offset = 4399104 : i64}> : () -> !flow.buffer<8, host>
    "flow.launch"(%880, %881) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_b1b5c48b11, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 68582646 : i64, flow.start = 68569537 : i64, origin = #flow.origin<"update", "norm slot", update>} : (!flow.buffer<65536, host>, !flow.buffer<8, host>) -> ()
    %882 = "flow.view"(%298) <{offset = 320 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<8, device>
    "flow.transfer"(%881, %882) <{kind = #flow<transfer_kind upload>}> {flow.end = 68582647 : i64, flow.start = 68582646 : i64, origin = #flow.origin<"update", "upload update.norm slots", update>} : (!flow.buffer<8, host>, !flow.buffer<8, device>) -> ()
    "flow.release"(%881) : (!flow.buffer<8, host>) -> ()
    %883 = "flow.alloc"() <{buffer_class = "feed", name = "update.gather norm slots", offset = 1667072 : i64}> : () -> !flow.buffer<5888, device>
    "flow.all_gather"(%298, %883) <{piece_bytes = array<i64: 1472>}> {flow.end = 68583235 : i64, flow.start = 68582647 : i64, origin = #flow.origin<"update", "gather norm slots", update>} : (!flow.buffer<4096, device>, !flow.buffer<5888, device>) -> ()
    "flow.release"(%298) : (!flow.buffer<4096, device>) -> ()
    %884 = "flow.alloc"() <{buffer_class = "activation", name = "update.reduce", offset = 5926912 : i64}> : () -> !flow.buffer<8, device>
    "flow.launch"(%883, %884) <{begin = 0 : i64, end = 1 : i64, kernel = @reduce_5ef09bbf2e, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 68583825 : i64, flow.start = 68583235 : i64, origin = #flow.origin<"update", "reduce", update>} : (!flow.buffer<5888, device>, !flow.buffer<8, device>) -> ()
    "flow.release"(%883) : (!flow.buffer<5888, device>) -> ()
    %885 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.0.momentum", offset = 1404928 : i64}> : () -> !flow.buffer<196608, device>
    "flow.transfer"(%714, %885) <{kind = #flow<transfer_kind upload>}> {flow.end = 68602307 : i64, flow.start = 68582647 : i64, origin = #flow.origin<"update", "upload h.0.decay.0.momentum", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, device>) -> ()
    "flow.release"(%714) : (!flow.buffer<196608, host>) -> ()
    %886 = "flow.alloc"() <{buffer_class = "activation", name = "update.map", offset = 9051200 : i64}> : () -> !flow.buffer<4, device>
    "flow.launch"(%884, %886) <{begin = 0 : i64, end = 1 : i64, kernel = @map_7e5b3adb91, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 68583826 : i64, flow.start = 68583825 : i64, origin = #flow.origin<"update", "map", update>} : (!flow.buffer<8, device>, !flow.buffer<4, device>) -> ()
    "flow.release"(%884) : (!flow.buffer<8, device>) -> ()
    %887 = "flow.alloc"() <{buffer_class = "feed", name = "update.grad_norm", offset = 4399104 : i64}> : () -> !flow.buffer<4, host>
    "flow.transfer"(%886, %887) <{kind = #flow<transfer_kind offload>}> {flow.end = 68583827 : i64, flow.start = 68583826 : i64, origin = #flow.origin<"update", "report grad_norm", update>} : (!flow.buffer<4, device>, !flow.buffer<4, host>) -> ()
    %888 = "flow.alloc"() <{buffer_class = "activation", name = "update.map", offset = 9051136 : i64}> : () -> !flow.buffer<4, device>
    "flow.launch"(%886, %888) <{begin = 0 : i64, end = 1 : i64, kernel = @map_857d564b1b, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 68583827 : i64, flow.start = 68583826 : i64, origin = #flow.origin<"update", "map", update>} : (!flow.buffer<4, device>, !flow.buffer<4, device>) -> ()
    "flow.release"(%886) : (!flow.buffer<4, device>) -> ()
    "flow.report"(%887) <{item = "grad_norm"}> {flow.end = 68584827 : i64, flow.start = 68583827 : i64, origin = #flow.origin<"update", "report grad_norm", update>} : (!flow.buffer<4, host>) -> ()
    "flow.release"(%887) : (!flow.buffer<4, host>) -> ()
    %889 = "flow.view"(%236) <{offset = 0 : i64, stride = 512 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<512, device>
    %890 = "flow.view"(%237) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<512, device>
    %891 = "flow.view"(%238) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<512, device>
    %892 = "flow.view"(%235) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<512, device>
    %893 = "flow.view"(%299) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<512, device>
    %894 = "flow.view"(%237) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<512, device>
    %895 = "flow.view"(%238) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<512, device>
    "flow.launch"(%889, %890, %891, %892, %798, %799, %800, %888, %893, %894, %895) <{begin = 0 : i64, end = 128 : i64, kernel = @map_766acaea4a, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 68584187 : i64, flow.start = 68583827 : i64, origin = #flow.origin<"update", "update no_decay.0", update>} : (!flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<512, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    %896 = "flow.alloc"() <{buffer_class = "feed", name = "update.map", offset = 6176960 : i64}> : () -> !flow.buffer<4, host>
    "flow.transfer"(%888, %896) <{kind = #flow<transfer_kind offload>}> {flow.end = 68583827 : i64, flow.start = 68583827 : i64, origin = #flow.origin<"update", "offload update.map", update>} : (!flow.buffer<4, device>, !flow.buffer<4, host>) -> ()
    %897 = "flow.view"(%236) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<2048, device>
    "flow.all_gather"(%299, %897) <{piece_bytes = array<i64: 512>}> {flow.end = 68584392 : i64, flow.start = 68584187 : i64, origin = #flow.origin<"update", "gather no_decay.0", update>} : (!flow.buffer<4096, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%299) : (!flow.buffer<4096, device>) -> ()
    "flow.launch"(%239, %828, %829, %234, %798, %799, %800, %888, %239, %828, %829) <{begin = 0 : i64, end = 8192 : i64, kernel = @map_7df8739a38, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 68607126 : i64, flow.start = 68584187 : i64, origin = #flow.origin<"update", "update decay.0", update>} : (!flow.buffer<32768, device>, !flow.buffer<32768, device>, !flow.buffer<32768, device>, !flow.buffer<32768, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<32768, device>, !flow.buffer<32768, device>, !flow.buffer<32768, device>) -> ()
    %898 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.0.variance", offset = 1798144 : i64}> : () -> !flow.buffer<196608, device>
    "flow.transfer"(%716, %898) <{kind = #flow<transfer_kind upload>}> {flow.end = 68621968 : i64, flow.start = 68602307 : i64, origin = #flow.origin<"update", "upload h.0.decay.0.variance", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, device>) -> ()
    "flow.release"(%716) : (!flow.buffer<196608, host>) -> ()
    "flow.transfer"(%828, %240) <{kind = #flow<transfer_kind offload>}> {flow.end = 68610403 : i64, flow.start = 68607126 : i64, origin = #flow.origin<"update", "offload decay.0.momentum", update>} : (!flow.buffer<32768, device>, !flow.buffer<32768, host>) -> ()
    "flow.release"(%828) : (!flow.buffer<32768, device>) -> ()
    "flow.launch"(%242, %849, %850, %875, %798, %799, %800, %888, %242, %849, %850) <{begin = 0 : i64, end = 16384 : i64, kernel = @map_8a75040b62, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 68653003 : i64, flow.start = 68607126 : i64, origin = #flow.origin<"update", "update decay.1", update>} : (!flow.buffer<65536, device>, !flow.buffer<65536, device>, !flow.buffer<65536, device>, !flow.buffer<65536, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<65536, device>, !flow.buffer<65536, device>, !flow.buffer<65536, device>) -> ()
    "flow.release"(%875) : (!flow.buffer<65536, device>) -> ()
    %899 = "flow.view"(%252) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %900 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.1.momentum", offset = 5513216 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%899, %900) <{kind = #flow<transfer_kind read>}> {flow.end = 45870951 : i64, flow.start = 45569302 : i64, origin = #flow.origin<"update", "read h.0.decay.1.momentum", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    "flow.transfer"(%829, %241) <{kind = #flow<transfer_kind offload>}> {flow.end = 68613680 : i64, flow.start = 68610403 : i64, origin = #flow.origin<"update", "offload decay.0.variance", update>} : (!flow.buffer<32768, device>, !flow.buffer<32768, host>) -> ()
    "flow.release"(%829) : (!flow.buffer<32768, device>) -> ()
    %901 = "flow.view"(%230) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    %902 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.0.gradient.0", offset = 2387968 : i64}> : () -> !flow.buffer<196608, device>
    "flow.transfer"(%901, %902) <{kind = #flow<transfer_kind upload>}> {flow.end = 68641629 : i64, flow.start = 68621968 : i64, origin = #flow.origin<"update", "upload h.0.decay.0.gradient.0", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, device>) -> ()
    %903 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.0.momentum", offset = 2912256 : i64}> : () -> !flow.buffer<65536, device>
    "flow.transfer"(%741, %903) <{kind = #flow<transfer_kind upload>}> {flow.end = 68648183 : i64, flow.start = 68641629 : i64, origin = #flow.origin<"update", "upload h.0.decay.0.momentum", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, device>) -> ()
    "flow.release"(%741) : (!flow.buffer<65536, host>) -> ()
    %904 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.0.variance", offset = 2846720 : i64}> : () -> !flow.buffer<65536, device>
    "flow.transfer"(%743, %904) <{kind = #flow<transfer_kind upload>}> {flow.end = 68654736 : i64, flow.start = 68648183 : i64, origin = #flow.origin<"update", "upload h.0.decay.0.variance", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, device>) -> ()
    "flow.release"(%743) : (!flow.buffer<65536, host>) -> ()
    %905 = "flow.alloc"() <{buffer_class = "staging", name = "decay.1.momentum", offset = 5382144 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%849, %905) <{kind = #flow<transfer_kind offload>}> {flow.end = 68659557 : i64, flow.start = 68653003 : i64, origin = #flow.origin<"update", "offload decay.1.momentum", update>} : (!flow.buffer<65536, device>, !flow.buffer<65536, host>) -> ()
    "flow.release"(%849) : (!flow.buffer<65536, device>) -> ()
    %906 = "flow.view"(%245) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %907 = "flow.view"(%246) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %908 = "flow.view"(%247) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %909 = "flow.view"(%231) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %910 = "flow.view"(%245) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %911 = "flow.view"(%246) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %912 = "flow.view"(%247) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    "flow.launch"(%906, %907, %908, %909, %798, %799, %800, %888, %910, %911, %912) <{begin = 0 : i64, end = 832 : i64, kernel = @map_01a800a21e, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 68655334 : i64, flow.start = 68653003 : i64, origin = #flow.origin<"update", "update h.0.no_decay.0", update>} : (!flow.buffer<3328, device>, !flow.buffer<3328, device>, !flow.buffer<3328, device>, !flow.buffer<3328, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<3328, device>, !flow.buffer<3328, device>, !flow.buffer<3328, device>) -> ()
    %913 = "flow.view"(%230) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    %914 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.0.gradient.0", offset = 2977792 : i64}> : () -> !flow.buffer<65536, device>
    "flow.transfer"(%913, %914) <{kind = #flow<transfer_kind upload>}> {flow.end = 68661290 : i64, flow.start = 68654736 : i64, origin = #flow.origin<"update", "upload h.0.decay.0.gradient.0", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, device>) -> ()
    %915 = "flow.view"(%248) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, device>) -> !flow.buffer<196608, device>
    %916 = "flow.view"(%248) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, device>) -> !flow.buffer<196608, device>
    "flow.launch"(%915, %885, %898, %902, %798, %799, %800, %888, %916, %885, %898) <{begin = 0 : i64, end = 49152 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 68792961 : i64, flow.start = 68655334 : i64, origin = #flow.origin<"update", "update h.0.decay.0", update>} : (!flow.buffer<196608, device>, !flow.buffer<196608, device>, !flow.buffer<196608, device>, !flow.buffer<196608, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<196608, device>, !flow.buffer<196608, device>, !flow.buffer<196608, device>) -> ()
    "flow.release"(%902) : (!flow.buffer<196608, device>) -> ()
    "flow.transfer"(%905, %243) <{kind = #flow<transfer_kind write>}> {flow.end = 69021701 : i64, flow.start = 68659557 : i64, origin = #flow.origin<"update", "write decay.1.momentum", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%905) : (!flow.buffer<65536, host>) -> ()
    %917 = "flow.alloc"() <{buffer_class = "staging", name = "decay.1.variance", offset = 5447680 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%850, %917) <{kind = #flow<transfer_kind offload>}> {flow.end = 68666110 : i64, flow.start = 68659557 : i64, origin = #flow.origin<"update", "offload decay.1.variance", update>} : (!flow.buffer<65536, device>, !flow.buffer<65536, host>) -> ()
    "flow.release"(%850) : (!flow.buffer<65536, device>) -> ()
    %918 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.1.momentum", offset = 1994752 : i64}> : () -> !flow.buffer<196608, device>
    "flow.transfer"(%762, %918) <{kind = #flow<transfer_kind upload>}> {flow.end = 68680951 : i64, flow.start = 68661290 : i64, origin = #flow.origin<"update", "upload h.0.decay.1.momentum", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, device>) -> ()
    "flow.release"(%762) : (!flow.buffer<196608, host>) -> ()
    %919 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.1.variance", offset = 2191360 : i64}> : () -> !flow.buffer<196608, device>
    "flow.transfer"(%788, %919) <{kind = #flow<transfer_kind upload>}> {flow.end = 68700611 : i64, flow.start = 68680951 : i64, origin = #flow.origin<"update", "upload h.0.decay.1.variance", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, device>) -> ()
    "flow.release"(%788) : (!flow.buffer<196608, host>) -> ()
    %920 = "flow.view"(%229) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    %921 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.1.gradient.0", offset = 2584576 : i64}> : () -> !flow.buffer<196608, device>
    "flow.transfer"(%920, %921) <{kind = #flow<transfer_kind upload>}> {flow.end = 68720272 : i64, flow.start = 68700611 : i64, origin = #flow.origin<"update", "upload h.0.decay.1.gradient.0", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, device>) -> ()
    %922 = "flow.view"(%229) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    %923 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.1.gradient.0", offset = 2781184 : i64}> : () -> !flow.buffer<65536, device>
    "flow.transfer"(%922, %923) <{kind = #flow<transfer_kind upload>}> {flow.end = 68726826 : i64, flow.start = 68720272 : i64, origin = #flow.origin<"update", "upload h.0.decay.1.gradient.0", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, device>) -> ()
    %924 = "flow.view"(%228) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    %925 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.2.gradient.0", offset = 1601536 : i64}> : () -> !flow.buffer<196608, device>
    "flow.transfer"(%924, %925) <{kind = #flow<transfer_kind upload>}> {flow.end = 68746487 : i64, flow.start = 68726826 : i64, origin = #flow.origin<"update", "upload h.0.decay.2.gradient.0", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, device>) -> ()
    %926 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.0.momentum", offset = 4595712 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%885, %926) <{kind = #flow<transfer_kind offload>}> {flow.end = 68812622 : i64, flow.start = 68792961 : i64, origin = #flow.origin<"update", "offload h.0.decay.0.momentum", update>} : (!flow.buffer<196608, device>, !flow.buffer<196608, host>) -> ()
    "flow.release"(%885) : (!flow.buffer<196608, device>) -> ()
    %927 = "flow.view"(%248) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, device>) -> !flow.buffer<65536, device>
    %928 = "flow.view"(%248) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, device>) -> !flow.buffer<65536, device>
    "flow.launch"(%927, %903, %904, %914, %798, %799, %800, %888, %928, %903, %904) <{begin = 0 : i64, end = 16384 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 68838837 : i64, flow.start = 68792961 : i64, origin = #flow.origin<"update", "update h.0.decay.0", update>} : (!flow.buffer<65536, device>, !flow.buffer<65536, device>, !flow.buffer<65536, device>, !flow.buffer<65536, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<65536, device>, !flow.buffer<65536, device>, !flow.buffer<65536, device>) -> ()
    "flow.release"(%914) : (!flow.buffer<65536, device>) -> ()
    %929 = "flow.view"(%228) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    %930 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.2.gradient.0", offset = 2387968 : i64}> : () -> !flow.buffer<65536, device>
    "flow.transfer"(%929, %930) <{kind = #flow<transfer_kind upload>}> {flow.end = 68753040 : i64, flow.start = 68746487 : i64, origin = #flow.origin<"update", "upload h.0.decay.2.gradient.0", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, device>) -> ()
    %931 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.0.variance", offset = 4399104 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%898, %931) <{kind = #flow<transfer_kind offload>}> {flow.end = 68832283 : i64, flow.start = 68812622 : i64, origin = #flow.origin<"update", "offload h.0.decay.0.variance", update>} : (!flow.buffer<196608, device>, !flow.buffer<196608, host>) -> ()
    "flow.release"(%898) : (!flow.buffer<196608, device>) -> ()
    %932 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.0.momentum", offset = 5578752 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%903, %932) <{kind = #flow<transfer_kind offload>}> {flow.end = 68845390 : i64, flow.start = 68838837 : i64, origin = #flow.origin<"update", "offload h.0.decay.0.momentum", update>} : (!flow.buffer<65536, device>, !flow.buffer<65536, host>) -> ()
    "flow.release"(%903) : (!flow.buffer<65536, device>) -> ()
    %933 = "flow.view"(%251) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, device>) -> !flow.buffer<196608, device>
    %934 = "flow.view"(%251) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, device>) -> !flow.buffer<196608, device>
    "flow.launch"(%933, %918, %919, %921, %798, %799, %800, %888, %934, %918, %919) <{begin = 0 : i64, end = 49152 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 68976463 : i64, flow.start = 68838837 : i64, origin = #flow.origin<"update", "update h.0.decay.1", update>} : (!flow.buffer<196608, device>, !flow.buffer<196608, device>, !flow.buffer<196608, device>, !flow.buffer<196608, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<196608, device>, !flow.buffer<196608, device>, !flow.buffer<196608, device>) -> ()
    "flow.release"(%921) : (!flow.buffer<196608, device>) -> ()
    %935 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.no_decay.0.momentum", offset = 2519040 : i64}> : () -> !flow.buffer<4096, device>
    "flow.transfer"(%258, %935) <{kind = #flow<transfer_kind upload>}> {flow.end = 68753450 : i64, flow.start = 68753040 : i64, origin = #flow.origin<"update", "upload h.1.no_decay.0.momentum", update>} : (!flow.buffer<4096, host>, !flow.buffer<4096, device>) -> ()
    %936 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.no_decay.0.variance", offset = 2523136 : i64}> : () -> !flow.buffer<4096, device>
    "flow.transfer"(%259, %936) <{kind = #flow<transfer_kind upload>}> {flow.end = 68753859 : i64, flow.start = 68753450 : i64, origin = #flow.origin<"update", "upload h.1.no_decay.0.variance", update>} : (!flow.buffer<4096, host>, !flow.buffer<4096, device>) -> ()
    %937 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.0.variance", offset = 5644288 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%904, %937) <{kind = #flow<transfer_kind offload>}> {flow.end = 68851944 : i64, flow.start = 68845390 : i64, origin = #flow.origin<"update", "offload h.0.decay.0.variance", update>} : (!flow.buffer<65536, device>, !flow.buffer<65536, host>) -> ()
    "flow.release"(%904) : (!flow.buffer<65536, device>) -> ()
    %938 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.1.momentum", offset = 2453504 : i64}> : () -> !flow.buffer<65536, device>
    "flow.transfer"(%900, %938) <{kind = #flow<transfer_kind upload>}> {flow.end = 68760413 : i64, flow.start = 68753859 : i64, origin = #flow.origin<"update", "upload h.0.decay.1.momentum", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, device>) -> ()
    "flow.release"(%900) : (!flow.buffer<65536, host>) -> ()
    %939 = "flow.view"(%253) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %940 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.1.variance", offset = 5185536 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%939, %940) <{kind = #flow<transfer_kind read>}> {flow.end = 46172600 : i64, flow.start = 45870951 : i64, origin = #flow.origin<"update", "read h.0.decay.1.variance", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %941 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.1.momentum", offset = 4792320 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%918, %941) <{kind = #flow<transfer_kind offload>}> {flow.end = 68996124 : i64, flow.start = 68976463 : i64, origin = #flow.origin<"update", "offload h.0.decay.1.momentum", update>} : (!flow.buffer<196608, device>, !flow.buffer<196608, host>) -> ()
    "flow.release"(%918) : (!flow.buffer<196608, device>) -> ()
    %942 = "flow.view"(%257) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %943 = "flow.view"(%935) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %944 = "flow.view"(%936) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %945 = "flow.view"(%227) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %946 = "flow.view"(%257) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %947 = "flow.view"(%935) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %948 = "flow.view"(%936) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    "flow.launch"(%942, %943, %944, %945, %798, %799, %800, %888, %946, %947, %948) <{begin = 0 : i64, end = 832 : i64, kernel = @map_01a800a21e, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 68978795 : i64, flow.start = 68976463 : i64, origin = #flow.origin<"update", "update h.1.no_decay.0", update>} : (!flow.buffer<3328, device>, !flow.buffer<3328, device>, !flow.buffer<3328, device>, !flow.buffer<3328, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<3328, device>, !flow.buffer<3328, device>, !flow.buffer<3328, device>) -> ()
    %949 = "flow.view"(%226) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    %950 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.0.gradient.0", offset = 1404928 : i64}> : () -> !flow.buffer<196608, device>
    "flow.transfer"(%949, %950) <{kind = #flow<transfer_kind upload>}> {flow.end = 68780074 : i64, flow.start = 68760413 : i64, origin = #flow.origin<"update", "upload h.1.decay.0.gradient.0", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, device>) -> ()
    %951 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.1.variance", offset = 4988928 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%919, %951) <{kind = #flow<transfer_kind offload>}> {flow.end = 69015785 : i64, flow.start = 68996124 : i64, origin = #flow.origin<"update", "offload h.0.decay.1.variance", update>} : (!flow.buffer<196608, device>, !flow.buffer<196608, host>) -> ()
    "flow.release"(%919) : (!flow.buffer<196608, device>) -> ()
    %952 = "flow.view"(%935) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %953 = "flow.view"(%258) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, host>) -> !flow.buffer<3328, host>
    "flow.transfer"(%952, %953) <{kind = #flow<transfer_kind offload>}> {flow.end = 69016118 : i64, flow.start = 69015785 : i64, origin = #flow.origin<"update", "offload h.1.no_decay.0.momentum", update>} : (!flow.buffer<3328, device>, !flow.buffer<3328, host>) -> ()
    "flow.release"(%935) : (!flow.buffer<4096, device>) -> ()
    %954 = "flow.view"(%936) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %955 = "flow.view"(%259) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, host>) -> !flow.buffer<3328, host>
    "flow.transfer"(%954, %955) <{kind = #flow<transfer_kind offload>}> {flow.end = 69016451 : i64, flow.start = 69016118 : i64, origin = #flow.origin<"update", "offload h.1.no_decay.0.variance", update>} : (!flow.buffer<3328, device>, !flow.buffer<3328, host>) -> ()
    "flow.release"(%936) : (!flow.buffer<4096, device>) -> ()
    "flow.transfer"(%917, %244) <{kind = #flow<transfer_kind write>}> {flow.end = 69383845 : i64, flow.start = 69021701 : i64, origin = #flow.origin<"update", "write decay.1.variance", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%917) : (!flow.buffer<65536, host>) -> ()
    %956 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.1.variance", offset = 2256896 : i64}> : () -> !flow.buffer<65536, device>
    "flow.transfer"(%940, %956) <{kind = #flow<transfer_kind upload>}> {flow.end = 68786627 : i64, flow.start = 68780074 : i64, origin = #flow.origin<"update", "upload h.0.decay.1.variance", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, device>) -> ()
    "flow.release"(%940) : (!flow.buffer<65536, host>) -> ()
    %957 = "flow.view"(%255) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %958 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.2.momentum", offset = 5185536 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%957, %958) <{kind = #flow<transfer_kind read>}> {flow.end = 46877548 : i64, flow.start = 46172600 : i64, origin = #flow.origin<"update", "read h.0.decay.2.momentum", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %959 = "flow.view"(%251) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, device>) -> !flow.buffer<65536, device>
    %960 = "flow.view"(%251) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, device>) -> !flow.buffer<65536, device>
    "flow.launch"(%959, %938, %956, %923, %798, %799, %800, %888, %960, %938, %956) <{begin = 0 : i64, end = 16384 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 69024670 : i64, flow.start = 68978795 : i64, origin = #flow.origin<"update", "update h.0.decay.1", update>} : (!flow.buffer<65536, device>, !flow.buffer<65536, device>, !flow.buffer<65536, device>, !flow.buffer<65536, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<65536, device>, !flow.buffer<65536, device>, !flow.buffer<65536, device>) -> ()
    "flow.release"(%923) : (!flow.buffer<65536, device>) -> ()
    %961 = "flow.view"(%226) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    %962 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.0.gradient.0", offset = 2191360 : i64}> : () -> !flow.buffer<65536, device>
    "flow.transfer"(%961, %962) <{kind = #flow<transfer_kind upload>}> {flow.end = 68793181 : i64, flow.start = 68786627 : i64, origin = #flow.origin<"update", "upload h.1.decay.0.gradient.0", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, device>) -> ()
    %963 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.1.momentum", offset = 5906432 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%938, %963) <{kind = #flow<transfer_kind offload>}> {flow.end = 69031224 : i64, flow.start = 69024670 : i64, origin = #flow.origin<"update", "offload h.0.decay.1.momentum", update>} : (!flow.buffer<65536, device>, !flow.buffer<65536, host>) -> ()
    "flow.release"(%938) : (!flow.buffer<65536, device>) -> ()
    %964 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.1.variance", offset = 5840896 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%956, %964) <{kind = #flow<transfer_kind offload>}> {flow.end = 69037777 : i64, flow.start = 69031224 : i64, origin = #flow.origin<"update", "offload h.0.decay.1.variance", update>} : (!flow.buffer<65536, device>, !flow.buffer<65536, host>) -> ()
    "flow.release"(%956) : (!flow.buffer<65536, device>) -> ()
    %965 = "flow.view"(%249) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%926, %965) <{kind = #flow<transfer_kind write>}> {flow.end = 70270277 : i64, flow.start = 69383845 : i64, origin = #flow.origin<"update", "write h.0.decay.0.momentum", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%926) : (!flow.buffer<196608, host>) -> ()
    %966 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.2.momentum", offset = 1798144 : i64}> : () -> !flow.buffer<196608, device>
    "flow.transfer"(%958, %966) <{kind = #flow<transfer_kind upload>}> {flow.end = 68812842 : i64, flow.start = 68793181 : i64, origin = #flow.origin<"update", "upload h.0.decay.2.momentum", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, device>) -> ()
    "flow.release"(%958) : (!flow.buffer<196608, host>) -> ()
    %967 = "flow.view"(%256) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %968 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.2.variance", offset = 5185536 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%967, %968) <{kind = #flow<transfer_kind read>}> {flow.end = 47582496 : i64, flow.start = 46877548 : i64, origin = #flow.origin<"update", "read h.0.decay.2.variance", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %969 = "flow.view"(%250) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%931, %969) <{kind = #flow<transfer_kind write>}> {flow.end = 71156709 : i64, flow.start = 70270277 : i64, origin = #flow.origin<"update", "write h.0.decay.0.variance", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%931) : (!flow.buffer<196608, host>) -> ()
    %970 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.2.variance", offset = 1994752 : i64}> : () -> !flow.buffer<196608, device>
    "flow.transfer"(%968, %970) <{kind = #flow<transfer_kind upload>}> {flow.end = 68832503 : i64, flow.start = 68812842 : i64, origin = #flow.origin<"update", "upload h.0.decay.2.variance", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, device>) -> ()
    "flow.release"(%968) : (!flow.buffer<196608, host>) -> ()
    %971 = "flow.view"(%255) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %972 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.2.momentum", offset = 5709824 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%971, %972) <{kind = #flow<transfer_kind read>}> {flow.end = 47884145 : i64, flow.start = 47582496 : i64, origin = #flow.origin<"update", "read h.0.decay.2.momentum", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %973 = "flow.view"(%254) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, device>) -> !flow.buffer<196608, device>
    %974 = "flow.view"(%254) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, device>) -> !flow.buffer<196608, device>
    "flow.launch"(%973, %966, %970, %925, %798, %799, %800, %888, %974, %966, %970) <{begin = 0 : i64, end = 49152 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 69162297 : i64, flow.start = 69024670 : i64, origin = #flow.origin<"update", "update h.0.decay.2", update>} : (!flow.buffer<196608, device>, !flow.buffer<196608, device>, !flow.buffer<196608, device>, !flow.buffer<196608, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<196608, device>, !flow.buffer<196608, device>, !flow.buffer<196608, device>) -> ()
    "flow.release"(%925) : (!flow.buffer<196608, device>) -> ()
    %975 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.2.momentum", offset = 5185536 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%966, %975) <{kind = #flow<transfer_kind offload>}> {flow.end = 69181958 : i64, flow.start = 69162297 : i64, origin = #flow.origin<"update", "offload h.0.decay.2.momentum", update>} : (!flow.buffer<196608, device>, !flow.buffer<196608, host>) -> ()
    "flow.release"(%966) : (!flow.buffer<196608, device>) -> ()
    %976 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.2.variance", offset = 5382144 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%970, %976) <{kind = #flow<transfer_kind offload>}> {flow.end = 69201619 : i64, flow.start = 69181958 : i64, origin = #flow.origin<"update", "offload h.0.decay.2.variance", update>} : (!flow.buffer<196608, device>, !flow.buffer<196608, host>) -> ()
    "flow.release"(%970) : (!flow.buffer<196608, device>) -> ()
    %977 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.2.momentum", offset = 2256896 : i64}> : () -> !flow.buffer<65536, device>
    "flow.transfer"(%972, %977) <{kind = #flow<transfer_kind upload>}> {flow.end = 68839056 : i64, flow.start = 68832503 : i64, origin = #flow.origin<"update", "upload h.0.decay.2.momentum", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, device>) -> ()
    "flow.release"(%972) : (!flow.buffer<65536, host>) -> ()
    %978 = "flow.view"(%256) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %979 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.2.variance", offset = 5709824 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%978, %979) <{kind = #flow<transfer_kind read>}> {flow.end = 48185794 : i64, flow.start = 47884145 : i64, origin = #flow.origin<"update", "read h.0.decay.2.variance", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %980 = "flow.view"(%249) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%932, %980) <{kind = #flow<transfer_kind write>}> {flow.end = 71518853 : i64, flow.start = 71156709 : i64, origin = #flow.origin<"update", "write h.0.decay.0.momentum", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%932) : (!flow.buffer<65536, host>) -> ()
    %981 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.2.variance", offset = 2322432 : i64}> : () -> !flow.buffer<65536, device>
    "flow.transfer"(%979, %981) <{kind = #flow<transfer_kind upload>}> {flow.end = 68845610 : i64, flow.start = 68839056 : i64, origin = #flow.origin<"update", "upload h.0.decay.2.variance", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, device>) -> ()
    "flow.release"(%979) : (!flow.buffer<65536, host>) -> ()
    %982 = "flow.view"(%261) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %983 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.0.momentum", offset = 4595712 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%982, %983) <{kind = #flow<transfer_kind read>}> {flow.end = 48890742 : i64, flow.start = 48185794 : i64, origin = #flow.origin<"update", "read h.1.decay.0.momentum", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %984 = "flow.view"(%254) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, device>) -> !flow.buffer<65536, device>
    %985 = "flow.view"(%254) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, device>) -> !flow.buffer<65536, device>
    "flow.launch"(%984, %977, %981, %930, %798, %799, %800, %888, %985, %977, %981) <{begin = 0 : i64, end = 16384 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 69208173 : i64, flow.start = 69162297 : i64, origin = #flow.origin<"update", "update h.0.decay.2", update>} : (!flow.buffer<65536, device>, !flow.buffer<65536, device>, !flow.buffer<65536, device>, !flow.buffer<65536, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<65536, device>, !flow.buffer<65536, device>, !flow.buffer<65536, device>) -> ()
    "flow.release"(%930) : (!flow.buffer<65536, device>) -> ()
    %986 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.2.momentum", offset = 5971968 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%977, %986) <{kind = #flow<transfer_kind offload>}> {flow.end = 69214726 : i64, flow.start = 69208173 : i64, origin = #flow.origin<"update", "offload h.0.decay.2.momentum", update>} : (!flow.buffer<65536, device>, !flow.buffer<65536, host>) -> ()
    "flow.release"(%977) : (!flow.buffer<65536, device>) -> ()
    %987 = "flow.alloc"() <{buffer_class = "staging", name = "h.0.decay.2.variance", offset = 6037504 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%981, %987) <{kind = #flow<transfer_kind offload>}> {flow.end = 69221280 : i64, flow.start = 69214726 : i64, origin = #flow.origin<"update", "offload h.0.decay.2.variance", update>} : (!flow.buffer<65536, device>, !flow.buffer<65536, host>) -> ()
    "flow.release"(%981) : (!flow.buffer<65536, device>) -> ()
    %988 = "flow.view"(%250) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%937, %988) <{kind = #flow<transfer_kind write>}> {flow.end = 71880997 : i64, flow.start = 71518853 : i64, origin = #flow.origin<"update", "write h.0.decay.0.variance", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%937) : (!flow.buffer<65536, host>) -> ()
    %989 = "flow.view"(%252) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%941, %989) <{kind = #flow<transfer_kind write>}> {flow.end = 72767429 : i64, flow.start = 71880997 : i64, origin = #flow.origin<"update", "write h.0.decay.1.momentum", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%941) : (!flow.buffer<196608, host>) -> ()
    %990 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.0.momentum", offset = 1601536 : i64}> : () -> !flow.buffer<196608, device>
    "flow.transfer"(%983, %990) <{kind = #flow<transfer_kind upload>}> {flow.end = 68865271 : i64, flow.start = 68845610 : i64, origin = #flow.origin<"update", "upload h.1.decay.0.momentum", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, device>) -> ()
    "flow.release"(%983) : (!flow.buffer<196608, host>) -> ()
    %991 = "flow.view"(%262) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %992 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.0.variance", offset = 4595712 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%991, %992) <{kind = #flow<transfer_kind read>}> {flow.end = 49595689 : i64, flow.start = 48890742 : i64, origin = #flow.origin<"update", "read h.1.decay.0.variance", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %993 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.0.variance", offset = 1798144 : i64}> : () -> !flow.buffer<196608, device>
    "flow.transfer"(%992, %993) <{kind = #flow<transfer_kind upload>}> {flow.end = 68884931 : i64, flow.start = 68865271 : i64, origin = #flow.origin<"update", "upload h.1.decay.0.variance", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, device>) -> ()
    "flow.release"(%992) : (!flow.buffer<196608, host>) -> ()
    %994 = "flow.view"(%261) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %995 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.0.momentum", offset = 4595712 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%994, %995) <{kind = #flow<transfer_kind read>}> {flow.end = 49897339 : i64, flow.start = 49595689 : i64, origin = #flow.origin<"update", "read h.1.decay.0.momentum", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %996 = "flow.view"(%260) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, device>) -> !flow.buffer<196608, device>
    %997 = "flow.view"(%260) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, device>) -> !flow.buffer<196608, device>
    "flow.launch"(%996, %990, %993, %950, %798, %799, %800, %888, %997, %990, %993) <{begin = 0 : i64, end = 49152 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 69345799 : i64, flow.start = 69208173 : i64, origin = #flow.origin<"update", "update h.1.decay.0", update>} : (!flow.buffer<196608, device>, !flow.buffer<196608, device>, !flow.buffer<196608, device>, !flow.buffer<196608, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<196608, device>, !flow.buffer<196608, device>, !flow.buffer<196608, device>) -> ()
    "flow.release"(%950) : (!flow.buffer<196608, device>) -> ()
    %998 = "flow.view"(%253) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%951, %998) <{kind = #flow<transfer_kind write>}> {flow.end = 73653861 : i64, flow.start = 72767429 : i64, origin = #flow.origin<"update", "write h.0.decay.1.variance", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%951) : (!flow.buffer<196608, host>) -> ()
    %999 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.0.momentum", offset = 5578752 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%990, %999) <{kind = #flow<transfer_kind offload>}> {flow.end = 69365460 : i64, flow.start = 69345799 : i64, origin = #flow.origin<"update", "offload h.1.decay.0.momentum", update>} : (!flow.buffer<196608, device>, !flow.buffer<196608, host>) -> ()
    "flow.release"(%990) : (!flow.buffer<196608, device>) -> ()
    %1000 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.0.variance", offset = 4399104 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%993, %1000) <{kind = #flow<transfer_kind offload>}> {flow.end = 69385121 : i64, flow.start = 69365460 : i64, origin = #flow.origin<"update", "offload h.1.decay.0.variance", update>} : (!flow.buffer<196608, device>, !flow.buffer<196608, host>) -> ()
    "flow.release"(%993) : (!flow.buffer<196608, device>) -> ()
    %1001 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.0.momentum", offset = 1404928 : i64}> : () -> !flow.buffer<65536, device>
    "flow.transfer"(%995, %1001) <{kind = #flow<transfer_kind upload>}> {flow.end = 68891485 : i64, flow.start = 68884931 : i64, origin = #flow.origin<"update", "upload h.1.decay.0.momentum", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, device>) -> ()
    "flow.release"(%995) : (!flow.buffer<65536, host>) -> ()
    %1002 = "flow.view"(%262) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1003 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.0.variance", offset = 4595712 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1002, %1003) <{kind = #flow<transfer_kind read>}> {flow.end = 50198988 : i64, flow.start = 49897339 : i64, origin = #flow.origin<"update", "read h.1.decay.0.variance", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1004 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.0.variance", offset = 1470464 : i64}> : () -> !flow.buffer<65536, device>
    "flow.transfer"(%1003, %1004) <{kind = #flow<transfer_kind upload>}> {flow.end = 68898039 : i64, flow.start = 68891485 : i64, origin = #flow.origin<"update", "upload h.1.decay.0.variance", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, device>) -> ()
    "flow.release"(%1003) : (!flow.buffer<65536, host>) -> ()
    %1005 = "flow.view"(%260) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, device>) -> !flow.buffer<65536, device>
    %1006 = "flow.view"(%260) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, device>) -> !flow.buffer<65536, device>
    "flow.launch"(%1005, %1001, %1004, %962, %798, %799, %800, %888, %1006, %1001, %1004) <{begin = 0 : i64, end = 16384 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 69391675 : i64, flow.start = 69345799 : i64, origin = #flow.origin<"update", "update h.1.decay.0", update>} : (!flow.buffer<65536, device>, !flow.buffer<65536, device>, !flow.buffer<65536, device>, !flow.buffer<65536, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<65536, device>, !flow.buffer<65536, device>, !flow.buffer<65536, device>) -> ()
    "flow.release"(%962) : (!flow.buffer<65536, device>) -> ()
    %1007 = "flow.view"(%264) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %1008 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.1.momentum", offset = 4595712 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%1007, %1008) <{kind = #flow<transfer_kind read>}> {flow.end = 50903936 : i64, flow.start = 50198988 : i64, origin = #flow.origin<"update", "read h.1.decay.1.momentum", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %1009 = "flow.view"(%252) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%963, %1009) <{kind = #flow<transfer_kind write>}> {flow.end = 74016005 : i64, flow.start = 73653861 : i64, origin = #flow.origin<"update", "write h.0.decay.1.momentum", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%963) : (!flow.buffer<65536, host>) -> ()
    %1010 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.0.momentum", offset = 6103040 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1001, %1010) <{kind = #flow<transfer_kind offload>}> {flow.end = 69398229 : i64, flow.start = 69391675 : i64, origin = #flow.origin<"update", "offload h.1.decay.0.momentum", update>} : (!flow.buffer<65536, device>, !flow.buffer<65536, host>) -> ()
    "flow.release"(%1001) : (!flow.buffer<65536, device>) -> ()
    %1011 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.0.variance", offset = 5775360 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1004, %1011) <{kind = #flow<transfer_kind offload>}> {flow.end = 69404782 : i64, flow.start = 69398229 : i64, origin = #flow.origin<"update", "offload h.1.decay.0.variance", update>} : (!flow.buffer<65536, device>, !flow.buffer<65536, host>) -> ()
    "flow.release"(%1004) : (!flow.buffer<65536, device>) -> ()
    %1012 = "flow.view"(%253) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%964, %1012) <{kind = #flow<transfer_kind write>}> {flow.end = 74378149 : i64, flow.start = 74016005 : i64, origin = #flow.origin<"update", "write h.0.decay.1.variance", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%964) : (!flow.buffer<65536, host>) -> ()
    %1013 = "flow.view"(%255) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%975, %1013) <{kind = #flow<transfer_kind write>}> {flow.end = 75264581 : i64, flow.start = 74378149 : i64, origin = #flow.origin<"update", "write h.0.decay.2.momentum", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%975) : (!flow.buffer<196608, host>) -> ()
    %1014 = "flow.view"(%265) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %1015 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.1.variance", offset = 4792320 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%1014, %1015) <{kind = #flow<transfer_kind read>}> {flow.end = 51608883 : i64, flow.start = 50903936 : i64, origin = #flow.origin<"update", "read h.1.decay.1.variance", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %1016 = "flow.view"(%263) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    %1017 = "flow.view"(%225) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    %1018 = "flow.view"(%263) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    "flow.launch"(%1016, %1008, %1015, %1017, %303, %304, %305, %896, %1018, %1008, %1015) <{begin = 0 : i64, end = 49152 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 68860080 : i64, flow.start = 68584827 : i64, origin = #flow.origin<"update", "update h.1.decay.1", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>) -> ()
    %1019 = "flow.view"(%256) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%976, %1019) <{kind = #flow<transfer_kind write>}> {flow.end = 76151013 : i64, flow.start = 75264581 : i64, origin = #flow.origin<"update", "write h.0.decay.2.variance", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%976) : (!flow.buffer<196608, host>) -> ()
    %1020 = "flow.view"(%264) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1021 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.1.momentum", offset = 5840896 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1020, %1021) <{kind = #flow<transfer_kind read>}> {flow.end = 51910533 : i64, flow.start = 51608883 : i64, origin = #flow.origin<"update", "read h.1.decay.1.momentum", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1022 = "flow.view"(%265) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1023 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.1.variance", offset = 5906432 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1022, %1023) <{kind = #flow<transfer_kind read>}> {flow.end = 52212182 : i64, flow.start = 51910533 : i64, origin = #flow.origin<"update", "read h.1.decay.1.variance", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1024 = "flow.view"(%263) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    %1025 = "flow.view"(%225) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    %1026 = "flow.view"(%263) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    "flow.launch"(%1024, %1021, %1023, %1025, %303, %304, %305, %896, %1026, %1021, %1023) <{begin = 0 : i64, end = 16384 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 68951831 : i64, flow.start = 68860080 : i64, origin = #flow.origin<"update", "update h.1.decay.1", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>) -> ()
    %1027 = "flow.view"(%255) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%986, %1027) <{kind = #flow<transfer_kind write>}> {flow.end = 76513157 : i64, flow.start = 76151013 : i64, origin = #flow.origin<"update", "write h.0.decay.2.momentum", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%986) : (!flow.buffer<65536, host>) -> ()
    %1028 = "flow.view"(%267) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %1029 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.2.momentum", offset = 4988928 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%1028, %1029) <{kind = #flow<transfer_kind read>}> {flow.end = 52917129 : i64, flow.start = 52212182 : i64, origin = #flow.origin<"update", "read h.1.decay.2.momentum", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %1030 = "flow.view"(%256) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%987, %1030) <{kind = #flow<transfer_kind write>}> {flow.end = 76875301 : i64, flow.start = 76513157 : i64, origin = #flow.origin<"update", "write h.0.decay.2.variance", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%987) : (!flow.buffer<65536, host>) -> ()
    %1031 = "flow.view"(%261) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%999, %1031) <{kind = #flow<transfer_kind write>}> {flow.end = 77761733 : i64, flow.start = 76875301 : i64, origin = #flow.origin<"update", "write h.1.decay.0.momentum", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%999) : (!flow.buffer<196608, host>) -> ()
    %1032 = "flow.view"(%268) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %1033 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.2.variance", offset = 5185536 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%1032, %1033) <{kind = #flow<transfer_kind read>}> {flow.end = 53622077 : i64, flow.start = 52917129 : i64, origin = #flow.origin<"update", "read h.1.decay.2.variance", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %1034 = "flow.view"(%266) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    %1035 = "flow.view"(%224) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    %1036 = "flow.view"(%266) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    "flow.launch"(%1034, %1029, %1033, %1035, %303, %304, %305, %896, %1036, %1029, %1033) <{begin = 0 : i64, end = 49152 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 69227085 : i64, flow.start = 68951831 : i64, origin = #flow.origin<"update", "update h.1.decay.2", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>) -> ()
    %1037 = "flow.view"(%262) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%1000, %1037) <{kind = #flow<transfer_kind write>}> {flow.end = 78648165 : i64, flow.start = 77761733 : i64, origin = #flow.origin<"update", "write h.1.decay.0.variance", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%1000) : (!flow.buffer<196608, host>) -> ()
    %1038 = "flow.view"(%267) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1039 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.2.momentum", offset = 5971968 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1038, %1039) <{kind = #flow<transfer_kind read>}> {flow.end = 53923726 : i64, flow.start = 53622077 : i64, origin = #flow.origin<"update", "read h.1.decay.2.momentum", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1040 = "flow.view"(%268) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1041 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.2.variance", offset = 6037504 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1040, %1041) <{kind = #flow<transfer_kind read>}> {flow.end = 54225376 : i64, flow.start = 53923726 : i64, origin = #flow.origin<"update", "read h.1.decay.2.variance", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1042 = "flow.view"(%266) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    %1043 = "flow.view"(%224) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    %1044 = "flow.view"(%266) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    "flow.launch"(%1042, %1039, %1041, %1043, %303, %304, %305, %896, %1044, %1039, %1041) <{begin = 0 : i64, end = 16384 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 69318836 : i64, flow.start = 69227085 : i64, origin = #flow.origin<"update", "update h.1.decay.2", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>) -> ()
    %1045 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.no_decay.0.momentum", offset = 5382144 : i64}> : () -> !flow.buffer<4096, host>
    "flow.transfer"(%270, %1045) <{kind = #flow<transfer_kind read>}> {flow.end = 54337979 : i64, flow.start = 54225376 : i64, origin = #flow.origin<"update", "read h.2.no_decay.0.momentum", update>} : (!flow.buffer<4096, nvme>, !flow.buffer<4096, host>) -> ()
    %1046 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.no_decay.0.momentum", offset = 1404928 : i64}> : () -> !flow.buffer<4096, device>
    "flow.transfer"(%1045, %1046) <{kind = #flow<transfer_kind upload>}> {flow.end = 68898448 : i64, flow.start = 68898039 : i64, origin = #flow.origin<"update", "upload h.2.no_decay.0.momentum", update>} : (!flow.buffer<4096, host>, !flow.buffer<4096, device>) -> ()
    "flow.release"(%1045) : (!flow.buffer<4096, host>) -> ()
    %1047 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.no_decay.0.variance", offset = 5382144 : i64}> : () -> !flow.buffer<4096, host>
    "flow.transfer"(%271, %1047) <{kind = #flow<transfer_kind read>}> {flow.end = 54450582 : i64, flow.start = 54337979 : i64, origin = #flow.origin<"update", "read h.2.no_decay.0.variance", update>} : (!flow.buffer<4096, nvme>, !flow.buffer<4096, host>) -> ()
    %1048 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.no_decay.0.variance", offset = 1409024 : i64}> : () -> !flow.buffer<4096, device>
    "flow.transfer"(%1047, %1048) <{kind = #flow<transfer_kind upload>}> {flow.end = 68898858 : i64, flow.start = 68898448 : i64, origin = #flow.origin<"update", "upload h.2.no_decay.0.variance", update>} : (!flow.buffer<4096, host>, !flow.buffer<4096, device>) -> ()
    "flow.release"(%1047) : (!flow.buffer<4096, host>) -> ()
    %1049 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.no_decay.0.momentum", offset = 6168576 : i64}> : () -> !flow.buffer<4096, host>
    "flow.transfer"(%270, %1049) <{kind = #flow<transfer_kind read>}> {flow.end = 54563185 : i64, flow.start = 54450582 : i64, origin = #flow.origin<"update", "read h.2.no_decay.0.momentum", update>} : (!flow.buffer<4096, nvme>, !flow.buffer<4096, host>) -> ()
    %1050 = "flow.view"(%269) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %1051 = "flow.view"(%1046) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %1052 = "flow.view"(%1048) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %1053 = "flow.view"(%223) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %1054 = "flow.view"(%269) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %1055 = "flow.view"(%1046) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %1056 = "flow.view"(%1048) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    "flow.launch"(%1050, %1051, %1052, %1053, %798, %799, %800, %888, %1054, %1055, %1056) <{begin = 0 : i64, end = 832 : i64, kernel = @map_01a800a21e, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 69394006 : i64, flow.start = 69391675 : i64, origin = #flow.origin<"update", "update h.2.no_decay.0", update>} : (!flow.buffer<3328, device>, !flow.buffer<3328, device>, !flow.buffer<3328, device>, !flow.buffer<3328, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<3328, device>, !flow.buffer<3328, device>, !flow.buffer<3328, device>) -> ()
    %1057 = "flow.view"(%261) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%1010, %1057) <{kind = #flow<transfer_kind write>}> {flow.end = 79010309 : i64, flow.start = 78648165 : i64, origin = #flow.origin<"update", "write h.1.decay.0.momentum", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%1010) : (!flow.buffer<65536, host>) -> ()
    %1058 = "flow.view"(%1046) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %1059 = "flow.view"(%1049) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, host>) -> !flow.buffer<3328, host>
    "flow.transfer"(%1058, %1059) <{kind = #flow<transfer_kind offload>}> {flow.end = 69405115 : i64, flow.start = 69404782 : i64, origin = #flow.origin<"update", "offload h.2.no_decay.0.momentum", update>} : (!flow.buffer<3328, device>, !flow.buffer<3328, host>) -> ()
    "flow.release"(%1046) : (!flow.buffer<4096, device>) -> ()
    %1060 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.no_decay.0.variance", offset = 6172672 : i64}> : () -> !flow.buffer<4096, host>
    "flow.transfer"(%271, %1060) <{kind = #flow<transfer_kind read>}> {flow.end = 54675788 : i64, flow.start = 54563185 : i64, origin = #flow.origin<"update", "read h.2.no_decay.0.variance", update>} : (!flow.buffer<4096, nvme>, !flow.buffer<4096, host>) -> ()
    %1061 = "flow.view"(%1048) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %1062 = "flow.view"(%1060) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, host>) -> !flow.buffer<3328, host>
    "flow.transfer"(%1061, %1062) <{kind = #flow<transfer_kind offload>}> {flow.end = 69405448 : i64, flow.start = 69405115 : i64, origin = #flow.origin<"update", "offload h.2.no_decay.0.variance", update>} : (!flow.buffer<3328, device>, !flow.buffer<3328, host>) -> ()
    "flow.release"(%1048) : (!flow.buffer<4096, device>) -> ()
    %1063 = "flow.view"(%273) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %1064 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.0.momentum", offset = 5382144 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%1063, %1064) <{kind = #flow<transfer_kind read>}> {flow.end = 55380736 : i64, flow.start = 54675788 : i64, origin = #flow.origin<"update", "read h.2.decay.0.momentum", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %1065 = "flow.view"(%262) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%1011, %1065) <{kind = #flow<transfer_kind write>}> {flow.end = 79372453 : i64, flow.start = 79010309 : i64, origin = #flow.origin<"update", "write h.1.decay.0.variance", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%1011) : (!flow.buffer<65536, host>) -> ()
    %1066 = "flow.view"(%264) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%1008, %1066) <{kind = #flow<transfer_kind write>}> {flow.end = 80258885 : i64, flow.start = 79372453 : i64, origin = #flow.origin<"update", "write h.1.decay.1.momentum", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%1008) : (!flow.buffer<196608, host>) -> ()
    %1067 = "flow.view"(%274) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %1068 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.0.variance", offset = 5578752 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%1067, %1068) <{kind = #flow<transfer_kind read>}> {flow.end = 56085683 : i64, flow.start = 55380736 : i64, origin = #flow.origin<"update", "read h.2.decay.0.variance", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %1069 = "flow.view"(%272) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    %1070 = "flow.view"(%222) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    %1071 = "flow.view"(%272) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    "flow.launch"(%1069, %1064, %1068, %1070, %303, %304, %305, %896, %1071, %1064, %1068) <{begin = 0 : i64, end = 49152 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 69594090 : i64, flow.start = 69318836 : i64, origin = #flow.origin<"update", "update h.2.decay.0", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>) -> ()
    %1072 = "flow.view"(%265) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%1015, %1072) <{kind = #flow<transfer_kind write>}> {flow.end = 81145317 : i64, flow.start = 80258885 : i64, origin = #flow.origin<"update", "write h.1.decay.1.variance", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%1015) : (!flow.buffer<196608, host>) -> ()
    %1073 = "flow.view"(%273) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1074 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.0.momentum", offset = 5775360 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1073, %1074) <{kind = #flow<transfer_kind read>}> {flow.end = 56387333 : i64, flow.start = 56085683 : i64, origin = #flow.origin<"update", "read h.2.decay.0.momentum", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1075 = "flow.view"(%274) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1076 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.0.variance", offset = 6103040 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1075, %1076) <{kind = #flow<transfer_kind read>}> {flow.end = 56688982 : i64, flow.start = 56387333 : i64, origin = #flow.origin<"update", "read h.2.decay.0.variance", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1077 = "flow.view"(%272) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    %1078 = "flow.view"(%222) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    %1079 = "flow.view"(%272) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    "flow.launch"(%1077, %1074, %1076, %1078, %303, %304, %305, %896, %1079, %1074, %1076) <{begin = 0 : i64, end = 16384 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 69685841 : i64, flow.start = 69594090 : i64, origin = #flow.origin<"update", "update h.2.decay.0", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>) -> ()
    %1080 = "flow.view"(%264) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%1021, %1080) <{kind = #flow<transfer_kind write>}> {flow.end = 81507461 : i64, flow.start = 81145317 : i64, origin = #flow.origin<"update", "write h.1.decay.1.momentum", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%1021) : (!flow.buffer<65536, host>) -> ()
    %1081 = "flow.view"(%276) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %1082 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.1.momentum", offset = 4399104 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%1081, %1082) <{kind = #flow<transfer_kind read>}> {flow.end = 57393929 : i64, flow.start = 56688982 : i64, origin = #flow.origin<"update", "read h.2.decay.1.momentum", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %1083 = "flow.view"(%265) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%1023, %1083) <{kind = #flow<transfer_kind write>}> {flow.end = 81869605 : i64, flow.start = 81507461 : i64, origin = #flow.origin<"update", "write h.1.decay.1.variance", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%1023) : (!flow.buffer<65536, host>) -> ()
    %1084 = "flow.view"(%267) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%1029, %1084) <{kind = #flow<transfer_kind write>}> {flow.end = 82756037 : i64, flow.start = 81869605 : i64, origin = #flow.origin<"update", "write h.1.decay.2.momentum", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%1029) : (!flow.buffer<196608, host>) -> ()
    %1085 = "flow.view"(%277) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %1086 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.1.variance", offset = 4595712 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%1085, %1086) <{kind = #flow<transfer_kind read>}> {flow.end = 58098877 : i64, flow.start = 57393929 : i64, origin = #flow.origin<"update", "read h.2.decay.1.variance", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %1087 = "flow.view"(%275) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    %1088 = "flow.view"(%221) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    %1089 = "flow.view"(%275) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    "flow.launch"(%1087, %1082, %1086, %1088, %303, %304, %305, %896, %1089, %1082, %1086) <{begin = 0 : i64, end = 49152 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 69961095 : i64, flow.start = 69685841 : i64, origin = #flow.origin<"update", "update h.2.decay.1", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>) -> ()
    %1090 = "flow.view"(%268) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%1033, %1090) <{kind = #flow<transfer_kind write>}> {flow.end = 83642469 : i64, flow.start = 82756037 : i64, origin = #flow.origin<"update", "write h.1.decay.2.variance", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%1033) : (!flow.buffer<196608, host>) -> ()
    %1091 = "flow.view"(%276) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1092 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.1.momentum", offset = 5840896 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1091, %1092) <{kind = #flow<transfer_kind read>}> {flow.end = 58400526 : i64, flow.start = 58098877 : i64, origin = #flow.origin<"update", "read h.2.decay.1.momentum", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1093 = "flow.view"(%277) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1094 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.1.variance", offset = 5906432 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1093, %1094) <{kind = #flow<transfer_kind read>}> {flow.end = 58702176 : i64, flow.start = 58400526 : i64, origin = #flow.origin<"update", "read h.2.decay.1.variance", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1095 = "flow.view"(%275) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    %1096 = "flow.view"(%221) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    %1097 = "flow.view"(%275) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    "flow.launch"(%1095, %1092, %1094, %1096, %303, %304, %305, %896, %1097, %1092, %1094) <{begin = 0 : i64, end = 16384 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 70052846 : i64, flow.start = 69961095 : i64, origin = #flow.origin<"update", "update h.2.decay.1", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>) -> ()
    %1098 = "flow.view"(%267) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%1039, %1098) <{kind = #flow<transfer_kind write>}> {flow.end = 84004613 : i64, flow.start = 83642469 : i64, origin = #flow.origin<"update", "write h.1.decay.2.momentum", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%1039) : (!flow.buffer<65536, host>) -> ()
    %1099 = "flow.view"(%279) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %1100 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.2.momentum", offset = 4792320 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%1099, %1100) <{kind = #flow<transfer_kind read>}> {flow.end = 59407123 : i64, flow.start = 58702176 : i64, origin = #flow.origin<"update", "read h.2.decay.2.momentum", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %1101 = "flow.view"(%268) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%1041, %1101) <{kind = #flow<transfer_kind write>}> {flow.end = 84366757 : i64, flow.start = 84004613 : i64, origin = #flow.origin<"update", "write h.1.decay.2.variance", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%1041) : (!flow.buffer<65536, host>) -> ()
    "flow.transfer"(%1049, %270) <{kind = #flow<transfer_kind write>}> {flow.end = 84483141 : i64, flow.start = 84366757 : i64, origin = #flow.origin<"update", "write h.2.no_decay.0.momentum", update>} : (!flow.buffer<4096, host>, !flow.buffer<4096, nvme>) -> ()
    "flow.release"(%1049) : (!flow.buffer<4096, host>) -> ()
    %1102 = "flow.view"(%280) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %1103 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.2.variance", offset = 4988928 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%1102, %1103) <{kind = #flow<transfer_kind read>}> {flow.end = 60112071 : i64, flow.start = 59407123 : i64, origin = #flow.origin<"update", "read h.2.decay.2.variance", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    "flow.transfer"(%1060, %271) <{kind = #flow<transfer_kind write>}> {flow.end = 84599525 : i64, flow.start = 84483141 : i64, origin = #flow.origin<"update", "write h.2.no_decay.0.variance", update>} : (!flow.buffer<4096, host>, !flow.buffer<4096, nvme>) -> ()
    "flow.release"(%1060) : (!flow.buffer<4096, host>) -> ()
    %1104 = "flow.view"(%273) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%1064, %1104) <{kind = #flow<transfer_kind write>}> {flow.end = 85485957 : i64, flow.start = 84599525 : i64, origin = #flow.origin<"update", "write h.2.decay.0.momentum", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%1064) : (!flow.buffer<196608, host>) -> ()
    %1105 = "flow.view"(%274) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%1068, %1105) <{kind = #flow<transfer_kind write>}> {flow.end = 86372389 : i64, flow.start = 85485957 : i64, origin = #flow.origin<"update", "write h.2.decay.0.variance", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%1068) : (!flow.buffer<196608, host>) -> ()
    %1106 = "flow.view"(%220) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %1107 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.2.gradient.0", offset = 5185536 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%1106, %1107) <{kind = #flow<transfer_kind read>}> {flow.end = 60817019 : i64, flow.start = 60112071 : i64, origin = #flow.origin<"update", "read h.2.decay.2.gradient.0", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %1108 = "flow.view"(%278) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    %1109 = "flow.view"(%278) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    "flow.launch"(%1108, %1100, %1103, %1107, %303, %304, %305, %896, %1109, %1100, %1103) <{begin = 0 : i64, end = 49152 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 70328099 : i64, flow.start = 70052846 : i64, origin = #flow.origin<"update", "update h.2.decay.2", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>) -> ()
    "flow.release"(%1107) : (!flow.buffer<196608, host>) -> ()
    %1110 = "flow.view"(%273) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%1074, %1110) <{kind = #flow<transfer_kind write>}> {flow.end = 86734533 : i64, flow.start = 86372389 : i64, origin = #flow.origin<"update", "write h.2.decay.0.momentum", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%1074) : (!flow.buffer<65536, host>) -> ()
    %1111 = "flow.view"(%279) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1112 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.2.momentum", offset = 5382144 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1111, %1112) <{kind = #flow<transfer_kind read>}> {flow.end = 61118668 : i64, flow.start = 60817019 : i64, origin = #flow.origin<"update", "read h.2.decay.2.momentum", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1113 = "flow.view"(%280) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1114 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.2.variance", offset = 5447680 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1113, %1114) <{kind = #flow<transfer_kind read>}> {flow.end = 61420317 : i64, flow.start = 61118668 : i64, origin = #flow.origin<"update", "read h.2.decay.2.variance", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1115 = "flow.view"(%274) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%1076, %1115) <{kind = #flow<transfer_kind write>}> {flow.end = 87096677 : i64, flow.start = 86734533 : i64, origin = #flow.origin<"update", "write h.2.decay.0.variance", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%1076) : (!flow.buffer<65536, host>) -> ()
    %1116 = "flow.view"(%220) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1117 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.2.gradient.0", offset = 5185536 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1116, %1117) <{kind = #flow<transfer_kind read>}> {flow.end = 61721966 : i64, flow.start = 61420317 : i64, origin = #flow.origin<"update", "read h.2.decay.2.gradient.0", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1118 = "flow.view"(%276) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%1082, %1118) <{kind = #flow<transfer_kind write>}> {flow.end = 87983109 : i64, flow.start = 87096677 : i64, origin = #flow.origin<"update", "write h.2.decay.1.momentum", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%1082) : (!flow.buffer<196608, host>) -> ()
    %1119 = "flow.view"(%278) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    %1120 = "flow.view"(%278) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    "flow.launch"(%1119, %1112, %1114, %1117, %303, %304, %305, %896, %1120, %1112, %1114) <{begin = 0 : i64, end = 16384 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 70419851 : i64, flow.start = 70328099 : i64, origin = #flow.origin<"update", "update h.2.decay.2", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>) -> ()
    "flow.release"(%1117) : (!flow.buffer<65536, host>) -> ()
    %1121 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.no_decay.0.momentum", offset = 5185536 : i64}> : () -> !flow.buffer<4096, host>
    "flow.transfer"(%282, %1121) <{kind = #flow<transfer_kind read>}> {flow.end = 61834569 : i64, flow.start = 61721966 : i64, origin = #flow.origin<"update", "read h.3.no_decay.0.momentum", update>} : (!flow.buffer<4096, nvme>, !flow.buffer<4096, host>) -> ()
    %1122 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.no_decay.0.momentum", offset = 1404928 : i64}> : () -> !flow.buffer<4096, device>
    "flow.transfer"(%1121, %1122) <{kind = #flow<transfer_kind upload>}> {flow.end = 68899267 : i64, flow.start = 68898858 : i64, origin = #flow.origin<"update", "upload h.3.no_decay.0.momentum", update>} : (!flow.buffer<4096, host>, !flow.buffer<4096, device>) -> ()
    "flow.release"(%1121) : (!flow.buffer<4096, host>) -> ()
    %1123 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.no_decay.0.variance", offset = 5185536 : i64}> : () -> !flow.buffer<4096, host>
    "flow.transfer"(%283, %1123) <{kind = #flow<transfer_kind read>}> {flow.end = 61947173 : i64, flow.start = 61834569 : i64, origin = #flow.origin<"update", "read h.3.no_decay.0.variance", update>} : (!flow.buffer<4096, nvme>, !flow.buffer<4096, host>) -> ()
    %1124 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.no_decay.0.variance", offset = 1409024 : i64}> : () -> !flow.buffer<4096, device>
    "flow.transfer"(%1123, %1124) <{kind = #flow<transfer_kind upload>}> {flow.end = 68899677 : i64, flow.start = 68899267 : i64, origin = #flow.origin<"update", "upload h.3.no_decay.0.variance", update>} : (!flow.buffer<4096, host>, !flow.buffer<4096, device>) -> ()
    "flow.release"(%1123) : (!flow.buffer<4096, host>) -> ()
    %1125 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.no_decay.0.momentum", offset = 5513216 : i64}> : () -> !flow.buffer<4096, host>
    "flow.transfer"(%282, %1125) <{kind = #flow<transfer_kind read>}> {flow.end = 62059776 : i64, flow.start = 61947173 : i64, origin = #flow.origin<"update", "read h.3.no_decay.0.momentum", update>} : (!flow.buffer<4096, nvme>, !flow.buffer<4096, host>) -> ()
    %1126 = "flow.view"(%281) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %1127 = "flow.view"(%1122) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %1128 = "flow.view"(%1124) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %1129 = "flow.view"(%219) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %1130 = "flow.view"(%281) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %1131 = "flow.view"(%1122) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %1132 = "flow.view"(%1124) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    "flow.launch"(%1126, %1127, %1128, %1129, %798, %799, %800, %888, %1130, %1131, %1132) <{begin = 0 : i64, end = 832 : i64, kernel = @map_01a800a21e, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 69396337 : i64, flow.start = 69394006 : i64, origin = #flow.origin<"update", "update h.3.no_decay.0", update>} : (!flow.buffer<3328, device>, !flow.buffer<3328, device>, !flow.buffer<3328, device>, !flow.buffer<3328, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<4, device>, !flow.buffer<3328, device>, !flow.buffer<3328, device>, !flow.buffer<3328, device>) -> ()
    "flow.release"(%888) : (!flow.buffer<4, device>) -> ()
    "flow.release"(%800) : (!flow.buffer<4, device>) -> ()
    "flow.release"(%799) : (!flow.buffer<4, device>) -> ()
    "flow.release"(%798) : (!flow.buffer<4, device>) -> ()
    %1133 = "flow.view"(%1122) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %1134 = "flow.view"(%1125) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, host>) -> !flow.buffer<3328, host>
    "flow.transfer"(%1133, %1134) <{kind = #flow<transfer_kind offload>}> {flow.end = 69405781 : i64, flow.start = 69405448 : i64, origin = #flow.origin<"update", "offload h.3.no_decay.0.momentum", update>} : (!flow.buffer<3328, device>, !flow.buffer<3328, host>) -> ()
    "flow.release"(%1122) : (!flow.buffer<4096, device>) -> ()
    %1135 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.no_decay.0.variance", offset = 5517312 : i64}> : () -> !flow.buffer<4096, host>
    "flow.transfer"(%283, %1135) <{kind = #flow<transfer_kind read>}> {flow.end = 62172379 : i64, flow.start = 62059776 : i64, origin = #flow.origin<"update", "read h.3.no_decay.0.variance", update>} : (!flow.buffer<4096, nvme>, !flow.buffer<4096, host>) -> ()
    %1136 = "flow.view"(%1124) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<3328, device>
    %1137 = "flow.view"(%1135) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, host>) -> !flow.buffer<3328, host>
    "flow.transfer"(%1136, %1137) <{kind = #flow<transfer_kind offload>}> {flow.end = 69406113 : i64, flow.start = 69405781 : i64, origin = #flow.origin<"update", "offload h.3.no_decay.0.variance", update>} : (!flow.buffer<3328, device>, !flow.buffer<3328, host>) -> ()
    "flow.release"(%1124) : (!flow.buffer<4096, device>) -> ()
    %1138 = "flow.view"(%285) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %1139 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.0.momentum", offset = 5185536 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%1138, %1139) <{kind = #flow<transfer_kind read>}> {flow.end = 62877326 : i64, flow.start = 62172379 : i64, origin = #flow.origin<"update", "read h.3.decay.0.momentum", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %1140 = "flow.view"(%277) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%1086, %1140) <{kind = #flow<transfer_kind write>}> {flow.end = 88869541 : i64, flow.start = 87983109 : i64, origin = #flow.origin<"update", "write h.2.decay.1.variance", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%1086) : (!flow.buffer<196608, host>) -> ()
    %1141 = "flow.view"(%286) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %1142 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.0.variance", offset = 5521408 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%1141, %1142) <{kind = #flow<transfer_kind read>}> {flow.end = 63582274 : i64, flow.start = 62877326 : i64, origin = #flow.origin<"update", "read h.3.decay.0.variance", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %1143 = "flow.view"(%276) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%1092, %1143) <{kind = #flow<transfer_kind write>}> {flow.end = 89231685 : i64, flow.start = 88869541 : i64, origin = #flow.origin<"update", "write h.2.decay.1.momentum", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%1092) : (!flow.buffer<65536, host>) -> ()
    %1144 = "flow.view"(%218) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %1145 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.0.gradient.0", offset = 4399104 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%1144, %1145) <{kind = #flow<transfer_kind read>}> {flow.end = 64287222 : i64, flow.start = 63582274 : i64, origin = #flow.origin<"update", "read h.3.decay.0.gradient.0", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %1146 = "flow.view"(%277) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%1094, %1146) <{kind = #flow<transfer_kind write>}> {flow.end = 89593829 : i64, flow.start = 89231685 : i64, origin = #flow.origin<"update", "write h.2.decay.1.variance", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%1094) : (!flow.buffer<65536, host>) -> ()
    %1147 = "flow.view"(%279) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%1100, %1147) <{kind = #flow<transfer_kind write>}> {flow.end = 90480261 : i64, flow.start = 89593829 : i64, origin = #flow.origin<"update", "write h.2.decay.2.momentum", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%1100) : (!flow.buffer<196608, host>) -> ()
    %1148 = "flow.view"(%284) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    %1149 = "flow.view"(%284) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    "flow.launch"(%1148, %1139, %1142, %1145, %303, %304, %305, %896, %1149, %1139, %1142) <{begin = 0 : i64, end = 49152 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 70695104 : i64, flow.start = 70419851 : i64, origin = #flow.origin<"update", "update h.3.decay.0", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>) -> ()
    "flow.release"(%1145) : (!flow.buffer<196608, host>) -> ()
    %1150 = "flow.view"(%285) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1151 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.0.momentum", offset = 5718016 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1150, %1151) <{kind = #flow<transfer_kind read>}> {flow.end = 64588871 : i64, flow.start = 64287222 : i64, origin = #flow.origin<"update", "read h.3.decay.0.momentum", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1152 = "flow.view"(%286) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1153 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.0.variance", offset = 5783552 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1152, %1153) <{kind = #flow<transfer_kind read>}> {flow.end = 64890520 : i64, flow.start = 64588871 : i64, origin = #flow.origin<"update", "read h.3.decay.0.variance", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1154 = "flow.view"(%218) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1155 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.0.gradient.0", offset = 4399104 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1154, %1155) <{kind = #flow<transfer_kind read>}> {flow.end = 65192169 : i64, flow.start = 64890520 : i64, origin = #flow.origin<"update", "read h.3.decay.0.gradient.0", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1156 = "flow.view"(%280) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%1103, %1156) <{kind = #flow<transfer_kind write>}> {flow.end = 91366693 : i64, flow.start = 90480261 : i64, origin = #flow.origin<"update", "write h.2.decay.2.variance", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%1103) : (!flow.buffer<196608, host>) -> ()
    %1157 = "flow.view"(%284) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    %1158 = "flow.view"(%284) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    "flow.launch"(%1157, %1151, %1153, %1155, %303, %304, %305, %896, %1158, %1151, %1153) <{begin = 0 : i64, end = 16384 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 70786855 : i64, flow.start = 70695104 : i64, origin = #flow.origin<"update", "update h.3.decay.0", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>) -> ()
    "flow.release"(%1155) : (!flow.buffer<65536, host>) -> ()
    %1159 = "flow.view"(%288) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %1160 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.1.momentum", offset = 4399104 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%1159, %1160) <{kind = #flow<transfer_kind read>}> {flow.end = 65897117 : i64, flow.start = 65192169 : i64, origin = #flow.origin<"update", "read h.3.decay.1.momentum", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %1161 = "flow.view"(%279) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%1112, %1161) <{kind = #flow<transfer_kind write>}> {flow.end = 91728837 : i64, flow.start = 91366693 : i64, origin = #flow.origin<"update", "write h.2.decay.2.momentum", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%1112) : (!flow.buffer<65536, host>) -> ()
    %1162 = "flow.view"(%289) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %1163 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.1.variance", offset = 4595712 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%1162, %1163) <{kind = #flow<transfer_kind read>}> {flow.end = 66602065 : i64, flow.start = 65897117 : i64, origin = #flow.origin<"update", "read h.3.decay.1.variance", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %1164 = "flow.view"(%280) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%1114, %1164) <{kind = #flow<transfer_kind write>}> {flow.end = 92090981 : i64, flow.start = 91728837 : i64, origin = #flow.origin<"update", "write h.2.decay.2.variance", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%1114) : (!flow.buffer<65536, host>) -> ()
    "flow.transfer"(%1125, %282) <{kind = #flow<transfer_kind write>}> {flow.end = 92207365 : i64, flow.start = 92090981 : i64, origin = #flow.origin<"update", "write h.3.no_decay.0.momentum", update>} : (!flow.buffer<4096, host>, !flow.buffer<4096, nvme>) -> ()
    "flow.release"(%1125) : (!flow.buffer<4096, host>) -> ()
    %1165 = "flow.view"(%217) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %1166 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.1.gradient.0", offset = 4792320 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%1165, %1166) <{kind = #flow<transfer_kind read>}> {flow.end = 67307013 : i64, flow.start = 66602065 : i64, origin = #flow.origin<"update", "read h.3.decay.1.gradient.0", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    "flow.transfer"(%1135, %283) <{kind = #flow<transfer_kind write>}> {flow.end = 92323749 : i64, flow.start = 92207365 : i64, origin = #flow.origin<"update", "write h.3.no_decay.0.variance", update>} : (!flow.buffer<4096, host>, !flow.buffer<4096, nvme>) -> ()
    "flow.release"(%1135) : (!flow.buffer<4096, host>) -> ()
    %1167 = "flow.view"(%285) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%1139, %1167) <{kind = #flow<transfer_kind write>}> {flow.end = 93210181 : i64, flow.start = 92323749 : i64, origin = #flow.origin<"update", "write h.3.decay.0.momentum", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%1139) : (!flow.buffer<196608, host>) -> ()
    %1168 = "flow.view"(%287) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    %1169 = "flow.view"(%287) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    "flow.launch"(%1168, %1160, %1163, %1166, %303, %304, %305, %896, %1169, %1160, %1163) <{begin = 0 : i64, end = 49152 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 71062109 : i64, flow.start = 70786855 : i64, origin = #flow.origin<"update", "update h.3.decay.1", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>) -> ()
    "flow.release"(%1166) : (!flow.buffer<196608, host>) -> ()
    %1170 = "flow.view"(%288) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1171 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.1.momentum", offset = 5382144 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1170, %1171) <{kind = #flow<transfer_kind read>}> {flow.end = 67608662 : i64, flow.start = 67307013 : i64, origin = #flow.origin<"update", "read h.3.decay.1.momentum", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1172 = "flow.view"(%289) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1173 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.1.variance", offset = 5849088 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1172, %1173) <{kind = #flow<transfer_kind read>}> {flow.end = 67910311 : i64, flow.start = 67608662 : i64, origin = #flow.origin<"update", "read h.3.decay.1.variance", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1174 = "flow.view"(%286) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%1142, %1174) <{kind = #flow<transfer_kind write>}> {flow.end = 94096613 : i64, flow.start = 93210181 : i64, origin = #flow.origin<"update", "write h.3.decay.0.variance", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%1142) : (!flow.buffer<196608, host>) -> ()
    %1175 = "flow.view"(%217) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1176 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.1.gradient.0", offset = 4792320 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1175, %1176) <{kind = #flow<transfer_kind read>}> {flow.end = 68211960 : i64, flow.start = 67910311 : i64, origin = #flow.origin<"update", "read h.3.decay.1.gradient.0", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1177 = "flow.view"(%287) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    %1178 = "flow.view"(%287) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    "flow.launch"(%1177, %1171, %1173, %1176, %303, %304, %305, %896, %1178, %1171, %1173) <{begin = 0 : i64, end = 16384 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 71153860 : i64, flow.start = 71062109 : i64, origin = #flow.origin<"update", "update h.3.decay.1", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>) -> ()
    "flow.release"(%1176) : (!flow.buffer<65536, host>) -> ()
    %1179 = "flow.view"(%291) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %1180 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.2.momentum", offset = 4792320 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%1179, %1180) <{kind = #flow<transfer_kind read>}> {flow.end = 68916908 : i64, flow.start = 68211960 : i64, origin = #flow.origin<"update", "read h.3.decay.2.momentum", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %1181 = "flow.view"(%285) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%1151, %1181) <{kind = #flow<transfer_kind write>}> {flow.end = 94458757 : i64, flow.start = 94096613 : i64, origin = #flow.origin<"update", "write h.3.decay.0.momentum", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%1151) : (!flow.buffer<65536, host>) -> ()
    %1182 = "flow.view"(%286) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%1153, %1182) <{kind = #flow<transfer_kind write>}> {flow.end = 94820901 : i64, flow.start = 94458757 : i64, origin = #flow.origin<"update", "write h.3.decay.0.variance", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%1153) : (!flow.buffer<65536, host>) -> ()
    %1183 = "flow.view"(%292) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %1184 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.2.variance", offset = 4988928 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%1183, %1184) <{kind = #flow<transfer_kind read>}> {flow.end = 69621856 : i64, flow.start = 68916908 : i64, origin = #flow.origin<"update", "read h.3.decay.2.variance", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %1185 = "flow.view"(%288) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%1160, %1185) <{kind = #flow<transfer_kind write>}> {flow.end = 95707333 : i64, flow.start = 94820901 : i64, origin = #flow.origin<"update", "write h.3.decay.1.momentum", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%1160) : (!flow.buffer<196608, host>) -> ()
    %1186 = "flow.view"(%216) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    %1187 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.2.gradient.0", offset = 5185536 : i64}> : () -> !flow.buffer<196608, host>
    "flow.transfer"(%1186, %1187) <{kind = #flow<transfer_kind read>}> {flow.end = 70326803 : i64, flow.start = 69621856 : i64, origin = #flow.origin<"update", "read h.3.decay.2.gradient.0", update>} : (!flow.buffer<196608, nvme>, !flow.buffer<196608, host>) -> ()
    %1188 = "flow.view"(%289) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%1163, %1188) <{kind = #flow<transfer_kind write>}> {flow.end = 96593765 : i64, flow.start = 95707333 : i64, origin = #flow.origin<"update", "write h.3.decay.1.variance", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%1163) : (!flow.buffer<196608, host>) -> ()
    %1189 = "flow.view"(%290) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    %1190 = "flow.view"(%290) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<196608, host>
    "flow.launch"(%1189, %1180, %1184, %1187, %303, %304, %305, %896, %1190, %1180, %1184) <{begin = 0 : i64, end = 49152 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 71429114 : i64, flow.start = 71153860 : i64, origin = #flow.origin<"update", "update h.3.decay.2", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>, !flow.buffer<196608, host>) -> ()
    "flow.release"(%1187) : (!flow.buffer<196608, host>) -> ()
    %1191 = "flow.view"(%291) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1192 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.2.momentum", offset = 5185536 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1191, %1192) <{kind = #flow<transfer_kind read>}> {flow.end = 70628453 : i64, flow.start = 70326803 : i64, origin = #flow.origin<"update", "read h.3.decay.2.momentum", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1193 = "flow.view"(%292) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1194 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.2.variance", offset = 5251072 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1193, %1194) <{kind = #flow<transfer_kind read>}> {flow.end = 70930102 : i64, flow.start = 70628453 : i64, origin = #flow.origin<"update", "read h.3.decay.2.variance", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1195 = "flow.view"(%216) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    %1196 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.2.gradient.0", offset = 5316608 : i64}> : () -> !flow.buffer<65536, host>
    "flow.transfer"(%1195, %1196) <{kind = #flow<transfer_kind read>}> {flow.end = 71231751 : i64, flow.start = 70930102 : i64, origin = #flow.origin<"update", "read h.3.decay.2.gradient.0", update>} : (!flow.buffer<65536, nvme>, !flow.buffer<65536, host>) -> ()
    %1197 = "flow.view"(%288) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%1171, %1197) <{kind = #flow<transfer_kind write>}> {flow.end = 96955909 : i64, flow.start = 96593765 : i64, origin = #flow.origin<"update", "write h.3.decay.1.momentum", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%1171) : (!flow.buffer<65536, host>) -> ()
    %1198 = "flow.view"(%290) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    %1199 = "flow.view"(%290) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, host>) -> !flow.buffer<65536, host>
    "flow.launch"(%1198, %1192, %1194, %1196, %303, %304, %305, %896, %1199, %1192, %1194) <{begin = 0 : i64, end = 16384 : i64, kernel = @map_5ee22854cc, operandSegmentSizes = array<i32: 8, 3, 0>}> {flow.end = 71520865 : i64, flow.start = 71429114 : i64, origin = #flow.origin<"update", "update h.3.decay.2", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<4, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>, !flow.buffer<65536, host>) -> ()
    "flow.release"(%1196) : (!flow.buffer<65536, host>) -> ()
    "flow.release"(%896) : (!flow.buffer<4, host>) -> ()
    "flow.release"(%305) : (!flow.buffer<4, host>) -> ()
    "flow.release"(%304) : (!flow.buffer<4, host>) -> ()
    "flow.release"(%303) : (!flow.buffer<4, host>) -> ()
    %1200 = "flow.view"(%289) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%1173, %1200) <{kind = #flow<transfer_kind write>}> {flow.end = 97318053 : i64, flow.start = 96955909 : i64, origin = #flow.origin<"update", "write h.3.decay.1.variance", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%1173) : (!flow.buffer<65536, host>) -> ()
    %1201 = "flow.view"(%291) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%1180, %1201) <{kind = #flow<transfer_kind write>}> {flow.end = 98204485 : i64, flow.start = 97318053 : i64, origin = #flow.origin<"update", "write h.3.decay.2.momentum", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%1180) : (!flow.buffer<196608, host>) -> ()
    %1202 = "flow.view"(%292) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<196608, nvme>
    "flow.transfer"(%1184, %1202) <{kind = #flow<transfer_kind write>}> {flow.end = 99090917 : i64, flow.start = 98204485 : i64, origin = #flow.origin<"update", "write h.3.decay.2.variance", update>} : (!flow.buffer<196608, host>, !flow.buffer<196608, nvme>) -> ()
    "flow.release"(%1184) : (!flow.buffer<196608, host>) -> ()
    %1203 = "flow.view"(%291) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%1192, %1203) <{kind = #flow<transfer_kind write>}> {flow.end = 99453061 : i64, flow.start = 99090917 : i64, origin = #flow.origin<"update", "write h.3.decay.2.momentum", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%1192) : (!flow.buffer<65536, host>) -> ()
    %1204 = "flow.view"(%292) <{offset = 196608 : i64, stride = 0 : i64}> : (!flow.buffer<262144, nvme>) -> !flow.buffer<65536, nvme>
    "flow.transfer"(%1194, %1204) <{kind = #flow<transfer_kind write>}> {flow.end = 99815205 : i64, flow.start = 99453061 : i64, origin = #flow.origin<"update", "write h.3.decay.2.variance", update>} : (!flow.buffer<65536, host>, !flow.buffer<65536, nvme>) -> ()
    "flow.release"(%1194) : (!flow.buffer<65536, host>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>, sym_name = "map_e2ede67cd7", sym_visibility = "private"}> ({
  ^bb0(%arg24: tensor<128xf32>, %arg25: tensor<128xf32>):
    %213 = "graph.map"(%arg24, %arg25) <{maps = [#map10, #map10]}> ({
    ^bb0(%arg26: f32, %arg27: f32):
      %214 = "arith.addf"(%arg26, %arg27) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "graph.yield"(%214) : (f32) -> ()
    }) : (tensor<128xf32>, tensor<128xf32>) -> tensor<128xf32>
    "func.return"(%213) : (tensor<128xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<65536xf32>, tensor<65536xf32>) -> tensor<65536xf32>, sym_name = "map_ece6c0aae5", sym_visibility = "private"}> ({
  ^bb0(%arg20: tensor<65536xf32>, %arg21: tensor<65536xf32>):
    %211 = "graph.map"(%arg20, %arg21) <{maps = [#map10, #map10]}> ({
    ^bb0(%arg22: f32, %arg23: f32):
      %212 = "arith.addf"(%arg22, %arg23) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "graph.yield"(%212) : (f32) -> ()
    }) : (tensor<65536xf32>, tensor<65536xf32>) -> tensor<65536xf32>
    "func.return"(%211) : (tensor<65536xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<832xf32>, tensor<832xf32>) -> tensor<832xf32>, sym_name = "map_be68dd71bc", sym_visibility = "private"}> ({
  ^bb0(%arg16: tensor<832xf32>, %arg17: tensor<832xf32>):
    %209 = "graph.map"(%arg16, %arg17) <{maps = [#map10, #map10]}> ({
    ^bb0(%arg18: f32, %arg19: f32):
      %210 = "arith.addf"(%arg18, %arg19) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "graph.yield"(%210) : (f32) -> ()
    }) : (tensor<832xf32>, tensor<832xf32>) -> tensor<832xf32>
    "func.return"(%209) : (tensor<832xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>, sym_name = "map_5ff1e1a1a9", sym_visibility = "private"}> ({
  ^bb0(%arg12: tensor<8192xf32>, %arg13: tensor<8192xf32>):
    %207 = "graph.map"(%arg12, %arg13) <{maps = [#map10, #map10]}> ({
    ^bb0(%arg14: f32, %arg15: f32):
      %208 = "arith.addf"(%arg14, %arg15) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "graph.yield"(%208) : (f32) -> ()
    }) : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32>
    "func.return"(%207) : (tensor<8192xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = () -> tensor<1024xf32>, sym_name = "map_507489e1d0", sym_visibility = "private"}> ({
    %205 = "graph.map"() <{maps = []}> ({
      %206 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
      "graph.yield"(%206) : (f32) -> ()
    }) : () -> tensor<1024xf32>
    "func.return"(%205) : (tensor<1024xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<128xf32>) -> tensor<f64>, sym_name = "reduce_fda4dc1a8a", sym_visibility = "private"}> ({
  ^bb0(%arg10: tensor<128xf32>):
    %202 = "graph.reduce"(%arg10) <{combine = #graph<combine sum>, dims = array<i64: 0>, maps = [#map10]}> ({
    ^bb0(%arg11: f32):
      %203 = "arith.extf"(%arg11) : (f32) -> f64
      %204 = "arith.mulf"(%203, %203) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "graph.yield"(%204) : (f64) -> ()
    }) : (tensor<128xf32>) -> tensor<f64>
    "func.return"(%202) : (tensor<f64>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<8192xf32>) -> tensor<f64>, sym_name = "reduce_8425ee9f63", sym_visibility = "private"}> ({
  ^bb0(%arg8: tensor<8192xf32>):
    %199 = "graph.reduce"(%arg8) <{combine = #graph<combine sum>, dims = array<i64: 0>, maps = [#map10]}> ({
    ^bb0(%arg9: f32):
      %200 = "arith.extf"(%arg9) : (f32) -> f64
      %201 = "arith.mulf"(%200, %200) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "graph.yield"(%201) : (f64) -> ()
    }) : (tensor<8192xf32>) -> tensor<f64>
    "func.return"(%199) : (tensor<f64>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<16384xf32>) -> tensor<f64>, sym_name = "reduce_b1b5c48b11", sym_visibility = "private"}> ({
  ^bb0(%arg6: tensor<16384xf32>):
    %196 = "graph.reduce"(%arg6) <{combine = #graph<combine sum>, dims = array<i64: 0>, maps = [#map10]}> ({
    ^bb0(%arg7: f32):
      %197 = "arith.extf"(%arg7) : (f32) -> f64
      %198 = "arith.mulf"(%197, %197) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "graph.yield"(%198) : (f64) -> ()
    }) : (tensor<16384xf32>) -> tensor<f64>
    "func.return"(%196) : (tensor<f64>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<832xf32>) -> tensor<f64>, sym_name = "reduce_0639027761", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<832xf32>):
    %193 = "graph.reduce"(%arg4) <{combine = #graph<combine sum>, dims = array<i64: 0>, maps = [#map10]}> ({
    ^bb0(%arg5: f32):
      %194 = "arith.extf"(%arg5) : (f32) -> f64
      %195 = "arith.mulf"(%194, %194) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "graph.yield"(%195) : (f64) -> ()
    }) : (tensor<832xf32>) -> tensor<f64>
    "func.return"(%193) : (tensor<f64>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<49152xf32>) -> tensor<f64>, sym_name = "reduce_011562fc87", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<49152xf32>):
    %190 = "graph.reduce"(%arg2) <{combine = #graph<combine sum>, dims = array<i64: 0>, maps = [#map10]}> ({
    ^bb0(%arg3: f32):
      %191 = "arith.extf"(%arg3) : (f32) -> f64
      %192 = "arith.mulf"(%191, %191) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "graph.yield"(%192) : (f64) -> ()
    }) : (tensor<49152xf32>) -> tensor<f64>
    "func.return"(%190) : (tensor<f64>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = (tensor<65536xf32>) -> tensor<f64>, sym_name = "reduce_575b9031df", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<65536xf32>):
    %187 = "graph.reduce"(%arg0) <{combine = #graph<combine sum>, dims = array<i64: 0>, maps = [#map10]}> ({
    ^bb0(%arg1: f32):
      %188 = "arith.extf"(%arg1) : (f32) -> f64
      %189 = "arith.mulf"(%188, %188) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "graph.yield"(%189) : (f64) -> ()
    }) : (tensor<65536xf32>) -> tensor<f64>
    "func.return"(%187) : (tensor<f64>) -> ()
  }) {dist.kernel} : () -> ()
  "func.func"() <{function_type = () -> tensor<896xf32>, sym_name = "map_49a5fdfe2a", sym_visibility = "private"}> ({
    %185 = "graph.map"() <{maps = []}> ({
      %186 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
      "graph.yield"(%186) : (f32) -> ()
    }) : () -> tensor<896xf32>
    "func.return"(%185) : (tensor<896xf32>) -> ()
  }) {dist.kernel} : () -> ()
  "flow.section"() <{sym_name = "sample"}> ({
    %0 = "flow.use"() <{home = @scratch}> : () -> !flow.buffer<167936, device>
    %1 = "flow.use"() <{home = @h.0.no_decay.0.parameter}> : () -> !flow.buffer<4096, device>
    %2 = "flow.use"() <{home = @h.0.decay.0.parameter}> : () -> !flow.buffer<262144, device>
    %3 = "flow.use"() <{home = @h.0.decay.1.parameter}> : () -> !flow.buffer<262144, device>
    %4 = "flow.use"() <{home = @h.0.decay.2.parameter}> : () -> !flow.buffer<262144, device>
    %5 = "flow.use"() <{home = @h.1.no_decay.0.parameter}> : () -> !flow.buffer<4096, device>
    %6 = "flow.use"() <{home = @h.1.decay.0.parameter}> : () -> !flow.buffer<262144, device>
    %7 = "flow.use"() <{home = @h.1.decay.1.parameter}> : () -> !flow.buffer<262144, host>
    %8 = "flow.use"() <{home = @h.1.decay.2.parameter}> : () -> !flow.buffer<262144, host>
    %9 = "flow.use"() <{home = @h.2.no_decay.0.parameter}> : () -> !flow.buffer<4096, device>
    %10 = "flow.use"() <{home = @h.2.decay.0.parameter}> : () -> !flow.buffer<262144, host>
    %11 = "flow.use"() <{home = @h.2.decay.1.parameter}> : () -> !flow.buffer<262144, host>
    %12 = "flow.use"() <{home = @h.2.decay.2.parameter}> : () -> !flow.buffer<262144, host>
    %13 = "flow.use"() <{home = @h.3.no_decay.0.parameter}> : () -> !flow.buffer<4096, device>
    %14 = "flow.use"() <{home = @h.3.decay.0.parameter}> : () -> !flow.buffer<262144, host>
    %15 = "flow.use"() <{home = @h.3.decay.1.parameter}> : () -> !flow.buffer<262144, host>
    %16 = "flow.use"() <{home = @h.3.decay.2.parameter}> : () -> !flow.buffer<262144, host>
    %17 = "flow.use"() <{home = @decay.1.parameter}> : () -> !flow.buffer<65536, device>
    %18 = "flow.use"() <{home = @decay.0.parameter}> : () -> !flow.buffer<32768, device>
    %19 = "flow.use"() <{home = @no_decay.0.parameter.u0}> : () -> !flow.buffer<4096, device>
    %20 = "flow.alloc"() <{buffer_class = "feed", name = "tokens", offset = 4399104 : i64}> : () -> !flow.buffer<512, host>
    "flow.feed"(%20) <{item = "tokens"}> {flow.end = 1000 : i64, flow.start = 0 : i64, origin = #flow.origin<"", "feed tokens", forward>} : (!flow.buffer<512, host>) -> ()
    %21 = "flow.alloc"() <{buffer_class = "activation", name = "map", offset = 1929216 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%21) <{begin = 0 : i64, end = 1 : i64, kernel = @map_9f1402138c, operandSegmentSizes = array<i32: 0, 1, 0>}> {flow.end = 51 : i64, flow.start = 0 : i64, origin = #flow.origin<"", "map", forward>} : (!flow.buffer<512, device>) -> ()
    %22 = "flow.alloc"() <{buffer_class = "gathered", name = "gather decay.1", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%17, %22) <{piece_bytes = array<i64: 65536>}> {flow.end = 26214 : i64, flow.start = 0 : i64, origin = #flow.origin<"", "gather decay.1", forward>} : (!flow.buffer<65536, device>, !flow.buffer<262144, device>) -> ()
    %23 = "flow.alloc"() <{buffer_class = "feed", name = "tokens", offset = 1929728 : i64}> : () -> !flow.buffer<512, device>
    "flow.transfer"(%20, %23) <{kind = #flow<transfer_kind upload>}> {flow.end = 1051 : i64, flow.start = 1000 : i64, origin = #flow.origin<"", "upload tokens", forward>} : (!flow.buffer<512, host>, !flow.buffer<512, device>) -> ()
    "flow.release"(%20) : (!flow.buffer<512, host>) -> ()
    %24 = "flow.alloc"() <{buffer_class = "activation", name = "embedding", offset = 1667072 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%22, %23, %24) <{begin = 0 : i64, end = 128 : i64, kernel = @embedding_0a19201301, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 52480 : i64, flow.start = 26214 : i64, origin = #flow.origin<"", "embedding", forward>} : (!flow.buffer<262144, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%23) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%22) : (!flow.buffer<262144, device>) -> ()
    %25 = "flow.alloc"() <{buffer_class = "gathered", name = "gather decay.0", offset = 1798144 : i64}> : () -> !flow.buffer<131072, device>
    "flow.all_gather"(%18, %25) <{piece_bytes = array<i64: 32768>}> {flow.end = 39321 : i64, flow.start = 26214 : i64, origin = #flow.origin<"", "gather decay.0", forward>} : (!flow.buffer<32768, device>, !flow.buffer<131072, device>) -> ()
    %26 = "flow.alloc"() <{buffer_class = "activation", name = "embedding", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%25, %21, %26) <{begin = 0 : i64, end = 128 : i64, kernel = @embedding_6db0201a46, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 78745 : i64, flow.start = 52480 : i64, origin = #flow.origin<"", "embedding", forward>} : (!flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%25) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%21) : (!flow.buffer<512, device>) -> ()
    %27 = "flow.alloc"() <{buffer_class = "activation", name = "map", offset = 2846720 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%24, %26, %27) <{begin = 0 : i64, end = 128 : i64, kernel = @map_682b30d182, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 118067 : i64, flow.start = 78745 : i64, origin = #flow.origin<"", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%26) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%24) : (!flow.buffer<131072, device>) -> ()
    %28 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather no_decay.0", offset = 3633152 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%1, %28) <{piece_bytes = array<i64: 3328>}> {flow.end = 40652 : i64, flow.start = 39321 : i64, origin = #flow.origin<"h.0", "gather no_decay.0", forward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %29 = "flow.view"(%28) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %30 = "flow.view"(%28) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %31 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 2977792 : i64}> : () -> !flow.buffer<131072, device>
    %32 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 2191360 : i64}> : () -> !flow.buffer<512, device>
    %33 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 2191872 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%27, %29, %30, %31, %32, %33) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 144588 : i64, flow.start = 118067 : i64, origin = #flow.origin<"h.0", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%33) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%32) : (!flow.buffer<512, device>) -> ()
    %34 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.0", offset = 1404928 : i64}> : () -> !flow.buffer<786432, device>
    %35 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.0", offset = 2584576 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%2, %34, %35) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 145510 : i64, flow.start = 40652 : i64, origin = #flow.origin<"h.0", "gather decay.0", forward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    %36 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 2191360 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%31, %34, %36, %0) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 1152143 : i64, flow.start = 145510 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%34) : (!flow.buffer<786432, device>) -> ()
    "flow.release"(%31) : (!flow.buffer<131072, device>) -> ()
    %37 = "flow.view"(%28) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %38 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 1404928 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%36, %37, %38) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 1231093 : i64, flow.start = 1152143 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%36) : (!flow.buffer<393216, device>) -> ()
    %39 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 1798144 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%38, %39) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 1283522 : i64, flow.start = 1231093 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %40 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 2060288 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%38, %40) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 1335951 : i64, flow.start = 1283522 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %41 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 1929216 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%38, %41) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 1388380 : i64, flow.start = 1335951 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%38) : (!flow.buffer<393216, device>) -> ()
    %42 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%39, %40, %42, %0) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 1556152 : i64, flow.start = 1388380 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%40) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%39) : (!flow.buffer<131072, device>) -> ()
    %43 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.softmax", offset = 1667072 : i64}> : () -> !flow.buffer<262144, device>
    %44 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.softmax", offset = 2060288 : i64}> : () -> !flow.buffer<2048, device>
    "flow.launch"(%42, %43, %44) <{begin = 0 : i64, end = 4 : i64, kernel = @softmax_f2e1bf9b2d, operandSegmentSizes = array<i32: 1, 2, 0>}> {flow.end = 1672478 : i64, flow.start = 1556152 : i64, origin = #flow.origin<"h.0", "softmax", forward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%44) : (!flow.buffer<2048, device>) -> ()
    "flow.release"(%42) : (!flow.buffer<262144, device>) -> ()
    %45 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%43, %41, %45, %0) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 1840250 : i64, flow.start = 1672478 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%43) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%41) : (!flow.buffer<131072, device>) -> ()
    %46 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 1536000 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%45, %46) <{begin = 0 : i64, end = 1 : i64, kernel = @map_841b24dfba, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 1866465 : i64, flow.start = 1840250 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%45) : (!flow.buffer<131072, device>) -> ()
    %47 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%46, %35, %47, %0) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_7fee3cc53a, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 2202009 : i64, flow.start = 1866465 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%46) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%35) : (!flow.buffer<262144, device>) -> ()
    %48 = "flow.view"(%28) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %49 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 3502080 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%27, %47, %48, %49) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 2241433 : i64, flow.start = 2202009 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%47) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%27) : (!flow.buffer<131072, device>) -> ()
    %50 = "flow.view"(%28) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %51 = "flow.view"(%28) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %52 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 2977792 : i64}> : () -> !flow.buffer<131072, device>
    %53 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 3108864 : i64}> : () -> !flow.buffer<512, device>
    %54 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.layer_norm", offset = 3109376 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%49, %50, %51, %52, %53, %54) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 2267955 : i64, flow.start = 2241433 : i64, origin = #flow.origin<"h.0", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%54) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%53) : (!flow.buffer<512, device>) -> ()
    %55 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.1", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%3, %55) <{piece_bytes = array<i64: 262144>}> {flow.end = 250368 : i64, flow.start = 145510 : i64, origin = #flow.origin<"h.0", "gather decay.1", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    %56 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 2453504 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%52, %55, %56, %0) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 3610132 : i64, flow.start = 2267955 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%55) : (!flow.buffer<1048576, device>) -> ()
    "flow.release"(%52) : (!flow.buffer<131072, device>) -> ()
    %57 = "flow.view"(%28) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %58 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 2977792 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%56, %57, %58) <{begin = 0 : i64, end = 128 : i64, kernel = @map_5b287d1780, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 3731374 : i64, flow.start = 3610132 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%56) : (!flow.buffer<524288, device>) -> ()
    %59 = "flow.alloc"() <{buffer_class = "gathered", name = "h.0.gather decay.2", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%4, %59) <{piece_bytes = array<i64: 262144>}> {flow.end = 355225 : i64, flow.start = 250368 : i64, origin = #flow.origin<"h.0", "gather decay.2", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    %60 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.matmul", offset = 2453504 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%58, %59, %60, %0) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_9fb005a893, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 5073551 : i64, flow.start = 3731374 : i64, origin = #flow.origin<"h.0", "matmul", forward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%59) : (!flow.buffer<1048576, device>) -> ()
    "flow.release"(%58) : (!flow.buffer<524288, device>) -> ()
    %61 = "flow.view"(%28) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %62 = "flow.alloc"() <{buffer_class = "activation", name = "h.0.map", offset = 2846720 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%49, %60, %61, %62) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 5112975 : i64, flow.start = 5073551 : i64, origin = #flow.origin<"h.0", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%60) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%49) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%28) : (!flow.buffer<13312, device>) -> ()
    %63 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather no_decay.0", offset = 3908608 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%5, %63) <{piece_bytes = array<i64: 3328>}> {flow.end = 356556 : i64, flow.start = 355225 : i64, origin = #flow.origin<"h.1", "gather no_decay.0", forward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %64 = "flow.view"(%63) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %65 = "flow.view"(%63) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %66 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 2977792 : i64}> : () -> !flow.buffer<131072, device>
    %67 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 2191360 : i64}> : () -> !flow.buffer<512, device>
    %68 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 2191872 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%62, %64, %65, %66, %67, %68) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 5139496 : i64, flow.start = 5112975 : i64, origin = #flow.origin<"h.1", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%68) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%67) : (!flow.buffer<512, device>) -> ()
    %69 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.0", offset = 1404928 : i64}> : () -> !flow.buffer<786432, device>
    %70 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.0", offset = 2584576 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%6, %69, %70) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 461414 : i64, flow.start = 356556 : i64, origin = #flow.origin<"h.1", "gather decay.0", forward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    %71 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 2191360 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%66, %69, %71, %0) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 6146129 : i64, flow.start = 5139496 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%69) : (!flow.buffer<786432, device>) -> ()
    "flow.release"(%66) : (!flow.buffer<131072, device>) -> ()
    %72 = "flow.view"(%63) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %73 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 1404928 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%71, %72, %73) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 6225080 : i64, flow.start = 6146129 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%71) : (!flow.buffer<393216, device>) -> ()
    %74 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 1798144 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%73, %74) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 6277509 : i64, flow.start = 6225080 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %75 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 2060288 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%73, %75) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 6329937 : i64, flow.start = 6277509 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %76 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 1929216 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%73, %76) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 6382366 : i64, flow.start = 6329937 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%73) : (!flow.buffer<393216, device>) -> ()
    %77 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%74, %75, %77, %0) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 6550138 : i64, flow.start = 6382366 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%75) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%74) : (!flow.buffer<131072, device>) -> ()
    %78 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.softmax", offset = 1667072 : i64}> : () -> !flow.buffer<262144, device>
    %79 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.softmax", offset = 2060288 : i64}> : () -> !flow.buffer<2048, device>
    "flow.launch"(%77, %78, %79) <{begin = 0 : i64, end = 4 : i64, kernel = @softmax_f2e1bf9b2d, operandSegmentSizes = array<i32: 1, 2, 0>}> {flow.end = 6666465 : i64, flow.start = 6550138 : i64, origin = #flow.origin<"h.1", "softmax", forward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%79) : (!flow.buffer<2048, device>) -> ()
    "flow.release"(%77) : (!flow.buffer<262144, device>) -> ()
    %80 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%78, %76, %80, %0) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 6834237 : i64, flow.start = 6666465 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%78) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%76) : (!flow.buffer<131072, device>) -> ()
    %81 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 1536000 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%80, %81) <{begin = 0 : i64, end = 1 : i64, kernel = @map_841b24dfba, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 6860451 : i64, flow.start = 6834237 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%80) : (!flow.buffer<131072, device>) -> ()
    %82 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%81, %70, %82, %0) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_7fee3cc53a, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 7195996 : i64, flow.start = 6860451 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%81) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%70) : (!flow.buffer<262144, device>) -> ()
    %83 = "flow.view"(%63) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %84 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 3764224 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%62, %82, %83, %84) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 7235420 : i64, flow.start = 7195996 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%82) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%62) : (!flow.buffer<131072, device>) -> ()
    %85 = "flow.view"(%63) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %86 = "flow.view"(%63) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %87 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 2977792 : i64}> : () -> !flow.buffer<131072, device>
    %88 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 3895296 : i64}> : () -> !flow.buffer<512, device>
    %89 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.layer_norm", offset = 3895808 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%84, %85, %86, %87, %88, %89) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 7261941 : i64, flow.start = 7235420 : i64, origin = #flow.origin<"h.1", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%89) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%88) : (!flow.buffer<512, device>) -> ()
    %90 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.1.parameter", offset = 2453504 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%7, %90) <{kind = #flow<transfer_kind upload>}> {flow.end = 27265 : i64, flow.start = 1051 : i64, origin = #flow.origin<"h.1", "upload h.1.decay.1.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %91 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.1", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%90, %91) <{piece_bytes = array<i64: 262144>}> {flow.end = 566272 : i64, flow.start = 461414 : i64, origin = #flow.origin<"h.1", "gather decay.1", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%90) : (!flow.buffer<262144, device>) -> ()
    %92 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 2453504 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%87, %91, %92, %0) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 8604119 : i64, flow.start = 7261941 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%91) : (!flow.buffer<1048576, device>) -> ()
    "flow.release"(%87) : (!flow.buffer<131072, device>) -> ()
    %93 = "flow.view"(%63) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %94 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 2977792 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%92, %93, %94) <{begin = 0 : i64, end = 128 : i64, kernel = @map_5b287d1780, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 8725360 : i64, flow.start = 8604119 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%92) : (!flow.buffer<524288, device>) -> ()
    %95 = "flow.alloc"() <{buffer_class = "staging", name = "h.1.decay.2.parameter", offset = 3502080 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%8, %95) <{kind = #flow<transfer_kind upload>}> {flow.end = 53480 : i64, flow.start = 27265 : i64, origin = #flow.origin<"h.1", "upload h.1.decay.2.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %96 = "flow.alloc"() <{buffer_class = "gathered", name = "h.1.gather decay.2", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%95, %96) <{piece_bytes = array<i64: 262144>}> {flow.end = 671129 : i64, flow.start = 566272 : i64, origin = #flow.origin<"h.1", "gather decay.2", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%95) : (!flow.buffer<262144, device>) -> ()
    %97 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.matmul", offset = 3502080 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%94, %96, %97, %0) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_9fb005a893, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 10067537 : i64, flow.start = 8725360 : i64, origin = #flow.origin<"h.1", "matmul", forward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%96) : (!flow.buffer<1048576, device>) -> ()
    "flow.release"(%94) : (!flow.buffer<524288, device>) -> ()
    %98 = "flow.view"(%63) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %99 = "flow.alloc"() <{buffer_class = "activation", name = "h.1.map", offset = 2846720 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%84, %97, %98, %99) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 10106961 : i64, flow.start = 10067537 : i64, origin = #flow.origin<"h.1", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%97) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%84) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%63) : (!flow.buffer<13312, device>) -> ()
    %100 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather no_decay.0", offset = 3895296 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%9, %100) <{piece_bytes = array<i64: 3328>}> {flow.end = 672460 : i64, flow.start = 671129 : i64, origin = #flow.origin<"h.2", "gather no_decay.0", forward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %101 = "flow.view"(%100) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %102 = "flow.view"(%100) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %103 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 2977792 : i64}> : () -> !flow.buffer<131072, device>
    %104 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 2453504 : i64}> : () -> !flow.buffer<512, device>
    %105 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 2454016 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%99, %101, %102, %103, %104, %105) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 10133483 : i64, flow.start = 10106961 : i64, origin = #flow.origin<"h.2", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%105) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%104) : (!flow.buffer<512, device>) -> ()
    %106 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.0.parameter", offset = 2191360 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%10, %106) <{kind = #flow<transfer_kind upload>}> {flow.end = 79694 : i64, flow.start = 53480 : i64, origin = #flow.origin<"h.2", "upload h.2.decay.0.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %107 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.0", offset = 1404928 : i64}> : () -> !flow.buffer<786432, device>
    %108 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.0", offset = 2584576 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%106, %107, %108) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 777318 : i64, flow.start = 672460 : i64, origin = #flow.origin<"h.2", "gather decay.0", forward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%106) : (!flow.buffer<262144, device>) -> ()
    %109 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 2191360 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%103, %107, %109, %0) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 11140116 : i64, flow.start = 10133483 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%107) : (!flow.buffer<786432, device>) -> ()
    "flow.release"(%103) : (!flow.buffer<131072, device>) -> ()
    %110 = "flow.view"(%100) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %111 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 1404928 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%109, %110, %111) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 11219066 : i64, flow.start = 11140116 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%109) : (!flow.buffer<393216, device>) -> ()
    %112 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 1798144 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%111, %112) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 11271495 : i64, flow.start = 11219066 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %113 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 2060288 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%111, %113) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 11323924 : i64, flow.start = 11271495 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %114 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 1929216 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%111, %114) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 11376353 : i64, flow.start = 11323924 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%111) : (!flow.buffer<393216, device>) -> ()
    %115 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%112, %113, %115, %0) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 11544125 : i64, flow.start = 11376353 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%113) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%112) : (!flow.buffer<131072, device>) -> ()
    %116 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.softmax", offset = 1667072 : i64}> : () -> !flow.buffer<262144, device>
    %117 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.softmax", offset = 2060288 : i64}> : () -> !flow.buffer<2048, device>
    "flow.launch"(%115, %116, %117) <{begin = 0 : i64, end = 4 : i64, kernel = @softmax_f2e1bf9b2d, operandSegmentSizes = array<i32: 1, 2, 0>}> {flow.end = 11660451 : i64, flow.start = 11544125 : i64, origin = #flow.origin<"h.2", "softmax", forward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%117) : (!flow.buffer<2048, device>) -> ()
    "flow.release"(%115) : (!flow.buffer<262144, device>) -> ()
    %118 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%116, %114, %118, %0) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 11828224 : i64, flow.start = 11660451 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%116) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%114) : (!flow.buffer<131072, device>) -> ()
    %119 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 1536000 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%118, %119) <{begin = 0 : i64, end = 1 : i64, kernel = @map_841b24dfba, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 11854438 : i64, flow.start = 11828224 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%118) : (!flow.buffer<131072, device>) -> ()
    %120 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%119, %108, %120, %0) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_7fee3cc53a, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 12189982 : i64, flow.start = 11854438 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%119) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%108) : (!flow.buffer<262144, device>) -> ()
    %121 = "flow.view"(%100) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %122 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 3764224 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%99, %120, %121, %122) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 12229406 : i64, flow.start = 12189982 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%120) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%99) : (!flow.buffer<131072, device>) -> ()
    %123 = "flow.view"(%100) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %124 = "flow.view"(%100) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %125 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 2977792 : i64}> : () -> !flow.buffer<131072, device>
    %126 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 2715648 : i64}> : () -> !flow.buffer<512, device>
    %127 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.layer_norm", offset = 2716160 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%122, %123, %124, %125, %126, %127) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 12255928 : i64, flow.start = 12229406 : i64, origin = #flow.origin<"h.2", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%127) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%126) : (!flow.buffer<512, device>) -> ()
    %128 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.1.parameter", offset = 2453504 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%11, %128) <{kind = #flow<transfer_kind upload>}> {flow.end = 105908 : i64, flow.start = 79694 : i64, origin = #flow.origin<"h.2", "upload h.2.decay.1.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %129 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.1", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%128, %129) <{piece_bytes = array<i64: 262144>}> {flow.end = 882175 : i64, flow.start = 777318 : i64, origin = #flow.origin<"h.2", "gather decay.1", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%128) : (!flow.buffer<262144, device>) -> ()
    %130 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 2453504 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%125, %129, %130, %0) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 13598105 : i64, flow.start = 12255928 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%129) : (!flow.buffer<1048576, device>) -> ()
    "flow.release"(%125) : (!flow.buffer<131072, device>) -> ()
    %131 = "flow.view"(%100) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %132 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 2977792 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%130, %131, %132) <{begin = 0 : i64, end = 128 : i64, kernel = @map_5b287d1780, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 13719347 : i64, flow.start = 13598105 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%130) : (!flow.buffer<524288, device>) -> ()
    %133 = "flow.alloc"() <{buffer_class = "staging", name = "h.2.decay.2.parameter", offset = 3502080 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%12, %133) <{kind = #flow<transfer_kind upload>}> {flow.end = 132123 : i64, flow.start = 105908 : i64, origin = #flow.origin<"h.2", "upload h.2.decay.2.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %134 = "flow.alloc"() <{buffer_class = "gathered", name = "h.2.gather decay.2", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%133, %134) <{piece_bytes = array<i64: 262144>}> {flow.end = 987033 : i64, flow.start = 882175 : i64, origin = #flow.origin<"h.2", "gather decay.2", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%133) : (!flow.buffer<262144, device>) -> ()
    %135 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.matmul", offset = 3502080 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%132, %134, %135, %0) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_9fb005a893, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 15061524 : i64, flow.start = 13719347 : i64, origin = #flow.origin<"h.2", "matmul", forward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%134) : (!flow.buffer<1048576, device>) -> ()
    "flow.release"(%132) : (!flow.buffer<524288, device>) -> ()
    %136 = "flow.view"(%100) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %137 = "flow.alloc"() <{buffer_class = "activation", name = "h.2.map", offset = 2846720 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%122, %135, %136, %137) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 15100948 : i64, flow.start = 15061524 : i64, origin = #flow.origin<"h.2", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%135) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%122) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%100) : (!flow.buffer<13312, device>) -> ()
    %138 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather no_decay.0", offset = 3908608 : i64}> : () -> !flow.buffer<13312, device>
    "flow.all_gather"(%13, %138) <{piece_bytes = array<i64: 3328>}> {flow.end = 988364 : i64, flow.start = 987033 : i64, origin = #flow.origin<"h.3", "gather no_decay.0", forward>} : (!flow.buffer<4096, device>, !flow.buffer<13312, device>) -> ()
    %139 = "flow.view"(%138) <{offset = 5120 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %140 = "flow.view"(%138) <{offset = 4096 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %141 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 2977792 : i64}> : () -> !flow.buffer<131072, device>
    %142 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 2453504 : i64}> : () -> !flow.buffer<512, device>
    %143 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 2454016 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%137, %139, %140, %141, %142, %143) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 15127470 : i64, flow.start = 15100948 : i64, origin = #flow.origin<"h.3", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%143) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%142) : (!flow.buffer<512, device>) -> ()
    %144 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.0.parameter", offset = 2191360 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%14, %144) <{kind = #flow<transfer_kind upload>}> {flow.end = 158337 : i64, flow.start = 132123 : i64, origin = #flow.origin<"h.3", "upload h.3.decay.0.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %145 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.0", offset = 1404928 : i64}> : () -> !flow.buffer<786432, device>
    %146 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.0", offset = 2584576 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%144, %145, %146) <{piece_bytes = array<i64: 196608, 65536>}> {flow.end = 1093222 : i64, flow.start = 988364 : i64, origin = #flow.origin<"h.3", "gather decay.0", forward>} : (!flow.buffer<262144, device>, !flow.buffer<786432, device>, !flow.buffer<262144, device>) -> ()
    "flow.release"(%144) : (!flow.buffer<262144, device>) -> ()
    %147 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 2191360 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%141, %145, %147, %0) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_af068b4fc2, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 16134103 : i64, flow.start = 15127470 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<786432, device>, !flow.buffer<393216, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%145) : (!flow.buffer<786432, device>) -> ()
    "flow.release"(%141) : (!flow.buffer<131072, device>) -> ()
    %148 = "flow.view"(%138) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<3072, device>
    %149 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 1404928 : i64}> : () -> !flow.buffer<393216, device>
    "flow.launch"(%147, %148, %149) <{begin = 0 : i64, end = 128 : i64, kernel = @map_d779a08551, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 16213053 : i64, flow.start = 16134103 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<3072, device>, !flow.buffer<393216, device>) -> ()
    "flow.release"(%147) : (!flow.buffer<393216, device>) -> ()
    %150 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 1798144 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%149, %150) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f8820e29cb, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 16265482 : i64, flow.start = 16213053 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %151 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 2060288 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%149, %151) <{begin = 0 : i64, end = 1 : i64, kernel = @map_f9876d1310, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 16317911 : i64, flow.start = 16265482 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    %152 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 1929216 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%149, %152) <{begin = 0 : i64, end = 1 : i64, kernel = @map_0b0a1df5fc, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 16370339 : i64, flow.start = 16317911 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<393216, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%149) : (!flow.buffer<393216, device>) -> ()
    %153 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.launch"(%150, %151, %153, %0) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_2ff3e8acb9, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 16538112 : i64, flow.start = 16370339 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%151) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%150) : (!flow.buffer<131072, device>) -> ()
    %154 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.softmax", offset = 1667072 : i64}> : () -> !flow.buffer<262144, device>
    %155 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.softmax", offset = 2060288 : i64}> : () -> !flow.buffer<2048, device>
    "flow.launch"(%153, %154, %155) <{begin = 0 : i64, end = 4 : i64, kernel = @softmax_f2e1bf9b2d, operandSegmentSizes = array<i32: 1, 2, 0>}> {flow.end = 16654438 : i64, flow.start = 16538112 : i64, origin = #flow.origin<"h.3", "softmax", forward>} : (!flow.buffer<262144, device>, !flow.buffer<262144, device>, !flow.buffer<2048, device>) -> ()
    "flow.release"(%155) : (!flow.buffer<2048, device>) -> ()
    "flow.release"(%153) : (!flow.buffer<262144, device>) -> ()
    %156 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%154, %152, %156, %0) <{begin = 0 : i64, end = 4 : i64, kernel = @matmul_82c4d10dba, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 16822210 : i64, flow.start = 16654438 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%154) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%152) : (!flow.buffer<131072, device>) -> ()
    %157 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 1536000 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%156, %157) <{begin = 0 : i64, end = 1 : i64, kernel = @map_841b24dfba, operandSegmentSizes = array<i32: 1, 1, 0>}> {flow.end = 16848424 : i64, flow.start = 16822210 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%156) : (!flow.buffer<131072, device>) -> ()
    %158 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 1404928 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%157, %146, %158, %0) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_7fee3cc53a, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 17183969 : i64, flow.start = 16848424 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%157) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%146) : (!flow.buffer<262144, device>) -> ()
    %159 = "flow.view"(%138) <{offset = 3072 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %160 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 3764224 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%137, %158, %159, %160) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 17223393 : i64, flow.start = 17183969 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%158) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%137) : (!flow.buffer<131072, device>) -> ()
    %161 = "flow.view"(%138) <{offset = 7168 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %162 = "flow.view"(%138) <{offset = 6144 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %163 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 2977792 : i64}> : () -> !flow.buffer<131072, device>
    %164 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 3895296 : i64}> : () -> !flow.buffer<512, device>
    %165 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.layer_norm", offset = 3895808 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%160, %161, %162, %163, %164, %165) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 17249914 : i64, flow.start = 17223393 : i64, origin = #flow.origin<"h.3", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%165) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%164) : (!flow.buffer<512, device>) -> ()
    %166 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.1.parameter", offset = 2453504 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%15, %166) <{kind = #flow<transfer_kind upload>}> {flow.end = 184552 : i64, flow.start = 158337 : i64, origin = #flow.origin<"h.3", "upload h.3.decay.1.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %167 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.1", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%166, %167) <{piece_bytes = array<i64: 262144>}> {flow.end = 1198080 : i64, flow.start = 1093222 : i64, origin = #flow.origin<"h.3", "gather decay.1", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%166) : (!flow.buffer<262144, device>) -> ()
    %168 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 2453504 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%163, %167, %168, %0) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_1ca2b83609, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 18592092 : i64, flow.start = 17249914 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1048576, device>, !flow.buffer<524288, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%167) : (!flow.buffer<1048576, device>) -> ()
    "flow.release"(%163) : (!flow.buffer<131072, device>) -> ()
    %169 = "flow.view"(%138) <{offset = 8192 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<4096, device>
    %170 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 2977792 : i64}> : () -> !flow.buffer<524288, device>
    "flow.launch"(%168, %169, %170) <{begin = 0 : i64, end = 128 : i64, kernel = @map_5b287d1780, operandSegmentSizes = array<i32: 2, 1, 0>}> {flow.end = 18713333 : i64, flow.start = 18592092 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<524288, device>, !flow.buffer<4096, device>, !flow.buffer<524288, device>) -> ()
    "flow.release"(%168) : (!flow.buffer<524288, device>) -> ()
    %171 = "flow.alloc"() <{buffer_class = "staging", name = "h.3.decay.2.parameter", offset = 3502080 : i64}> : () -> !flow.buffer<262144, device>
    "flow.transfer"(%16, %171) <{kind = #flow<transfer_kind upload>}> {flow.end = 210766 : i64, flow.start = 184552 : i64, origin = #flow.origin<"h.3", "upload h.3.decay.2.parameter", forward>} : (!flow.buffer<262144, host>, !flow.buffer<262144, device>) -> ()
    %172 = "flow.alloc"() <{buffer_class = "gathered", name = "h.3.gather decay.2", offset = 1404928 : i64}> : () -> !flow.buffer<1048576, device>
    "flow.all_gather"(%171, %172) <{piece_bytes = array<i64: 262144>}> {flow.end = 1302937 : i64, flow.start = 1198080 : i64, origin = #flow.origin<"h.3", "gather decay.2", forward>} : (!flow.buffer<262144, device>, !flow.buffer<1048576, device>) -> ()
    "flow.release"(%171) : (!flow.buffer<262144, device>) -> ()
    %173 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.matmul", offset = 3502080 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%170, %172, %173, %0) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_9fb005a893, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 20055511 : i64, flow.start = 18713333 : i64, origin = #flow.origin<"h.3", "matmul", forward>} : (!flow.buffer<524288, device>, !flow.buffer<1048576, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%172) : (!flow.buffer<1048576, device>) -> ()
    "flow.release"(%170) : (!flow.buffer<524288, device>) -> ()
    %174 = "flow.view"(%138) <{offset = 12288 : i64, stride = 0 : i64}> : (!flow.buffer<13312, device>) -> !flow.buffer<1024, device>
    %175 = "flow.alloc"() <{buffer_class = "activation", name = "h.3.map", offset = 1667072 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%160, %173, %174, %175) <{begin = 0 : i64, end = 128 : i64, kernel = @map_c882a0b45f, operandSegmentSizes = array<i32: 3, 1, 0>}> {flow.end = 20094935 : i64, flow.start = 20055511 : i64, origin = #flow.origin<"h.3", "map", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>) -> ()
    "flow.release"(%173) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%160) : (!flow.buffer<131072, device>) -> ()
    "flow.release"(%138) : (!flow.buffer<13312, device>) -> ()
    %176 = "flow.view"(%19) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<4096, device>) -> !flow.buffer<2048, device>
    %177 = "flow.view"(%176) <{offset = 1024 : i64, stride = 0 : i64}> : (!flow.buffer<2048, device>) -> !flow.buffer<1024, device>
    %178 = "flow.view"(%176) <{offset = 0 : i64, stride = 0 : i64}> : (!flow.buffer<2048, device>) -> !flow.buffer<1024, device>
    %179 = "flow.alloc"() <{buffer_class = "activation", name = "layer_norm", offset = 1798144 : i64}> : () -> !flow.buffer<131072, device>
    %180 = "flow.alloc"() <{buffer_class = "activation", name = "layer_norm", offset = 1929216 : i64}> : () -> !flow.buffer<512, device>
    %181 = "flow.alloc"() <{buffer_class = "activation", name = "layer_norm", offset = 1929728 : i64}> : () -> !flow.buffer<512, device>
    "flow.launch"(%175, %177, %178, %179, %180, %181) <{begin = 0 : i64, end = 128 : i64, kernel = @layer_norm_267555d781, operandSegmentSizes = array<i32: 3, 3, 0>}> {flow.end = 20121456 : i64, flow.start = 20094935 : i64, origin = #flow.origin<"", "layer_norm", forward>} : (!flow.buffer<131072, device>, !flow.buffer<1024, device>, !flow.buffer<1024, device>, !flow.buffer<131072, device>, !flow.buffer<512, device>, !flow.buffer<512, device>) -> ()
    "flow.release"(%181) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%180) : (!flow.buffer<512, device>) -> ()
    "flow.release"(%175) : (!flow.buffer<131072, device>) -> ()
    %182 = "flow.alloc"() <{buffer_class = "gathered", name = "gather decay.1", offset = 1404928 : i64}> : () -> !flow.buffer<262144, device>
    "flow.all_gather"(%17, %182) <{piece_bytes = array<i64: 65536>}> {flow.end = 1329152 : i64, flow.start = 1302937 : i64, origin = #flow.origin<"", "gather decay.1", forward>} : (!flow.buffer<65536, device>, !flow.buffer<262144, device>) -> ()
    %183 = "flow.alloc"() <{buffer_class = "activation", name = "matmul", offset = 1667072 : i64}> : () -> !flow.buffer<131072, device>
    "flow.launch"(%179, %182, %183, %0) <{begin = 0 : i64, end = 128 : i64, kernel = @matmul_4302769c28, operandSegmentSizes = array<i32: 2, 1, 1>}> {flow.end = 20457000 : i64, flow.start = 20121456 : i64, origin = #flow.origin<"", "matmul", forward>} : (!flow.buffer<131072, device>, !flow.buffer<262144, device>, !flow.buffer<131072, device>, !flow.buffer<167936, device>) -> ()
    "flow.release"(%182) : (!flow.buffer<262144, device>) -> ()
    "flow.release"(%179) : (!flow.buffer<131072, device>) -> ()
    %184 = "flow.alloc"() <{buffer_class = "feed", name = "logits", offset = 4399104 : i64}> : () -> !flow.buffer<131072, host>
    "flow.transfer"(%183, %184) <{kind = #flow<transfer_kind offload>}> {flow.end = 20470108 : i64, flow.start = 20457000 : i64, origin = #flow.origin<"", "report logits", forward>} : (!flow.buffer<131072, device>, !flow.buffer<131072, host>) -> ()
    "flow.release"(%183) : (!flow.buffer<131072, device>) -> ()
    "flow.report"(%184) <{item = "logits"}> {flow.end = 20471108 : i64, flow.start = 20470108 : i64, origin = #flow.origin<"", "report logits", forward>} : (!flow.buffer<131072, host>) -> ()
    "flow.release"(%184) : (!flow.buffer<131072, host>) -> ()
  }) : () -> ()
}) {windlass.arenas = {device = array<i64: 9072640, 8800256, 9437184>, host = array<i64: 6180864, 6111248, 6291456>, nvme = array<i64: 8146944, 8144896, 67108864>}, windlass.config = "{\0A  \22architectures\22: [\22GPT2LMHeadModel\22],\0A  \22model_type\22: \22gpt2\22,\0A  \22n_layer\22: 4,\0A  \22n_embd\22: 256,\0A  \22n_head\22: 4,\0A  \22n_positions\22: 128,\0A  \22vocab_size\22: 256,\0A  \22activation_function\22: \22gelu_new\22,\0A  \22layer_norm_epsilon\22: 1e-5,\0A  \22initializer_range\22: 0.02,\0A  \22tie_word_embeddings\22: true,\0A  \22embd_pdrop\22: 0.0,\0A  \22attn_pdrop\22: 0.0,\0A  \22resid_pdrop\22: 0.0,\0A  \22bos_token_id\22: null,\0A  \22eos_token_id\22: null,\0A  \22torch_dtype\22: \22float32\22\0A}\0A", windlass.distinct_layers = 1 : i64, windlass.explanations = [["placement", "the busiest resource takes 152 ms a step; no placement does better by more than 0.02 %"], ["placement of param", "device 11 of 19 (1.11 MiB on each rank), host 8 of 19 (2.00 MiB on each rank); all on device: device is 2.00 MiB short of it, whatever else moves"], ["placement of moments", "device 2 of 19 (16.0 KiB on each rank), host 2 of 19 (72.0 KiB on each rank), nvme 15 of 19 (6.14 MiB on each rank); all on device: device is 6.21 MiB short of it, whatever else moves; all on host: host is 6.16 MiB short of it, whatever else moves; all on nvme: a step takes at least 152 ms, 2.46 us more, for nc_out is busy 39.8 ms at nvme.write 1.00 GB/s (declared), 369 us more"], ["placement of grad", "device 6 of 19 (52.0 KiB on each rank), host 9 of 19 (2.12 MiB on each rank), nvme 4 of 19 (1.00 MiB on each rank); all on device: device is 3.12 MiB short of it, whatever else moves; all on host: host is 1.05 MiB short of it; making room, a step takes at least 152 ms, 4.92 us more, for nc_in is busy 33.1 ms at nvme.read 1.30 GB/s (declared), 2.82 ms more; all on nvme: a step takes at least 152 ms, 4.92 us more, for nc_out is busy 51.8 ms at nvme.write 1.00 GB/s (declared), 12.4 ms more"], ["placement of checkpoint", "device 2 of 10 (4.00 KiB on each rank), host 5 of 10 (899 KiB on each rank), nvme 3 of 10 (642 KiB on each rank); all on device: device is 1.50 MiB short of it, whatever else moves; all on host: host is 645 KiB short of it; making room, a step takes at least 152 ms, 1.23 us more, for nc_out is busy 39.4 ms at nvme.write 1.00 GB/s (declared), 16.4 us more; all on nvme: a step takes at least 152 ms, 1.23 us more, for nc_out is busy 39.4 ms at nvme.write 1.00 GB/s (declared), 24.6 us more"], ["recompute", "block: attention.0, attention.0#1, layer_norm.0, layer_norm.0#1, layer_norm.0#2, map.2 (of the first 3 layers): a rank keeps no more than these and the inputs of layers, 1.13 MiB of 5.64 MiB of residuals kept, repeating 8.04 ms of 11.2 ms a micro-batch, the least for these bytes (proven), because what was tried before did not fit: the device arena of a rank is short by 860160 bytes (840 KiB): it needs 9.82 MiB, the machine has 9.00 MiB (largest: activation 8.64 MiB, gathered 1.00 MiB, workspace 164 KiB, partial 13.0 KiB, parameter 4.00 KiB); full: 183 ms a step as laid out; 774 KiB of 5.64 MiB of residuals kept, repeating 9.33 ms of 11.2 ms a micro-batch, the least for these bytes (proven): 171 ms a step as laid out; 1.51 MiB of 5.64 MiB of residuals kept, repeating 7.96 ms of 11.2 ms a micro-batch, the least for these bytes (proven): 176 ms a step as laid out"], ["zero_stage", "2 with whole parameters on the device: does not fit: the device arena of a rank is short by 7598080 bytes (7.25 MiB): it needs 16.2 MiB, the machine has 9.00 MiB (largest: parameter 12.4 MiB, activation 2.50 MiB, partial 1.01 MiB, workspace 164 KiB, checkpoint 128 KiB); 3: 168 ms a step as laid out"], ["micro_batch_order", "horizontal: 168 ms; vertical: 190 ms a step as laid out"], ["reshard_after_forward", "none of 17 buckets stay gathered for the backward pass; 17: does not fit; 8: does not fit; 4: 178 ms a step as laid out"], ["cadence", "micro_batch: gradients are summed over ranks 2 times a step, 24.9 MiB; \22step\22 would do so once, 12.4 MiB, keep 12.4 MiB more on each rank, need zero_stage 0 or 1 and change last bits"]], windlass.layers = 4 : i64, windlass.model = "gpt2-bytes"} : () -> ()

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(materialize-dependencies, elide-waits, verify-flow)",
      disable_threading: true,
      verify_each: true
    }
  }
#-}
