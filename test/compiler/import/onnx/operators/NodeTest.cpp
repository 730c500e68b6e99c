// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The node tests of the ONNX project (Debian's libonnx-testdata): the results of every operator that Windlass
// supports, and gradients of the same graphs against central differences, in f64.
#include "compiler/import/onnx/file/Reader.h"
#include "compiler/import/onnx/operators/Operator.h"
#include "test/compiler/import/onnx/operators/NodeProgram.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/Folders.h"
#include <cmath>
#include <gtest/gtest.h>
#include <iostream>
#include <random>
#include <set>

using namespace windlass;
using namespace windlass::test;

namespace {

using Tensors = NodeProgram::Tensors;

/// All programs that can be built from one folder.
struct NodeCase {
  std::string name;
  std::vector<std::unique_ptr<NodeProgram>> programs;
  std::string refusal; ///< of the last program that cannot be built
};

NodeCase loadCase(const std::string &folder) {
  NodeCase found{std::filesystem::path(folder).filename(), {}, {}};
  for (Known known : {Known::None, Known::Integers, Known::All}) {
    Result<std::unique_ptr<NodeProgram>> program = NodeProgram::make(folder, known);
    if (program)
      found.programs.push_back(program.take());
    else
      found.refusal = program.status().message();
  }
  return found;
}

const std::vector<NodeCase> &allCases() {
  static const std::vector<NodeCase> cases = [] {
    std::vector<NodeCase> all;
    for (const std::string &folder : nodeFolders())
      all.push_back(loadCase(folder));
    return all;
  }();
  return cases;
}

class OnnxNodes : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(nodeFolders().empty()) << "/usr/share/libonnx-testdata is not there: "
                                           "apt-get install libonnx-testdata, as tools/test.sh does";
  }
};

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The tolerance of f32 or f16 arithmetic. The project's own runner allows 1e-3 everywhere. Its written-out
/// windows have pi to 5 digits.
double toleranceOf(const std::string &test, onnx::DataType type) {
  const bool isHalf = type == onnx::DataType::Float16 || type == onnx::DataType::BFloat16;
  return isHalf ? 1e-2 : test.find("window") != std::string::npos ? 1e-3 : 1e-5;
}

/// The difference of `found` from `expected`; empty if there is none.
std::string difference(const interpreter::Tensor &found, const onnx::Tensor &expected, double tolerance) {
  Result<onnx::Literal> literal = onnx::literalOf(expected);
  if (!literal || found.shape != expected.shape)
    return "has shape " + onnx::describe(found.shape) + ", not " + onnx::describe(expected.shape);
  for (int64_t i = 0; i < literal->size(); ++i) {
    const double value = found.data[static_cast<size_t>(i)], wanted = literal->real(i);
    const bool isSame = std::isnan(wanted) ? std::isnan(value) : value == wanted;
    if (!isSame && !(std::fabs(value - wanted) <= tolerance * std::max(1.0, std::fabs(wanted))))
      return "element " + std::to_string(i) + " is " + std::to_string(value) + ", not " +
             std::to_string(wanted);
  }
  return {};
}

