// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/step/StepHosts.h"

#include "runtime/base/Counted.h"
#include "runtime/base/StepItems.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/SectionSchedule.h"
#include "runtime/training/step/DropoutFeed.h"
#include "runtime/training/step/Schedule.h"
#include "runtime/wire/Packing.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace windlass {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

Status unknownItem(const char *verb, std::string_view item) {
  return Status::internal("the plan " + std::string(verb) + " \"" + std::string(item) +
                          "\", which the training loop does not know");
}

Status readScalar(const ItemRequest &request, std::span<const std::byte> bytes, float &value) {
  if (bytes.size() < sizeof value)
    return Status::internal("the plan reports \"" + std::string(request.item) + "\" in fewer than 4 bytes");
  std::memcpy(&value, bytes.data(), sizeof value);
  return Status::ok();
}

/// The first of the ranks that report an item: those of one stage of a pipeline do. 0 where nobody does.
int64_t reporterOf(const plan::Plan &plan, plan::Purpose purpose, std::string_view item) {
  for (const plan::Program &program : plan.programs)
    for (const plan::SectionRuns &runs : plan::scheduleOf(program, purpose))
      for (const plan::Instruction &instruction : program.sections[runs.section].instructions)
        if (instruction.op == plan::Opcode::Report && instruction.item == item)
          return program.firstRank;
  return 0;
}

/// Fills slots that nobody here has reported.
void fillMissing(std::vector<float> &slots, std::span<const float> theirs) {
  for (size_t i = 0; i < std::min(slots.size(), theirs.size()); ++i)
    slots[i] = std::isnan(slots[i]) ? theirs[i] : slots[i];
}

/// One f32 at the buffer's start, the rest zero.
void writeScalar(double value, std::span<std::byte> bytes) {
  const float rounded = static_cast<float>(value);
  std::fill(bytes.begin(), bytes.end(), std::byte{0});
  std::memcpy(bytes.data(), &rounded, std::min(bytes.size(), sizeof rounded));
}

/// A rank's coordinate along the axes on which ranks share out operations.
bool feedCoordinate(const plan::Plan &plan, const ItemRequest &request, std::span<std::byte> bytes) {
  if (request.item != kTensorCoordinate)
    return false;
  const std::vector<int64_t> coordinates = plan::meshCoordinates(plan, request.rank);
  int32_t place = 0;
  for (size_t axis = 0; axis < plan.mesh.size(); ++axis)
    if (plan.mesh[axis].kind == plan::AxisKind::Tensor)
      place = static_cast<int32_t>(place * plan.mesh[axis].size + coordinates[axis]);
  std::fill(bytes.begin(), bytes.end(), std::byte{0});
  std::memcpy(bytes.data(), &place, std::min(bytes.size(), sizeof place));
  return true;
}

/// f64, in the order of the slots: the same sum however the ranks were timed.
double sumInOrder(const std::vector<float> &slots) {
  double sum = 0;
  for (float slot : slots)
    sum += slot;
  return sum;
}

} // namespace

StepScalars scalarsOfStep(const plan::Training &training, const LossScaler &scaler, int64_t step,
                          int64_t valid, uint64_t seed) {
  const int64_t update = step - scaler.state().skippedSteps;
  return {.learningRate = learningRate(training, update),
          .biasCorrection1 = biasCorrection(training.beta1, update),
          .biasCorrection2 = biasCorrection(training.beta2, update),
          .lossSeed = scaler.scale() / static_cast<double>(valid),
          .step = step,
          .seed = seed,
          .inverseLossScale = 1 / scaler.scale()};
}

bool feedScalar(std::string_view item, const StepScalars &scalars, std::span<std::byte> bytes) {
  const std::array<std::pair<std::string_view, double>, 6> known = {{
      {kLearningRate, scalars.learningRate},
      {kBiasCorrection1, scalars.biasCorrection1},
      {kBiasCorrection2, scalars.biasCorrection2},
      {kLossSeed, scalars.lossSeed},
      {kInverseLossScale, scalars.inverseLossScale},
      {kStep, static_cast<double>(scalars.step)},
  }};
  for (const auto &[name, value] : known) {
    if (item != name)
      continue;
    writeScalar(value, bytes);
    return true;
  }
  return false;
}

