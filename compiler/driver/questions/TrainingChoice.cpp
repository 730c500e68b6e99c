// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/questions/TrainingChoice.h"

#include "compiler/driver/inputs/Inputs.h"
#include "compiler/driver/inputs/MeetingExamples.h"
#include "compiler/driver/inputs/TrainingOver.h"
#include "compiler/driver/questions/FitQuestion.h"
#include "planning/Tolerances.h"
#include "runtime/base/TrainingLimits.h"
#include "runtime/plan/Reasons.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace windlass {
namespace {

/// The most tiles that a tried limit may make: plans of more tiles take minutes.
constexpr int64_t kMostTiles = 256;
/// The most rounds of the search through all values.
constexpr int kRounds = 2;

/// The values of a training file that change last bits.
struct Numerics {
  int64_t microBatch = 1;
  int64_t shard = 0; ///< ranks that share out the states; 0: all
  OptimizerShard optimizerShard = OptimizerShard::Group;
  Cadence cadence = Cadence::MicroBatch;
  std::optional<int64_t> tile = {}; ///< bytes of limit and activation; none: as in the file

  bool operator==(const Numerics &) const = default;
};

std::vector<int64_t> divisorsOf(int64_t number) {
  std::vector<int64_t> divisors;
  for (int64_t divisor = 1; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0)
      divisors.insert(divisors.end(), {divisor, number / divisor});
  std::ranges::sort(divisors);
  divisors.erase(std::ranges::unique(divisors).begin(), divisors.end());
  return divisors;
}

class TrainingSearch {
public:
  TrainingSearch(const CompileRequest &request, const PlanMaker &make, const Inputs &inputs)
      : request(request), training(inputs.training), machine(inputs.machine),
        choice(request, plan::Decision::Training, make),
        written{training.microBatch, training.shardRanks, training.optimizerShard, training.cadence},
        best(written) {}

  Result<Choice> run(std::optional<UnwrittenPlan> asWritten) {
    tried.push_back(written);
    if (asWritten)
      choice.add(optionOf(written), std::move(*asWritten));
    else
      WINDLASS_TRY(choice.tryOption(optionOf(written)).status());
    WINDLASS_TRY(choice.refusal());
    for (int round = 0; round < kRounds; ++round) {
      const Numerics before = best;
      WINDLASS_TRY(searchMicroBatches());
      if (deviceWaits()) {
        WINDLASS_TRY(searchShards());
        WINDLASS_TRY(searchCadence());
        WINDLASS_TRY(searchTiles());
      }
      if (best == before)
        break;
    }
    if (!choice.hasFound() && request.chooseTiles)
      WINDLASS_TRY(tryTiles());
    return choice.finish("with what changes last bits");
  }

private:
  /// Whether the device waits enough to gain from other transfers. True if no plan fits so far.
  bool deviceWaits() const {
    if (!choice.hasFound())
      return true;
    const plan::Prediction &prediction = choice.found().plan.prediction;
    const auto compute =
        std::ranges::find(prediction.busy, plan::Lane::Compute, &std::pair<plan::Lane, double>::first);
    return compute == prediction.busy.end() ||
           compute->second <= prediction.stepSeconds * (1 - planning::kWaitingShare);
  }

  /// Tries larger micro-batches as long as they are faster; if none is, smaller ones.
  Status searchMicroBatches() {
    const int64_t examples = training.microBatch * training.microBatches; // of a rank, in a step
    std::vector<int64_t> sizes = divisorsOf(examples);
    std::erase_if(sizes, [&](int64_t size) { return examples / size > kMostMicroBatches; });
    if (sizes.size() < 2)
      return Status::ok();
    if (!isFree) {
      Result<bool> found = isMicroBatchFree(request, training);
      if (!found)
        return found.status();
      isFree = *found;
    }
    if (!*isFree)
      return Status::ok();
    const auto at = std::ranges::find(sizes, best.microBatch);
    Result<bool> isFaster = walk(at + 1, sizes.end());
    if (isFaster && !*isFaster)
      isFaster = walk(std::make_reverse_iterator(at), sizes.rend());
    return isFaster.status();
  }

  /// Tries one size after another, until one is no faster than the one before; continues as long as no plan
  /// fits. True: some size is the best so far.
  template <typename Size> Result<bool> walk(Size from, Size end) {
    bool isAny = false;
    for (Size size = from; size != end; ++size) {
      Numerics next = best;
      next.microBatch = *size;
      Result<bool> isFaster = tryOne(next);
      if (!isFaster)
        return isFaster;
      isAny |= *isFaster;
      if (!*isFaster && choice.hasFound())
        break;
    }
    return isAny;
  }