TEST_F(OnnxNodes, giveTheResultsOfTheOnnxProject) {
  size_t applicable = 0, passed = 0;
  for (const NodeCase &tested : allCases()) {
    if (tested.programs.empty())
      continue;
    ++applicable;
    Result<NodeData> data = readNodeData(nodeFolder(tested.name));
    ASSERT_TRUE(data);
    bool isRight = true;
    for (const auto &program : tested.programs) {
      auto results = program->results();
      ASSERT_TRUE(results) << tested.name << ": " << results.status().message();
      ASSERT_EQ(results->size(), data->outputs.size()) << tested.name;
      for (size_t i = 0; i < results->size(); ++i) {
        const std::string fault =
            difference((*results)[i], data->outputs[i], toleranceOf(tested.name, data->outputs[i].type));
        EXPECT_EQ(fault, "") << tested.name << " result " << i;
        isRight &= fault.empty();
      }
    }
    passed += isRight;
  }
  std::cout << "node tests of the ONNX project: " << allCases().size() << "; " << applicable << " apply, "
            << passed << " of them pass, " << allCases().size() - applicable
            << " are skipped (reasons: docs/onnx.md)\n";
  EXPECT_GT(applicable, 400u);
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// Checks the slope of the loss along directions: all elements at once, and single ones.
class GradientCheck {
public:
  explicit GradientCheck(NodeProgram &program) : program(program), at(program.parameters) {
    // Moves values a little, away from ties and from corners of functions.
    std::uniform_real_distribution<double> nudge(0.001, 0.02);
    for (const std::string &name : program.differentiable)
      for (double &value : at[name].data)
        value += nudge(random);
    gradients = program.gradients(at);
  }

  /// The error; empty if there is none.
  std::string run() {
    constexpr int kDirections = 2, kElements = 6;
    for (const std::string &name : program.differentiable) {
      const size_t size = at[name].data.size();
      for (int draw = 0; draw < kDirections; ++draw)
        if (std::string fault = check(name, dense(size)); !fault.empty())
          return fault;
      for (int draw = 0; draw < kElements && size > 0; ++draw)
        if (std::string fault = check(name, single(size)); !fault.empty())
          return fault;
    }
    return {};
  }

private:
  std::vector<double> dense(size_t size) {
    std::uniform_real_distribution<double> draw(-1, 1);
    std::vector<double> direction(size);
    for (double &value : direction)
      value = draw(random);
    return direction;
  }
  std::vector<double> single(size_t size) {
    std::vector<double> direction(size, 0);
    direction[std::uniform_int_distribution<size_t>(0, size - 1)(random)] = 1;
    return direction;
  }

  double lossAt(const std::string &name, const std::vector<double> &direction, double step) {
    Tensors moved = at;
    for (size_t i = 0; i < direction.size(); ++i)
      moved[name].data[i] += step * direction[i];
    return program.loss(moved);
  }

  std::string check(const std::string &name, const std::vector<double> &direction) {
    constexpr double kStep = 1e-6, kTolerance = 2e-5;
    const double above = lossAt(name, direction, kStep), below = lossAt(name, direction, -kStep);
    const double slope = (above - below) / (2 * kStep);
    double found = 0, size = 0;
    for (size_t i = 0; i < direction.size(); ++i) {
      found += gradients[name].data[i] * direction[i];
      size += std::fabs(gradients[name].data[i] * direction[i]);
    }
    if (std::fabs(found - slope) <= kTolerance * std::max({1.0, size, std::fabs(above) * 1e-3}))
      return {};
    return name + " has a slope of " + std::to_string(slope) + ", the gradient says " + std::to_string(found);
  }

  NodeProgram &program;
  Tensors at, gradients;
  std::mt19937 random{11};
};

TEST_F(OnnxNodes, haveTheGradientsOfCentralDifferences) {
  size_t checked = 0;
  for (const NodeCase &tested : allCases()) {
    if (tested.programs.empty() || !tested.programs.front()->isComputed() ||
        tested.programs.front()->differentiable.empty())
      continue;
    ++checked;
    EXPECT_EQ(GradientCheck(*tested.programs.front()).run(), "") << tested.name;
  }
  std::cout << "node tests of the ONNX project: gradients of " << checked << " checked\n";
  EXPECT_GT(checked, 250u);
}

//===----------------------------------------------------------------------===//
// Skips
//===----------------------------------------------------------------------===//

constexpr const char *kNoOperator = "operators that Windlass does not have";

/// The reason for which a test is skipped, by the error of the import. Other errors are the reason
/// themselves.
std::string reasonOf(const std::string &refusal) {
  static const std::pair<const char *, const char *> reasons[] = {
      {"parts of images are not resized", "parts of images, resized"},
      {"(RandomUniformLike)", "numbers that are drawn"},
      {"operators that are not supported", kNoOperator},
      {"operator set must be", "operators of training: Windlass has its own"},
      {"must be a tensor of a known type and rank",
       "sequences, optionals, strings, and integers of 8 to 64 bits"},
      {"data type must be", "sequences, optionals, strings, and integers of 8 to 64 bits"},
      {"bytes, as", "sequences, optionals, strings, and integers of 8 to 64 bits"},
      {"must be numbers of batch x channels", "pooling of integers"},
      {"6 dimensions", "more than 6 dimensions"},
      {"6 deep", "more than 6 dimensions"},
      {"is not supported, and is read", "a second result: the mask of a dropout, the places of maxima"},
      {"places of the largest", "a second result: the mask of a dropout, the places of maxima"},
      {"dropout is switched on", "dropout that is switched on"}};
  for (const auto &[part, reason] : reasons)
    if (refusal.find(part) != std::string::npos)
      return reason;
  return refusal;
}

std::set<std::string> subjectsOf(const NodeCase &tested, const std::string &reason) {
  std::set<std::string> operators = operatorsOf(nodeFolder(tested.name));
  if (reason == kNoOperator)
    std::erase_if(operators, [](const std::string &name) {
      onnx::Node node;
      node.op = name;
      return onnx::findOperator(node) != nullptr;
    });
  return operators;
}

std::string skipTable() {
  struct Group {
    size_t count = 0;
    std::set<std::string> subjects;
  };
  std::map<std::string, Group> groups;
  for (const NodeCase &tested : allCases())
    if (tested.programs.empty()) {
      const std::string reason = reasonOf(tested.refusal);
      Group &group = groups[reason];
      ++group.count;
      group.subjects.merge(subjectsOf(tested, reason));
    }
  std::string table = "| skipped | tests | of |\n| --- | --- | --- |\n";
  for (const auto &[reason, group] : groups) {
    std::string subjects;
    for (const std::string &subject : group.subjects)
      subjects += (subjects.empty() ? "`" : ", `") + subject + "`";
    table += "| " + reason + " | " + std::to_string(group.count) + " | " + subjects + " |\n";
  }
  return table;
}

TEST_F(OnnxNodes, thatAreSkippedStandInTheDocs) {
  const std::string page = readText(std::string(WINDLASS_SOURCE_DIR) + "/docs/onnx.md");
  EXPECT_NE(page.find(skipTable()), std::string::npos) << skipTable();
}

} // namespace
