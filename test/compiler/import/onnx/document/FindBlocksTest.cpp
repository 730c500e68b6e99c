// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of operations that the search for layers visits.
#include "compiler/import/onnx/document/FindBlocks.h"

#include <gtest/gtest.h>

using namespace windlass::onnx;
using nlohmann::json;

namespace {

/// A chain of layers of a matmul and an addition. `isLastOther`: the last layer has another kind of matmul.
json chain(int64_t layers, bool isLastOther) {
  json document = {{"params", json::object()}, {"ops", json::array()}, {"loss", "loss"}};
  std::string x = "x";
  for (int64_t i = 0; i < layers; ++i) {
    const std::string name = "layers." + std::to_string(i) + ".";
    document["params"][name + "weight"] = document["params"][name + "bias"] = {{"shape", {8, 8}}};
    const bool isOther = isLastOther && i + 1 == layers;
    document["ops"].push_back(
        {{"op", "matmul"}, {"in", {x, name + "weight"}}, {"out", name + "y"}, {"transpose", isOther}});
    document["ops"].push_back({{"op", "add"}, {"in", {name + "y", name + "bias"}}, {"out", name + "z"}});
    x = name + "z";
  }
  document["ops"].push_back({{"op", "sum"}, {"in", {x}}, {"out", "loss"}});
  return document;
}

TEST(FindBlocks, looksAtTwiceAsManyOperationsOfTwiceAsManyLayers) {
  for (bool isLastOther : {false, true}) {
    json few = chain(128, isLastOther), many = chain(256, isLastOther);
    const int64_t ofFew = findBlocks(few), ofMany = findBlocks(many);
    EXPECT_EQ(many.contains("blocks"), !isLastOther);
    EXPECT_GT(ofFew, 2 * 128);
    EXPECT_LE(static_cast<double>(ofMany), 2.3 * static_cast<double>(ofFew));
  }
}

} // namespace
