// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/PipelinePlan.h"
#include "runtime/base/StepItems.h"
#include "test/support/SyntheticParts.h"
#include "test/support/SyntheticPlan.h"

namespace windlass::test {
namespace {

using namespace windlass::plan;

constexpr int64_t kLayers = 4, kSide = 16, kMatrix = kSide * kSide * 4; // bytes of a square of f32
constexpr int64_t kPadding = 4096, kScratch = 65536;
constexpr int64_t kDataAxis = 1; // the axes of the mesh are stages and data ranks

class Builder : SyntheticParts {
public:
  explicit Builder(const PipelineOptions &options) : SyntheticParts(kScratch), options(options) {
    plan.model = "pipeline";
    plan.numerics = plan.strategy = "{}";
    plan.mesh = {{"pp", options.stages, AxisKind::Pipeline}, {"dp", options.dataRanks, AxisKind::Data}};
    plan.inputs = {{"features", ElementType::F32, {kSide, kSide}, InputRole::Features}};
    plan.training.microBatches = options.microBatches;
    plan.training.globalBatch = options.dataRanks * options.microBatches * kSide;
    plan.programs.resize(static_cast<size_t>(options.stages));
  }

  Plan build() {
    for (stage = 0; stage < options.stages; ++stage)
      addStage();
    packBuffers(plan);
    addWaits(plan);
    return std::move(plan);
  }

private:
  // The layers of the stage, and its lag.
  int64_t firstLayer() const { return stage * kLayers / options.stages; }
  int64_t behindLayer() const { return (stage + 1) * kLayers / options.stages; }
  bool isLastStage() const { return stage + 1 == options.stages; }
  int64_t lag() const { return options.stages - 1 - stage; } ///< of its backward passes, in micro-batches
  static std::string named(int64_t layer) { return "layer." + std::to_string(layer); }

  // Buffers. Tensors that the backward pass of a layer reads from its forward pass live until then.
  Operand input(int64_t layer) {
    const Operand made =
        buffer(named(layer) + ".input", BufferClass::Activation, Tier::Device, kMatrix, lag() > 0);
    program->buffers[made.buffer].slots = lag() > 0 ? lag() + 1 : 0;
    return made;
  }
  Operand value(const std::string &name) { return device(name, BufferClass::Activation, kMatrix); }
  Operand partial(int64_t layer) {
    return buffer(named(layer) + ".partial", BufferClass::Partial, Tier::Device, kMatrix, true);
  }
  Operand home(int64_t layer, const char *name, BufferClass cls) {
    return buffer(named(layer) + name, cls, Tier::Device, kMatrix, true);
  }
  Operand weight(int64_t layer) { return home(layer, ".parameter", BufferClass::Parameter); }
  Operand momentum(int64_t layer) { return home(layer, ".momentum", BufferClass::Momentum); }
  Operand variance(int64_t layer) { return home(layer, ".variance", BufferClass::Variance); }
  Operand gradient(int64_t layer) { return home(layer, ".gradient", BufferClass::Gradient); }

  void addState(int64_t layer, StateClass cls, Operand home) {
    State state;
    state.name = state.unit = named(layer);
    state.cls = cls;
    state.shape = {kSide, kSide};
    state.group = "decay";
    state.pieceElements = kSide * kSide / options.dataRanks;
    state.sharded = false;
    state.home = home;
    state.axes = {kDataAxis};
    (cls == StateClass::Gradient ? program->gradients : program->states).push_back(state);
  }

  void addStage() {
    beginProgram(plan.programs[static_cast<size_t>(stage)]);
    program->firstRank = stage * options.dataRanks;
    program->ranks = options.dataRanks;
    for (int64_t layer = firstLayer(); layer < behindLayer(); ++layer) {
      addState(layer, StateClass::Parameter, weight(layer));
      addState(layer, StateClass::Momentum, momentum(layer));
      addState(layer, StateClass::Variance, variance(layer));
      addState(layer, StateClass::Gradient, gradient(layer));
    }
    addStep();
    beginSection("evaluate", program->evaluate, 1);
    forward(/*receiveFirst=*/false);
  }

