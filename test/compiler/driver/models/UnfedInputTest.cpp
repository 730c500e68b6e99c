// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An input on which nothing depends once the graph is simplified is no input of the plan.
#include "test/support/EndToEnd.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

TEST(UnfedInput, isLeftOut) {
  Job job = tinyGpt2(2, 2, 2);
  job.model = json::parse(R"({
    "format": "windlass.model/1",
    "dims": {"B": "batch", "N": 4},
    "inputs": {"x": {"role": "features", "shape": ["B", "N"]},
               "choice": {"role": "tokens", "shape": ["B", "N"], "bound": 2},
               "y": {"role": "targets", "shape": ["B", "N"]}},
    "params": {"w": {"shape": ["N", "N"], "init": {"normal": 1}}},
    "ops": [{"op": "constant", "value": 2, "out": "two"},
            {"op": "where", "in": ["choice", "two", "two"], "out": "same"},
            {"op": "mul", "in": ["x", "same"], "out": "h"},
            {"op": "matmul", "in": ["h", "w"], "out": "z"},
            {"op": "mse", "in": ["z", "y"], "out": "losses"}],
    "loss": "losses"
  })");
  std::unique_ptr<Compiled> compiled = compileJob(job);
  ASSERT_TRUE(compiled);
  std::vector<std::string> names;
  for (const plan::Input &input : compiled->plan.inputs)
    names.push_back(input.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(train(*compiled).states.contains("momentum/w"));
}

} // namespace
