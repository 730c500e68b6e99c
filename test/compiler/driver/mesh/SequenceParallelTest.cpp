// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between two divided operations, tensor ranks compute and keep their own rows or all rows. No bit depends on
// this, under all decisions, and own rows need less memory.
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/Reasons.h"
#include "runtime/plan/text/ReasonText.h"
#include "test/support/MeshJobs.h"
#include <gtest/gtest.h>
#include <random>

using namespace windlass;
using namespace windlass::test;

namespace {

/// Dropout everywhere, and a number of words that no number of ranks divides.
Job droppingGpt2() {
  Job job = tinyGpt2(1, 2, 2);
  job.model.update({{"n_embd", 32}, {"n_head", 4}, {"n_positions", 16}, {"vocab_size", 251}});
  job.model.update({{"embd_pdrop", 0.1}, {"attn_pdrop", 0.1}, {"resid_pdrop", 0.1}});
  return job;
}

bool isOverTensorRanks(const plan::Plan &plan, const plan::Instruction &instruction) {
  return plan::isCollective(instruction.op) && instruction.axes.size() == 1 &&
         plan.mesh[instruction.axes.front()].kind == plan::AxisKind::Tensor;
}

int64_t gathersOver(const plan::Plan &plan) {
  return countTraining(plan, [&](const plan::Instruction &instruction) {
    return instruction.op == plan::Opcode::AllGather && isOverTensorRanks(plan, instruction);
  });
}

/// Three ways that change no bit: all rows; own rows that are gathered again for the backward pass; own rows
/// that stay gathered.
const json kWholeRows = {{"sequence_parallel", false}},
           kOwnRows = {{"sequence_parallel", true}, {"reshard_activations", true}},
           kKeptRows = {{"sequence_parallel", true}, {"reshard_activations", false}};

std::unique_ptr<Compiled> compileRows(const Job &job, const json &rows) {
  std::unique_ptr<Compiled> compiled = compileJob(job.with(rows));
  if (compiled) {
    const json strategy = json::parse(compiled->plan.strategy);
    const plan::Reason *reason = plan::findReason(compiled->plan.reasons, "sequence_parallel");
    const bool areNone = reason && reason->basis == plan::Basis::Implied; // the ranks divide no rows
    for (const auto &[key, value] : areNone ? kWholeRows.items() : rows.items())
      EXPECT_EQ(strategy.at(key), value) << key;
    EXPECT_EQ(strategy.contains("reshard_activations"), rows.size() == 2 && !areNone);
  }
  return compiled;
}
std::unique_ptr<Compiled> compileRows(const Job &job, bool ownRows) {
  return compileRows(job, ownRows ? kOwnRows : kWholeRows);
}

/// The first decision with all rows is the oracle.
void expectSameBitsOfRows(const Job &job, const std::vector<json> &decisions) {
  std::string record;
  Outcome expected;
  for (const json &decision : decisions) {
    std::vector<int64_t> gathers;
    for (const json &rows : {kWholeRows, kKeptRows, kOwnRows}) {
      SCOPED_TRACE(decision.dump() + rows.dump());
      std::unique_ptr<Compiled> compiled = compileRows(job.with(decision), rows);
      ASSERT_TRUE(compiled);
      gathers.push_back(gathersOver(compiled->plan));
      RunSettings settings;
      settings.executor.reference = rows == kOwnRows && decision != decisions.front();
      const Outcome outcome = train(*compiled, settings);
      if (record.empty()) {
        record = compiled->plan.numerics;
        expected = outcome;
      }
      EXPECT_EQ(compiled->plan.numerics, record);
      expectSameBits(expected, outcome);
    }
    EXPECT_GT(gathers[2], gathers[0]);
    EXPECT_LT(gathers[1], gathers[2]);
  }
}

const json kAway = {{"param", "host"}, {"grad", "host"}, {"moments", "nvme"}};

TEST(SequenceParallel, rowsChangeNoBitOfDropoutAndOddVocabulary) {
  expectSameBitsOfRows(onMesh(droppingGpt2(), {2, 2}), {{{"zero_stage", 0}},
                                                        {{"zero_stage", 2}, {"recompute", "full"}},
                                                        {{"zero_stage", 3}, {"placement", kAway}}});
}

TEST(SequenceParallel, rowsChangeNoBitOnFourRanks) {
  expectSameBitsOfRows(onMesh(tinyLlama(1, 2), {1, 4}),
                       {{{"zero_stage", 0}}, {{"zero_stage", 0}, {"recompute", "selective"}}});
  expectSameBitsOfRows(onMesh(droppingGpt2(), {1, 4}), {{{"zero_stage", 0}, {"recompute", "full"}}});
}

TEST(SequenceParallel, rowsChangeNoBitInSixteenBits) {
  for (const char *compute : {"bf16", "fp16"})
    expectSameBitsOfRows(onMesh(droppingGpt2().with({{"precision", {{"compute", compute}}}}), {1, 2}),
                         {{{"zero_stage", 0}}, {{"zero_stage", 3}, {"recompute", "selective"}}});
}

/// Random shapes: batches that the ranks do not divide, widths, heads, biases, frozen parameters.
TEST(SequenceParallel, rowsChangeNoBitOfModelsByChance) {
  std::mt19937 random(11);
  const auto oneOf = [&](std::initializer_list<int64_t> values) {
    return *(values.begin() + random() % values.size());
  };
  for (int i = 0; i < 6; ++i) {
    const int64_t tensor = oneOf({2, 4}), heads = oneOf({2, 4}), width = heads * oneOf({4, 12, 16});
    const int64_t batch = oneOf({1, 2, 3}), positions = oneOf({6, 9, 16});
    Job job = i % 2 == 0 ? tinyGpt2(1, 2, batch) : tinyLlama(1, 2, batch);
    if (i % 2 == 0)
      job.model.update({{"n_embd", width},
                        {"n_head", heads},
                        {"n_positions", positions},
                        {"n_layer", 1},
                        {"vocab_size", oneOf({64, 97})},
                        {"resid_pdrop", 0.2}});
    else
      job.model.update({{"hidden_size", width},
                        {"num_attention_heads", heads},
                        {"num_hidden_layers", 1},
                        {"num_key_value_heads", oneOf({1, heads})},
                        {"max_position_embeddings", positions},
                        {"vocab_size", oneOf({64, 97})}});
    if (random() % 2)
      job.freeze = {i % 2 == 0 ? ".*wpe.*" : ".*norm.*"};
    SCOPED_TRACE(job.model.dump() + " on " + std::to_string(tensor) + " ranks, batches of " +
                 std::to_string(batch));
    Job shared = onMesh(job, {1, tensor});
    std::unique_ptr<Compiled> whole = compileRows(shared, false), own = compileRows(shared, true);
    ASSERT_TRUE(whole && own);
    EXPECT_EQ(whole->plan.numerics, own->plan.numerics);
    expectSameBits(train(*whole), train(*own));
  }
}

/// Pa: the checkpoints of recomputation are kept in parts or whole, on any tier. No bit depends on this.
TEST(SequenceParallel, partsOfCheckpointsChangeNoBit) {
  const Job job = onMesh(droppingGpt2(), {2, 2}).with({{"sequence_parallel", false}});
  Outcome expected;
  std::vector<int64_t> kept;
  for (const json &decision :
       {json{{"recompute", "full"}, {"checkpoint_partition", false}},
        json{{"recompute", "full"}, {"checkpoint_partition", true}},
        json{{"recompute", "full"}, {"checkpoint_partition", true}, {"placement", {{"checkpoint", "host"}}}},
        json{{"recompute", "layers:1"}, {"checkpoint_partition", true}, {"zero_stage", 1}},
        json{{"recompute", {{"keep", {{"block.train", {"attention.0"}}}}}}, {"checkpoint_partition", true}},
        json{{"recompute", "full"}, {"checkpoint_partition", true}, {"sequence_parallel", true}}}) {
    SCOPED_TRACE(decision.dump());
    std::unique_ptr<Compiled> compiled = compileJob(job.with(decision));
    ASSERT_TRUE(compiled);
    int64_t bytes = 0;
    for (const plan::Buffer &buffer : compiled->plan.programs[0].buffers)
      if (buffer.cls == plan::BufferClass::Checkpoint)
        bytes = std::max(bytes, buffer.bytes);
    kept.push_back(bytes);
    const Outcome outcome = train(*compiled);
    if (expected.losses.empty())
      expected = outcome;
    expectSameBits(expected, outcome);
  }
  EXPECT_EQ(kept,
            (std::vector<int64_t>{kept[0], kept[0] / 2, kept[0] / 2, kept[0] / 2, kept[0] / 2, kept[0] / 2}));
  EXPECT_GT(kept[0], 0);
}

/// A decision for parts of checkpoints needs checkpoints, so that layers are recomputed.
TEST(SequenceParallel, partsOfCheckpointsHaveLayersRepeated) {
  const json parts = {{"sequence_parallel", false}, {"checkpoint_partition", true}, {"recompute", "auto"}};
  std::unique_ptr<Compiled> compiled = compileJob(onMesh(droppingGpt2(), {1, 2}).with(parts));
  ASSERT_TRUE(compiled);
  const json record = json::parse(compiled->plan.strategy);
  EXPECT_EQ(record["recompute"], "full");
  EXPECT_EQ(record["checkpoint_partition"], true);
}

/// If the ranks divide no rows, no rank has its own rows or its part of checkpoints, and the reasons say why.
/// Keys that ask for them have no effect.
TEST(SequenceParallel, ofRowsThatRanksDoNotDivideIsNone) {
  for (int64_t sequence : {15, 16}) {
    SCOPED_TRACE(sequence);
    Job job = tinyGpt2(2, 1).with({{"sequence", sequence}, {"recompute", "full"}});
    job.training["parallel"] = {{"data", 1}, {"tensor", 2}};
    std::unique_ptr<Compiled> open = compileJob(job),
                              parts = compileJob(
                                  job.with({{"sequence_parallel", false}, {"checkpoint_partition", true}}));
    ASSERT_TRUE(open && parts);
    EXPECT_EQ(json::parse(open->plan.strategy)["sequence_parallel"], sequence == 16);
    EXPECT_EQ(json::parse(parts->plan.strategy)["checkpoint_partition"], sequence == 16);
    const auto whyOf = [](const Compiled &compiled, const char *decision) {
      const plan::Reason *reason = plan::findReason(compiled.plan.reasons, decision);
      return reason ? plan::reasonText(*reason) : "";
    };
    const bool areNone = sequence == 15;
    const std::string none = "false: fits (taken); true: ruled out, what ";
    EXPECT_EQ(whyOf(*open, "sequence_parallel") ==
                  none + "lies whole between products has no rows that 2 ranks divide",
              areNone);
    EXPECT_EQ(whyOf(*parts, "checkpoint_partition") ==
                  none + "layers keep to repeat themselves has no rows that 2 ranks divide",
              areNone);
  }
}

int64_t deviceBytes(const plan::Plan &plan) {
  int64_t bytes = 0;
  for (const plan::Arena &arena : plan.programs[0].arenas)
    bytes += arena.tier == plan::Tier::Device ? arena.bytes : 0;
  return bytes;
}

/// If the decision is open, the faster of parts and whole checkpoints is taken, and the record has it.
TEST(SequenceParallel, partsOfCheckpointsAreAnOpenDecision) {
  const auto compiled = [](const std::string &bandwidth, const json &decisions) {
    Job job = onMesh(droppingGpt2(), {1, 2})
                  .with({{"sequence_parallel", false}, {"recompute", "full"}, {"zero_stage", 0}})
                  .with(decisions);
    job.model.update({{"n_layer", 4}, {"vocab_size", 64}});
    job.training["micro_batch"] = 4;
    job.hardware["links"]["gg"] = {{"bandwidth", bandwidth}, {"latency", "0us"}};
    return compileJob(job);
  };
  const auto checkPlan = [](const Compiled &plan, const std::string &taken, plan::Basis basis,
                            size_t trials) {
    const plan::Reason &why = whyOf(plan.plan, "checkpoint_partition");
    EXPECT_EQ(why.taken, taken);
    EXPECT_EQ(why.basis, basis);
    EXPECT_EQ(why.trials.size(), trials);
    EXPECT_EQ(json::parse(plan.plan.strategy).at("checkpoint_partition"), taken == "true");
    // The time of collectives in the trial of homes is a bound. It leaves out collectives of one rank, which
    // use no link.
    EXPECT_LE(whyOf(plan.plan, "placement").trials.front().price.seconds, plan.plan.prediction.stepSeconds);
  };
  std::unique_ptr<Compiled> slow = compiled("1MB/s", json::object()),
                            fast = compiled("50GB/s", json::object()),
                            asked = compiled("1MB/s", json{{"checkpoint_partition", true}});
  ASSERT_TRUE(slow && fast && asked);
  checkPlan(*slow, "false", plan::Basis::Fastest, 2);
  checkPlan(*fast, "true", plan::Basis::Fastest, 2);
  checkPlan(*asked, "true", plan::Basis::Asked, 1);
  EXPECT_LT(slow->plan.prediction.stepSeconds, asked->plan.prediction.stepSeconds);
  expectSameBits(train(*slow), train(*asked));
}

/// The elements that tensor ranks exchange in a micro-batch: the elements of each collective on all ranks. An
/// all-reduce is two collectives.
int64_t exchangedElements(const plan::Plan &plan) {
  int64_t bytes = 0;
  (void)countTraining(plan, [&](const plan::Instruction &instruction) {
    if (isOverTensorRanks(plan, instruction) && instruction.origin.phase != plan::Phase::Update)
      for (int64_t piece : instruction.pieceBytes)
        bytes += piece * plan.mesh[instruction.axes.front()].size;
    return false;
  });
  return bytes / 4;
}

/// The formulas of docs/analysis.md: a layer has four all-reduces. Own rows add two halves of an all-reduce,
/// as inputs of products are gathered again. A recomputed layer repeats the exchanges of its forward pass
/// except the last sum. Parameters whole on every rank are summed in every micro-batch, so that sums of
/// gradients do not depend on how often ranks reduce them.
TEST(SequenceParallel, exchangesWhatFormulasSay) {
  for (int64_t t : {2, 4})
    for (auto [microBatches, recompute] : {std::pair(2, "none"), {1, "full"}}) {
      SCOPED_TRACE(std::to_string(t) + " ranks, " + std::to_string(microBatches) + ", " + recompute);
      const int64_t layers = 3, h = 32, s = 16, b = 8, words = 128;
      Job job = tinyGpt2(1, microBatches, b).with({{"recompute", recompute}});
      job.model.update(
          {{"n_layer", layers}, {"n_embd", h}, {"n_head", 4}, {"n_positions", s}, {"vocab_size", words}});
      job = onMesh(job, {1, t});
      const bool repeats = recompute == std::string("full");
      const auto parted = [&](bool inParts) {
        return repeats ? job.with({{"checkpoint_partition", inParts}}) : job;
      };
      const std::unique_ptr<Compiled> whole = compileRows(parted(false), false),
                                      parts = compileRows(parted(true), false), own = compileRows(job, true),
                                      kept = compileRows(job, kKeptRows);
      ASSERT_TRUE(whole && parts && own && kept);
      // Parameters that every rank has: two norms and two biases of products divided by k in a layer; the
      // last norm; and positions, which are cheaper whole.
      ASSERT_EQ(whole->plan.numerics.find("wpe rows"), std::string::npos);
      const int64_t bsh = b * s * h, parameters = 2 * (layers * 6 * h + 2 * h + s * h),
                    losses = 2 * t * b * s;
      const int64_t table = 2 * bsh;
      const auto expected = [&](int64_t ofALayer, int64_t ofTheHead) {
        return microBatches * (layers * ofALayer * bsh + table + ofTheHead * bsh + losses + parameters);
      };
      EXPECT_EQ(exchangedElements(whole->plan), expected(repeats ? 10 : 8, 2));
      EXPECT_EQ(exchangedElements(parts->plan), expected(repeats ? 11 : 8, 2)); // Pa gathers its parts again
      EXPECT_EQ(exchangedElements(own->plan), expected(repeats ? 13 : 10, 3));
      EXPECT_EQ(exchangedElements(kept->plan), expected(repeats ? 11 : 8, 2));
    }
}

/// An open decision takes own rows, unless they are slower. The record has the choice.
TEST(SequenceParallel, isAnOpenDecisionThatIsExplained) {
  Job job = onMesh(droppingGpt2(), {1, 2});
  std::unique_ptr<Compiled> open = compileJob(job), whole = compileRows(job, false);
  ASSERT_TRUE(open && whole);
  const plan::Reason &why = whyOf(open->plan, "sequence_parallel");
  EXPECT_EQ(why.basis, plan::Basis::Fastest);
  EXPECT_EQ(why.trials.size(), 2u);
  EXPECT_EQ(json::parse(open->plan.strategy).at("sequence_parallel"), why.taken == "true");
  EXPECT_EQ(whyOf(whole->plan, "sequence_parallel").basis, plan::Basis::Asked);
  EXPECT_LT(deviceBytes(compileRows(job, true)->plan), deviceBytes(whole->plan));
  const plan::Reason &inputs = whyOf(open->plan, "reshard_activations");
  EXPECT_EQ(inputs.trials.size(), 2u);
  EXPECT_EQ(json::parse(open->plan.strategy).at("reshard_activations"), inputs.taken == "true");
  EXPECT_EQ(whyOf(compileRows(job, kKeptRows)->plan, "reshard_activations").basis, plan::Basis::Asked);
  // One rank has all rows, so that the record says nothing about them.
  std::unique_ptr<Compiled> one =
      compileJob(onMesh(droppingGpt2(), {1, 1}).with({{"sequence_parallel", true}}));
  ASSERT_TRUE(one);
  EXPECT_FALSE(json::parse(one->plan.strategy).contains("sequence_parallel"));
}

} // namespace
