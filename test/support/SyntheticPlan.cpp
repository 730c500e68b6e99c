#include "test/support/SyntheticPlan.h"
#include "runtime/plan/Layout.h"

#include <map>
#include <random>

namespace windlass::test {
namespace {

using namespace windlass::plan;

constexpr int64_t kWidth = 16; // columns of every weight, and the side of the rate matrix
constexpr int64_t kFloat = 4;
constexpr int64_t kShardAlignment = 4096;

/// Where a layer's states rest. Whole: the parameter is kept gathered on the device.
enum class Rest { Device, Host, Nvme, Whole };

struct Layer {
  Rest rest = Rest::Nvme;
  int64_t piece = 64; ///< elements of one rank's piece
  std::string name;
};

class Builder {
public:
  explicit Builder(const SyntheticOptions &options) : options(options), random(options.seed) {
    plan.model = "synthetic " + std::to_string(options.seed);
    plan.mesh = {{"dp", options.ranks}};
    plan.nvmeDepth = options.nvmeDepth;
    plan.numerics = "{}";
    plan.strategy = "{}";
    plan.training.microBatches = options.microBatches;
    plan.training.steps = 3;
    for (int64_t l = 0; l < options.layers; ++l)
      layers.push_back({static_cast<Rest>(random() % 4), piece, "layer." + std::to_string(l)});
    plan.inputs = {{"features", ElementType::F32, {rows(), rows()}, InputRole::Features, 0}};
    for (const Layer &layer : layers)
      addStates(layer);
  }

  Plan build() {
    if (options.microBatches == 1)
      addSection(SectionKind::Only);
    if (options.microBatches > 1)
      addSection(SectionKind::First);
    if (options.microBatches > 2)
      addSection(SectionKind::Middle);
    if (options.microBatches > 1)
      addSection(SectionKind::Last);
    addSection(SectionKind::Evaluate);
    return std::move(plan);
  }

private:
  // Sizes. A weight is rows() x kWidth, one piece after the other; x is rows() x rows().
  int64_t rows() const { return piece / kWidth * options.ranks; }
  int64_t pieceBytes() const { return piece * kFloat; }
  int64_t wholeBytes() const { return pieceBytes() * options.ranks; }
  int64_t activationBytes() const { return rows() * rows() * kFloat; }
  static int64_t shardBytes() { return kShardAlignment; }
  static int64_t rateBytes() { return kWidth * kWidth * kFloat; }

  //===--- buffers and states -------------------------------------------===//

  /// All of a named buffer; the first use makes it.
  Operand buffer(const std::string &name, BufferClass cls, Tier tier, int64_t bytes,
                 bool persistent = false) {
    auto [at, isNew] = bufferOf.try_emplace(name, static_cast<uint32_t>(plan.buffers.size()));
    if (isNew)
      plan.buffers.push_back({name, cls, tier, 0, bytes, persistent});
    return {at->second, 0, bytes, {}};
  }
  Operand firstBytes(Operand operand, int64_t bytes) const {
    operand.bytes = bytes;
    return operand;
  }
  Operand device(const std::string &name, BufferClass cls, int64_t bytes) {
    return buffer(name, cls, Tier::Device, bytes);
  }
  Operand host(const std::string &name, BufferClass cls, int64_t bytes) {
    return buffer(name, cls, Tier::Host, bytes);
  }
  Operand scratch(Tier tier) {
    return buffer(tier == Tier::Host ? "scratch.host" : "scratch.device", BufferClass::Workspace, tier,
                  options.scratchBytes);
  }

