// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Compile.h"

#include "compiler/driver/IneffectiveKeys.h"
#include "compiler/driver/PlanFolder.h"
#include "compiler/driver/PlanKernels.h"
#include "compiler/driver/candidates/StageLags.h"
#include "compiler/driver/candidates/TileBounds.h"
#include "compiler/driver/capacity/FeasibilityCandidates.h"
#include "compiler/driver/capacity/Refusal.h"
#include "compiler/driver/capacity/TileChoice.h"
#include "compiler/driver/facts/Facts.h"
#include "compiler/driver/inputs/CheckDecisions.h"
#include "compiler/driver/inputs/Inputs.h"
#include "compiler/driver/inputs/Mesh.h"
#include "compiler/driver/questions/MeshChoice.h"
#include "compiler/driver/questions/TrainingChoice.h"
#include "compiler/driver/search/NamedSearch.h"
#include "compiler/driver/search/PlanSearch.h"
#include "compiler/driver/search/ScheduleSearch.h"
#include "compiler/emit/Emit.h"
#include "compiler/training/Strategy.h"
#include "model/Simulator.h"
#include "passes/Flow/PlanMemory.h"
#include "runtime/base/Counted.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/check/Checker.h"
#include "runtime/plan/file/PlanWriter.h"
#include "runtime/plan/text/ReasonText.h"
#include <algorithm>
#include <cmath>
#include <set>

using namespace mlir;

namespace windlass {
namespace {

/// The most tiles into which a limit that a refusal proposes may cut parameters: a plan of more tiles takes
/// minutes.
constexpr int64_t kMostHinted = 1024;
/// Two sums of the same times in other orders may differ by this share of a step.
constexpr double kRounding = 1e-9;

class Compilation {
public:
  Compilation(const CompileRequest &request, TimingScope &timing) : request(request), timing(timing) {}

  /// Makes the plan and writes it to the request's folder. `choices`: the reasons of earlier choices (mesh,
  /// training file) that led to this request; they become the first reasons of the plan.
  Result<plan::Plan> run(const std::vector<plan::Reason> &choices = {}) {
    WINDLASS_TRY(make().status());
    addReasons(choices);
    WINDLASS_TRY(write());
    return std::move(plan);
  }

  /// Makes the plan. With an output folder in the request, its kernel files are in a draft folder until
  /// write().
  Result<plan::Plan> make() {
    WINDLASS_TRY(prepare());
    WINDLASS_TRY(importGraph());
    Result<Planned> planned = search();
    if (!planned)
      return planned.status();
    if (planned->memory.isSlow) {
      slow = simulated("", planned->memory);
      return plan;
    }
    for (OwningOpRef<ModuleOp> &stage : planned->stages)
      WINDLASS_TRY(levels->finish(*stage));
    plan.reasons = std::move(planned->memory.reasons);
    std::ranges::move(planned->reasons, std::back_inserter(plan.reasons));
    for (const plan::Reason &reason : settled) // before the search, which takes them for asked
      std::ranges::replace_if(
          plan.reasons, [&](const plan::Reason &other) { return other.decision == reason.decision; }, reason);
    plan.strategy =
        writeStrategy(takenDecisions(training, planned->candidate, planned->memory, planned->layers));
    stages = std::move(planned->stages);
    WINDLASS_TRY(emit());
    WINDLASS_TRY(predict(planned->memory.step.seconds));
    return plan;
  }

  /// After make(): the trial of the plan that was left as slow, if every plan clearly takes longer than the
  /// limit of the request; else nothing.
  const std::optional<plan::Trial> &leftAsSlow() const { return slow; }

  /// Generates the files of a plan that make() made without an output folder, and writes the plan to the
  /// folder of `wanted`; without a folder there, only returns the plan. `choices`: as for run().
  Result<plan::Plan> writeTo(const CompileRequest &wanted, const std::vector<plan::Reason> &choices) {
    addReasons(choices);
    if (wanted.output.empty())
      return std::move(plan);
    request = wanted;
    WINDLASS_TRY(prepareFolder());
    WINDLASS_TRY(generate());
    WINDLASS_TRY(write());
    return std::move(plan);
  }

