#include "compiler/driver/Compile.h"

#include "compiler/codegen/Codegen.h"
#include "compiler/driver/Facts.h"
#include "compiler/driver/Levels.h"
#include "compiler/driver/PlanFolder.h"
#include "compiler/emit/Emit.h"
#include "compiler/import/Import.h"
#include "compiler/model/Simulator.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "dialects/Register.h"
#include "passes/Flow/PlanMemory.h"
#include "runtime/base/Hash.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Checker.h"
#include "runtime/plan/PlanWriter.h"
#include <algorithm>

using namespace mlir;

namespace windlass {
namespace {

constexpr const char *kKernelsFile = "kernels.so";

/// What to try, in order: the first that fits is taken.
std::vector<Candidate> candidates(const TrainingOptions &training, const model::Machine &machine) {
  std::vector<std::string> recompute;
  if (training.recompute != Recompute::Full)
    recompute.push_back("none");
  if (training.recompute != Recompute::None)
    recompute.push_back("full");
  // One rank has nobody to share with: whole states first, shards where they must leave the device.
  std::vector<int64_t> stages = {3};
  if (training.zeroStage)
    stages = {*training.zeroStage};
  else if (training.dataRanks == 1)
    stages = {0, 3};
  int64_t device = machine.capacity(plan::Tier::Device), host = machine.capacity(plan::Tier::Host);
  std::vector<Candidate> all;
  for (const std::string &kind : recompute)
    for (int64_t stage : stages)
      for (bool prefetchRoom : {true, false}) {
        Candidate candidate{kind, stage, 0, 0, prefetchRoom ? 4 : 1, prefetchRoom};
        candidate.bucketBytes =
            training.bucket.value_or(std::clamp<int64_t>(device / 8, 256 << 10, 64 << 20));
        candidate.chunkElements = std::clamp<int64_t>(host / 128 / 4096 * 4096, 4096, 4 << 20);
        all.push_back(candidate);
      }
  return all;
}

flow::TierPins pinsOf(const TrainingOptions &training) {
  flow::TierPins pins;
  auto pin = [&](const char *cls, Home home) {
    if (home != Home::Auto)
      pins[cls] = static_cast<plan::Tier>(static_cast<int>(home) - 1);
  };
  pin("param", training.paramHome);
  pin("grad", training.gradHome);
  pin("master", training.masterHome);
  pin("moments", training.momentsHome);
  pin("checkpoint", training.checkpointHome);
  return pins;
}

class Compilation {
public:
  explicit Compilation(const CompileRequest &request) : request(request) {}

  Result<plan::Plan> run() {
    WINDLASS_TRY(readInputs());
    WINDLASS_TRY(importGraph());
    Result<OwningOpRef<ModuleOp>> planned = planFirstThatFits();
    if (!planned)
      return planned.status();
    WINDLASS_TRY(levels->finish(**planned));
    WINDLASS_TRY(emit(**planned));
    WINDLASS_TRY(write());
    return std::move(plan);
  }

private:
  Status readInputs() {
    Result<TrainingOptions> readTraining = readTrainingFile(request.training);
    if (!readTraining)
      return readTraining.status();
    training = *readTraining;
    Result<model::Machine> readMachine = model::readMachine(request.hardware);
    if (!readMachine)
      return readMachine.status();
    machine = *readMachine;
    machine.threadsPerRank = training.threadsPerRank;
    if (machine.ranks() != training.dataRanks)
      return Status::badInput(request.training + ": parallel.data asks for " +
                              std::to_string(training.dataRanks) + " ranks, " + request.hardware + " has " +
                              std::to_string(machine.ranks()));
    if (training.cadence != Cadence::MicroBatch)
      return Status::badInput(request.training + ": cadence \"" + std::string(word(training.cadence)) +
                              "\" cannot be compiled yet, use \"" + std::string(word(Cadence::MicroBatch)) +
                              "\"");
    if (!request.output.empty()) // found unwritable now, not after planning
      WINDLASS_TRY(PlanFolder::stage(request.output).status());
    targetCpu = request.targetCpu.empty() ? codegen::detectTargetCpu() : request.targetCpu;
    return Status::ok();
  }

  Status importGraph() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.disableMultithreading();
    request.progress("importing " + request.model);
    Result<OwningOpRef<ModuleOp>> module = importModel(context, request.model, training);
    if (!module)
      return module.status();
    imported = module.take();
    levels.emplace(training, machine, targetCpu, request.dumpPhases);
    WINDLASS_TRY(levels->snapshot(*imported, "import"));
    WINDLASS_TRY(describeModel(*imported, plan));
    for (const plan::Input &input : plan.inputs)
      if (training.sequence == 0 && input.role == plan::InputRole::Tokens && input.shape.size() > 1)
        training.sequence = input.shape[1];
    describeTraining(training, targetCpu, plan);
    return Status::ok();
  }

  Result<OwningOpRef<ModuleOp>> planFirstThatFits() {
    Status shortfall = Status::ok(), recomputeShortfall = Status::ok();
    for (const Candidate &candidate : candidates(training, machine)) {
      request.progress("planning with recompute " + candidate.recompute + ", ZeRO stage " +
                       std::to_string(candidate.stage) +
                       (candidate.prefetchRoom ? "" : ", without room to prefetch"));
      OwningOpRef<ModuleOp> module = imported->clone();
      WINDLASS_TRY(levels->lowerToFlow(*module, candidate));
      flow::PlanMemoryRequest memory;
      memory.pins = pinsOf(training);
      memory.credits = {training.prefetchNc.value_or(candidate.credits),
                        training.prefetchCg.value_or(candidate.credits),
                        training.prefetchGg.value_or(candidate.credits)};
      memory.overlap = training.overlap;
      memory.microBatches = training.microBatches;
      memory.chunkElements = candidate.chunkElements;
      memory.prefetchRoom = candidate.prefetchRoom;
      Status status = flow::planMemory(*module, machine, memory);
      if (status.isOk()) {
        taken = candidate;
        explainCandidate(*module, candidate, shortfall);
        return module;
      }
      if (status.code() != ExitCode::CannotFit)
        return status;
      shortfall = status;
    }
    return shortfall.in("no plan fits " + request.hardware);
  }

  void explainCandidate(ModuleOp module, const Candidate &candidate, const Status &shortfall) {
    if (shortfall.isOk())
      flow::explain(module, "recompute",
                    candidate.recompute == "none" ? "none: all residuals fit"
                                                  : "full, as the training file asks");
    else
      flow::explain(module, "recompute",
                    candidate.recompute +
                        (candidate.recompute == "full"
                             ? ": each layer keeps its input and repeats its forward pass, because what was "
                               "tried before did not fit: "
                             : ": what was tried before did not fit: ") +
                        shortfall.message());
  }

  Status emit(ModuleOp module) {
    request.progress("writing instructions and kernels");
    WINDLASS_TRY(emitPlan(module, plan));
    describeStrategy(training, taken, plan);
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
    WINDLASS_TRY(levels->diagnosed([&] { return codegen::generateKernels(kernels, {targetCpu}, path); }));
    plan.kernelsFile = kKernelsFile;
    Result<std::string> hash = hashOfFile(path);
    if (!hash)
      return hash.status();
    plan.kernelsHash = *hash;
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
  Candidate taken;
  plan::Plan plan;
  std::optional<PlanFolder> staged; ///< where the plan's files are made
};

} // namespace

Result<plan::Plan> compile(const CompileRequest &request) { return Compilation(request).run(); }

} // namespace windlass