  static Tier tierOf(const Layer &layer) {
    return layer.rest == Rest::Nvme ? Tier::Nvme : layer.rest == Rest::Device ? Tier::Device : Tier::Host;
  }
  Operand master(const Layer &layer) {
    return buffer(layer.name + ".master", BufferClass::Master, tierOf(layer), shardBytes(), true);
  }
  Operand momentum(const Layer &layer) {
    return buffer(layer.name + ".momentum", BufferClass::Momentum, tierOf(layer), shardBytes(), true);
  }
  Operand whole(const Layer &layer) {
    return buffer(layer.name + ".parameter", BufferClass::Parameter, Tier::Device, wholeBytes(), true);
  }
  Operand accumulator(const Layer &layer) {
    return firstBytes(buffer(layer.name + ".gradient", BufferClass::Gradient, Tier::Host, shardBytes(), true),
                      pieceBytes());
  }

  void addStates(const Layer &layer) {
    auto add = [&](StateClass cls, Operand home, InitKind init, bool sharded) {
      plan.states.push_back({layer.name,
                             cls,
                             ElementType::F32,
                             {rows(), kWidth},
                             "decay",
                             {init, 0, init == InitKind::Normal ? 0.1 : 0, 0},
                             layer.name,
                             0,
                             piece,
                             sharded,
                             home});
      plan.parameters += cls == StateClass::Master ? rows() * kWidth : 0;
    };
    add(StateClass::Master, firstBytes(master(layer), pieceBytes()), InitKind::Normal, true);
    add(StateClass::Momentum, firstBytes(momentum(layer), pieceBytes()), InitKind::Constant, true);
    if (layer.rest == Rest::Whole)
      add(StateClass::Parameter, whole(layer), InitKind::Normal, false);
  }

  //===--- instructions -------------------------------------------------===//

  Instruction &add(Opcode op, Lane lane, const std::string &what, std::vector<Operand> operands) {
    Instruction &instruction = section->instructions.emplace_back();
    instruction.op = op;
    instruction.lane = lane;
    instruction.operands = std::move(operands);
    instruction.origin = {function, what, phase};
    return instruction;
  }
  void copy(Opcode op, Lane lane, const std::string &what, Operand from, Operand to) {
    add(op, lane, what, {from, to}).bytesMoved = from.bytes;
  }
  void collective(Opcode op, const std::string &what, Operand shard, Operand gathered) {
    Instruction &instruction = add(op, Lane::Gg, what, {shard, gathered});
    instruction.pieceBytes = {pieceBytes()};
    instruction.bytesMoved = wholeBytes();
  }

  struct Extents {
    int64_t m, n, k;
    bool transposeA = false, transposeB = false, accumulate = false;
  };
  void matmul(const std::string &what, const Extents &e, Operand a, Operand b, Operand c) {
    Tier tier = plan.buffers[a.buffer].tier;
    std::string key = std::to_string(e.m) + "x" + std::to_string(e.n) + "x" + std::to_string(e.k) +
                      (e.transposeA ? "t" : "n") + (e.transposeB ? "t" : "n") + (e.accumulate ? "+" : "");
    auto [at, isNew] = kernelOf.try_emplace(key, static_cast<int32_t>(plan.kernels.size()));
    if (isNew) {
      Kernel kernel;
      kernel.symbol = key;
      kernel.kind = KernelKind::Matmul;
      kernel.matmul = {1,
                       e.m,
                       e.n,
                       e.k,
                       e.transposeA,
                       e.transposeB,
                       ElementType::F32,
                       ElementType::F32,
                       ElementType::F32,
                       e.accumulate};
      kernel.args = {Access::Read, Access::Read, e.accumulate ? Access::ReadWrite : Access::Write,
                     Access::Scratch};
      kernel.argBytes = {e.m * e.k * kFloat, e.k * e.n * kFloat, e.m * e.n * kFloat, 0};
      kernel.flops = 2.0 * static_cast<double>(e.m * e.n * e.k);
      kernel.description = "matmul " + key;
      plan.kernels.push_back(kernel);
    }
    Instruction &launch = add(Opcode::Launch, tier == Tier::Host ? Lane::HostCompute : Lane::Compute, what,
                              {a, b, c, scratch(tier)});
    launch.kernel = at->second;
    launch.end = 1;
  }

  //===--- a section ----------------------------------------------------===//

