// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/compiler/interpreter/AdjointCases.h"

#include "test/compiler/interpreter/TestModule.h"

namespace windlass::interpreter {

AdjointCase scalarCase(const std::string &name, const std::string &op, double low, double high) {
  return {name, R"(
    #id = affine_map<(d0, d1) -> (d0, d1)>
    func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %r = graph.map ins(%x, %y : tensor<2x3xf32>, tensor<2x3xf32>) maps [#id, #id] -> tensor<2x3xf32> {
      ^bb0(%a: f32, %b: f32):
        )" + op + R"(
        graph.yield %c : f32
      }
      return %r : tensor<2x3xf32>
    })",
          low, high};
}

std::vector<AdjointCase> scalarCases() {
  return {
      scalarCase("addf", "%c = arith.addf %a, %b : f32"),
      scalarCase("subf", "%c = arith.subf %a, %b : f32"),
      scalarCase("mulf", "%c = arith.mulf %a, %b : f32"),
      scalarCase("divf", "%c = arith.divf %a, %b : f32", 0.5, 2),
      scalarCase("negf", "%c = arith.negf %a : f32"),
      scalarCase("maximumf", "%c = arith.maximumf %a, %b : f32"),
      scalarCase("minimumf", "%c = arith.minimumf %a, %b : f32"),
      scalarCase("select", "%l = arith.cmpf olt, %a, %b : f32\n%s = arith.mulf %a, %a : f32\n"
                           "%c = arith.select %l, %s, %b : f32"),
      scalarCase("casts", "%n = arith.truncf %a : f32 to bf16\n%w = arith.extf %n : bf16 to f32\n"
                          "%c = arith.mulf %w, %b : f32"),
      scalarCase("sitofp", "%i = graph.index 1 : index\n%j = arith.index_cast %i : index to i32\n"
                           "%k = arith.sitofp %j : i32 to f32\n%c = arith.mulf %a, %k : f32"),
      scalarCase("exp", "%c = math.exp %a : f32"),
      scalarCase("log", "%c = math.log %a : f32", 0.5, 2),
      scalarCase("log1p", "%c = math.log1p %a : f32", -0.5, 2),
      scalarCase("tanh", "%c = math.tanh %a : f32"),
      scalarCase("sqrt", "%c = math.sqrt %a : f32", 0.5, 2),
      scalarCase("rsqrt", "%c = math.rsqrt %a : f32", 0.5, 2),
      scalarCase("erf", "%c = math.erf %a : f32"),
      scalarCase("sin", "%c = math.sin %a : f32"),
      scalarCase("cos", "%c = math.cos %a : f32"),
      scalarCase("absf", "%c = math.absf %a : f32"),
      scalarCase("powf", "%c = math.powf %a, %b : f32", 0.5, 2),
      scalarCase("a_scalar_used_twice", "%e = math.exp %a : f32\n%m = arith.mulf %e, %e : f32\n"
                                        "%c = arith.addf %m, %e : f32"),
      scalarCase("an_unused_result", "%u = math.exp %b : f32\n%c = arith.mulf %a, %a : f32"),
  };
}

