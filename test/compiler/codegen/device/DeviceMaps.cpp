// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/compiler/codegen/device/DeviceCases.h"

namespace windlass::codegen::test {
namespace {

std::string tensor(const std::vector<int64_t> &extents, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t extent : extents)
    text += std::to_string(extent) + "x";
  return text + element + ">";
}

/// A map of x, with one or two dimensions, whose body computes %y from %p.
std::string mapOf(const std::string &name, const std::string &x, const std::string &y,
                  const std::string &element, const std::string &result, const std::string &body,
                  bool isFlat = false) {
  const std::string map = isFlat ? "affine_map<(d0) -> (d0)>" : "affine_map<(d0, d1) -> (d0, d1)>";
  return "func.func @" + name + "(%x: " + x + ") -> " + y + " {\n %r = graph.map ins(%x : " + x + ") maps [" +
         map + "] -> " + y + " {\n ^bb0(%p: " + element + "):\n" + body + " graph.yield %y : " + result +
         "\n }\n return %r : " + y + "\n}\n";
}

const char *const kConditions = R"(
#id = affine_map<(d0) -> (d0)>
func.func @above(%x: tensor<50xf32>, %h: tensor<50xf16>) -> (tensor<50xi1>, tensor<50xf16>) {
  %r:2 = graph.map ins(%x, %h : tensor<50xf32>, tensor<50xf16>) maps [#id, #id] -> tensor<50xi1>, tensor<50xf16> {
  ^bb0(%a: f32, %b: f16):
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpf ogt, %a, %zero : f32
    %t = arith.truncf %a : f32 to f16
    %s = arith.addf %t, %b : f16
    graph.yield %c, %s : i1, f16
  }
  return %r#0, %r#1 : tensor<50xi1>, tensor<50xf16>
}
func.func @choose(%c: tensor<50xi1>, %h: tensor<50xf16>, %n: tensor<50xi64>, %w: tensor<50xf64>) -> tensor<50xf64> {
  %r = graph.map ins(%c, %h, %n, %w : tensor<50xi1>, tensor<50xf16>, tensor<50xi64>, tensor<50xf64>)
      maps [#id, #id, #id, #id] -> tensor<50xf64> {
  ^bb0(%c0: i1, %h0: f16, %n0: i64, %w0: f64):
    %h1 = arith.extf %h0 : f16 to f64
    %n1 = arith.sitofp %n0 : i64 to f64
    %s = arith.addf %h1, %n1 : f64
    %q = arith.divf %s, %w0 : f64
    %v = arith.select %c0, %q, %w0 : f64
    graph.yield %v : f64
  }
  return %r : tensor<50xf64>
}
)";

/// Turns the norm slots of owners, 17 places side by side for each of 5, into rows of places.
const char *const kSlots = R"(
func.func @slots(%x: tensor<5x24xf64>) -> tensor<17x5x8xf64> {
  %r = graph.map ins(%x : tensor<5x24xf64>) maps [affine_map<(d0, d1, d2) -> (d1, d0)>] -> tensor<17x5x8xf64> {
  ^bb0(%a: f64):
    graph.yield %a : f64
  }
  return %r : tensor<17x5x8xf64>
}
)";

const char *const kHalves = R"(
#id = affine_map<(d0) -> (d0)>
func.func @halves(%x: tensor<97xf32>, %y: tensor<97xbf16>) -> (tensor<97xbf16>, tensor<97xbf16>) {
  %r:2 = graph.map ins(%x, %y : tensor<97xf32>, tensor<97xbf16>) maps [#id, #id] -> tensor<97xbf16>, tensor<97xbf16> {
  ^bb0(%a: f32, %b: bf16):
    %t = arith.truncf %a : f32 to bf16
    %sum = arith.addf %t, %b : bf16
    graph.yield %t, %sum : bf16, bf16
  }
  return %r#0, %r#1 : tensor<97xbf16>, tensor<97xbf16>
}
)";

