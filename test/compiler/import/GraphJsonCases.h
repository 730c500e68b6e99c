//===- GraphJsonCases.h - operations of a graph JSON and what they give ====//
//
// Duty: one case per operation: parameters, the operation, and a formula for
// its values.
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
  json ops;                   ///< the last one's result is "z"
  std::vector<int64_t> shape; ///< of z
  std::function<Numbers(std::map<std::string, Tensor> &)> expected;
  double low = -1, high = 1; ///< of the parameters
  bool differentiable = true;
};

inline void PrintTo(const Case &tested, std::ostream *out) { *out << tested.name; }

std::vector<Case> elementwiseCases();
std::vector<Case> shapeCases();
std::vector<Case> layerCases();
std::vector<Case> convolutionCases();

} // namespace windlass::test
