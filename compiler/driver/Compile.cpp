#include "compiler/driver/Compile.h"

#include "compiler/codegen/Codegen.h"
#include "compiler/driver/Candidates.h"
#include "compiler/driver/Facts.h"
#include "compiler/driver/Inputs.h"
#include "compiler/driver/Levels.h"
#include "compiler/driver/PlanFolder.h"
#include "compiler/driver/Shortage.h"
#include "compiler/driver/TileChoice.h"
#include "compiler/emit/Emit.h"
#include "compiler/import/Strategy.h"
#include "compiler/model/Simulator.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "passes/Flow/Consumers.h"
#include "passes/Flow/PlanMemory.h"
#include "passes/Graph/BlockAttention.h"
#include "runtime/base/Hash.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Checker.h"
#include "runtime/plan/PlanWriter.h"
#include "llvm/ADT/ScopeExit.h"
#include <map>
#include <tuple>

using namespace mlir;

namespace windlass {
namespace {

constexpr const char *kKernelsFile = "kernels.so";
/// Numbers of repeated layers that are tried after one another without being faster.
constexpr int64_t kTriesInVain = 2;
/// Numbers of repeated layers to choose from, about.
constexpr int64_t kCounts = 8;

class Compilation {
public:
  explicit Compilation(const CompileRequest &request) : request(request) {}

  Result<plan::Plan> run() {
    WINDLASS_TRY(prepare());
    WINDLASS_TRY(importGraph());
    Result<Planned> planned = planOrChooseTiles();
    if (!planned)
      return planned.status();
    WINDLASS_TRY(levels->finish(*planned->module));
    plan.strategy = writeStrategy(takenDecisions(training, planned->candidate, planned->memory.homes));
    WINDLASS_TRY(emit(*planned->module));
    WINDLASS_TRY(write());
    return std::move(plan);
  }

private:
  Status prepare() {
    Result<Inputs> inputs = readInputs(request);
    if (!inputs)
      return inputs.status();
    training = inputs->training;
    machine = inputs->machine;
    if (!request.output.empty()) // found unwritable now, not after planning
      WINDLASS_TRY(PlanFolder::stage(request.output).status());
    targetCpu = request.targetCpu.empty() ? codegen::detectTargetCpu() : request.targetCpu;
    return Status::ok();
  }

  Status importGraph() {
    Result<OwningOpRef<ModuleOp>> module = importInputs(context, request, training);
    if (!module)
      return module.status();
    imported = module.take();
    levels.emplace(training, machine, targetCpu, request.dumpPhases,
                   (request.output.empty() ? "windlass" : request.output) + ".reproducer.mlir");
    WINDLASS_TRY(levels->snapshot(*imported, "import"));
    WINDLASS_TRY(levels->checkTileLimit(*imported, request.training));
    WINDLASS_TRY(levels->checkAttentionLimit(*imported, request.training));
    WINDLASS_TRY(describeModel(*imported, plan));
    for (const plan::Input &input : plan.inputs)
      if (training.sequence == 0 && input.role == plan::InputRole::Tokens && input.shape.size() > 1)
        training.sequence = input.shape[1];
    describeTraining(training, targetCpu, plan);
    plan.hardware = machine.text;
    if (training.recompute.layers > plan.layers)
      return Status::badInput("recompute: \"" + word(training.recompute) + "\": the model has " +
                              std::to_string(plan.layers) + " layers");
    return Status::ok();
  }

  /// A plan that fits.
  struct Planned {
    Candidate candidate;
    OwningOpRef<ModuleOp> module;
    flow::MemoryPlan memory;
    std::map<int64_t, std::string> stagesTried = {}; ///< what came of each
    std::string ordersTried = {};                    ///< of micro-batches; empty: only one
  };