  /// Makes the parent folders of the output, and the folder of object files. BadInput, before planning, if
  /// one of them cannot be written.
  Status prepareFolder() {
    if (request.output.empty())
      return Status::ok();
    if (!request.kernelFolder.empty()) {
      Result<codegen::ObjectFolder> known = codegen::ObjectFolder::open(request.kernelFolder);
      if (!known)
        return known.status().in("--kernel-cache");
      objects.emplace(known.take());
    }
    Result<ParentFolders> above = ParentFolders::of(request.output);
    if (!above)
      return above.status();
    parents.emplace(above.take());
    return PlanFolder::draft(request.output).status();
  }

private:
  /// Puts the reasons of earlier choices before those of the plan.
  void addReasons(const std::vector<plan::Reason> &choices) {
    plan.reasons.insert(plan.reasons.begin(), choices.begin(), choices.end());
  }

  Status prepare() {
    Result<Inputs> inputs = readInputs(request);
    if (!inputs)
      return inputs.status();
    training = inputs->training;
    machine = inputs->machine;
    target = inputs->target;
    return prepareFolder();
  }

  Status importGraph() {
    TimingScope scope = timing.nest("import");
    Result<OwningOpRef<ModuleOp>> module = importInputs(context, request, training);
    if (!module)
      return module.status();
    WINDLASS_TRY(checkRanks(request, training, machine));
    imported = module.take();
    graphs = std::make_shared<ModelGraphs>(*imported);
    levels.emplace(training, machine, target, request.dumpPhases, reproducer(), &timing);
    WINDLASS_TRY(levels->snapshot(*imported, "import"));
    Result<TensorLayout> splits = levels->describeSplits(*imported, request.training);
    if (!splits)
      return splits.status();
    tensorLayout = splits->layout;
    if (const std::string alike = describeReplicatedWork(splits->replicated, training.tensorRanks);
        !alike.empty())
      request.warn(request.training + ": parallel.tensor: " + alike);
    WINDLASS_TRY(tileBounds().check(*imported, request.training));
    WINDLASS_TRY(levels->checkKept(*imported));
    WINDLASS_TRY(describeModel(*imported, plan));
    WINDLASS_TRY(checkShards(request, training, plan.parameters));
    WINDLASS_TRY(checkStages(training, plan.layers, request.training, request.decisions()));
    WINDLASS_TRY(settleWholeRows());
    WINDLASS_TRY(ineffectiveKeys().warn(*imported, plan.inputs));
    describeTraining(training, target, device(), tensorLayout, plan);
    plan.hardware = machine.text;
    plan.nvmeDepth = machine.nvmeDepth;
    if (training.recompute.layers > plan.layers ||
        training.recompute.every > std::max<int64_t>(1, plan.layers))
      return Status::badInput("recompute: \"" + word(training.recompute) + "\": the model has " +
                              counted(plan.layers, "layer"));
    return Status::ok();
  }

  /// Settles what depends on rows that tensor ranks divide, if there are none: it has no effect.
  Status settleWholeRows() {
    if (training.tensorRanks == 1)
      return Status::ok();
    Result<Levels::DividedRows> rows = levels->dividedRows(*imported);
    if (!rows)
      return rows.status();
    const std::string divided = " rows that " + std::to_string(training.tensorRanks) + " ranks divide";
    if (!rows->between)
      settleAsNone(training.sequenceParallel, plan::Decision::SequenceParallel,
                   "what lies whole between products has no" + divided);
    if (!rows->checkpoints)
      settleAsNone(training.checkpointPartition, plan::Decision::CheckpointPartition,
                   "what layers keep to repeat themselves has no" + divided);
    return Status::ok();
  }

  void settleAsNone(std::optional<bool> &key, plan::Decision decision, const std::string &why) {
    if (key.value_or(false))
      request.warn(request.decisions() + ": " + std::string(plan::textOf(decision)) +
                   ": has no effect: " + why);
    if (key.value_or(true))
      settled.push_back({.decision = decision,
                         .taken = "false",
                         .basis = plan::Basis::Implied,
                         .trials = {{.value = "false", .outcome = plan::Outcome::Taken},
                                    {.value = "true", .outcome = plan::Outcome::RuledOut, .refusal = why}}});
    key = false;
  }

  ModelSize size() const { return {plan.layers, trainedParameters(*imported)}; }
  TileBounds tileBounds() { return {*levels, training}; }
  IneffectiveKeys ineffectiveKeys() { return {request, training, *levels}; }
  const plan::DeviceRow &device() const { return *plan::findDevice(machine.backend); }

