// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random small graphs under random decisions: their plan for a GPU trains to the same bits as their plan for
// the CPU. The GPU is simulated, and executes the PTX of the plan. A seed that failed can be run again by its
// number.
#include "runtime/backend/cuda/CudaBackend.h"
#include "runtime/executor/ConcurrentExecutor.h"
#include "test/support/Dice.h"
#include "test/support/EndToEnd.h"
#include "test/support/cuda/SimPtxCode.h"
#include "test/support/cuda/blaslt/SimBlasLt.h"
#include "test/support/cuda/driver/SimDriver.h"
#include <bit>
#include <cmath>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

constexpr unsigned kGraphs = 12;

/// A graph over rows: some operations on values of one width, then a product to another width, and so on. The
/// widths lead to tails of every kind.
class GraphGenerator {
public:
  explicit GraphGenerator(Dice &dice) : dice(dice) {}

  json draw() {
    width = dice.oneOf<int64_t>({3, 16, 33});
    const int64_t features = width;
    const int64_t parts = dice.between(1, 3);
    for (int64_t part = 0; part < parts; ++part) {
      widen();
      for (int64_t count = dice.between(1, 4); count > 0; --count)
        addOperation();
    }
    append("mse", {values.back(), "y"}, {}, "losses");
    return {{"format", "windlass.model/1"},
            {"dims", {{"B", "batch"}}},
            {"inputs",
             {{"x", {{"role", "features"}, {"shape", {"B", features}}}},
              {"y", {{"role", "targets"}, {"shape", {"B", width}}}}}},
            {"params", params},
            {"ops", ops},
            {"loss", "losses"}};
  }

private:
  void append(const std::string &op, const std::vector<std::string> &in, json attributes,
              const std::string &out) {
    attributes.update({{"op", op}, {"in", in}, {"out", out}});
    ops.push_back(std::move(attributes));
  }
  std::string compute(const std::string &op, const std::vector<std::string> &in,
                      json attributes = json::object()) {
    values.push_back("v" + std::to_string(ops.size()));
    append(op, in, std::move(attributes), values.back());
    return values.back();
  }
  std::string param(const json &shape, const json &init) {
    const std::string name = "p" + std::to_string(params.size());
    params[name] = {{"shape", shape}, {"init", init}};
    return name;
  }

  /// Multiplies to a new width. Later operations use values of this width only.
  void widen() {
    const std::string from = values.back();
    const int64_t next = dice.oneOf<int64_t>({1, 7, 20, 64, 65});
    const std::string weight = param({width, next}, {{"normal", 0.3}});
    width = next;
    values.clear();
    compute("matmul", {from, weight});
  }

  void addOperation() {
    const std::string x = values.back();
    switch (dice.between(0, 6)) {
    case 0:
    case 1:
      compute(dice.oneOf<std::string>(
                  {"relu", "gelu", "tanh", "sigmoid", "silu", "softplus", "sin", "exp", "neg"}),
              {x});
      return;
    case 2: {
      const std::string other = dice.oneOf(values);
      compute(dice.oneOf<std::string>({"add", "sub", "mul", "max"}), {x, other});
      return;
    }
    case 3:
      compute("add", {x, param({width}, 0.1)});
      return;
    case 4:
      compute("layer_norm", {x, param({width}, 1), param({width}, 0)}, {{"eps", 1e-5}});
      return;
    case 5:
      compute(dice.oneOf<std::string>({"softmax", "log_softmax"}), {x});
      return;
    default:
      compute("dropout", {x}, {{"rate", 0.3}});
    }
  }

  Dice &dice;
  json params = json::object(), ops = json::array();
  std::vector<std::string> values = {"x"}; ///< all of the present width
  int64_t width = 0;
};

/// Consecutive seeds have different precisions.
json randomDecisions(Dice &dice, unsigned seed, bool freezes) {
  const int64_t zero = dice.between(0, 3);
  const std::vector<std::string> tiers = {"device", "host", "nvme"};
  json decisions = {{"zero_stage", zero},
                    {"placement",
                     {{"param", zero == 3 ? dice.oneOf(tiers) : "device"},
                      {"grad", dice.oneOf(tiers)},
                      {"moments", dice.oneOf(tiers)}}},
                    {"bucket", dice.oneOf<std::string>({"4KiB", "64KiB"})},
                    {"overlap", dice.between(0, 3) > 0},
                    {"recompute", dice.oneOf<std::string>({"none", "full"})}};
  if (freezes)
    decisions["freeze"] = {"p0"};
  if (seed % 4 == 1)
    decisions["tile"] = {{"limit", "4KiB"}, {"activation", "2KiB"}};
  if (seed % 3 > 0) {
    decisions["precision"] = {{"compute", seed % 3 == 1 ? "bf16" : "fp16"}};
    decisions["placement"]["master"] = dice.oneOf(tiers);
  }
  if (seed % 6 == 2)
    decisions["precision"]["initial_loss_scale"] = 1e18; // so high that steps are skipped
  return decisions;
}