  void addSection(SectionKind kind) {
    section = &plan.sections.emplace_back();
    section->kind = kind;
    forward();
    if (kind == SectionKind::Evaluate)
      return;
    feedRate();
    backward();
    if (kind == SectionKind::Only || kind == SectionKind::Last)
      update();
  }

  Operand activation(size_t l) {
    return device("x." + std::to_string(l), BufferClass::Activation, activationBytes());
  }
  Operand inner(size_t l) { return device("y." + std::to_string(l), BufferClass::Activation, wholeBytes()); }

  /// The whole weight on the device, on the way its rest asks for.
  Operand bring(const Layer &layer, const std::string &why) {
    if (layer.rest == Rest::Whole)
      return whole(layer);
    Operand shard = master(layer);
    if (layer.rest == Rest::Nvme) {
      Operand staging = host(layer.name + ".host." + why, BufferClass::Staging, shardBytes());
      copy(Opcode::Read, Lane::NcIn, "master", shard, staging);
      shard = staging;
    }
    if (layer.rest != Rest::Device) {
      Operand uploaded = device(layer.name + ".shard." + why, BufferClass::Staging, shardBytes());
      copy(Opcode::Upload, Lane::CgIn, "master", shard, uploaded);
      shard = uploaded;
    }
    Operand full = device(layer.name + ".full." + why, BufferClass::Gathered, wholeBytes());
    collective(Opcode::AllGather, "master", shard, full);
    return full;
  }

  void feed(const std::string &item, Operand fed, Operand uploaded) {
    add(Opcode::Feed, Lane::HostCompute, item, {fed}).item = item;
    copy(Opcode::Upload, Lane::CgIn, item, fed, uploaded);
  }
  void report(const std::string &item, Operand from) {
    Operand to = host("report." + item, BufferClass::Feed, from.bytes);
    copy(Opcode::Offload, Lane::CgOut, item, from, to);
    add(Opcode::Report, Lane::HostCompute, item, {to}).item = item;
  }

  void forward() {
    phase = Phase::Forward;
    function = "input";
    feed("features", host("features", BufferClass::Feed, activationBytes()), activation(0));
    for (size_t l = 0; l < layers.size(); ++l) {
      function = layers[l].name;
      Operand weight = bring(layers[l], "forward");
      matmul("y = x w", {rows(), kWidth, rows()}, activation(l), weight, inner(l));
      matmul("x = y wT", {rows(), rows(), kWidth, false, true}, inner(l), weight, activation(l + 1));
    }
    function = "loss";
    Operand loss = device("loss", BufferClass::Activation, activationBytes());
    matmul("loss", {rows(), rows(), rows(), false, true}, activation(layers.size()),
           activation(layers.size()), loss);
    report("loss", loss);
  }

  void feedRate() {
    function = "input";
    feed("rate", host("rate", BufferClass::Feed, rateBytes()),
         device("rate.device", BufferClass::Feed, rateBytes()));
  }

  void backward() {
    phase = Phase::Backward;
    Operand above = device("loss", BufferClass::Activation, activationBytes());
    for (size_t l = layers.size(); l-- > 0;) {
      const Layer &layer = layers[l];
      function = layer.name;
      Operand weight = bring(layer, "backward");
      Operand innerGradient = device(layer.name + ".dy", BufferClass::Activation, wholeBytes());
      Operand partial = device(layer.name + ".partial", BufferClass::Partial, wholeBytes());
      matmul("dy = dx w", {rows(), kWidth, rows()}, above, weight, innerGradient);
      matmul("dw = dxT y", {rows(), kWidth, rows(), true}, above, inner(l), partial);
      matmul("dw += xT dy", {rows(), kWidth, rows(), true, false, true}, activation(l), innerGradient,
             partial);
      Operand below = device(layer.name + ".dx", BufferClass::Activation, activationBytes());
      matmul("dx = dy wT", {rows(), rows(), kWidth, false, true}, innerGradient, weight, below);
      above = below;
      if (l == 0)
        norm(partial);
      accumulate(layer, partial);
    }
  }