bool feedLossShare(const plan::Plan &plan, std::string_view item, std::span<const double> shares,
                   std::span<std::byte> bytes) {
  const auto found = std::ranges::find(plan.lossShares, item, &plan::LossShare::item);
  const size_t at = static_cast<size_t>(found - plan.lossShares.begin());
  if (at >= shares.size())
    return false;
  writeScalar(shares[at], bytes);
  return true;
}

const plan::Input *findInput(const plan::Plan &plan, std::string_view item) {
  for (const plan::Input &input : plan.inputs)
    if (input.name == item)
      return &input;
  return nullptr;
}

TrainingHost::TrainingHost(const plan::Plan &plan, const Batches &batches)
    : plan(plan), batches(batches), losses(plan.training.microBatches * dataRanks(plan)), norms(plan.ranks()),
      normReported(plan.ranks()),
      reporter(static_cast<size_t>(reporterOf(plan, plan::Purpose::Train, kGradientNorm))) {}

void TrainingHost::begin(const StepScalars &nextScalars, int64_t nextPosition,
                         std::span<const double> nextShares) {
  scalars = nextScalars;
  position = nextPosition;
  lossShares = nextShares;
  std::fill(losses.begin(), losses.end(), kMissing);
  std::fill(normReported.begin(), normReported.end(), 0);
}

int64_t TrainingHost::blockOf(const ItemRequest &request) const {
  return request.microBatch * dataRanks(plan) + dataPlace(plan, request.rank);
}

double TrainingHost::lossSum() const { return sumInOrder(losses); }

Status TrainingHost::feed(const ItemRequest &request, std::span<std::byte> bytes) {
  if (const plan::Input *input = findInput(plan, request.item))
    return batches.fillTraining(*input, position, {request.microBatch, dataPlace(plan, request.rank)}, bytes);
  const DropoutPlace place = {scalars.seed, static_cast<uint64_t>(scalars.step), blockOf(request)};
  if (feedDropout(request.item, place, bytes) || feedLossShare(plan, request.item, lossShares, bytes) ||
      feedCoordinate(plan, request, bytes))
    return Status::ok();
  return feedScalar(request.item, scalars, bytes) ? Status::ok() : unknownItem("asks for", request.item);
}

Status TrainingHost::report(const ItemRequest &request, std::span<const std::byte> bytes) {
  if (request.item == kLoss)
    return speaksForItsPlace(plan, request.rank) ? readScalar(request, bytes, losses[blockOf(request)])
                                                 : Status::ok();
  if (request.item == kGradientNorm) {
    normReported[request.rank] = 1;
    return readScalar(request, bytes, norms[request.rank]);
  }
  return unknownItem("reports", request.item);
}

std::string TrainingHost::reports() const {
  return Packing()
      .addList(std::span(losses))
      .addList(std::span(norms))
      .addList(std::span(normReported))
      .take();
}

void TrainingHost::addReports(std::string_view theirs) {
  Unpacking unpacking(theirs);
  fillMissing(losses, unpacking.getList<float>());
  const std::vector<float> theirNorms = unpacking.getList<float>();
  const std::vector<char> reported = unpacking.getList<char>();
  for (size_t rank = 0; rank < std::min({norms.size(), theirNorms.size(), reported.size()}); ++rank)
    if (reported[rank] && !normReported[rank]) {
      norms[rank] = theirNorms[rank];
      normReported[rank] = 1;
    }
}

ValidationHost::ValidationHost(const plan::Plan &plan, const Batches &batches)
    : plan(plan), batches(batches), losses(dataRanks(plan)) {}

void ValidationHost::begin(int64_t nextRun, std::span<const double> nextShares) {
  run = nextRun;
  lossShares = nextShares;
  std::fill(losses.begin(), losses.end(), kMissing);
}

double ValidationHost::lossSum() const { return sumInOrder(losses); }