std::vector<AdjointCase> loopCases() {
  return {
      {"map_broadcast_along_rows", R"(
        func.func @f(%x: tensor<3x4xf32>, %b: tensor<4xf32>, %s: tensor<f32>) -> tensor<3x4xf32> {
          %r = graph.map ins(%x, %b, %s : tensor<3x4xf32>, tensor<4xf32>, tensor<f32>)
              maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> ()>]
              -> tensor<3x4xf32> {
          ^bb0(%a: f32, %c: f32, %e: f32):
            %p = arith.addf %a, %c : f32
            %t = math.tanh %p : f32
            %q = arith.mulf %t, %e : f32
            graph.yield %q : f32
          }
          return %r : tensor<3x4xf32>
        })"},
      {"map_broadcast_only", R"(
        func.func @f(%b: tensor<3xf32>) -> tensor<2x3xf32> {
          %r = graph.map ins(%b : tensor<3xf32>) maps [affine_map<(d0, d1) -> (d1)>] -> tensor<2x3xf32> {
          ^bb0(%a: f32):
            %q = arith.mulf %a, %a : f32
            graph.yield %q : f32
          }
          return %r : tensor<2x3xf32>
        })"},
      {"map_permutation_and_transposed_broadcast", R"(
        func.func @f(%x: tensor<4x2x3xf32>, %y: tensor<4x3xf32>) -> tensor<2x3x4xf32> {
          %r = graph.map ins(%x, %y : tensor<4x2x3xf32>, tensor<4x3xf32>)
              maps [affine_map<(d0, d1, d2) -> (d2, d0, d1)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
              -> tensor<2x3x4xf32> {
          ^bb0(%a: f32, %b: f32):
            %i = graph.index 2 : index
            %j = arith.index_cast %i : index to i32
            %k = arith.sitofp %j : i32 to f32
            %m = arith.mulf %a, %b : f32
            %n = arith.mulf %m, %k : f32
            graph.yield %n : f32
          }
          return %r : tensor<2x3x4xf32>
        })"},
      {"map_fixed_index", R"(
        func.func @f(%x: tensor<2x3x4xf32>, %y: tensor<1x4xf32>) -> tensor<4x2xf32> {
          %r = graph.map ins(%x, %y : tensor<2x3x4xf32>, tensor<1x4xf32>)
              maps [affine_map<(d0, d1) -> (d1, 2, d0)>, affine_map<(d0, d1) -> (0, d0)>] -> tensor<4x2xf32> {
          ^bb0(%a: f32, %b: f32):
            %m = arith.mulf %a, %b : f32
            graph.yield %m : f32
          }
          return %r : tensor<4x2xf32>
        })"},
      {"map_two_results", R"(
        func.func @f(%x: tensor<5xf32>, %y: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
          %r:2 = graph.map ins(%x, %y : tensor<5xf32>, tensor<5xf32>)
              maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> tensor<5xf32>, tensor<5xf32> {
          ^bb0(%a: f32, %b: f32):
            %m = arith.mulf %a, %b : f32
            %n = arith.subf %m, %b : f32
            graph.yield %m, %n : f32, f32
          }
          return %r#0, %r#1 : tensor<5xf32>, tensor<5xf32>
        })"},
      {"reduce_sum_of_products", R"(
        func.func @f(%x: tensor<2x3x4xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
          %r = graph.reduce sum over [1] ins(%x, %y : tensor<2x3x4xf32>, tensor<3x4xf32>)
              maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>]
              -> tensor<2x4xf32> {
          ^bb0(%a: f32, %b: f32):
            %m = arith.mulf %a, %b : f32
            graph.yield %m : f32
          }
          return %r : tensor<2x4xf32>
        })"},
      {"reduce_sum_to_a_scalar", R"(
        func.func @f(%x: tensor<2x3xf32>) -> tensor<f32> {
          %r = graph.reduce sum over [0, 1] ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
              -> tensor<f32> {
          ^bb0(%a: f32):
            %m = arith.mulf %a, %a : f32
            graph.yield %m : f32
          }
          return %r : tensor<f32>
        })"},
      {"reduce_max", R"(
        func.func @f(%x: tensor<3x4xf32>) -> tensor<4xf32> {
          %r = graph.reduce max over [0] ins(%x : tensor<3x4xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
              -> tensor<4xf32> {
          ^bb0(%a: f32):
            %m = math.exp %a : f32
            graph.yield %m : f32
          }
          return %r : tensor<4xf32>
        })"},
      {"reduce_with_transposed_input", R"(
        func.func @f(%x: tensor<4x3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
          %r = graph.reduce sum over [1] ins(%x, %y : tensor<4x3xf32>, tensor<3xf32>)
              maps [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>] -> tensor<3xf32> {
          ^bb0(%a: f32, %b: f32):
            %m = arith.mulf %a, %b : f32
            graph.yield %m : f32
          }
          return %r : tensor<3xf32>
        })"},
      {"reshape", R"(
        func.func @f(%x: tensor<2x6xf32>) -> tensor<3x4xf32> {
          %r = graph.reshape %x : tensor<2x6xf32> -> tensor<3x4xf32>
          return %r : tensor<3x4xf32>
        })"},
      {"stack", R"(
        func.func @f(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> tensor<3x2x4xf32> {
          %r = graph.stack axis 1 ins(%x, %y : tensor<4x3xf32>, tensor<4x3xf32>)
              map affine_map<(d0, d1, d2) -> (d2, d0)> -> tensor<3x2x4xf32>
          return %r : tensor<3x2x4xf32>
        })"},
  };
}

/// A matmul of matrices 2x3 and 3x4, batched or not, each stored transposed or not.
static AdjointCase matmul(bool batched, bool transposeA, bool transposeB) {
  std::string batch = batched ? "2x" : "", a = batch + (transposeA ? "3x2" : "2x3") + "xFLOAT",
              b = batch + (transposeB ? "4x3" : "3x4") + "xFLOAT", c = batch + "2x4xf32";
  return {std::string("matmul") + (batched ? "_batched" : "") + (transposeA ? "_ta" : "") +
              (transposeB ? "_tb" : ""),
          "func.func @f(%a: tensor<" + a + ">, %b: tensor<" + b + ">) -> tensor<" + c +
              "> {\n%r = graph.matmul %a " + (transposeA ? "transposed" : "") + ", %b " +
              (transposeB ? "transposed" : "") + " : tensor<" + a + ">, tensor<" + b + "> -> tensor<" + c +
              ">\nreturn %r : tensor<" + c + ">\n}"};
}

static AdjointCase attention(const std::string &name, const std::string &causal) {
  return {name, R"(
    func.func @f(%qkv: tensor<6x24xFLOAT>) -> tensor<6x8xFLOAT> {
      %r, %l = graph.attention %qkv batch(2) heads(2) )" +
                    causal + R"( : tensor<6x24xFLOAT> -> tensor<6x8xFLOAT>, tensor<2x2x3xf32>
      return %r : tensor<6x8xFLOAT>
    })"};
}