  /// The path of the reproducer that a failing pass writes, beside the plan; empty in a dry run.
  std::string reproducer() const { return request.output.empty() ? "" : request.output + ".reproducer.mlir"; }

  /// Plans the model. If no plan fits, smaller tiles may help: they are taken where the request asks for
  /// that, and named in the refusal where it does not.
  Result<Planned> search() {
    WINDLASS_TRY(refuseFarTooLarge(trainedParameters(*imported), training, machine)
                     .in("no plan fits " + request.hardware));
    CandidatePlanner planner(training, *levels, graphs);
    Result<bool> mayFit = FeasibilityCandidates::anyMayFit(training, size(), planner, machine);
    if (!mayFit)
      return mayFit.status();
    Result<Planned> planned = *mayFit ? searchWith(planner) : Status::cannotFit("a few layers find no room");
    if (planned || !cannotFit(planned.status()))
      return planned;
    auto shortfall = [&] { return *mayFit ? planned.status() : searchWith(planner).status(); };
    Result<std::optional<Limits>> tiles = findTiles(planner);
    if (!tiles)
      return tiles.status();
    if (!*tiles || !request.chooseTiles)
      return refuse(planner, shortfall, *tiles);
    const Limits before = limitsOf(training), taken = **tiles;
    training.tileLimit = taken.tile; // the numerics record has them
    training.tileActivation = taken.activation;
    training.attentionLimit = taken.attention;
    describeTraining(training, target, device(), tensorLayout, plan);
    WINDLASS_TRY(ineffectiveKeys().warnOfWholeParameters(*imported));
    planned = searchWith(planner);
    if (planned)
      planned->reasons.push_back({.decision = plan::Decision::Tile,
                                  .taken = "auto",
                                  .basis = plan::Basis::FirstThatFits,
                                  .figures = tileFigures(taken, before)});
    return planned;
  }

  Result<Planned> searchWith(CandidatePlanner &planner) {
    PlanSearch search(training, machine, size(), planner, request.progress);
    Result<Planned> planned = search.run(request.limit);
    if (!planned || planned->memory.isSlow)
      return planned;
    WINDLASS_TRY(searchBeside(*planned, search));
    if (std::optional<plan::Reason> cadence = reasonOfCadence(training, trainedParameters(*imported)))
      planned->reasons.push_back(std::move(*cadence));
    if (!request.dumpPhases.empty()) // the snapshots of the plan that is taken, not of the last candidate
      WINDLASS_TRY(levels->lowerToStages(imported->clone(), planned->candidate).status());
    return planned;
  }

  /// Tries the named strategies, then other schedules of the pipeline. If another schedule is taken and the
  /// model has few layers, tries the named strategies under that schedule, too.
  Status searchBeside(Planned &planned, const PlanSearch &search) {
    const std::vector<PlanSearch::Finding> findings = search.findings();
    const double least = search.leastSeconds();
    std::string strategy = "auto";
    const auto tryNames = [&](const TrainingOptions &asked) -> Result<TrainingOptions> {
      NamedSearch named(request, asked, machine, target, size(), graphs, reproducer());
      Result<std::string> fastest = named.run(planned, findings, least, strategy);
      if (!fastest)
        return fastest.status();
      strategy = fastest.take();
      return named.takenOptions();
    };
    Result<TrainingOptions> taken = tryNames(training);
    if (!taken)
      return taken.status();
    ScheduleSearch schedules(request, *taken, machine, target, size(), graphs, reproducer());
    WINDLASS_TRY(schedules.run(planned));
    TrainingOptions asked = std::exchange(training, schedules.takenOptions());
    if (training.pipelineSchedule == asked.pipelineSchedule || plan.layers > PlanSearch::kMostSearchedAgain)
      return Status::ok();
    asked.pipelineSchedule = training.pipelineSchedule;
    const std::vector<plan::Reason> reasons = planned.reasons;
    const std::string before = strategy;
    taken = tryNames(asked);
    if (!taken)
      return taken.status();
    if (strategy == before) { // the plan that was found is kept; names have the seconds of its schedule
      plan::Reason names = std::move(planned.reasons.back());
      planned.reasons = reasons;
      plan::Reason &first = *std::ranges::find(planned.reasons, names.decision, &plan::Reason::decision);
      names.figures = first.figures;
      first = std::move(names);
      return Status::ok();
    }
    training = taken.take();
    planned.reasons.push_back(*plan::findReason(reasons, plan::textOf(plan::Decision::PipelineSchedule)));
    return Status::ok();
  }

