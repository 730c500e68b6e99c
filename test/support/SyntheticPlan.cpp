// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/SyntheticPlan.h"
#include "runtime/base/StepItems.h"
#include "runtime/plan/Enums.h"
#include "test/support/Sections.h"
#include "test/support/SyntheticParts.h"

#include <random>

namespace windlass::test {
namespace {

using namespace windlass::plan;

constexpr int64_t kWidth = 16; // columns of every weight, and the side of the rate matrix
constexpr int64_t kFloat = 4;
constexpr int64_t kShardAlignment = 4096;

/// The homes of a layer's states. Whole: the parameter stays gathered on the device.
enum class Rest { Device, Host, Nvme, Whole };

struct Layer {
  Rest rest = Rest::Nvme;
  std::string name;
  int64_t owner = kEveryRank; ///< the only rank that has its states
};

class Builder : SyntheticParts {
public:
  explicit Builder(const SyntheticOptions &options)
      : SyntheticParts(options.scratchBytes), options(options), random(options.seed) {
    plan.model = "synthetic " + std::to_string(options.seed);
    if (options.replicas == 1)
      plan.mesh = {{"dp", options.ranks}};
    else
      plan.mesh = {{"dp_replicate", options.replicas}, {"dp_shard", sharers()}};
    plan.programs[0].ranks = plan.ranks();
    plan.nvmeDepth = options.nvmeDepth;
    plan.numerics = "{}";
    plan.strategy = "{}";
    plan.training.microBatches = options.microBatches;
    plan.training.steps = 3;
    for (int64_t l = 0; l < options.layers; ++l) {
      layers.push_back({static_cast<Rest>(random() % 4), "layer." + std::to_string(l)});
      if (options.owners && layers.back().rest != Rest::Whole && random() % 2)
        layers.back().owner = l % options.ranks;
    }
    plan.inputs = {{"features", ElementType::F32, {rows(), rows()}, InputRole::Features, 0}};
    if (options.scaled) {
      plan.inputs.push_back({"labels", ElementType::I32, {rows(), rows()}, InputRole::Labels, 2, -1});
      plan.training.lossScale = {65536, 2000, 1};
    }
    plan.training.globalBatch = options.ranks * options.microBatches * rows();
    for (const Layer &layer : layers)
      addStates(layer);
  }

  Plan build() {
    if (options.microBatches == 1)
      addSection("only");
    if (options.microBatches > 1)
      addSection("first");
    if (options.microBatches > 2)
      addSection("middle");
    if (options.microBatches > 1)
      addSection("last");
    addSection("evaluate");
    if (options.sample)
      addSection("sample");
    setSchedules(plan);
    return std::move(plan);
  }

private:
  // Sizes. A weight has rows() x kWidth elements, piece after piece; x has examples() x rows().
  int64_t sharers() const { return options.ranks / options.replicas; }
  bool isReplicated() const { return options.replicas > 1; }
  std::vector<int64_t> shardAxes() const {
    return isReplicated() ? std::vector<int64_t>{1} : std::vector<int64_t>();
  }
  int64_t rows() const { return piece / kWidth * sharers(); }
  int64_t examples() const { return section->name == "sample" ? 1 : rows(); }
  int64_t whole() const { return piece * sharers(); }
  int64_t activationBytes() const { return examples() * rows() * kFloat; }
  static int64_t rateBytes() { return kWidth * kWidth * kFloat; }

  /// The type of gradients before they are added, and of whole parameters.
  ElementType half() const { return options.generated ? ElementType::BF16 : ElementType::F32; }
  /// The elements of a layer that a rank, or the owner, holds.
  int64_t held(const Layer &layer) const { return layer.owner == kEveryRank ? piece : whole(); }
  int64_t heldBytes(const Layer &layer, ElementType type = ElementType::F32) const {
    return held(layer) * bytesOf(type);
  }
  int64_t shardBytes(const Layer &layer, ElementType type = ElementType::F32) const {
    return (heldBytes(layer, type) + kShardAlignment - 1) / kShardAlignment * kShardAlignment;
  }
  int64_t wholeBytes(ElementType type = ElementType::F32) const { return whole() * bytesOf(type); }