const char *const kMoves = R"(
func.func @split(%qkv: tensor<3x5x3x2x24xf32>) -> tensor<3x2x5x24xf32> {
  %r = graph.map ins(%qkv : tensor<3x5x3x2x24xf32>)
      maps [affine_map<(b, h, s, d) -> (b, s, 1, h, d)>] -> tensor<3x2x5x24xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %r : tensor<3x2x5x24xf32>
}
func.func @odd(%x: tensor<37x3xf32>) -> tensor<3x37xf32> {
  %r = graph.map ins(%x : tensor<37x3xf32>) maps [affine_map<(i, j) -> (j, i)>] -> tensor<3x37xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %r : tensor<3x37xf32>
}
func.func @even(%x: tensor<40x3xf32>) -> tensor<3x40xf32> {
  %r = graph.map ins(%x : tensor<40x3xf32>) maps [affine_map<(i, j) -> (j, i)>] -> tensor<3x40xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %r : tensor<3x40xf32>
}
)";

/// Indices go up to 7, so that some lie behind the last row on purpose.
const char *const kLookups = R"(
func.func @wide(%t: tensor<6x36xf32>, %i: tensor<5x4xi64>) -> tensor<5x4x36xf32> {
  %r = graph.embedding %t, %i : tensor<6x36xf32>, tensor<5x4xi64> -> tensor<5x4x36xf32>
  return %r : tensor<5x4x36xf32>
}
func.func @odd(%t: tensor<6x33xbf16>, %i: tensor<5xi32>) -> tensor<5x33xbf16> {
  %r = graph.embedding %t, %i : tensor<6x33xbf16>, tensor<5xi32> -> tensor<5x33xbf16>
  return %r : tensor<5x33xbf16>
}
)";

const char *const kMasked = R"(
func.func @masked(%x: tensor<9x40xf32>, %r: tensor<9xf32>) -> tensor<9x40xbf16> {
  %y = graph.map ins(%x, %r : tensor<9x40xf32>, tensor<9xf32>) maps [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i)>] -> tensor<9x40xbf16> {
  ^bb0(%a: f32, %b: f32):
    %i = graph.index 0 : index
    %j = graph.index 1 : index
    %inside = arith.cmpi slt, %j, %i : index
    %one = arith.constant 1.0 : f32
    %p = arith.mulf %a, %b : f32
    %v = arith.select %inside, %p, %one : f32
    %n = arith.truncf %v : f32 to bf16
    graph.yield %n : bf16
  }
  return %y : tensor<9x40xbf16>
}
)";

const char *const kPartlyMasked = R"(
func.func @gradient(%x: tensor<9x40xf32>, %g: tensor<9x40xf32>) -> (tensor<9x40xf32>, tensor<9x40xbf16>) {
  %y, %p = graph.map ins(%x, %g : tensor<9x40xf32>, tensor<9x40xf32>) maps [affine_map<(i, j) -> (i, j)>,
      affine_map<(i, j) -> (i, j)>] -> tensor<9x40xf32>, tensor<9x40xbf16> {
  ^bb0(%a: f32, %b: f32):
    %i = graph.index 0 : index
    %j = graph.index 1 : index
    %masked = arith.cmpi slt, %i, %j : index
    %zero = arith.constant 0.0 : f32
    %e = math.exp %a : f32
    %v = arith.select %masked, %zero, %e : f32
    %n = arith.truncf %v : f32 to bf16
    %d = arith.mulf %v, %b : f32
    graph.yield %d, %n : f32, bf16
  }
  return %y, %p : tensor<9x40xf32>, tensor<9x40xbf16>
}
)";

const char *const kSingle = R"(
func.func @root(%x: tensor<f64>) -> tensor<f32> {
  %r = graph.map ins(%x : tensor<f64>) maps [affine_map<() -> ()>] -> tensor<f32> {
  ^bb0(%a: f64):
    %s = math.sqrt %a : f64
    %t = arith.truncf %s : f64 to f32
    graph.yield %t : f32
  }
  return %r : tensor<f32>
}
func.func @zero() -> tensor<1xf32> {
  %r = graph.map ins() maps [] -> tensor<1xf32> {
    %z = arith.constant 0.0 : f32
    graph.yield %z : f32
  }
  return %r : tensor<1xf32>
}
)";

