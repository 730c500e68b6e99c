// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tokens of a sequence that a plan knows, by which a run counts tokens, and the warning of a sequence
// without effect.
#include "compiler/driver/Compile.h"
#include "test/support/EndToEnd.h"
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

struct Found {
  int64_t tokens = -1; ///< of a sequence, in the plan
  std::vector<std::string> warnings;

  bool operator==(const Found &) const = default;
};

void PrintTo(const Found &found, std::ostream *out) { *out << found.tokens << json(found.warnings).dump(); }

/// `asked`: 0 leaves the sequence out of the training file.
Found compileFor(Job job, int64_t asked) {
  job.training.erase("sequence");
  if (asked > 0)
    job.training["sequence"] = asked;
  TemporaryFolder folder;
  CompileRequest request;
  request.model =
      folder.write(job.model.contains("model_type") ? "config.json" : "model.json", job.model.dump());
  request.training = folder.write("training.json", job.training.dump());
  request.hardware = folder.write("machine.json", job.hardware.dump());
  Found found;
  request.warn = [&](const std::string &text) {
    found.warnings.push_back(text.substr(text.find(": sequence: ") + 2));
  };
  Result<plan::Plan> plan = compile(request);
  EXPECT_TRUE(plan) << plan.status().message();
  if (plan)
    found.tokens = plan->training.sequence;
  return found;
}

std::vector<std::string> idle(int64_t asked) {
  return {"sequence: " + std::to_string(asked) +
          " has no effect: no input of the model has sequences of this length"};
}

TEST(SequenceTest, isThatOfTheTokens) {
  const Job job = tinyGpt2(1, 1);
  EXPECT_EQ(compileFor(job, 0), (Found{32, {}}));
  EXPECT_EQ(compileFor(job, 16), (Found{16, {}}));
}

/// Eight features of an example are no sequence of eight tokens.
TEST(SequenceTest, isNoneWhereTheModelReadsNoTokens) {
  Job job = biasFreeMlp({8, 16, 4}, 1, 1);
  EXPECT_EQ(compileFor(job, 0), (Found{0, {}}));
  EXPECT_EQ(compileFor(job, 128), (Found{0, idle(128)}));
  EXPECT_EQ(compileFor(job, 8), (Found{0, idle(8)}));
  job.model["dims"]["T"] = "sequence";
  job.model["inputs"]["x"]["shape"] = {"B", "T"};
  EXPECT_EQ(compileFor(job, 8), (Found{0, {}})) << "features in sequences";
}

/// The model names its tokens' length by itself, and reads a mask before them.
TEST(SequenceTest, isAsLongAsTheModelSays) {
  Job job = biasFreeMlp({3, 4}, 1, 1);
  job.model["inputs"]["a"] = {{"role", "tokens"}, {"shape", {"B", 1, 5}}, {"bound", 2}};
  job.model["inputs"]["t"] = {{"role", "tokens"}, {"shape", {"B", 5}}, {"bound", 6}};
  job.model["inputs"].erase("x");
  job.model["params"].update({{"mask", {{"shape", {2, 3}}, {"init", {{"normal", 0.1}}}}},
                              {"words", {{"shape", {6, 3}}, {"init", {{"normal", 0.1}}}}}});
  json ops = {{{"op", "embedding"}, {"in", {"mask", "a"}}, {"out", "masks"}},
              {{"op", "reduce"}, {"kind", "sum"}, {"in", {"masks"}}, {"dims", {1, 2}}, {"out", "m"}},
              {{"op", "embedding"}, {"in", {"words", "t"}}, {"out", "looked"}},
              {{"op", "reduce"}, {"kind", "sum"}, {"in", {"looked"}}, {"dims", {1}}, {"out", "w"}},
              {{"op", "add"}, {"in", {"m", "w"}}, {"out", "x"}}};
  ops.insert(ops.end(), job.model["ops"].begin(), job.model["ops"].end());
  job.model["ops"] = ops;
  EXPECT_EQ(compileFor(job, 5), (Found{5, {}}));
  EXPECT_EQ(compileFor(job, 7), (Found{5, idle(7)}));
}

} // namespace