  //===--- states -------------------------------------------------------===//

  static Tier tierOf(const Layer &layer) {
    return layer.rest == Rest::Nvme ? Tier::Nvme : layer.rest == Rest::Device ? Tier::Device : Tier::Host;
  }
  /// Whether whole parameters are rounded from pieces in f32. Otherwise pieces of the whole are updated.
  bool hasMaster(const Layer &layer) const { return layer.rest == Rest::Whole && options.generated; }
  Operand state(const Layer &layer, const char *name, BufferClass cls) {
    return buffer(layer.name + name, cls, tierOf(layer), shardBytes(layer), true, layer.owner);
  }
  /// The f32 values of a layer: the rank's piece, or all values of the owner.
  Operand weight(const Layer &layer) {
    return hasMaster(layer) ? state(layer, ".master", BufferClass::Master)
                            : state(layer, ".parameter", BufferClass::Parameter);
  }
  Operand momentum(const Layer &layer) { return state(layer, ".momentum", BufferClass::Momentum); }
  Operand variance(const Layer &layer) { return state(layer, ".variance", BufferClass::Variance); }
  Operand wholeParameter(const Layer &layer) {
    return buffer(layer.name + ".whole", BufferClass::Parameter, Tier::Device, wholeBytes(half()), true);
  }
  Operand accumulator(const Layer &layer) {
    return firstBytes(buffer(layer.name + ".gradient", BufferClass::Gradient, Tier::Host, shardBytes(layer),
                             true, layer.owner),
                      heldBytes(layer));
  }

  void addStates(const Layer &layer) {
    auto add = [&](StateClass cls, ElementType type, Operand home, InitKind init, bool sharded) {
      State state{
          layer.name, cls, type,  {rows(), kWidth}, "decay", {init, 0, init == InitKind::Normal ? 0.1 : 0, 0},
          layer.name, 0,   piece, sharded,          home};
      state.axes = shardAxes();
      (cls == StateClass::Gradient ? plan.programs[0].gradients : plan.programs[0].states).push_back(state);
    };
    const bool sharded = layer.owner == kEveryRank;
    auto addPieces = [&](StateClass cls, const Operand &home, InitKind init) {
      add(cls, ElementType::F32, firstBytes(home, heldBytes(layer)), init, sharded);
    };
    if (layer.rest == Rest::Whole)
      add(StateClass::Parameter, half(), wholeParameter(layer), InitKind::Normal, false);
    if (hasMaster(layer) || layer.rest != Rest::Whole)
      addPieces(hasMaster(layer) ? StateClass::Master : StateClass::Parameter, weight(layer),
                InitKind::Normal);
    addPieces(StateClass::Momentum, momentum(layer), InitKind::Constant);
    addPieces(StateClass::Variance, variance(layer), InitKind::Constant);
    addPieces(StateClass::Gradient, accumulator(layer), InitKind::Constant);
    plan.parameters += rows() * kWidth;
  }

  //===--- a section ----------------------------------------------------===//

  void addSection(const std::string &name) {
    section = &plan.programs[0].sections.emplace_back();
    section->name = name;
    forward();
    if (name == "evaluate" || name == "sample")
      return;
    feedRate();
    backward();
    if (name == "only" || name == "last")
      update();
  }

  /// Activations of one example have buffers of their own.
  std::string ofSection(const std::string &name) const {
    return (section->name == "sample" ? "one." : "") + name;
  }
  Operand activation(size_t l) {
    return device(ofSection("x." + std::to_string(l)), BufferClass::Activation, activationBytes());
  }
  Operand inner(size_t l) {
    return device(ofSection("y." + std::to_string(l)), BufferClass::Activation, examples() * kWidth * kFloat);
  }
  Operand loss() { return device("loss", BufferClass::Activation, activationBytes()); }