/// Literals that are read along the innermost loop from an odd place, and across it.
std::string tables() {
  std::string row, column;
  for (int i = 0; i < 36; ++i) {
    row += (i ? ", " : "") + std::to_string(i * i) + ".0";
    column += (i ? ", [" : "[") + std::to_string(3 * i) + ".0, " + std::to_string(i) + ".5]";
  }
  return mapOf("table", tensor({2, 32}, "f32"), tensor({2, 32}, "f32"), "f32", "f32", R"(
    %i = graph.index 0 : index
    %j = graph.index 1 : index
    %one = arith.constant 1 : index
    %next = arith.addi %j, %one : index
    %v = graph.lookup dense<[)" + row + R"(]> : tensor<36xf32> [%next] : f32
    %w = graph.lookup dense<[)" + column + R"(]> : tensor<36x2xf32> [%j, %i] : f32
    %s = arith.mulf %p, %v : f32
    %y = arith.addf %s, %w : f32
)");
}

/// Random numbers by place: along the rows, across the rows, and from a column at which no block of the
/// generator begins.
std::string randomNumbers(int64_t columns) {
  auto one = [&](const std::string &name, const std::string &body) {
    const std::string type = tensor({6, columns}, "f32");
    return "func.func @" + name + "(%key: tensor<1x2xi32>) -> " + type +
           " {\n %r = graph.map ins(%key, %key : tensor<1x2xi32>, tensor<1x2xi32>)\n"
           "maps [affine_map<(d0, d1) -> (0, 0)>, affine_map<(d0, d1) -> (0, 1)>] -> " +
           type +
           " {\n ^bb0(%k0: i32, %k1: i32):\n %i = graph.index 0 : index\n %j = graph.index 1 : index\n" +
           body +
           "%u = graph.random %k0, %k1 [%row, %column] : f32\n graph.yield %u : f32\n }\n return %r : " +
           type + "\n}\n";
  };
  return one("along", "%row = arith.addi %i, %i : index\n%column = graph.index 1 : index\n") +
         one("across", "%row = graph.index 1 : index\n%column = graph.index 0 : index\n") +
         one("behind", "%row = graph.index 0 : index\n%three = arith.constant 3 : index\n%column = "
                       "arith.addi %j, %three : index\n");
}

/// The functions that are computed by polynomials.
std::string functions(const std::string &element) {
  std::string text;
  const std::string type = tensor({1000}, element);
  for (const char *name :
       {"exp", "tanh", "erf", "log", "log1p", "sin", "cos", "rsqrt", "floor", "ceil", "roundeven", "absf"})
    text += mapOf(name, type, type, element, element,
                  std::string(" %y = math.") + name + " %p : " + element + "\n", true);
  return text;
}

} // namespace

std::string adamw() {
  return R"(
#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0) -> ()>
func.func @adamw(%p: tensor<1000xf32>, %g: tensor<1000xf32>, %m: tensor<1000xf32>, %v: tensor<1000xf32>,
                 %lr: tensor<f32>) -> (tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>) {
  %r:3 = graph.map ins(%p, %g, %m, %v, %lr : tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>,
                       tensor<1000xf32>, tensor<f32>)
      maps [#id, #id, #id, #id, #all] -> tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %rate: f32):
    %b1 = arith.constant 0.9 : f32
    %n1 = arith.constant 0.1 : f32
    %b2 = arith.constant 0.999 : f32
    %n2 = arith.constant 0.001 : f32
    %eps = arith.constant 1.0e-8 : f32
    %m0 = arith.mulf %c, %b1 : f32
    %m1 = arith.mulf %b, %n1 : f32
    %mn = arith.addf %m0, %m1 : f32
    %v0 = arith.mulf %d, %b2 : f32
    %v1 = arith.mulf %b, %b : f32
    %v2 = arith.mulf %v1, %n2 : f32
    %vn = arith.addf %v0, %v2 : f32
    %sq = math.sqrt %vn : f32
    %den = arith.addf %sq, %eps : f32
    %q = arith.divf %mn, %den : f32
    %u = arith.mulf %rate, %q : f32
    %pn = arith.subf %a, %u : f32
    graph.yield %pn, %mn, %vn : f32, f32, f32
  }
  return %r#0, %r#1, %r#2 : tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>
}
)";
}