  /// A refusal names the tiles that would fit, or takes them where it may.
  Result<Planned> planOrChooseTiles() {
    Result<Planned> planned = planWhatFits();
    if (planned || planned.status().code() != ExitCode::CannotFit)
      return planned;
    Result<std::vector<int64_t>> limits = levels->smallerTileLimits(*imported);
    if (!limits)
      return limits.status();
    Result<std::optional<int64_t>> limit =
        largestTilesThatFit(*limits, [&](int64_t bytes) { return fitsWithTiles(bytes); });
    if (!limit)
      return limit.status();
    if (!*limit)
      return planned;
    if (!request.chooseTiles)
      return Status::cannotFit(planned.status().message() + "; tiles of " + formatBytes(**limit) +
                               " would fit the machine as it is: " + tileKeys(**limit) + " in " +
                               request.training + ", or --tile auto");
    setTiles(**limit);
    describeTraining(training, targetCpu, plan);
    planned = planWhatFits();
    if (planned)
      flow::explain(*planned->module, "tile",
                    "auto: tiles of at most " + formatBytes(**limit) + ", the largest tried that fit; " +
                        tileKeys(**limit) + " in the training file makes the same numbers on any machine");
    return planned;
  }

  void setTiles(int64_t bytes) {
    training.tileLimit = training.tileActivation = bytes;
    lowered.clear();
  }

  /// By the way that needs least.
  Result<bool> fitsWithTiles(int64_t bytes) {
    request.progress("trying tiles of " + formatBytes(bytes));
    setTiles(bytes);
    const Recompute recompute = recomputeKinds(training).back();
    const int64_t stage = stages(training).back();
    Result<Planned> planned = planCandidate(
        makeCandidate(recompute, stage, false, plan.layers, training, machine), machine, Ask::WhetherItFits);
    if (!planned && planned.status().code() != ExitCode::CannotFit)
      return planned.status();
    return planned.isOk();
  }

  /// The first way of recomputation that fits; left to the planner, then of as many layers as is fastest.
  Result<Planned> planWhatFits() {
    Status shortfall = Status::ok();
    for (const Recompute &recompute : recomputeKinds(training)) {
      Result<Planned> planned = planStages(recompute, stages(training));
      if (!planned && planned.status().code() != ExitCode::CannotFit)
        return planned.status();
      if (!planned) {
        shortfall = planned.status();
        continue;
      }
      std::string others;
      if (recomputeKinds(training).size() > 1)
        WINDLASS_TRY(repeatSome(*planned, others));
      explainRecompute(*planned, shortfall, others);
      explainStage(*planned);
      if (std::string cadence = describeCadence(training, trainedParameters(*imported)); !cadence.empty())
        flow::explain(*planned->module, "cadence", cadence);
      if (!request.dumpPhases.empty()) // the IR of the plan that was taken, not of the last that was tried
        WINDLASS_TRY(levels->lowerToFlow(*OwningOpRef<ModuleOp>(imported->clone()), planned->candidate));
      return planned;
    }
    return refusal(shortfall).in("no plan fits " + request.hardware);
  }

  /// At the stage that plays fastest.
  Result<Planned> planStages(const Recompute &recompute, const std::vector<int64_t> &stages) {
    std::optional<Planned> best;
    Status shortfall = Status::ok();
    std::map<int64_t, std::string> tried;
    for (int64_t stage : stages) {
      Result<Planned> next = planStage(recompute, stage);
      if (!next && next.status().code() != ExitCode::CannotFit)
        return next.status();
      tried[stage] = next ? formatSeconds(next->memory.seconds) + " a step as laid out"
                          : "does not fit: " + next.status().message();
      if (!next)
        shortfall = next.status();
      else if (!best || next->memory.seconds < best->memory.seconds)
        best = next.take();
      if (best && training.dataRanks == 1)
        break; // the second is for what the first cannot hold
    }
    if (!best)
      return shortfall;
    best->stagesTried = std::move(tried);
    return std::move(*best);
  }

