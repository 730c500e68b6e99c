// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/training/ToyModel.h"

#include "runtime/plan/Enums.h"
#include "test/support/Sections.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace windlass {
namespace {

using plan::ElementType;
using plan::StateClass;
using plan::Tier;

struct ToyUnit {
  std::string name;
  std::vector<std::pair<std::string, std::vector<int64_t>>> tensors;
};

int64_t count(const std::vector<int64_t> &shape) {
  int64_t n = 1;
  for (int64_t extent : shape)
    n *= extent;
  return n;
}

/// Adds the states of one class, with a buffer per unit, and with space before, between and after the pieces.
void addStates(plan::Plan &plan, const ToyOptions &options, StateClass cls, ElementType type, Tier tier) {
  const ToyUnit units[] = {{"w", {{"w", {options.vocabulary / 2, 2}}}}, {"pack", {{"b", {3}}, {"c", {5}}}}};
  auto arena = std::find_if(plan.programs[0].arenas.begin(), plan.programs[0].arenas.end(),
                            [&](const plan::Arena &a) { return a.tier == tier; });
  for (const ToyUnit &unit : units) {
    int64_t elements = 0;
    for (const auto &[name, shape] : unit.tensors)
      elements += count(shape);
    const int64_t piece = (elements + 64 * options.ranks - 1) / (64 * options.ranks) * 64;
    const int64_t homeBytes = (options.sharded ? piece : piece * options.ranks) * plan::bytesOf(type);
    const int64_t bufferBytes = (homeBytes + 128 + 4095) / 4096 * 4096;
    plan.programs[0].buffers.push_back({unit.name + "." + std::string(plan::textOf(cls)),
                                        static_cast<plan::BufferClass>(0), tier, arena->bytes, bufferBytes,
                                        true});
    arena->bytes += bufferBytes;
    int64_t offset = 0;
    for (const auto &[name, shape] : unit.tensors) {
      plan::State state;
      state.name = name;
      state.cls = cls;
      state.type = type;
      state.shape = shape;
      state.init = name == "w" ? plan::Initialiser{plan::InitKind::Normal, 0, 0.02, 0}
                               : plan::Initialiser{plan::InitKind::Constant, 0, 0, name == "b" ? 0.0 : 0.5};
      state.unit = unit.name;
      state.unitOffset = offset;
      state.pieceElements = piece;
      state.sharded = options.sharded;
      state.home = {static_cast<uint32_t>(plan.programs[0].buffers.size() - 1), 128, homeBytes, {}};
      plan.programs[0].states.push_back(state);
      offset += count(shape);
    }
  }
}

plan::Training toyTraining(const ToyOptions &options) {
  plan::Training training;
  training.steps = options.steps;
  training.microBatches = options.microBatches;
  training.globalBatch = options.globalBatch;
  training.sequence = options.sequence;
  training.schedule = "cosine";
  training.learningRate = 0.05;
  training.minLearningRateRatio = 0.1;
  training.warmup = 3;
  training.beta1 = 0.9;
  training.beta2 = 0.95;
  training.clip = 1;
  training.validationFraction = 0.1;
  training.validationEvery = 4;
  training.checkpointEvery = 5;
  training.lossScale = options.lossScale;
  return training;
}

} // namespace

plan::Plan toyPlan(const ToyOptions &options) {
  plan::Plan plan;
  plan.model = "toy";
  plan.parameters = options.vocabulary + 8;
  plan.mesh = {{"dp", options.ranks}};
  plan.programs[0].ranks = plan.ranks();
  plan.numerics = "{\"dp\":" + std::to_string(options.ranks) + "}";
  plan.modelConfig = "{\"model_type\": \"toy\"}\n";
  plan.training = toyTraining(options);
  const int64_t rows = options.globalBatch / options.microBatches / options.ranks;
  plan.inputs = {
      {"tokens", ElementType::I32, {rows, options.sequence}, plan::InputRole::Tokens, options.vocabulary},
      {"labels", ElementType::I32, {rows, options.sequence}, plan::InputRole::Labels, options.vocabulary}};
  plan.programs[0].arenas = {{Tier::Device, 0, 0, 0}, {Tier::Host, 0, 0, 0}, {Tier::Nvme, 0, 0, 0}};
  addStates(plan, options, StateClass::Parameter, options.mixed ? ElementType::BF16 : ElementType::F32,
            options.parameters);
  if (options.mixed)
    addStates(plan, options, StateClass::Master, ElementType::F32, Tier::Host);
  addStates(plan, options, StateClass::Momentum, ElementType::F32, options.moments);
  addStates(plan, options, StateClass::Variance, ElementType::F32, options.moments);
  for (const plan::State &state : plan.programs[0].states)
    if (options.gradients && state.cls == StateClass::Parameter)
      plan.programs[0].gradients.emplace_back(state).cls = StateClass::Gradient;
  plan.programs[0].sections = {{"only", 1, {}}, {"evaluate", 1, {}}, {"sample", 1, {}}};
  test::setSchedules(plan);
  return plan;
}

