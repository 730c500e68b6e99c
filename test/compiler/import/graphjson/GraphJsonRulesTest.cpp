// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graph JSON: rules of single operations and of repetitions. What breaks one would compute other numbers than
// its file means.
#include "compiler/import/graphjson/GraphJson.h"
#include "test/compiler/import/ImportTesting.h"

using namespace mlir;
using namespace windlass;
using namespace windlass::test;

namespace {

/// A model of 2 examples of images x (1 x 4 x 4), rows r (6 x 4 in all) and tokens t (3, below 5). Operations
/// are added between its own.
nlohmann::json withOps(const nlohmann::json &ops) {
  nlohmann::json document = nlohmann::json::parse(R"({
    "format": "windlass.model/1",
    "dims": {"B": "batch"},
    "inputs": {"x": {"role": "features", "shape": ["B", 1, 4, 4]}, "t": {"role": "tokens", "shape": ["B", 3], "bound": 5}},
    "params": {"w": {"shape": [1], "init": 1}},
    "ops": [{"op": "slice", "in": ["x"], "dims": [2], "starts": [0], "ends": [3], "out": "s"},
            {"op": "reshape", "in": ["s"], "shape": ["3*B", 4], "out": "r"}],
    "loss": "loss"
  })");
  for (const nlohmann::json &op : ops)
    document["ops"].push_back(op);
  document["ops"].push_back({{"op", "cast"}, {"in", {"t"}}, {"type", "f32"}, {"out", "f"}});
  document["ops"].push_back({{"op", "reduce"}, {"in", {"r"}}, {"kind", "sum"}, {"dims", {0}}, {"out", "q"}});
  document["ops"].push_back(
      {{"op", "reduce"}, {"in", {"f"}}, {"kind", "sum"}, {"dims", {0, 1}}, {"out", "p"}});
  document["ops"].push_back({{"op", "add"}, {"in", {"q", "p"}}, {"out", "sum"}});
  document["ops"].push_back({{"op", "mul"}, {"in", {"sum", "w"}}, {"out", "loss"}});
  return document;
}

/// The error of a model with these operations, from the place of the first of them on; empty without one.
std::string errorOf(const char *ops) {
  MLIRContext context;
  auto module = buildGraph(context, withOps(nlohmann::json::parse(ops)), "m.json", "", trainingOf(2));
  if (module)
    return "";
  EXPECT_EQ(module.status().code(), ExitCode::BadInput) << module.status().message();
  return module.status().message().substr(std::string("m.json: ").size());
}

/// A token would be turned by the angles of another place.
TEST(GraphJsonRules, rotaryTablesAreAsLongAsSequences) {
  auto rotated = [](int64_t positions, const std::string &keys) {
    const std::string table = R"([{"op": "rotary_table", "frequencies": [1, 0.5], "positions": )";
    return errorOf(
        (table + std::to_string(positions) +
         R"(, "out": ["c", "d"]}, {"op": "rotary", "in": ["r", "c", "d"], "heads": 1, "out": "o")" + keys +
         "}]")
            .c_str());
  };
  EXPECT_EQ(rotated(3, ""), "");
  EXPECT_EQ(rotated(1, R"(, "batch": 6)"), "");
  EXPECT_EQ(rotated(2, R"(, "batch": "3")"), "");
  EXPECT_EQ(rotated(1, ""),
            "ops[3].in[0]: must have 2 sequences of 1 tokens, as the tables have rows, is 6x4");
  EXPECT_EQ(rotated(6, ""),
            "ops[3].in[0]: must have 2 sequences of 6 tokens, as the tables have rows, is 6x4");
  EXPECT_EQ(rotated(1, R"(, "batch": 3)"),
            "ops[3].in[0]: must have 3 sequences of 1 tokens, as the tables have rows, is 6x4");
}

TEST(GraphJsonRules, indicesThatAreKnownLieInside) {
  auto looked = [](const std::string &op, const std::string &values) {
    return errorOf(
        (R"([{"op": "constant", "type": "i32", "value": )" + values + R"(, "out": "i"}, )" + op + "]")
            .c_str());
  };
  const std::string embedding = R"({"op": "embedding", "in": ["r", "i"], "out": "o"})";
  EXPECT_EQ(looked(embedding, "[0, 5]"), "");
  EXPECT_EQ(looked(embedding, "[0, 6]"),
            "ops[3].in[1]: must be below the 6 rows of the table, and is up to 6, is 2 of integers");
  EXPECT_EQ(looked(embedding, "[-1, 5]"),
            "ops[3].in[1]: must be at least 0, and is down to -1, is 2 of integers");
  const std::string gather = R"({"op": "gather", "in": ["r", "i"], "dim": 1, "out": "o"})";
  EXPECT_EQ(looked(gather, "[-4, 3]"), "");
  EXPECT_EQ(looked(gather, "[-4, 4]"),
            "ops[3].in[1]: must be below the 4 elements of dimension 1, and is up to 4, is 2 of integers");
  EXPECT_EQ(looked(gather, "[-5, 3]"),
            "ops[3].in[1]: must be at least -4, and is down to -5, is 2 of integers");
  const std::string elements = R"({"op": "gather_elements", "in": ["r", "i"], "dim": 1, "out": "o"})";
  EXPECT_EQ(looked(elements, "[[-4, 3]]"), "");
  EXPECT_EQ(looked(elements, "[[0, 4]]"),
            "ops[3].in[1]: must be below the 4 elements of dimension 1, and is up to 4, is 1x2 of integers");
  EXPECT_EQ(looked(elements, "[[0, -5]]"),
            "ops[3].in[1]: must be at least -4, and is down to -5, is 1x2 of integers");
  const char *tokens = R"([{"op": "gather_elements", "in": ["r", "t"], "dim": 1, "out": "o"}])";
  EXPECT_EQ(errorOf(tokens),
            "ops[2].in[1]: must be below the 4 elements of dimension 1, and is up to 4, is 2x3 of integers");
}