  /// Repeating a layer takes time and gives memory, in which states may rest nearer: tries numbers of layers,
  /// from the fewest that fit on. Keeps the fastest, `planned` among them; `others` says what the rest take.
  Status repeatSome(Planned &planned, std::string &others) {
    const bool keepsAll = planned.candidate.recompute == Recompute::None;
    if (keepsAll && flow::allOnDevice(planned.memory.homes))
      return Status::ok();
    // What needs less memory leaves no stage behind that had room before.
    std::vector<int64_t> allowed = stages(training);
    if (!keepsAll)
      std::erase_if(allowed, [&](int64_t stage) { return stage < planned.candidate.stage; });
    const int64_t all = flow::countTrainedLayers(*planned.module);
    const int64_t step = std::max<int64_t>(1, all / kCounts);
    Result<int64_t> fewest = keepsAll ? Result<int64_t>(step) : fewestLayers(all, allowed);
    if (!fewest)
      return fewest.status();
    int64_t inVain = 0;
    for (int64_t layers = *fewest; layers < all && inVain < kTriesInVain; layers += step) {
      Result<Planned> next = planStages({Recompute::Full, 1, layers}, allowed);
      if (!next && next.status().code() != ExitCode::CannotFit)
        return next.status();
      const bool isFaster = next && next->memory.seconds < planned.memory.seconds;
      inVain = isFaster ? 0 : inVain + 1;
      if (isFaster) {
        next->stagesTried.insert(planned.stagesTried.begin(), planned.stagesTried.end());
        std::swap(*next, planned);
      }
      if (next)
        others += "; " + word(next->candidate.recompute) + ": " + formatSeconds(next->memory.seconds) +
                  " a step as laid out";
    }
    return Status::ok();
  }

  /// Of `all`, which fit.
  Result<int64_t> fewestLayers(int64_t all, const std::vector<int64_t> &stages) {
    int64_t fewest = 1;
    for (int64_t most = all; fewest < most;) {
      const int64_t layers = fewest + (most - fewest) / 2;
      request.progress("looking whether it is enough to repeat " + std::to_string(layers) + " of " +
                       std::to_string(all) + " layers");
      bool fits = false;
      for (const Candidate &way : waysOf({{Recompute::Full, 1, layers}}, stages, machine)) {
        Result<Planned> planned = planCandidate(way, machine, Ask::WhetherItFits);
        if (!planned && planned.status().code() != ExitCode::CannotFit)
          return planned.status();
        if ((fits = planned.status().isOk()))
          break;
      }
      (fits ? most : fewest) = fits ? layers : layers + 1;
    }
    return fewest;
  }

  /// Candidates, what needs least memory first.
  std::vector<Candidate> waysOf(const std::vector<Recompute> &kinds, const std::vector<int64_t> &stages,
                                const model::Machine &machine) const {
    std::vector<Candidate> ways;
    for (const Recompute &recompute : llvm::reverse(kinds))
      for (int64_t stage : llvm::reverse(stages))
        for (bool prefetchRoom : {false, true})
          ways.push_back(makeCandidate(recompute, stage, prefetchRoom, plan.layers, training, machine));
    return ways;
  }

  /// Everything that may be tried is tried for larger machines, what needs least first, until something fits.
  Status refusal(const Status &shortfall) {
    request.progress("looking for the smallest change that would fit");
    auto ways = [&](const model::Machine &larger) {
      return waysOf(recomputeKinds(training), stages(training), larger);
    };
    auto planFor = [&](const model::Machine &larger, size_t way, Ask ask) -> Result<OwningOpRef<ModuleOp>> {
      Result<Planned> planned = planCandidate(ways(larger)[way], larger, ask);
      if (!planned)
        return planned.status();
      return std::move(planned->module);
    };
    int64_t everything = 0;
    for (auto &[candidate, module] : lowered)
      everything = std::max(everything, flow::bytesOfEverything(*module));
    auto smallerBlocks = [&](int64_t missing) {
      return attentionLimitThatFits(missing,
                                    [&] { return planFor(machine, 0, Ask::WhetherItFits).status(); });
    };
    return describeShortage(machine, everything, ways(machine).size(), planFor, smallerBlocks, shortfall);
  }