FakeExecutor::FakeExecutor(const plan::Plan &plan) : plan(plan) {
  for (int64_t rank = 0; rank < plan.ranks(); ++rank)
    for (const plan::Arena &arena : plan.programs[0].arenas)
      arenas[{rank, arena.tier}].resize(static_cast<size_t>(arena.bytes), std::byte{0xcd});
  const size_t rowTokens = static_cast<size_t>(plan.inputs[0].shape[0] * plan.training.sequence);
  tokens.resize(rowTokens);
  labels.resize(rowTokens);
  logits.resize(static_cast<size_t>(plan.inputs[0].bound));
  gradient.resize(logits.size());
  for (std::vector<float> *scratch : {&values, &momentum, &variance})
    scratch->reserve(logits.size());
}

const plan::State *FakeExecutor::find(StateClass cls, const std::string &name) const {
  for (const plan::State &state : plan.programs[0].states)
    if (state.cls == cls && state.name == name)
      return &state;
  return nullptr;
}

std::byte *FakeExecutor::address(const plan::State &state, int64_t rank, int64_t element) {
  const plan::Buffer &buffer = plan.programs[0].buffers[state.home.buffer];
  return arenas.at({rank, buffer.tier}).data() + buffer.offset + state.home.offset +
         element * plan::bytesOf(state.type);
}

void FakeExecutor::load(StateClass cls, const std::string &name, std::vector<float> &out) const {
  const plan::State &state = *find(cls, name);
  out.resize(static_cast<size_t>(count(state.shape)));
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t inUnit = state.unitOffset + static_cast<int64_t>(i);
    const int64_t rank = state.sharded ? inUnit / state.pieceElements : 0;
    const std::byte *at = const_cast<FakeExecutor *>(this)->address(
        state, rank, state.sharded ? inUnit % state.pieceElements : inUnit);
    uint32_t word = 0;
    std::memcpy(&word, at, static_cast<size_t>(plan::bytesOf(state.type)));
    out[i] = std::bit_cast<float>(state.type == ElementType::BF16 ? word << 16 : word);
  }
}

void FakeExecutor::store(StateClass cls, const std::string &name, const std::vector<float> &in) {
  const plan::State &state = *find(cls, name);
  for (size_t i = 0; i < in.size(); ++i) {
    const int64_t inUnit = state.unitOffset + static_cast<int64_t>(i);
    const int64_t owner = state.sharded ? inUnit / state.pieceElements : -1;
    uint32_t word = std::bit_cast<uint32_t>(in[i]);
    if (state.type == ElementType::BF16)
      word = (word + 0x7fff + (word >> 16 & 1)) >> 16;
    for (int64_t rank = 0; rank < plan.ranks(); ++rank)
      if (owner < 0 || owner == rank)
        std::memcpy(address(state, rank, owner < 0 ? inUnit : inUnit % state.pieceElements), &word,
                    static_cast<size_t>(plan::bytesOf(state.type)));
  }
}

void FakeExecutor::computeLogits() {
  std::fill(logits.begin(), logits.end(), 0.0);
  for (const char *name : {"w", "b", "c"}) {
    load(StateClass::Parameter, name, values);
    for (size_t v = 0; v < logits.size(); ++v)
      logits[v] += values[v % values.size()];
  }
}

Status FakeExecutor::forward(StepHost &host, ItemRequest request) {
  request.item = "tokens";
  WINDLASS_TRY(host.feed(request, std::as_writable_bytes(std::span(tokens))));
  request.item = "labels";
  WINDLASS_TRY(host.feed(request, std::as_writable_bytes(std::span(labels))));
  double total = 0;
  for (double logit : logits)
    total += std::exp(logit);
  loss = 0;
  for (int32_t label : labels) {
    if (label < 0)
      continue;
    loss += std::log(total) - logits[static_cast<size_t>(label)];
    for (size_t v = 0; v < logits.size(); ++v)
      gradient[v] += std::exp(logits[v]) / total - (static_cast<int32_t>(v) == label);
  }
  const float reported = stepsRun + 1 == poisonStep ? -std::nanf("") : static_cast<float>(loss);
  request.item = "loss";
  return host.report(request, std::as_bytes(std::span(&reported, 1)));
}

