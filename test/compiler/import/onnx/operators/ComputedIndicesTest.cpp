// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices that the run computes, and that may lie outside of their dimension: they give 0, without a
// gradient.
#include "test/compiler/import/onnx/ModelMaker.h"
#include "test/compiler/import/onnx/operators/NodeProgram.h"
#include <filesystem>

using namespace windlass;
using namespace windlass::test;

namespace {

using Numbers = std::vector<double>;

/// Data of 2 x 3 x 2: element i is i + 1.
constexpr int kElements = 12;

/// A node that reads the data at indices. Each row of the result is two neighbouring elements of the data, or
/// one element.
struct Lookup {
  std::string op, key; ///< the operator and its attribute
  int64_t value;       ///< of the attribute
  std::vector<int64_t> shape, indices;
  int64_t width;             ///< of a row of the result
  std::vector<int64_t> rows; ///< for each row of the result, the row of the data; -1 for none
};

/// Writes a node test: a model and its inputs.
void write(const TemporaryFolder &folder, const Lookup &lookup) {
  std::filesystem::create_directory(folder / "test_data_set_0");
  ModelMaker maker, values;
  maker.input("data", {2, 3, 2});
  maker.input("indices", lookup.shape, onnx::DataType::Int64);
  setAttribute(maker.node(lookup.op, {"data", "indices"}, "y"), lookup.key, lookup.value);
  maker.output("y");
  folder.write("model.onnx", maker.bytes());
  std::vector<float> data(kElements);
  for (int i = 0; i < kElements; ++i)
    data[i] = static_cast<float>(i + 1);
  const std::string prefix = "test_data_set_0/input_";
  folder.write(prefix + "0.pb", values.weight("data", {2, 3, 2}, data).SerializeAsString());
  folder.write(prefix + "1.pb", values.integers("indices", lookup.shape, lookup.indices).SerializeAsString());
}

void check(const Lookup &lookup) {
  TemporaryFolder folder;
  write(folder, lookup);
  Result<std::unique_ptr<NodeProgram>> program = NodeProgram::make(folder.path, Known::None);
  ASSERT_TRUE(program) << program.status().message();
  Numbers taken, gradient(kElements, 0.0);
  const interpreter::Tensor &weights = (*program)->parameters.at("weight0");
  for (int64_t row : lookup.rows)
    for (int64_t column = 0; column < lookup.width; ++column) {
      const int64_t from = row * lookup.width + column;
      if (row >= 0)
        gradient[static_cast<size_t>(from)] += weights.data[taken.size()];
      taken.push_back(row < 0 ? 0 : static_cast<double>(from + 1));
    }
  Result<std::vector<interpreter::Tensor>> results = (*program)->results();
  ASSERT_TRUE(results) << results.status().message();
  EXPECT_EQ(results->at(0).data, taken) << lookup.op;
  EXPECT_EQ((*program)->gradients((*program)->parameters).at("in0").data, gradient) << lookup.op;
}

/// Each index of a tuple has a dimension of its own, and counts from its end if it is negative.
TEST(OnnxComputedIndices, tuplesLieInsideInEachDimension) {
  check({"GatherND",
         "batch_dims",
         0,
         {6, 2},
         {0, 0, 0, 2, 1, 1, -1, -1, -2, -3, 1, -2},
         2,
         {0, 2, 4, 5, 0, 4}});
  check({"GatherND",
         "batch_dims",
         0,
         {6, 2},
         {0, 3, 0, -4, 1, -4, -1, 3, 1, 0, 0, 5},
         2,
         {-1, -1, -1, -1, 3, -1}});
  check({"GatherND",
         "batch_dims",
         0,
         {5, 2},
         {2, 0, -3, 2, 2, -1, 1, 2, 1073741824, 0},
         2,
         {-1, -1, -1, 5, -1}});
  check({"GatherND", "batch_dims", 0, {4, 3}, {0, 1, 2, 0, 1, -3, 1, 0, 1, 0, 3, 0}, 1, {-1, -1, 7, -1}});
}

/// An index does not reach another example.
TEST(OnnxComputedIndices, tuplesLieInsideTheirExample) {
  check(
      {"GatherND", "batch_dims", 1, {2, 4, 1}, {0, 2, 3, -4, 1, -1, -4, -3}, 2, {0, 2, -1, -1, 4, 5, -1, 3}});
}

TEST(OnnxComputedIndices, otherLookupsAreZeroOutside) {
  check({"Gather", "axis", 1, {4}, {0, 3, -1, -4}, 2, {0, -1, 2, -1, 3, -1, 5, -1}});
  check({"GatherElements", "axis", 1, {1, 4, 1}, {0, 3, -1, -4}, 1, {0, -1, 4, -1}});
}

} // namespace