  /// Tries groups of ranks that share out states: parts of a node, or whole nodes.
  Status searchShards() {
    const int64_t ofNode = std::max<int64_t>(1, machine.ranksPerNode / training.tensorRanks);
    std::vector<Numerics> others;
    for (int64_t shard : divisorsOf(training.dataRanks)) {
      if (shard < 2 || (ofNode % shard != 0 && shard % ofNode != 0))
        continue;
      Numerics next = best;
      next.shard = shard < training.dataRanks ? shard : 0;
      for (OptimizerShard optimizer : {OptimizerShard::Group, OptimizerShard::All}) {
        next.optimizerShard = optimizer;
        if (next.shard > 0 || optimizer == OptimizerShard::Group)
          others.push_back(next);
      }
    }
    return tryEach(others);
  }

  Status searchCadence() {
    if (training.dataRanks == 1 || training.microBatch * training.microBatches == best.microBatch)
      return Status::ok();
    Numerics next = best;
    next.cadence = best.cadence == Cadence::Step ? Cadence::MicroBatch : Cadence::Step;
    return tryEach({next});
  }

  /// Tries smaller tiles as long as they are faster: they leave more of the device to states.
  Status searchTiles() {
    Result<std::unique_ptr<FitQuestion>> question = FitQuestion::of(optionOf(best).request);
    if (!question)
      return question.status();
    Result<std::vector<int64_t>> limits = (*question)->smallerTiles(kMostTiles);
    if (!limits)
      return limits.status();
    for (int64_t limit : *limits) {
      Numerics next = best;
      next.tile = limit;
      Result<bool> isFaster = tryOne(next);
      WINDLASS_TRY(isFaster.status());
      if (!*isFaster && choice.hasFound())
        break;
    }
    return Status::ok();
  }

  Status tryEach(const std::vector<Numerics> &others) {
    for (const Numerics &next : others)
      WINDLASS_TRY(tryOne(next).status());
    return Status::ok();
  }

  /// Tries these values, unless they were tried before. True: they are the best so far.
  Result<bool> tryOne(const Numerics &next) {
    if (std::ranges::find(tried, next) != tried.end())
      return false;
    tried.push_back(next);
    Result<bool> isBest = choice.tryOption(optionOf(next));
    if (isBest && *isBest)
      best = next;
    return isBest;
  }

  /// Tries all values again, with limits of tiles chosen by the compilation.
  Status tryTiles() {
    choice.begin();
    for (const Numerics &next : tried)
      WINDLASS_TRY(choice.tryTiles(optionOf(next)).status());
    return Status::ok();
  }

  Option optionOf(const Numerics &numerics) const {
    const nlohmann::json over = overOf(numerics);
    return {textOf(over), over.empty() ? request : withTraining(request, over)};
  }

  /// The keys whose values differ from the training file.
  nlohmann::json overOf(const Numerics &numerics) const {
    nlohmann::json over = nlohmann::json::object();
    if (numerics.microBatch != written.microBatch) {
      over["micro_batch"] = numerics.microBatch;
      over["micro_batches"] = training.microBatch * training.microBatches / numerics.microBatch;
    }
    if (numerics.shard != written.shard)
      over["parallel"]["shard"] =
          numerics.shard > 0 ? nlohmann::json(numerics.shard) : nlohmann::json("auto");
    if (numerics.optimizerShard != written.optimizerShard)
      over["parallel"]["optimizer_shard"] = word(numerics.optimizerShard);
    if (numerics.cadence != written.cadence)
      over["cadence"] = word(numerics.cadence);
    if (numerics.tile)
      over["tile"] = {{"limit", *numerics.tile}, {"activation", *numerics.tile}};
    return over;
  }

  /// "micro_batch=4,micro_batches=2,parallel.shard=16"
  static std::string textOf(const nlohmann::json &over) {
    const nlohmann::json values = over.empty() ? over : over.flatten();
    std::string text;
    for (const auto &[path, value] : values.items()) {
      std::string key = path.substr(1);
      std::ranges::replace(key, '/', '.');
      text += (text.empty() ? "" : ",") + key + "=" +
              (value.is_string() ? value.get<std::string>() : value.dump());
    }
    return text.empty() ? std::string(plan::kAsWritten) : text;
  }

  const CompileRequest &request;
  const TrainingOptions &training;
  const model::Machine &machine;
  PlanChoice choice;
  Numerics written, best;
  std::vector<Numerics> tried;
  std::optional<bool> isFree; ///< the size of a micro-batch
};

} // namespace

Result<Choice> chooseTraining(const CompileRequest &request, const PlanMaker &make,
                              std::optional<UnwrittenPlan> asWritten) {
  Result<Inputs> inputs = readInputs(request);
  if (!inputs)
    return inputs.status();
  return TrainingSearch(request, make, *inputs).run(std::move(asWritten));
}

} // namespace windlass