  /// The largest limits of tiles under which a plan fits; nothing if the states alone do not fit, or if no
  /// limits help.
  Result<std::optional<Limits>> findTiles(CandidatePlanner &planner) {
    if (!statesFindRoom(trainedParameters(*imported), training, machine))
      return std::optional<Limits>();
    const int64_t mostTiles = request.chooseTiles ? INT64_MAX : kMostHinted;
    Result<std::vector<int64_t>> limits = tileBounds().smallerLimits(*imported, mostTiles);
    if (!limits)
      return limits.status();
    Result<std::vector<int64_t>> scores = tileBounds().smallerAttentionLimits(*imported);
    if (!scores)
      return scores.status();
    Result<FeasibilityCandidates> candidates = FeasibilityCandidates::of(training, size(), planner);
    if (!candidates)
      return candidates.status();
    const auto mayFit = [&](const Limits &limits) { return candidates->smallestMayFit(machine, limits); };
    const auto fits = [&](const Limits &limits) {
      request.progress("trying " + plan::tilesText(tileFigures(limits, limitsOf(training))));
      return candidates->smallestFit(machine, limits);
    };
    return largestLimitsThatFit(limitSequences(limitsOf(training), *limits, *scores), {mayFit, fits});
  }

  /// The refusal of a machine that no plan fits. `tiles`: limits of tiles under which a plan would fit, for a
  /// hint.
  Status refuse(CandidatePlanner &planner, const std::function<Status()> &shortfall,
                const std::optional<Limits> &tiles) {
    request.progress("looking for the smallest change that would fit");
    Status refusal = Refusal(training, machine, size(), planner)
                         .describe(shortfall)
                         .in("no plan fits " + request.hardware);
    if (!tiles || refusal.code() != ExitCode::CannotFit)
      return refusal;
    const plan::Figures limits = tileFigures(*tiles, limitsOf(training));
    return Status::cannotFit(refusal.message() + "; " + plan::tilesText(limits) +
                             " would fit the machine as it is: " + plan::tileKeysText(limits) + " in " +
                             request.training + ", or --tile auto");
  }

  Status emit() {
    request.progress("writing instructions and kernels");
    TimingScope scope = timing.nest("emit");
    WINDLASS_TRY(emitPlan(llvm::map_to_vector(stages, [](const auto &stage) { return *stage; }), plan));
    dropUnfedInputs();
    scope = timing.nest("kernels");
    WINDLASS_TRY(generate());
    request.progress("checking " + counted(countInstructions(), "instruction"));
    scope = timing.nest("check");
    Status sound = plan::checkPlan(plan);
    if (!sound)
      return Status::internal("the compiler made a plan that is not sound: " + sound.message());
    return Status::ok();
  }

  /// Drops inputs of the model that the plan does not feed, since nothing depends on them once the graph is
  /// simplified.
  void dropUnfedInputs() {
    std::set<std::string> fed;
    plan::forEachInstruction(plan, [&](const plan::Instruction &instruction) {
      if (instruction.op == plan::Opcode::Feed)
        fed.insert(instruction.item);
    });
    std::erase_if(plan.inputs, [&](const plan::Input &input) {
      if (!fed.contains(input.name))
        request.warn(request.model + ": the input \"" + input.name + "\" has no effect, and is not fed");
      return !fed.contains(input.name);
    });
  }

  /// Simulates the plan. `judged`: the seconds of a step by which the search chose the plan; a fault of the
  /// compiler if the simulation gives others.
  Status predict(double judged) {
    TimingScope scope = timing.nest("predict");
    Result<model::Simulation> simulation = model::simulateStep(plan, machine);
    if (!simulation)
      return simulation.status();
    plan.prediction = simulation->prediction(machine);
    if (std::abs(simulation->stepSeconds - judged) > kRounding * judged)
      return Status::internal("the plan was chosen for " + std::to_string(judged * 1e9) +
                              " ns a step, and takes " + std::to_string(simulation->stepSeconds * 1e9));
    return Status::ok();
  }

  int64_t countInstructions() const {
    int64_t count = 0;
    plan::forEachInstruction(plan, [&](const plan::Instruction &) { ++count; });
    return count;
  }

