// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MLPs written as graph JSON: the committed example, and a classifier whose sizes no block divides.
#include "runtime/base/Safetensors.h"
#include "test/support/EndToEnd.h"
#include "test/support/Folders.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

json readJson(const std::string &path) { return json::parse(readText(WINDLASS_SOURCE_DIR "/" + path)); }

/// Writes rows of features, and the result of `target` for each row, as tensors x and y.
template <typename Target>
std::string writeData(const std::string &path, int64_t columns, std::vector<int64_t> targetShape,
                      const std::string &targetType, Target target) {
  constexpr int64_t kExamples = 512;
  targetShape.insert(targetShape.begin(), kExamples);
  auto writer = SafetensorsWriter::create(
      path, {{"x", "F32", {kExamples, columns}}, {"y", targetType, std::move(targetShape)}});
  EXPECT_TRUE(writer) << writer.status().message();
  if (!writer)
    return path;
  for (int64_t example = 0; example < kExamples; ++example) {
    std::vector<float> row(columns);
    for (int64_t i = 0; i < columns; ++i)
      row[i] = std::sin(0.7 * example + 1.3 * i * (1 + example % 5));
    const auto wanted = target(row);
    for (const TensorEntry &entry : writer->tensors()) {
      const auto bytes = entry.name == "x" ? std::as_bytes(std::span(row)) : std::as_bytes(std::span(wanted));
      EXPECT_TRUE(writer->write(entry, example * std::ssize(bytes), bytes));
    }
  }
  EXPECT_TRUE(writer->finish());
  return path;
}

void expectLearning(const std::vector<double> &losses, double part) {
  ASSERT_GE(losses.size(), 10u);
  EXPECT_LT(losses.back(), part * losses.front());
}

TEST(MlpTest, theExampleLearnsSyntheticAndGivenTensors) {
  std::unique_ptr<Compiled> compiled =
      compileJob({readJson("examples/mlp/model.json"), readJson("examples/mlp/training.json"),
                  readJson("examples/mlp/machine.json")});
  ASSERT_TRUE(compiled);
  EXPECT_EQ(compiled->plan.training.sequence, 0); // its rates count examples, not tokens
  RunSettings settings;
  settings.steps = 30;
  settings.data = "synthetic:1";
  expectLearning(train(*compiled, settings).losses, 0.9);
  settings.data = writeData(compiled->folder / "data.safetensors", 64, {16}, "F32", [](const auto &row) {
    std::vector<float> targets(16);
    for (size_t i = 0; i < targets.size(); ++i)
      targets[i] = std::tanh(row[i] - row[i + 16]);
    return targets;
  });
  expectLearning(train(*compiled, settings).losses, 0.9);
}

TEST(MlpTest, aClassifierOfOddSizesLearnsAndReadsNoPadding) {
  const json model = {{"format", "windlass.model/1"},
                      {"dims", {{"B", "batch"}}},
                      {"inputs",
                       {{"x", {{"role", "features"}, {"shape", {"B", 19}}}},
                        {"y", {{"role", "classes"}, {"shape", {"B"}}, {"bound", 3}}}}},
                      {"params",
                       {{"in.weight", {{"shape", {19, 101}}, {"init", {{"normal", 0.2}}}}},
                        {"in.bias", {{"shape", {101}}, {"init", 0}}},
                        {"out.weight", {{"shape", {101, 3}}, {"init", {{"normal", 0.1}}}}},
                        {"out.bias", {{"shape", {3}}, {"init", 0}}}}},
                      {"ops",
                       {{{"op", "matmul"}, {"in", {"x", "in.weight"}}, {"out", "a"}},
                        {{"op", "add"}, {"in", {"a", "in.bias"}}, {"out", "b"}},
                        {{"op", "gelu"}, {"in", {"b"}}, {"out", "h"}},
                        {{"op", "matmul"}, {"in", {"h", "out.weight"}}, {"out", "c"}},
                        {{"op", "add"}, {"in", {"c", "out.bias"}}, {"out", "logits"}},
                        {{"op", "cross_entropy"}, {"in", {"logits", "y"}}, {"out", "losses"}}}},
                      {"loss", "losses"}};
  Job job = biasFreeMlp({8, 8}, 2, 2, 8);
  job.model = model;
  for (const char *compute : {"fp32", "bf16"}) {
    SCOPED_TRACE(compute);
    std::unique_ptr<Compiled> compiled = compileJob(job.with({{"precision", {{"compute", compute}}}}));
    ASSERT_TRUE(compiled);
    RunSettings settings;
    settings.steps = 20;
    settings.data = writeData(compiled->folder / "data.safetensors", 19, {}, "I32", [](const auto &row) {
      return std::vector<int32_t>{row[0] > row[1] ? (row[2] > 0 ? 0 : 1) : 2};
    });
    settings.executor.canary = 0x00;
    const Outcome clean = train(*compiled, settings);
    expectLearning(clean.losses, 0.8);
    settings.executor.canary = 0x7f; // as floats: large values, which must not reach a sum through padding
    expectSameBits(clean, train(*compiled, settings));
  }
}

} // namespace