  /// Brings the whole weight to the device, from the layer's homes.
  Operand bring(const Layer &layer, const std::string &why) {
    if (layer.rest == Rest::Whole)
      return wholeParameter(layer);
    Operand shard = weight(layer);
    if (layer.rest == Rest::Nvme) {
      Operand staging =
          host(layer.name + ".host." + why, BufferClass::Staging, shardBytes(layer), layer.owner);
      copy(Opcode::Read, Lane::NcIn, "parameter", shard, staging);
      shard = staging;
    }
    if (layer.rest != Rest::Device) {
      Operand uploaded =
          device(layer.name + ".shard." + why, BufferClass::Staging, shardBytes(layer), layer.owner);
      copy(Opcode::Upload, Lane::CgIn, "parameter", shard, uploaded);
      shard = uploaded;
    }
    Operand full = device(layer.name + ".full." + why, BufferClass::Gathered, wholeBytes());
    collective(layer.owner == kEveryRank ? Opcode::AllGather : Opcode::Broadcast, "parameter", shard, full,
               heldBytes(layer))
        .axes = shardAxes();
    return full;
  }

  void forward() {
    phase = Phase::Forward;
    function = "input";
    feed("features", host(ofSection("features"), BufferClass::Feed, activationBytes()), activation(0));
    for (size_t l = 0; l < layers.size(); ++l) {
      function = layers[l].name;
      const ElementType type = weightType(layers[l]);
      Operand weight = bring(layers[l], "forward");
      matmul("y = x w", {.m = examples(), .n = kWidth, .k = rows(), .b = type}, activation(l), weight,
             inner(l));
      matmul("x = y wT", {.m = examples(), .n = rows(), .k = kWidth, .transposeB = true, .b = type}, inner(l),
             weight, activation(l + 1));
    }
    function = "loss";
    if (section->name == "sample")
      return report("logits", activation(layers.size()));
    matmul("loss", {.m = rows(), .n = rows(), .k = rows(), .transposeB = true}, activation(layers.size()),
           activation(layers.size()), loss());
    if (options.scaled) {
      Operand labels = device("labels.device", BufferClass::Feed, activationBytes());
      feed("labels", host("labels", BufferClass::Feed, activationBytes()), labels);
      matmul("loss += labels", {.m = rows(), .n = rows(), .k = rows(), .accumulate = true}, labels,
             activation(layers.size()), loss());
    }
    report("loss", loss());
  }

  ElementType weightType(const Layer &layer) const {
    return layer.rest == Rest::Whole ? half() : ElementType::F32;
  }

  void feedRate() {
    function = "input";
    feed("learning_rate", host("rate", BufferClass::Feed, rateBytes()),
         device("rate.device", BufferClass::Feed, rateBytes()));
  }

  void backward() {
    phase = Phase::Backward;
    Operand above = loss();
    for (size_t l = layers.size(); l-- > 0;) {
      const Layer &layer = layers[l];
      const ElementType type = weightType(layer);
      function = layer.name;
      Operand weight = bring(layer, "backward");
      Operand innerGradient = device(layer.name + ".dy", BufferClass::Activation, wholeBytes());
      Operand partial = device(layer.name + ".partial", BufferClass::Partial, wholeBytes(half()));
      matmul("dy = dx w", {.m = rows(), .n = kWidth, .k = rows(), .b = type}, above, weight, innerGradient);
      matmul("dw = dxT y", {.m = rows(), .n = kWidth, .k = rows(), .transposeA = true, .c = half()}, above,
             inner(l), partial);
      matmul("dw += xT dy",
             {.m = rows(), .n = kWidth, .k = rows(), .transposeA = true, .accumulate = true, .c = half()},
             activation(l), innerGradient, partial);
      if (l == 0) {
        norm(partial);
        return accumulate(layer, partial);
      }
      Operand below = device(layer.name + ".dx", BufferClass::Activation, activationBytes());
      matmul("dx = dy wT", {.m = rows(), .n = rows(), .k = kWidth, .transposeB = true, .b = type},
             innerGradient, weight, below);
      if (options.generated)
        generated("relu", "dx = relu(dx)", {below, below}, rows(), false);
      above = below;
      accumulate(layer, partial);
    }
  }