Status ValidationHost::feed(const ItemRequest &request, std::span<std::byte> bytes) {
  if (const plan::Input *input = findInput(plan, request.item))
    return batches.fillValidation(*input, run, dataPlace(plan, request.rank), bytes);
  return feedLossShare(plan, request.item, lossShares, bytes) || feedCoordinate(plan, request, bytes) ||
                 feedScalar(request.item, StepScalars(), bytes)
             ? Status::ok()
             : unknownItem("asks for", request.item);
}

Status ValidationHost::report(const ItemRequest &request, std::span<const std::byte> bytes) {
  if (request.item == kLoss)
    return speaksForItsPlace(plan, request.rank)
               ? readScalar(request, bytes, losses[dataPlace(plan, request.rank)])
               : Status::ok();
  return unknownItem("reports", request.item);
}

std::string ValidationHost::reports() const { return Packing().addList(std::span(losses)).take(); }

void ValidationHost::addReports(std::string_view theirs) {
  fillMissing(losses, Unpacking(theirs).getList<float>());
}

SamplingHost::SamplingHost(const plan::Plan &plan)
    : plan(plan), reporter(reporterOf(plan, plan::Purpose::Sample, kLogits)),
      lossShares(plan.lossShares.size(), 1) {
  for (const plan::Input &input : plan.inputs)
    if (input.role == plan::InputRole::Tokens)
      positions = rowElements(input);
  for (const plan::Program &program : plan.programs)
    for (const plan::SectionRuns &runs : program.sample)
      reportsOneRow |=
          std::ranges::any_of(program.sections[runs.section].instructions,
                              [](const auto &instruction) { return instruction.item == kPosition; });
}

void SamplingHost::begin(std::span<const int32_t> nextTokens) {
  tokens = nextTokens;
  lastLogits.clear();
}

std::string SamplingHost::reports() const { return Packing().addList(std::span(lastLogits)).take(); }

void SamplingHost::addReports(std::string_view theirs) {
  if (std::vector<float> logits = Unpacking(theirs).getList<float>(); !logits.empty())
    lastLogits = std::move(logits);
}

Status SamplingHost::feed(const ItemRequest &request, std::span<std::byte> bytes) {
  const plan::Input *input = findInput(plan, request.item);
  if (request.item == kPosition) {
    const int32_t last = static_cast<int32_t>(tokens.size()) - 1;
    std::fill(bytes.begin(), bytes.end(), std::byte{0});
    std::memcpy(bytes.data(), &last, std::min(bytes.size(), sizeof last));
    return Status::ok();
  }
  if (!input)
    return feedLossShare(plan, request.item, lossShares, bytes) || feedCoordinate(plan, request, bytes) ||
                   feedScalar(request.item, StepScalars(), bytes)
               ? Status::ok()
               : unknownItem("asks for", request.item);
  std::fill(bytes.begin(), bytes.end(), std::byte{0});
  if (input->role == plan::InputRole::Tokens)
    std::memcpy(bytes.data(), tokens.data(), std::min(bytes.size(), tokens.size_bytes()));
  if (holdsLabels(*input))
    ignoreLabels(*input, bytes);
  return Status::ok();
}

Status SamplingHost::report(const ItemRequest &request, std::span<const std::byte> bytes) {
  if (request.item == kLoss || request.rank != reporter)
    return Status::ok();
  if (request.item != kLogits)
    return unknownItem("reports", request.item);
  const int64_t rows = reportsOneRow ? 1 : std::max<int64_t>(1, positions);
  const size_t rowBytes = bytes.size() / static_cast<size_t>(rows);
  const size_t at = reportsOneRow ? 0 : (tokens.size() - 1) * rowBytes;
  if (tokens.empty() || rowBytes < sizeof(float) || at + rowBytes > bytes.size())
    return Status::internal("the plan reports logits of " + std::to_string(bytes.size()) + " bytes for " +
                            counted(rows, "position"));
  lastLogits.resize(rowBytes / sizeof(float));
  std::memcpy(lastLogits.data(), bytes.data() + at, lastLogits.size() * sizeof(float));
  return Status::ok();
}

} // namespace windlass