  /// The largest limit on attention, of four times smaller ones, under which a plan fits after all.
  Result<std::string> attentionLimitThatFits(int64_t missing, llvm::function_ref<Status()> plan) {
    const std::optional<int64_t> given = training.attentionLimit;
    const graph::AttentionLimits limits = graph::attentionLimits(*imported);
    const int64_t most = std::min(limits.most, given.value_or(limits.most));
    llvm::scope_exit restore([&] { training.attentionLimit = given; });
    std::string cure;
    // More than the scores, the gradients of their probabilities, and both as matrices of products, no
    // blocks can save; and blocks of less than a 32nd of the tokens are too many to plan with.
    for (int64_t limit = most / 4;
         missing <= 4 * most && cure.empty() && limit >= std::max(limits.least, limits.most / 1024);
         limit /= 4) {
      training.attentionLimit = limit;
      Status fits = plan();
      if (!fits && fits.code() != ExitCode::CannotFit)
        return fits;
      if (fits)
        cure = "tile.attention " + std::to_string(limit) + " instead of " +
               (given ? std::to_string(*given) : "none");
    }
    return cure;
  }

  /// In the order of micro-batches that plays faster.
  Result<Planned> planStage(const Recompute &recompute, int64_t stage) {
    Result<Planned> planned = planOrder(recompute, stage, /*inTurn=*/false);
    if (!planned || !mayTakeTurns(training, planned->candidate, planned->memory, *planned->module))
      return planned;
    Result<Planned> vertical = planOrder(recompute, stage, /*inTurn=*/true);
    if (!vertical && vertical.status().code() != ExitCode::CannotFit)
      return vertical;
    Planned &taken = vertical && isWorthTurns(vertical->memory, planned->memory) ? *vertical : *planned;
    taken.ordersTried = "horizontal: " + formatSeconds(planned->memory.seconds) + "; vertical: " +
                        (vertical ? formatSeconds(vertical->memory.seconds) + " a step as laid out"
                                  : "does not fit: " + vertical.status().message());
    return std::move(taken);
  }

  /// With room to prefetch, or else without; `inTurn`: vertical, also where nobody asked for it.
  Result<Planned> planOrder(const Recompute &recompute, int64_t stage, bool inTurn) {
    std::string what = "planning with recompute " + word(recompute) + ", ZeRO stage " + std::to_string(stage);
    if (inTurn)
      what += ", all micro-batches of a layer before the next";
    request.progress(what);
    auto planWith = [&](bool prefetchRoom) {
      Candidate candidate = makeCandidate(recompute, stage, prefetchRoom, plan.layers, training, machine);
      if (inTurn)
        candidate.order = MicroBatchOrder::Vertical;
      return planCandidate(candidate, machine);
    };
    Result<Planned> planned = planWith(true);
    if (planned || planned.status().code() != ExitCode::CannotFit)
      return planned;
    request.progress(what + ", without room to prefetch");
    return planWith(false);
  }

  Result<Planned> planCandidate(const Candidate &candidate, const model::Machine &machine,
                                Ask ask = Ask::Best) {
    OwningOpRef<ModuleOp> &flow =
        lowered[{word(candidate.recompute), candidate.stage, candidate.order, candidate.bucketBytes,
                 candidate.persistence, training.attentionLimit.value_or(0)}];
    if (!flow) {
      OwningOpRef<ModuleOp> module = imported->clone();
      WINDLASS_TRY(levels->lowerToFlow(*module, candidate));
      flow = std::move(module);
    }
    Planned planned{candidate, flow->clone(), {}};
    flow::PlanMemoryRequest memory;
    memory.pins = pinsOf(training);
    // Where parameters must leave the device, shards do with less room on it.
    memory.wholeOnDevice = !training.zeroStage.others || candidate.stage == 3;
    memory.credits = {training.prefetchNc.value_or(candidate.credits),
                      training.prefetchCg.value_or(candidate.credits),
                      training.prefetchGg.value_or(candidate.credits)};
    memory.overlap = training.overlap;
    memory.microBatches = training.microBatches;
    memory.chunkElements = candidate.chunkElements;
    memory.prefetchRoom = candidate.prefetchRoom;
    memory.firstThatFits = ask == Ask::WhetherItFits;
    Result<flow::MemoryPlan> plan = flow::planMemory(*planned.module, machine, memory);
    if (!plan)
      return plan.status();
    planned.memory = plan.take();
    return planned;
  }