Status FakeExecutor::update(StepHost &host) {
  const std::string_view items[] = {"learning_rate", "bias_correction1", "bias_correction2", "loss_seed",
                                    "inverse_loss_scale"};
  float scalars[5];
  for (size_t i = 0; i < 5; ++i)
    WINDLASS_TRY(host.feed({items[i], 0, 0}, std::as_writable_bytes(std::span(&scalars[i], 1))));
  double squares = 0;
  for (double &entry : gradient) {
    entry *= scalars[3] * scalars[4];
    squares += entry * entry;
  }
  const bool overflows = plan.training.lossScale.initial > 0 && 1 / scalars[4] > largestScale;
  const float norm = overflows ? INFINITY : static_cast<float>(std::sqrt(squares));
  for (int64_t rank = 0; rank < plan.ranks(); ++rank)
    WINDLASS_TRY(host.report({"grad_norm", rank, 0}, std::as_bytes(std::span(&norm, 1))));
  if (overflows)
    return Status::ok();
  const StateClass weights = find(StateClass::Master, "w") ? StateClass::Master : StateClass::Parameter;
  for (const char *name : {"w", "b", "c"}) {
    load(weights, name, values);
    load(StateClass::Momentum, name, momentum);
    load(StateClass::Variance, name, variance);
    for (size_t i = 0; i < values.size(); ++i) {
      float g = 0;
      for (size_t v = i; v < gradient.size(); v += values.size())
        g += static_cast<float>(gradient[v]);
      momentum[i] = 0.9f * momentum[i] + 0.1f * g;
      variance[i] = 0.95f * variance[i] + 0.05f * g * g;
      values[i] -= scalars[0] * (momentum[i] / scalars[1]) / (std::sqrt(variance[i] / scalars[2]) + 1e-8f);
    }
    store(weights, name, values);
    store(StateClass::Parameter, name, values);
    store(StateClass::Momentum, name, momentum);
    store(StateClass::Variance, name, variance);
  }
  return Status::ok();
}

Status FakeExecutor::step(StepHost &host) {
  atStep();
  if (stepsRun + 1 == failStep)
    return Status::runFailed("rank 0: the disk said no");
  std::fill(gradient.begin(), gradient.end(), 0.0);
  computeLogits();
  for (int64_t micro = 0; micro < plan.training.microBatches; ++micro)
    for (int64_t rank = 0; rank < plan.ranks(); ++rank)
      WINDLASS_TRY(forward(host, {"", rank, micro}));
  WINDLASS_TRY(update(host));
  moved.nvmeBytesWritten += 4096;
  ++stepsRun;
  return Status::ok();
}

Status FakeExecutor::run(plan::Purpose purpose, StepHost &host) {
  if (purpose == plan::Purpose::Train)
    return step(host);
  ++forwardsRun;
  computeLogits();
  if (purpose == plan::Purpose::Evaluate) {
    for (int64_t rank = 0; rank < plan.ranks(); ++rank)
      WINDLASS_TRY(forward(host, {"", rank, 0}));
    return Status::ok();
  }
  std::vector<float> rows;
  WINDLASS_TRY(host.feed({"tokens", 0, 0}, std::as_writable_bytes(std::span(tokens))));
  for (int64_t position = 0; position < plan.training.sequence; ++position)
    for (size_t v = 0; v < logits.size(); ++v) // a byte is likely followed by the next one
      rows.push_back(tokens[position] + 1 == static_cast<int32_t>(v) ? 20.0f : 0.0f);
  return host.report({"logits", 0, 0}, std::as_bytes(std::span(rows)));
}

Status FakeExecutor::readBytes(int64_t rank, const plan::Operand &operand, int64_t at,
                               std::span<std::byte> out) {
  const plan::Buffer &buffer = plan.programs[0].buffers[operand.buffer];
  if (at < 0 || at + std::ssize(out) > operand.bytes)
    return Status::internal("read outside the operand");
  const std::byte *from = arenas.at({rank, buffer.tier}).data() + buffer.offset + operand.offset + at;
  std::copy(from, from + out.size(), out.begin());
  return Status::ok();
}

Status FakeExecutor::writeBytes(int64_t rank, const plan::Operand &operand, int64_t at,
                                std::span<const std::byte> in) {
  const plan::Buffer &buffer = plan.programs[0].buffers[operand.buffer];
  if (at < 0 || at + std::ssize(in) > operand.bytes)
    return Status::internal("write outside the operand");
  std::copy(in.begin(), in.end(),
            arenas.at({rank, buffer.tier}).data() + buffer.offset + operand.offset + at);
  return Status::ok();
}

std::span<const std::byte> FakeExecutor::arena(int64_t rank, Tier tier) const {
  return tier == Tier::Nvme ? std::span<const std::byte>() : arenas.at({rank, tier});
}

std::vector<float> FakeExecutor::logical(StateClass cls, const std::string &name) const {
  std::vector<float> out;
  load(cls, name, out);
  return out;
}

std::vector<std::byte> FakeExecutor::everything() const {
  std::vector<std::byte> all;
  for (const auto &[place, bytes] : arenas)
    all.insert(all.end(), bytes.begin(), bytes.end());
  return all;
}

void FakeExecutor::fillEverything(std::byte value) {
  for (auto &[place, bytes] : arenas)
    std::fill(bytes.begin(), bytes.end(), value);
}

} // namespace windlass
