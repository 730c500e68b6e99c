// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphJsonCases.h - operations of graph JSON and their values ==========//
//
// Duty: cases of operations. A case has the parameters, the operation, and a formula for its values.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/Tensor.h"
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

namespace windlass::test {

using interpreter::Tensor;
using nlohmann::json;
using Numbers = std::vector<double>;

struct Case {
  std::string name;
  json params;                ///< name -> shape
  json ops;                   ///< the result of the last one is "z"
  std::vector<int64_t> shape; ///< of z
  std::function<Numbers(std::map<std::string, Tensor> &)> expected;
  double low = -1, high = 1; ///< bounds of the values of parameters
  bool differentiable = true;
};

/// A model whose loss is the sum of z * weights. The factor `weights` is a further parameter.
inline json documentOf(const Case &tested) {
  json document = {{"format", "windlass.model/1"},
                   {"dims", json::object()},
                   {"inputs", json::object()},
                   {"ops", tested.ops},
                   {"loss", "loss"}};
  for (const auto &[name, shape] : tested.params.items())
    document["params"][name] = {{"shape", shape}, {"init", 0}};
  document["params"]["weights"] = {{"shape", tested.shape}, {"init", 0}};
  document["ops"].push_back({{"op", "mul"}, {"in", {"z", "weights"}}, {"out", "loss"}});
  return document;
}

inline void PrintTo(const Case &tested, std::ostream *out) { *out << tested.name; }

std::vector<Case> elementwiseCases();
std::vector<Case> shapeCases();
std::vector<Case> layerCases();
std::vector<Case> convolutionCases();

} // namespace windlass::test