  /// Generates the kernels that the plan launches, into the draft folder if the request has an output.
  Status generate() {
    if (!request.output.empty()) {
      Result<PlanFolder> folder = PlanFolder::draft(request.output);
      if (!folder)
        return folder.status();
      draft.emplace(folder.take());
    }
    Status generated = generatePlanKernels(stages, draft ? draft->path() : "",
                                           {request.kernels, objects ? &*objects : nullptr}, plan);
    if (!generated && draft)
      WINDLASS_TRY(draft->checkRoom()); // a full disk is not our fault
    return generated;
  }

  Status write() {
    if (!draft)
      return Status::ok();
    WINDLASS_TRY(plan::writePlan(plan, draft->path()));
    return draft->commit();
  }

  CompileRequest request;
  TimingScope &timing;
  TrainingOptions training;
  model::Machine machine;
  plan::Target target;
  MLIRContext context;
  OwningOpRef<ModuleOp> imported;
  std::shared_ptr<ModelGraphs> graphs; ///< of all strategies
  std::vector<plan::Reason> settled;   ///< of decisions that have no effect
  std::string tensorLayout;            ///< how ranks share out operations; empty where they do not
  std::optional<Levels> levels;
  StageModules stages; ///< of which the plan was emitted
  std::optional<plan::Trial> slow;
  plan::Plan plan;
  std::optional<ParentFolders> parents;         ///< of the plan's folder, where reproducers go, too
  std::optional<PlanFolder> draft;              ///< in which the plan's files are made
  std::optional<codegen::ObjectFolder> objects; ///< of earlier compilations
};

/// Chooses the mesh, then the keys of the training file that change last bits, as far as the request leaves
/// them open. The plan that was made for the choice is written as it is; only snapshots of the IR need
/// another compilation.
Result<plan::Plan> compileFastest(const CompileRequest &request, TimingScope &timing) {
  WINDLASS_TRY(Compilation(request, timing).prepareFolder());
  const PlanMaker make = [&](const CompileRequest &tried) -> Result<UnwrittenPlan> {
    auto scope = std::make_shared<TimingScope>(timing.nest(tried.parallel + tried.whatIf.training));
    auto compilation = std::make_shared<Compilation>(tried, *scope);
    Result<plan::Plan> made = compilation->make();
    scope->stop();
    if (!made)
      return made.status();
    return UnwrittenPlan{
        made.take(), compilation->leftAsSlow(),
        [scope, compilation](const CompileRequest &wanted, const std::vector<plan::Reason> &choices) {
          return compilation->writeTo(wanted, choices);
        }};
  };
  CompileRequest settled = request;
  std::optional<UnwrittenPlan> made;
  std::vector<plan::Reason> choices;
  const auto settle = [&](Result<Choice> choice) {
    WINDLASS_TRY(choice.status());
    settled = std::move(choice->option.request);
    made = std::move(choice->made);
    choices.push_back(std::move(choice->reason));
    return Status::ok();
  };
  if (settled.parallel == kOpenMesh)
    WINDLASS_TRY(settle(chooseMesh(request, make)));
  if (request.mayChangeBits)
    WINDLASS_TRY(settle(chooseTraining(settled, make, std::exchange(made, std::nullopt))));
  if (request.dumpPhases.empty())
    return made->write(settled, choices);
  settled.warn = settled.account = [](const std::string &) {}; // the choice has reported these
  return Compilation(settled, timing).run(choices);
}

} // namespace

std::vector<std::string> backends() {
  std::vector<std::string> words;
  for (const plan::DeviceRow &device : plan::deviceRows())
    words.emplace_back(device.backend);
  return words;
}

std::vector<std::string> targetCpus() {
  std::vector<std::string> cpus;
  for (const plan::TargetRow &row : plan::targetRows())
    cpus.emplace_back(row.cpu);
  return cpus;
}

Result<plan::Plan> compile(const CompileRequest &request) {
  std::string table;
  llvm::raw_string_ostream out(table);
  DefaultTimingManager seconds;
  seconds.setEnabled(static_cast<bool>(request.timing));
  seconds.setOutput(createOutputStrategy(DefaultTimingManager::OutputFormat::Text, out));
  TimingScope scope = seconds.getRootScope();
  const bool isOpen = request.parallel == kOpenMesh || request.mayChangeBits;
  Result<plan::Plan> plan = isOpen ? compileFastest(request, scope) : Compilation(request, scope).run();
  scope.stop();
  if (request.timing) {
    seconds.print();
    request.timing(table);
  }
  return plan;
}

} // namespace windlass