  /// The stride from one rank's piece of a whole tensor to the next.
  std::vector<int64_t> pieceStride(int64_t bytes) const {
    return isReplicated() ? std::vector<int64_t>{0, bytes} : std::vector{bytes};
  }

  /// Each rank computes the norm of its own piece of a whole tensor.
  void norm(Operand partial) {
    partial.bytes = piece * bytesOf(half());
    partial.stride = pieceStride(partial.bytes);
    Operand slot = device("norm", BufferClass::Feed, piece * kFloat);
    matmul("norm", {.m = piece / kWidth, .n = kWidth, .k = kWidth, .a = half()}, partial,
           device("rate.device", BufferClass::Feed, rateBytes()), slot);
    report("grad_norm", slot);
  }

  void accumulate(const Layer &layer, Operand partial) {
    Operand shard =
        device(layer.name + ".reduced", BufferClass::Gradient, shardBytes(layer, half()), layer.owner);
    collective(layer.owner == kEveryRank ? Opcode::ReduceScatter : Opcode::Reduce, "gradient", shard, partial,
               heldBytes(layer, half()), half())
        .axes = shardAxes();
    Operand staging =
        host(layer.name + ".offloaded", BufferClass::Staging, shardBytes(layer, half()), layer.owner);
    copy(Opcode::Offload, Lane::CgOut, "gradient", shard, staging);
    staging = firstBytes(staging, heldBytes(layer, half()));
    const bool stores = section->name == "only" || section->name == "first";
    const std::string what = stores ? "store gradient" : "add gradient";
    if (options.generated && stores)
      return generated("widen", what, {staging, accumulator(layer)}, held(layer), true);
    if (options.generated)
      return generated("add", what, {staging, accumulator(layer), accumulator(layer)}, held(layer), true);
    matmul(what, {.m = held(layer) / kWidth, .n = kWidth, .k = kWidth, .accumulate = !stores}, staging,
           host("rate", BufferClass::Feed, rateBytes()), accumulator(layer));
  }

  /// Replaces the sum of each replica by the sum over all replicas.
  void sumReplicas(const Layer &layer) {
    Operand gradient = accumulator(layer),
            part = device(layer.name + ".part", BufferClass::Partial, shardBytes(layer)),
            mine = firstBytes(device(layer.name + ".replica", BufferClass::Staging, shardBytes(layer)),
                              heldBytes(layer));
    copy(Opcode::Upload, Lane::CgIn, "gradient", gradient, mine);
    for (Opcode op : {Opcode::ReduceScatter, Opcode::AllGather})
      collective(op, "replicas", part, mine, heldBytes(layer) / options.replicas).axes = {0};
    copy(Opcode::Offload, Lane::CgOut, "gradient", mine, gradient);
  }

  void update() {
    phase = Phase::Update;
    for (size_t l = 0; l < layers.size(); ++l) {
      const Layer &layer = layers[l];
      function = layer.name;
      if (isReplicated())
        sumReplicas(layer);
      const int64_t bytes = heldBytes(layer);
      Operand gradient = accumulator(layer), rate = host("rate", BufferClass::Feed, rateBytes());
      if (layer.rest == Rest::Device) {
        Operand uploaded =
            device(layer.name + ".gradient.device", BufferClass::Staging, shardBytes(layer), layer.owner);
        copy(Opcode::Upload, Lane::CgIn, "gradient", gradient, firstBytes(uploaded, bytes));
        gradient = firstBytes(uploaded, bytes);
        rate = device("rate.device", BufferClass::Feed, rateBytes());
      }
      if (options.scaled && l == 0)
        rate = unscaled(rate);
      Updated updated = bringStates(layer);
      const Extents add{.m = held(layer) / kWidth, .n = kWidth, .k = kWidth, .accumulate = true};
      matmul("momentum += gradient", add, gradient, rate, firstBytes(updated.momentum, bytes));
      matmul("variance += gradient", add, gradient, rate, firstBytes(updated.variance, bytes));
      matmul("parameter += momentum", add, firstBytes(updated.momentum, bytes), rate,
             firstBytes(updated.weight, bytes));
      keep(layer, updated);
    }
  }