std::string biasGelu(int64_t rows, int64_t columns, const std::string &element) {
  const std::string x = tensor({rows, columns}, element), b = tensor({columns}, element);
  auto constant = [&](const std::string &name, const std::string &value) {
    return "      %" + name + " = arith.constant " + value + " : " + element + "\n";
  };
  auto op = [&](const std::string &result, const std::string &name, const std::string &operands) {
    return "      %" + result + " = " + name + " " + operands + " : " + element + "\n";
  };
  return "func.func @gelu(%x: " + x + ", %b: " + b + ") -> " + x + " {\n %r = graph.map ins(%x, %b : " + x +
         ", " + b + ") maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>] -> " + x +
         " {\n    ^bb0(%p: " + element + ", %q: " + element + "):\n" + constant("half", "0.5") +
         constant("one", "1.0") + constant("c", "0.044715") + constant("s", "0.7978845608028654") +
         op("v", "arith.addf", "%p, %q") + op("v2", "arith.mulf", "%v, %v") +
         op("v3", "arith.mulf", "%v2, %v") + op("i0", "arith.mulf", "%c, %v3") +
         op("i1", "arith.addf", "%v, %i0") + op("i2", "arith.mulf", "%s, %i1") + op("t", "math.tanh", "%i2") +
         op("u", "arith.addf", "%one, %t") + op("w", "arith.mulf", "%half, %v") +
         op("y", "arith.mulf", "%w, %u") + "      graph.yield %y : " + element +
         "\n    }\n    return %r : " + x + "\n}\n";
}

std::vector<DeviceCase> deviceMaps() {
  const std::vector<std::string> names = {"exp", "tanh",  "erf",   "log",  "log1p",     "sin",
                                          "cos", "rsqrt", "floor", "ceil", "roundeven", "absf"};
  std::vector<DeviceCase> all = {
      {"adamw", adamw(), {"adamw"}, 1000, {{0, 0}, {1, 2}, {2, 3}}},
      {"conditions", kConditions, {"above", "choose"}, 50},
      {"bf16 and f32", kHalves, {"halves"}, 97},
      {"norm slots of owners", kSlots, {"slots"}, 17},
      {"moves", kMoves, {"split", "odd", "even"}, 3},
      {"look-ups", kLookups, {"wide", "odd"}, 5},
      {"behind a bound", kMasked, {"masked"}, 9},
      {"partly behind a bound", kPartlyMasked, {"gradient"}, 9, {{0, 1}}},
      {"one element", kSingle, {"root", "zero"}, 1},
      {"tables", tables(), {"table"}, 2},
      {"random, in blocks", randomNumbers(24), {"along", "across", "behind"}, 6},
      {"random, one by one", randomNumbers(21), {"along", "across", "behind"}, 6},
      {"functions", functions("f32"), names, 1000},
  };
  for (int64_t columns : {1, 4, 17, 96, 1000, 1029, 4100})
    all.push_back({"gelu of " + std::to_string(columns), biasGelu(7, columns), {"gelu"}, 7, {{0, 0}}});
  for (const char *element : {"bf16", "f16"})
    for (int64_t columns : {24, 33})
      all.push_back({std::string("gelu in ") + element + " of " + std::to_string(columns),
                     biasGelu(7, columns, element),
                     {"gelu"},
                     7,
                     {{0, 0}}});
  return all;
}

} // namespace windlass::codegen::test