/// The ops that passes make of tables, sums and rows that are cut into tiles.
static std::vector<AdjointCase> tileCases() {
  return {{"embedding_of_a_part", R"(
        func.func @f(%t: tensor<2x3xFLOAT>, %i: tensor<7xi64>, %y: tensor<7x3xFLOAT>) -> tensor<7x3xFLOAT> {
          %r = graph.embedding %t from 1, %i onto(%y : tensor<7x3xFLOAT>) : tensor<2x3xFLOAT>, tensor<7xi64>
              -> tensor<7x3xFLOAT>
          return %r : tensor<7x3xFLOAT>
        })"},
          {"matmul_onto", R"(
        func.func @f(%a: tensor<2x3xFLOAT>, %b: tensor<3x4xFLOAT>, %c: tensor<2x4xf32>) -> tensor<2x4xf32> {
          %r = graph.matmul %a, %b onto(%c : tensor<2x4xf32>) : tensor<2x3xFLOAT>, tensor<3x4xFLOAT> -> tensor<2x4xf32>
          return %r : tensor<2x4xf32>
        })"},
          {"cross_entropy_of_a_part", R"(
        func.func @f(%x: tensor<6x4xFLOAT>, %l: tensor<6xi64>) -> (tensor<6xf32>, tensor<6xf32>) {
          %r, %e = graph.cross_entropy %x, %l {ignore_index = 1} : tensor<6x4xFLOAT>, tensor<6xi64>
              -> tensor<6xf32>, tensor<6xf32>
          return %r, %e : tensor<6xf32>, tensor<6xf32>
        })"},
          {"log_sum_exp_of_a_part", R"(
        func.func @f(%x: tensor<6x4xFLOAT>, %l: tensor<6xi64>) -> tensor<6xf32> {
          %r, %e = graph.cross_entropy %x, %l : tensor<6x4xFLOAT>, tensor<6xi64> -> tensor<6xf32>, tensor<6xf32>
          return %e : tensor<6xf32>
        })"}};
}

/// Learned masks: for all examples, for keys, and one for each pair.
static std::vector<AdjointCase> maskCases() {
  return {{"softmax_masked", R"(
        func.func @f(%x: tensor<2x4x4xFLOAT>, %m: tensor<2x1x4xf32>) -> tensor<2x4x4xFLOAT> {
          %r, %l = graph.softmax %x mask(%m : tensor<2x1x4xf32>) causal window(3) {scale = 0.6}
              : tensor<2x4x4xFLOAT> -> tensor<2x4x4xFLOAT>, tensor<2x4xf32>
          return %r : tensor<2x4x4xFLOAT>
        })"},
          {"softmax_from_base", R"(
        func.func @f(%x: tensor<2x4x4xFLOAT>, %m: tensor<2x1x4xf32>, %b: tensor<2x1xf32>) -> tensor<2x4x4xFLOAT> {
          %r, %l = graph.softmax %x mask(%m : tensor<2x1x4xf32>) base(%b : tensor<2x1xf32>)
              : tensor<2x4x4xFLOAT> -> tensor<2x4x4xFLOAT>, tensor<2x4xf32>
          return %r : tensor<2x4x4xFLOAT>
        })"},
          {"attention_of_a_mask_for_all_examples", R"(
        func.func @f(%q: tensor<6x8xFLOAT>, %k: tensor<10x4xFLOAT>, %v: tensor<10x4xFLOAT>, %m: tensor<1x4x3x5xf32>)
            -> tensor<6x8xFLOAT> {
          %r, %l = graph.attention %q, %k, %v mask(%m : tensor<1x4x3x5xf32>) batch(2) heads(4) kv_heads(2) scale(0.4)
              : tensor<6x8xFLOAT>, tensor<10x4xFLOAT>, tensor<10x4xFLOAT> -> tensor<6x8xFLOAT>, tensor<2x4x3xf32>
          return %r : tensor<6x8xFLOAT>
        })"},
          {"attention_of_a_mask_of_keys", R"(
        func.func @f(%qkv: tensor<6x24xFLOAT>, %m: tensor<2x1x1x3xf32>) -> tensor<6x8xFLOAT> {
          %r, %l = graph.attention %qkv mask(%m : tensor<2x1x1x3xf32>) batch(2) heads(2) causal window(2)
              : tensor<6x24xFLOAT> -> tensor<6x8xFLOAT>, tensor<2x2x3xf32>
          return %r : tensor<6x8xFLOAT>
        })"},
          {"attention_of_a_whole_mask_dropout", R"(
        func.func @f(%qkv: tensor<6x12xf32>, %m: tensor<2x2x3x3xf32>, %keys: tensor<2x2xi32>, %block: tensor<i32>)
            -> tensor<6x4xf32> {
          %r, %l = graph.attention %qkv mask(%m : tensor<2x2x3x3xf32>) batch(2) heads(2) dropout(0.4)
              random(%keys, %block : tensor<2x2xi32>, tensor<i32>) {site = 1 : i64}
              : tensor<6x12xf32> -> tensor<6x4xf32>, tensor<2x2x3xf32>
          return %r : tensor<6x4xf32>
        })"}};
}

std::vector<AdjointCase> coarseCases(const std::string &element) {
  std::vector<AdjointCase> cases{
      attention("attention", ""),
      attention("attention_causal", "causal"),
      {"embedding", R"(
        func.func @f(%t: tensor<4x3xFLOAT>, %i: tensor<2x5xi64>) -> tensor<2x5x3xFLOAT> {
          %r = graph.embedding %t, %i : tensor<4x3xFLOAT>, tensor<2x5xi64> -> tensor<2x5x3xFLOAT>
          return %r : tensor<2x5x3xFLOAT>
        })"},
      {"layer_norm", R"(
        func.func @f(%x: tensor<2x3x5xFLOAT>, %s: tensor<5xFLOAT>, %b: tensor<5xFLOAT>) -> tensor<2x3x5xFLOAT> {
          %r, %m, %d = graph.layer_norm %x, %s, %b epsilon(1.0e-5) : tensor<2x3x5xFLOAT>, tensor<5xFLOAT>, tensor<5xFLOAT>
              -> tensor<2x3x5xFLOAT>, tensor<2x3xf32>, tensor<2x3xf32>
          return %r : tensor<2x3x5xFLOAT>
        })"},
      {"batch_norm", R"(
        func.func @f(%x: tensor<4x3x2xFLOAT>, %s: tensor<3xFLOAT>, %b: tensor<3xFLOAT>) -> tensor<4x3x2xFLOAT> {
          %h = graph.map ins() maps [] -> tensor<3xf32> { %c = arith.constant 0.5 : f32 graph.yield %c : f32 }
          %share = graph.map ins() maps [] -> tensor<f32> { %c = arith.constant 0.5 : f32 graph.yield %c : f32 }
          %r, %m, %v = graph.batch_norm %x, %s, %b running(%h, %h) epsilon(1.0e-5) momentum(0.1) training(%share : tensor<f32>)
              : tensor<4x3x2xFLOAT>, tensor<3xFLOAT>, tensor<3xFLOAT>, tensor<3xf32>, tensor<3xf32>
              -> tensor<4x3x2xFLOAT>, tensor<3xf32>, tensor<3xf32>
          return %r : tensor<4x3x2xFLOAT>
        })"},
      {"softmax", R"(
        func.func @f(%x: tensor<3x5xFLOAT>) -> tensor<3x5xFLOAT> {
          %r, %l = graph.softmax %x {scale = 0.7} : tensor<3x5xFLOAT> -> tensor<3x5xFLOAT>, tensor<3xf32>
          return %r : tensor<3x5xFLOAT>
        })"},
      {"attention_dropout", R"(
        func.func @f(%qkv: tensor<6x12xf32>, %keys: tensor<2x2xi32>, %block: tensor<i32>) -> tensor<6x4xf32> {
          %r, %l = graph.attention %qkv batch(2) heads(2) causal dropout(0.4)
              random(%keys, %block : tensor<2x2xi32>, tensor<i32>) {site = 1 : i64}
              : tensor<6x12xf32> -> tensor<6x4xf32>, tensor<2x2x3xf32>
          return %r : tensor<6x4xf32>
        })"},
      {"map_dropout", R"(
        func.func @f(%x: tensor<3x4xf32>, %keys: tensor<2x2xi32>) -> tensor<3x4xf32> {
          %r = graph.map ins(%x, %keys, %keys : tensor<3x4xf32>, tensor<2x2xi32>, tensor<2x2xi32>)
              maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (1, 0)>,
                    affine_map<(d0, d1) -> (1, 1)>] -> tensor<3x4xf32> {
          ^bb0(%a: f32, %k0: i32, %k1: i32):
            %i = graph.index 0 : index
            %j = graph.index 1 : index
            %u = graph.random %k0, %k1 [%i, %j] : f32
            %half = arith.constant 0.5 : f32
            %zero = arith.constant 0.0 : f32
            %two = arith.constant 2.0 : f32
            %stays = arith.cmpf oge, %u, %half : f32
            %scaled = arith.mulf %a, %two : f32
            %y = arith.select %stays, %scaled, %zero : f32
            graph.yield %y : f32
          }
          return %r : tensor<3x4xf32>
        })"},
      {"attention_grouped", R"(
        func.func @f(%q: tensor<6x8xFLOAT>, %k: tensor<10x4xFLOAT>, %v: tensor<10x4xFLOAT>) -> tensor<6x8xFLOAT> {
          %r, %l = graph.attention %q, %k, %v batch(2) heads(4) kv_heads(2) causal window(2) scale(0.4)
              : tensor<6x8xFLOAT>, tensor<10x4xFLOAT>, tensor<10x4xFLOAT> -> tensor<6x8xFLOAT>, tensor<2x4x3xf32>
          return %r : tensor<6x8xFLOAT>
        })"},
      {"rms_norm", R"(
        func.func @f(%x: tensor<2x3x5xFLOAT>, %s: tensor<5xFLOAT>) -> tensor<2x3x5xFLOAT> {
          %r, %d = graph.rms_norm %x, %s epsilon(1.0e-5) : tensor<2x3x5xFLOAT>, tensor<5xFLOAT>
              -> tensor<2x3x5xFLOAT>, tensor<2x3xf32>
          return %r : tensor<2x3x5xFLOAT>
        })"},
      {"cross_entropy_smoothed", R"(
        func.func @f(%x: tensor<6x4xFLOAT>, %l: tensor<6xi64>) -> tensor<6xf32> {
          %r, %e = graph.cross_entropy %x, %l {ignore_index = 1, smoothing = 0.3} : tensor<6x4xFLOAT>, tensor<6xi64>
              -> tensor<6xf32>, tensor<6xf32>
          return %r : tensor<6xf32>
        })"},
      {"softmax_causal", R"(
        func.func @f(%x: tensor<2x4x4xFLOAT>) -> tensor<2x4x4xFLOAT> {
          %r, %l = graph.softmax %x causal : tensor<2x4x4xFLOAT> -> tensor<2x4x4xFLOAT>, tensor<2x4xf32>
          return %r : tensor<2x4x4xFLOAT>
        })"},
      {"cross_entropy", R"(
        func.func @f(%x: tensor<6x4xFLOAT>, %l: tensor<6xi64>) -> tensor<6xf32> {
          %r, %e = graph.cross_entropy %x, %l {ignore_index = 1} : tensor<6x4xFLOAT>, tensor<6xi64>
              -> tensor<6xf32>, tensor<6xf32>
          return %r : tensor<6xf32>
        })"},
      {"bias_and_activation", R"(
        func.func @f(%x: tensor<3x4xFLOAT>, %b: tensor<4xFLOAT>) -> tensor<3x4xFLOAT> {
          %r = graph.map ins(%x, %b : tensor<3x4xFLOAT>, tensor<4xFLOAT>)
              maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>] -> tensor<3x4xFLOAT> {
          ^bb0(%a: FLOAT, %c: FLOAT):
            %p = arith.addf %a, %c : FLOAT
            %t = math.tanh %p : FLOAT
            graph.yield %t : FLOAT
          }
          return %r : tensor<3x4xFLOAT>
        })"},
      {"a_chain_that_uses_a_value_twice", R"(
        func.func @f(%x: tensor<3x3xFLOAT>, %w: tensor<3x3xFLOAT>) -> tensor<3x3xFLOAT> {
          %y = graph.matmul %x, %w : tensor<3x3xFLOAT>, tensor<3x3xFLOAT> -> tensor<3x3xFLOAT>
          %s, %l = graph.softmax %y : tensor<3x3xFLOAT> -> tensor<3x3xFLOAT>, tensor<3xf32>
          %z = graph.matmul %s, %w transposed : tensor<3x3xFLOAT>, tensor<3x3xFLOAT> -> tensor<3x3xFLOAT>
          return %z : tensor<3x3xFLOAT>
        })"},
  };
  std::vector<AdjointCase> masks = maskCases();
  cases.insert(cases.end(), masks.begin(), masks.end());
  std::vector<AdjointCase> tiles = tileCases();
  cases.insert(cases.end(), tiles.begin(), tiles.end());
  for (int kind = 0; kind < 8; ++kind)
    cases.push_back(matmul(kind & 4, kind & 2, kind & 1));
  for (AdjointCase &tested : cases)
    tested.function = replaced(tested.function, "FLOAT", element);
  return cases;
}

} // namespace windlass::interpreter