/// The products are the plan's own, or those of a library that multiplies as the CPU does.
Job randomJob(unsigned seed) {
  Dice dice(seed);
  const int64_t ranks = dice.between(1, 3), microBatches = dice.between(1, 3);
  Job job = biasFreeMlp({1, 1}, ranks, microBatches, dice.between(1, 5));
  job.model = GraphGenerator(dice).draw();
  const bool freezes = seed % 4 == 2 && job.model["params"].size() > 1;
  return job.with(randomDecisions(dice, seed, freezes))
      .with({{"matmul", seed % 2 == 0 ? "reference" : "library"}});
}

/// A transformer with dropout in attention, embeddings, tied tables and tiles.
Job transformer(unsigned seed) {
  Dice dice(seed);
  const int64_t ranks = dice.between(1, 2);
  Job job = tinyGpt2(ranks, dice.between(1, 2), 1);
  job.model.update({{"n_layer", 1},
                    {"n_embd", dice.oneOf<int64_t>({12, 16})},
                    {"n_positions", 8},
                    {"vocab_size", dice.oneOf<int64_t>({17, 64})},
                    {"attn_pdrop", 0.1},
                    {"resid_pdrop", 0.2}});
  return job.with(randomDecisions(dice, seed, false)).with({{"sequence", 8}, {"matmul", "reference"}});
}

/// Makes all NaNs equal, since devices and processors make different NaNs. No state has one.
Outcome withOneNan(Outcome outcome) {
  for (auto &[item, values] : outcome.reports)
    for (uint32_t &bits : values)
      if (std::isnan(std::bit_cast<float>(bits)))
        bits = 0x7FC00000;
  return outcome;
}

/// The outcome of training a plan for a GPU, in the order of work of a policy.
Outcome trainOnGpu(const Compiled &compiled, SimPolicy policy, unsigned seed) {
  SimOptions simulated;
  simulated.policy = policy;
  simulated.seed = seed;
  simulated.loader = ptxLoader(seed);
  SimDriver sim(std::move(simulated));
  Outcome outcome;
  {
    ExecutorOptions options;
    options.kernelsFolder = compiled.planFolder();
    options.scratchFolder = compiled.folder.path;
    options.canary = 0x5A;
    auto backend =
        makeCudaBackend({SimDriver::table(), [] { return Result<cuda::BlasLt>(SimBlasLt::table()); }});
    EXPECT_TRUE(backend) << backend.status().message();
    Result<ExecutorParts> parts = ExecutorParts::create(compiled.plan, options, {}, backend.take());
    EXPECT_TRUE(parts) << parts.status().message();
    if (!parts)
      return outcome;
    auto executor = ConcurrentExecutor::create(parts.take());
    EXPECT_TRUE(executor) << executor.status().message();
    if (!executor)
      return outcome;
    outcome = trainOn(compiled.plan, **executor);
  }
  for (const SimViolation &each : sim.violations())
    ADD_FAILURE() << test::nameOf(each.rule) << ": " << each.what;
  EXPECT_EQ(sim.leftovers(), "");
  EXPECT_GT(sim.counts().launches, 0);
  return outcome;
}

class RandomCudaPlans : public testing::TestWithParam<unsigned> {
protected:
  static void expectTheBitsOfTheCpu(Job job, unsigned seed) {
    SCOPED_TRACE(job.training.dump() + "\n" + job.model.dump());
    const std::unique_ptr<Compiled> onCpu = compileJob(job);
    job.hardware["backend"] = "cuda";
    job.hardware.erase("shared_cores");
    const std::unique_ptr<Compiled> onGpu = compileJob(job);
    ASSERT_TRUE(onCpu && onGpu);
    ASSERT_EQ(onGpu->plan.backend, "cuda");
    const Outcome expected = withOneNan(train(*onCpu));
    if (job.training.contains("/precision/initial_loss_scale"_json_pointer))
      EXPECT_TRUE(expected.skipped.front());
    expectSameBits(expected,
                   withOneNan(trainOnGpu(*onGpu, kSimPolicies[seed % std::size(kSimPolicies)], seed)));
  }
};

TEST_P(RandomCudaPlans, graphsHaveTheBitsOfTheCpu) {
  expectTheBitsOfTheCpu(randomJob(GetParam()), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomCudaPlans, testing::Range(1u, kGraphs + 1));

class RandomTransformers : public RandomCudaPlans {};

TEST_P(RandomTransformers, haveTheBitsOfTheCpu) {
  expectTheBitsOfTheCpu(transformer(GetParam()), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTransformers, testing::Range(1u, 4u));

/// The committed seeds together have every property of the list.
TEST(RandomCudaPlans, areOfEveryKind) {
  json met = json::object();
  for (unsigned seed = 1; seed <= kGraphs; ++seed) {
    const Job job = randomJob(seed);
    for (const json &op : job.model["ops"])
      met[op["op"].get<std::string>()] = true;
    for (const auto &[key, value] : job.training.items())
      met[key + "=" + value.dump()] = true;
  }
  for (const char *what :
       {"dropout", "layer_norm", "softmax", "freeze=[\"p0\"]", "recompute=\"full\"",
        "tile={\"activation\":\"2KiB\",\"limit\":\"4KiB\"}", "matmul=\"library\"",
        "precision={\"compute\":\"fp16\",\"initial_loss_scale\":1e+18}", "precision={\"compute\":\"bf16\"}"})
    EXPECT_TRUE(met.contains(what)) << what;
}

} // namespace
