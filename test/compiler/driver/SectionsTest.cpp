// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every section computes the model: evaluation and sampling agree with the f64 interpreter, and the loss does
// not depend on how micro-batches and ranks divide a global batch.
#include "compiler/interpreter/Interpreter.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/SectionSchedule.h"
#include "test/compiler/import/ImportTesting.h"
#include "test/support/EndToEnd.h"
#include <cmath>
#include <cstring>
#include <mutex>

using namespace windlass;
using namespace windlass::test;

namespace {

/// Feeds token (7 p + 3 q + p^2) mod bound to place p of rank q, and keeps all elements of reports.
class PatternHost final : public StepHost {
public:
  static int32_t token(int64_t place, int64_t rank, int64_t bound) {
    return static_cast<int32_t>((7 * place + 3 * rank + place * place) % bound);
  }

  Status feed(const ItemRequest &request, std::span<std::byte> bytes) override {
    for (size_t at = 0; at < bytes.size(); at += 4) {
      const int32_t value = token(static_cast<int64_t>(at / 4), request.rank, kBound);
      std::memcpy(bytes.data() + at, &value, 4);
    }
    return Status::ok();
  }

  Status report(const ItemRequest &request, std::span<const std::byte> bytes) override {
    std::lock_guard lock(mutex);
    std::vector<float> &values = reports[{std::string(request.item), request.rank}];
    values.resize(bytes.size() / 4);
    std::memcpy(values.data(), bytes.data(), values.size() * 4);
    return Status::ok();
  }

  static constexpr int64_t kBound = 256;
  std::map<std::pair<std::string, int64_t>, std::vector<float>> reports;

private:
  std::mutex mutex;
};

/// The initial parameters of the runs of EndToEnd, as f64.
interpreter::Tensor initialTensor(const plan::State &state) {
  std::vector<std::byte> bytes(elementsOf(state) * 4);
  EXPECT_TRUE(initialValues(11)(state, 0, bytes));
  std::vector<float> values(elementsOf(state));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return interpreter::Tensor(state.shape, {values.begin(), values.end()});
}

/// The reports of the interpreter for a forward-only step of the imported model.
std::vector<interpreter::Report> interpret(const Job &job, const plan::Plan &plan, const std::string &step) {
  TemporaryFolder folder;
  mlir::MLIRContext context;
  auto module =
      importOrFail(context, folder.write("config.json", job.model.dump()),
                   test::trainingOf(plan.training.globalBatch / plan.ranks() / plan.training.microBatches));
  if (!module)
    return {};
  interpreter::Options options;
  options.ranks = static_cast<int>(plan.ranks());
  interpreter::Interpreter machine(*module, options);
  for (const plan::State &state : plan.programs[0].states)
    for (int rank = 0; state.cls == plan::StateClass::Parameter && rank < options.ranks; ++rank)
      machine.states(rank)[state.name] = initialTensor(state);
  auto feed = [](const interpreter::FeedRequest &request) -> Result<interpreter::Tensor> {
    interpreter::Tensor tensor(request.type.getShape());
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.data[i] = PatternHost::token(i, request.rank, PatternHost::kBound);
    return tensor;
  };
  auto reports = machine.runStep(step, feed);
  EXPECT_TRUE(reports) << reports.status().message();
  return reports ? reports.take() : std::vector<interpreter::Report>();
}

void expectForwardAgrees(plan::Purpose purpose, const std::string &item) {
  const Job job = tinyGpt2(2, 2);
  std::unique_ptr<Compiled> compiled = compileJob(job);
  ASSERT_TRUE(compiled);
  const plan::Plan &plan = compiled->plan;
  ASSERT_TRUE(plan::serves(plan, purpose));
  std::unique_ptr<Executor> executor = openExecutor(*compiled, plan);
  ASSERT_TRUE(executor);
  ASSERT_TRUE(StateStream(plan, *executor).writeAll(initialValues(11)));
  PatternHost host;
  Status status = executor->run(purpose, host);
  ASSERT_TRUE(status) << status.message();
  size_t compared = 0;
  for (const interpreter::Report &report : interpret(job, plan, std::string(plan::textOf(purpose)))) {
    if (report.item != item || !host.reports.contains({item, report.rank}))
      continue;
    const std::vector<float> &found = host.reports.at({item, report.rank});
    double largest = 0;
    for (double value : report.value.data)
      largest = std::max(largest, std::fabs(value));
    ASSERT_EQ(found.size(), report.value.data.size());
    for (size_t i = 0; i < found.size(); ++i) // an element is a sum of some 256 products in f32
      ASSERT_NEAR(found[i], report.value.data[i], 1e-5 * largest) << item << " element " << i;
    ++compared;
  }
  EXPECT_GE(compared, 1u);
}

TEST(Sections, evaluateGivesTheInterpretersLoss) { expectForwardAgrees(plan::Purpose::Evaluate, "loss"); }
TEST(Sections, sampleGivesTheInterpretersLogits) { expectForwardAgrees(plan::Purpose::Sample, "logits"); }

/// One global batch of 12 sequences is cut in several ways. The cuts differ only in the order of f32 sums, by
/// some 1e-7 relative each. Three steps of AdamW at 1e-2, whose updates do not depend on the size of a
/// gradient, leave the loss within 1e-4. The same holds with dropout: masks depend on the place of an element
/// in the batch, not on its rank.
void expectOneLossOfAnyCut(bool drops) {
  struct Cut {
    int64_t ranks, microBatches, microBatch;
    std::vector<std::string> sections;
  };
  const std::vector<Cut> cuts = {{1, 1, 12, {"only"}},
                                 {1, 2, 6, {"first", "last"}},
                                 {1, 3, 4, {"first", "middle", "last"}},
                                 {1, 4, 3, {"first", "middle", "last"}},
                                 {2, 1, 6, {"only"}},
                                 {2, 3, 2, {"first", "middle", "last"}},
                                 {4, 1, 3, {"only"}},
                                 {4, 3, 1, {"first", "middle", "last"}}};
  std::vector<double> expected;
  for (const Cut &cut : cuts) {
    SCOPED_TRACE(std::to_string(cut.ranks) + " ranks, " + std::to_string(cut.microBatches) +
                 " micro-batches");
    Job job = tinyGpt2(cut.ranks, cut.microBatches, cut.microBatch);
    if (drops)
      job.model.update({{"embd_pdrop", 0.1}, {"attn_pdrop", 0.2}, {"resid_pdrop", 0.3}});
    std::unique_ptr<Compiled> compiled = compileJob(job);
    ASSERT_TRUE(compiled);
    std::vector<std::string> found;
    for (const plan::SectionRuns &runs : compiled->plan.programs[0].train)
      found.push_back(compiled->plan.programs[0].sections[runs.section].name);
    EXPECT_EQ(found, cut.sections);
    const std::vector<double> losses = train(*compiled).losses;
    ASSERT_EQ(losses.size(), 3u);
    if (expected.empty())
      expected = losses;
    for (size_t step = 0; step < losses.size(); ++step)
      EXPECT_NEAR(losses[step] / expected[step], 1, step == 0 ? 1e-6 : 1e-4) << "step " << step + 1;
  }
}

TEST(Sections, oneGlobalBatchCutInAnyWayGivesOneLoss) { expectOneLossOfAnyCut(false); }
TEST(Sections, oneGlobalBatchCutInAnyWayDropsTheSame) { expectOneLossOfAnyCut(true); }

} // namespace
