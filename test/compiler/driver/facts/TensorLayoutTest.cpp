// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counts and the description of work that every tensor rank does whole: heads that the ranks do not
// divide, and parameters that every rank has. Of the products of a step such work counts once.
#include "compiler/driver/facts/TensorLayout.h"
#include "model/StepReport.h"
#include "test/compiler/driver/Planning.h"
#include "test/support/MeshJobs.h"

using namespace windlass;
using namespace windlass::test;

namespace {

Job llamaOf(int64_t heads, int64_t kvHeads) {
  Job job = tinyLlama(1, 1, 2);
  job.model.update({{"hidden_size", 96}, {"num_attention_heads", heads}, {"num_key_value_heads", kvHeads}});
  return job;
}

TensorLayout tensorLayout(const Job &job, int64_t ranks) {
  Planning planning(onMesh(job, {1, ranks}));
  Result<TensorLayout> found = planning.levels->describeSplits(*planning.imported, "t.json");
  EXPECT_TRUE(found) << found.status().message();
  return found ? found.take() : TensorLayout();
}

TEST(TensorLayout, countsTheOperationsAndParametersThatAllRanksHave) {
  const Job job = llamaOf(6, 3);
  const graph::ReplicatedWork divided = tensorLayout(job, 3).replicated,
                              whole = tensorLayout(job, 4).replicated;
  EXPECT_FALSE(divided.attentionHeads);
  EXPECT_EQ(divided.flops, 0);
  EXPECT_EQ(whole.attentionHeads, 6);
  EXPECT_EQ(whole.allFlops, divided.allFlops);
  // Two sequences of 32 tokens. All work except attention is products with matrices.
  const double tokens = 64, layer = 96 * (96 + 48 + 48 + 96 + 3 * 96), head = 96 * 256;
  EXPECT_EQ(whole.allFlops - whole.flops, 2 * tokens * (2 * layer + head));
  EXPECT_EQ(whole.allElements, 2 * (static_cast<int64_t>(layer) + 2 * 96) + 2 * 96 * 256 + 96);
  EXPECT_EQ(whole.elements, 5 * 96) << "the gains of norms";
}

TEST(TensorLayout, isSaidWithWhatWouldBeSharedOut) {
  const auto said = [](int64_t heads, int64_t kvHeads, int64_t ranks) {
    return describeReplicatedWork(tensorLayout(llamaOf(heads, kvHeads), ranks).replicated, ranks);
  };
  const auto endsWith = [](const std::string &text, const std::string &end) {
    EXPECT_TRUE(text.ends_with(end)) << text;
  };
  EXPECT_EQ(said(6, 3, 3), "");
  EXPECT_EQ(said(4, 4, 4), "");
  endsWith(said(6, 3, 4), ": attention of 6 heads can be shared out over 2, 3 or 6 ranks");
  endsWith(said(12, 12, 8), ": attention of 12 heads can be shared out over 2, 3, 4, 6 or 12 ranks");
  endsWith(said(3, 3, 2), ": attention of 3 heads can be shared out over 3 ranks");
  endsWith(said(1, 1, 2), ": attention of 1 head can be shared out over no ranks");
}

/// Key heads that the ranks do not divide are repeated for the query heads of each rank.
TEST(TensorLayout, sharesOutAttentionOfFewKeyHeads) {
  for (const auto &[heads, keyHeads, ranks] :
       {std::array<int64_t, 3>{4, 1, 2}, {4, 2, 4}, {12, 3, 2}, {12, 6, 4}}) {
    const TensorLayout shared = tensorLayout(llamaOf(heads, keyHeads), ranks);
    EXPECT_FALSE(shared.replicated.attentionHeads) << heads << " " << keyHeads << " " << ranks;
    EXPECT_NE(shared.layout.find("attention heads"), std::string::npos) << shared.layout;
  }
}

TEST(TensorLayout, saysSharesOfOperationsAndParameters) {
  EXPECT_EQ(describeReplicatedWork({.flops = 1e9, .allFlops = 4e9, .elements = 10, .allElements = 1000}, 2),
            "each of 2 ranks computes 25 % of a forward pass's products and attention alike (1.00 GFLOP) and "
            "has 1 % "
            "of the parameters whole (10 elements)");
  EXPECT_EQ(describeReplicatedWork({.flops = 1e8, .allFlops = 4e9, .elements = 10, .allElements = 1000}, 2),
            "");
  EXPECT_EQ(describeReplicatedWork({.flops = 0, .allFlops = 4e9, .elements = 500, .allElements = 1000}, 2),
            "each of 2 ranks has 50 % of the parameters whole (500 elements)");
}

/// The floating-point operations of the products of a step.
model::FlopUse flopsOf(const Job &job, const MeshShape &mesh) {
  const Job meshed = onMesh(job, mesh);
  std::unique_ptr<Compiled> compiled = compileJob(meshed);
  Result<model::Machine> machine = model::parseMachine(meshed.hardware.dump(), "machine.json");
  EXPECT_TRUE(compiled && machine);
  if (!compiled || !machine)
    return {};
  Result<model::Simulation> step = model::simulateStep(compiled->plan, *machine);
  EXPECT_TRUE(step) << step.status().message();
  return step ? model::reportStep(compiled->plan, *machine, *step).flops : model::FlopUse();
}

/// Four ranks do not divide two heads: each computes attention whole. What two ranks compute of it is shared
/// out.
TEST(TensorLayout, countsOnceForTheModelWhatAllRanksCompute) {
  const Job job = tinyGpt2(1, 2, 2);
  const model::FlopUse alone = flopsOf(job, {1, 1}), divided = flopsOf(job, {1, 2}),
                       whole = flopsOf(job, {1, 4}), twice = flopsOf(job, {2, 4}),
                       stages = flopsOf(job, {1, 4, 2});
  const double tokens = 2 * 2 * 32, weights = 2 * 12 * 64 * 64 + 64 * 256, scores = 12.0 * 2 * 64 * 32;
  EXPECT_EQ(alone.model, tokens * (6 * weights + scores));
  EXPECT_EQ(divided.model, alone.model);
  EXPECT_EQ(divided.computed, alone.computed);
  EXPECT_EQ(whole.model, alone.model);
  EXPECT_GT(whole.computed, alone.computed) << "each rank computes attention";
  EXPECT_EQ(twice.model, 2 * alone.model) << "of other examples";
  EXPECT_EQ(stages.model, alone.model);
}

} // namespace