  /// Forward passes up to the lag, then both passes, then the remaining backward passes.
  void addStep() {
    for (int64_t run = 0; run < options.microBatches + lag();) {
      const bool runsForward = run < options.microBatches, runsBackward = run >= lag();
      const bool isFirst = run == lag(), isLast = run + 1 == options.microBatches + lag();
      const int64_t times = !runsBackward       ? lag()
                            : isFirst || isLast ? 1
                            : runsForward       ? options.microBatches - run - (lag() == 0 ? 1 : 0)
                                                : options.microBatches + lag() - 1 - run;
      beginSection(!runsBackward ? "warm"
                   : isFirst     ? "first"
                   : isLast      ? "last"
                   : runsForward ? "middle"
                                 : "drain",
                   program->train, times);
      if (runsForward)
        forward(/*receiveFirst=*/runsBackward);
      if (runsBackward)
        backward(/*stores=*/isFirst, /*hasReceived=*/runsForward);
      if (isLast)
        update();
      run += times;
    }
  }

  void beginSection(const std::string &name, std::vector<SectionRuns> &schedule, int64_t times) {
    schedule.push_back({static_cast<uint32_t>(program->sections.size()), times});
    section = &program->sections.emplace_back();
    section->name = name;
  }

  void message(Opcode op, Lane lane, const std::string &item, Operand value, int64_t peer) {
    Instruction &instruction = add(op, lane, item, {value});
    instruction.item = item;
    instruction.peer = peer;
    instruction.bytesMoved = value.bytes;
  }

  /// A stage that sends and receives in one run receives first, as the next stage sends its gradient before
  /// it receives the activation of this run.
  void forward(bool receiveFirst) {
    phase = Phase::Forward;
    microBatch = 0;
    function = named(firstLayer());
    if (stage == 0)
      feed("features", host("fed.features", BufferClass::Feed, kMatrix), input(0));
    else
      message(Opcode::Recv, Lane::ActIn, named(firstLayer()) + ".input", input(firstLayer()), stage - 1);
    for (int64_t layer = firstLayer(); layer < behindLayer(); ++layer) {
      function = named(layer);
      const Operand result = layer + 1 < behindLayer() ? input(layer + 1) : value("result");
      matmul("product", {kSide, kSide, kSide}, input(layer), weight(layer), result);
    }
    if (isLastStage())
      return report(std::string(kLoss), firstBytes(value("result"), 64));
    if (receiveFirst)
      receiveGradient();
    microBatch = 0;
    message(Opcode::Send, Lane::ActOut, named(behindLayer()) + ".input", value("result"), stage + 1);
  }

  void receiveGradient() {
    microBatch = -lag();
    message(Opcode::Recv, Lane::GradIn, named(behindLayer()) + ".gradient", value("received"), stage + 1);
  }

  void backward(bool stores, bool hasReceived) {
    if (!isLastStage() && !hasReceived)
      receiveGradient();
    phase = Phase::Backward;
    microBatch = -lag();
    Operand coming = isLastStage() ? value("result") : value("received");
    for (int64_t layer = behindLayer(); layer-- > firstLayer();) {
      function = named(layer);
      matmul("gradient of the weight", {kSide, kSide, kSide, true, false, !stores}, input(layer), coming,
             partial(layer));
      if (layer == 0)
        break;
      const Operand going = value(named(layer) + ".going");
      matmul("gradient of the input", {kSide, kSide, kSide, false, true}, coming, weight(layer), going);
      coming = going;
    }
    if (stage > 0)
      message(Opcode::Send, Lane::GradOut, named(firstLayer()) + ".gradient", coming, stage - 1);
  }

  void update() {
    phase = Phase::Update;
    // The last micro-batch: in a section after all forward passes the first number is none.
    microBatch = -lag();
    const Operand rate = value("rate");
    feed(std::string(kLearningRate), host("fed.rate", BufferClass::Feed, kMatrix), rate);
    const int64_t piece = kMatrix / options.dataRanks;
    for (int64_t layer = firstLayer(); layer < behindLayer(); ++layer) {
      function = named(layer);
      const Operand shard = device("shard", BufferClass::Gradient, kPadding);
      collective(Opcode::ReduceScatter, "sum", shard, partial(layer), piece).axes = {kDataAxis};
      collective(Opcode::AllGather, "gather", shard, gradient(layer), piece).axes = {kDataAxis};
      for (Operand updated : {weight(layer), momentum(layer), variance(layer)})
        matmul("update", {kSide, kSide, kSide, false, false, true}, rate, gradient(layer), updated);
    }
  }

  const PipelineOptions options;
  int64_t stage = 0;
};

} // namespace

Plan makePipelinePlan(const PipelineOptions &options) { return Builder(options).build(); }

} // namespace windlass::test