  /// `shortfall`: of keeping every residual; `others`: what other numbers of layers take.
  void explainRecompute(const Planned &planned, const Status &shortfall, const std::string &others) {
    const Recompute &recompute = planned.candidate.recompute;
    std::string text = word(recompute);
    if (recomputeKinds(training).size() == 1)
      text += ", as asked";
    else if (recompute == Recompute::None)
      text += ": all residuals fit" + others;
    else
      text += (recompute.layers ? ": the first " + std::to_string(recompute.layers) + " of " +
                                      std::to_string(flow::countTrainedLayers(*planned.module)) +
                                      " layers keep their input and repeat their forward pass, because "
                                : ": each layer keeps its input and repeats its forward pass, because ") +
              (shortfall ? "that is faster" : "what was tried before did not fit: " + shortfall.message()) +
              others;
    flow::explain(*planned.module, "recompute", text);
  }

  void explainStage(const Planned &planned) {
    std::string text;
    for (const auto &[stage, outcome] : planned.stagesTried)
      text += (text.empty() ? "" : "; ") + std::to_string(stage) + ": " + outcome;
    flow::explain(*planned.module, "zero_stage", text);
    if (!planned.ordersTried.empty())
      flow::explain(*planned.module, "micro_batch_order", planned.ordersTried);
  }

  Status emit(ModuleOp module) {
    request.progress("writing instructions and kernels");
    WINDLASS_TRY(emitPlan(module, plan));
    if (auto explanations = module->getAttrOfType<ArrayAttr>(flow::kExplanations))
      for (auto pair : explanations.getAsRange<ArrayAttr>())
        plan.explanations.push_back({cast<StringAttr>(pair[0]).str(), cast<StringAttr>(pair[1]).str()});
    WINDLASS_TRY(generate(module));
    request.progress("checking " + formatCount(countInstructions()) + " instructions");
    Status sound = plan::checkPlan(plan);
    if (!sound)
      return Status::internal("the compiler made a plan that is not sound: " + sound.message());
    Result<model::Simulation> simulation = model::simulateStep(plan, machine);
    if (!simulation)
      return simulation.status();
    plan.prediction = simulation->prediction(machine);
    return Status::ok();
  }

  int64_t countInstructions() const {
    int64_t count = 0;
    for (const plan::Section &section : plan.sections)
      count += section.instructions.size();
    return count;
  }

  /// Generates the kernels the plan launches into a file beside its future place.
  Status generate(ModuleOp module) {
    std::vector<func::FuncOp> kernels;
    for (const plan::Kernel &kernel : plan.kernels)
      if (kernel.kind == plan::KernelKind::Generated)
        kernels.push_back(module.lookupSymbol<func::FuncOp>(kernel.symbol));
    if (request.output.empty())
      return Status::ok();
    Result<PlanFolder> folder = PlanFolder::stage(request.output);
    if (!folder)
      return folder.status();
    staged.emplace(folder.take());
    if (kernels.empty())
      return Status::ok();
    std::string path = staged->path() + "/" + kKernelsFile;
    Status generated =
        levels->diagnosed([&] { return codegen::generateKernels(kernels, {targetCpu}, path); });
    if (!generated)
      WINDLASS_TRY(staged->checkRoom()); // a full disk is not our fault
    WINDLASS_TRY(generated);
    Result<std::string> hash = hashOfFile(path);
    if (!hash)
      return hash.status();
    plan.kernelFiles = {{targetCpu, kKernelsFile, *hash}};
    return Status::ok();
  }

  Status write() {
    if (!staged)
      return Status::ok();
    WINDLASS_TRY(plan::writePlan(plan, staged->path()));
    return staged->commit();
  }

  const CompileRequest &request;
  TrainingOptions training;
  model::Machine machine;
  std::string targetCpu;
  MLIRContext context;
  OwningOpRef<ModuleOp> imported;
  std::optional<Levels> levels;
  /// What has been lowered to flow, by recomputation, stage, order of micro-batches, bucket size, persistence
  /// and limit on attention: memory is planned on copies.
  std::map<std::tuple<std::string, int64_t, MicroBatchOrder, int64_t, int64_t, int64_t>,
           OwningOpRef<ModuleOp>>
      lowered;
  plan::Plan plan;
  std::optional<PlanFolder> staged; ///< where the plan's files are made
};

} // namespace

Result<plan::Plan> compile(const CompileRequest &request) { return Compilation(request).run(); }

} // namespace windlass