TEST(GraphJsonRules, windowsOfPoolsHoldAnElement) {
  auto pooled = [](const std::string &op, const std::string &keys) {
    return errorOf((R"([{"op": ")" + op + R"(", "in": ["x"], )" + keys + R"(, "out": "o"}])").c_str());
  };
  auto rule = [](int window, int dim) {
    return "ops[2].pads: must leave an element of x in every window, but window " + std::to_string(window) +
           " of dimension " + std::to_string(dim) + " lies in the padding alone";
  };
  for (const char *op : {"max_pool", "average_pool"}) {
    EXPECT_EQ(pooled(op, R"("kernel": [3, 3], "pads": [1, 2, 2, 1])"), "") << op;
    EXPECT_EQ(pooled(op, R"("kernel": [2, 2], "pads": [0, 2, 0, 0])"), rule(0, 3)) << op;
    EXPECT_EQ(pooled(op, R"("kernel": [2, 2], "pads": [0, 0, 2, 0])"), rule(4, 2)) << op;
    EXPECT_EQ(pooled(op, R"("kernel": [2, 2], "pads": [0, 0, 2, 0], "strides": [3, 1])"), "") << op;
    // With elements 5 apart, the window that begins at -1 has the elements -1 and 4.
    EXPECT_EQ(pooled(op, R"("kernel": [1, 2], "pads": [0, 4, 0, 2], "dilations": [1, 4])"), "") << op;
    EXPECT_EQ(pooled(op, R"("kernel": [1, 2], "pads": [0, 5, 0, 2], "dilations": [1, 5])"), rule(4, 3)) << op;
  }
  EXPECT_EQ(pooled("average_pool", R"("kernel": [2, 2], "pads": [0, 2, 0, 0], "count_include_pad": true)"),
            "");
}

TEST(GraphJsonRules, integersArePaddedWithIntegers) {
  auto padded = [](const char *in, const char *value) {
    return errorOf((std::string(R"([{"op": "pad", "in": [")") + in +
                    R"("], "before": [0, 1], "after": [0, 0], "out": "o", "value": )" + value + "}]")
                       .c_str());
  };
  for (const char *value : {"-2147483648", "7", "7.0", "2147483647"})
    EXPECT_EQ(padded("t", value), "");
  EXPECT_EQ(padded("r", "1.5"), "");
  for (const char *value : {"1.5", "2147483648", "-3e9"})
    EXPECT_NE(padded("t", value)
                  .find("ops[2].value: must be a whole number of 32 bits, as the integers of x are, is "),
              std::string::npos)
        << padded("t", value);
}

/// Two operations that repeat blocks must not name one layer.
TEST(GraphJsonRules, layersHaveNamesOfTheirOwn) {
  auto repeated = [](const char *name, int64_t first) {
    nlohmann::json document = withOps(nlohmann::json::parse(R"([
      {"repeat": 2, "block": "b", "carry": ["r"], "name": "h.{i}"},
      {"repeat": 2, "block": "b", "carry": ["r"]}])"));
    document["blocks"] = nlohmann::json::parse(
        R"({"b": {"in": ["a"], "ops": [{"op": "neg", "in": ["a"], "out": "c"}], "out": ["c"]}})");
    document["ops"][3].update({{"name", name}, {"first", first}});
    MLIRContext context;
    auto module = buildGraph(context, document, "m.json", "", trainingOf(2));
    EXPECT_TRUE(module || module.status().code() == ExitCode::BadInput) << module.status().message();
    return module ? "" : module.status().message();
  };
  EXPECT_EQ(repeated("g.{i}", 0), "");
  EXPECT_EQ(repeated("h.{i}", 2), "");
  EXPECT_EQ(repeated("h.{i}", 1), "m.json: ops[3].name: names the layer \"h.1\", as another \"repeat\" does");
}

} // namespace