  /// The rate of the step, as a matrix times the inverse of the loss scale.
  Operand unscaled(const Operand &rate) {
    const bool onDevice = plan.programs[0].buffers[rate.buffer].tier == Tier::Device;
    Operand fed = host("inverse_scale", BufferClass::Feed, rateBytes()), scale = fed;
    if (onDevice)
      feed(std::string(kInverseLossScale), fed,
           scale = device("inverse_scale.device", BufferClass::Feed, rateBytes()));
    else
      add(Opcode::Feed, Lane::HostCompute, "inverse_scale", {fed}).item = kInverseLossScale;
    Operand product =
        buffer("unscaled", BufferClass::Feed, onDevice ? Tier::Device : Tier::Host, rateBytes());
    matmul("unscaled", {.m = kWidth, .n = kWidth, .k = kWidth}, rate, scale, product);
    return product;
  }

  /// The operands in which the states of a layer are updated in place.
  struct Updated {
    Operand weight, momentum, variance;
  };

  Updated bringStates(const Layer &layer) {
    Updated updated{{}, momentum(layer), variance(layer)};
    if (layer.rest == Rest::Whole && !hasMaster(layer)) {
      Operand mine = firstBytes(wholeParameter(layer), heldBytes(layer));
      mine.stride = pieceStride(mine.bytes);
      updated.weight = host(layer.name + ".mine", BufferClass::Staging, mine.bytes);
      copy(Opcode::Offload, Lane::CgOut, "parameter", mine, updated.weight);
      return updated;
    }
    updated.weight = weight(layer);
    if (layer.rest != Rest::Nvme)
      return updated;
    auto bring = [&](const char *name, Operand &home) {
      Operand staging =
          host(layer.name + "." + name + ".update", BufferClass::Staging, shardBytes(layer), layer.owner);
      copy(Opcode::Read, Lane::NcIn, name, home, staging);
      home = staging;
    };
    bring("momentum", updated.momentum);
    bring("variance", updated.variance);
    bring("parameter", updated.weight);
    return updated;
  }

  /// Updated states return to their homes. A whole parameter is gathered again.
  void keep(const Layer &layer, const Updated &updated) {
    if (layer.rest == Rest::Nvme) {
      copy(Opcode::Write, Lane::NcOut, "momentum", updated.momentum, momentum(layer));
      copy(Opcode::Write, Lane::NcOut, "variance", updated.variance, variance(layer));
      copy(Opcode::Write, Lane::NcOut, "parameter", updated.weight, weight(layer));
    }
    if (layer.rest != Rest::Whole)
      return;
    Operand shard = device(layer.name + ".shard.update", BufferClass::Staging, shardBytes(layer, half()));
    if (hasMaster(layer)) {
      copy(Opcode::Upload, Lane::CgIn, "parameter", rounded(layer, updated.weight), shard);
    } else {
      // The padding is zeros, as in any home.
      copy(Opcode::Upload, Lane::CgIn, "padding", updated.momentum, shard);
      copy(Opcode::Upload, Lane::CgIn, "parameter", updated.weight, firstBytes(shard, updated.weight.bytes));
    }
    collective(Opcode::AllGather, "parameter", shard, wholeParameter(layer), heldBytes(layer, half())).axes =
        shardAxes();
  }

  /// A master rounded to the type of its parameter, with padding.
  Operand rounded(const Layer &layer, const Operand &master) {
    const int64_t bytes = heldBytes(layer, half()), padded = shardBytes(layer, half());
    Operand halves = host(layer.name + ".rounded", BufferClass::Staging, padded);
    generated("round", "round", {firstBytes(master, heldBytes(layer)), firstBytes(halves, bytes)},
              held(layer), true);
    generated("clear", "padding", {{halves.buffer, bytes, padded - bytes, {}}},
              (padded - bytes) / bytesOf(half()), true);
    return halves;
  }

  const SyntheticOptions &options;
  std::mt19937_64 random;
  /// Elements of one rank's piece, which replicas divide again to sum their gradients.
  int64_t piece = options.replicas * (64 << (random() % 2));
  std::vector<Layer> layers;
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