  /// Each rank looks at its own piece of a whole tensor.
  void norm(Operand partial) {
    partial.bytes = pieceBytes();
    partial.stride = {pieceBytes()};
    Operand slot = device("norm", BufferClass::Feed, pieceBytes());
    matmul("norm", {piece / kWidth, kWidth, kWidth}, partial,
           device("rate.device", BufferClass::Feed, rateBytes()), slot);
    report("norm", slot);
  }

  void accumulate(const Layer &layer, Operand partial) {
    Operand shard = device(layer.name + ".reduced", BufferClass::Gradient, shardBytes());
    collective(Opcode::ReduceScatter, "gradient", shard, partial);
    Operand staging = host(layer.name + ".offloaded", BufferClass::Staging, shardBytes());
    copy(Opcode::Offload, Lane::CgOut, "gradient", shard, staging);
    bool stores = section->kind == SectionKind::Only || section->kind == SectionKind::First;
    matmul(stores ? "store gradient" : "add gradient",
           {piece / kWidth, kWidth, kWidth, false, false, !stores}, firstBytes(staging, pieceBytes()),
           host("rate", BufferClass::Feed, rateBytes()), accumulator(layer));
  }

  void update() {
    phase = Phase::Update;
    for (const Layer &layer : layers) {
      function = layer.name;
      Operand gradient = accumulator(layer), rate = host("rate", BufferClass::Feed, rateBytes());
      Operand weight = master(layer), moment = momentum(layer);
      if (layer.rest == Rest::Device) {
        Operand uploaded = device(layer.name + ".gradient.device", BufferClass::Staging, shardBytes());
        copy(Opcode::Upload, Lane::CgIn, "gradient", gradient, firstBytes(uploaded, pieceBytes()));
        gradient = firstBytes(uploaded, pieceBytes());
        rate = device("rate.device", BufferClass::Feed, rateBytes());
      }
      if (layer.rest == Rest::Nvme) {
        weight = host(layer.name + ".master.update", BufferClass::Staging, shardBytes());
        moment = host(layer.name + ".momentum.update", BufferClass::Staging, shardBytes());
        copy(Opcode::Read, Lane::NcIn, "momentum", momentum(layer), moment);
        copy(Opcode::Read, Lane::NcIn, "master", master(layer), weight);
      }
      Extents add{piece / kWidth, kWidth, kWidth, false, false, true};
      matmul("momentum += gradient", add, gradient, rate, firstBytes(moment, pieceBytes()));
      matmul("master += momentum", add, firstBytes(moment, pieceBytes()), rate,
             firstBytes(weight, pieceBytes()));
      keep(layer, weight, moment);
    }
  }

  /// Updated states go home; a whole parameter is gathered again.
  void keep(const Layer &layer, Operand weight, Operand moment) {
    if (layer.rest == Rest::Nvme) {
      copy(Opcode::Write, Lane::NcOut, "momentum", moment, momentum(layer));
      copy(Opcode::Write, Lane::NcOut, "master", weight, master(layer));
    }
    if (layer.rest == Rest::Whole) {
      Operand shard = device(layer.name + ".shard.update", BufferClass::Staging, shardBytes());
      copy(Opcode::Upload, Lane::CgIn, "master", weight, shard);
      collective(Opcode::AllGather, "parameter", shard, whole(layer));
    }
  }

  const SyntheticOptions &options;
  std::mt19937_64 random;
  int64_t piece = 64 << (random() % 2);
  std::vector<Layer> layers;
  Plan plan;
  Section *section = nullptr;
  std::string function;
  Phase phase = Phase::Forward;
  std::map<std::string, uint32_t> bufferOf;
  std::map<std::string, int32_t> kernelOf;
};

} // namespace

plan::Plan makeSyntheticPlan(const SyntheticOptions &options) {
  plan::Plan plan = Builder(options).build();
  permuteOrder(plan, options.seed);
  packBuffers(plan);
  addWaits(plan);
  return plan;
}

} // namespace windlass::test
