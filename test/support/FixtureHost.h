// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FixtureHost.h - feeds a plan with a fixture's batch ===================//
//
// Duty: a host of the executor that distributes the batch of a fixture over micro-batches and ranks, as the
// training loop does, and sums the reported losses.
// Threads: as StepHost.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/StepItems.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/Layout.h"
#include "runtime/training/step/DropoutFeed.h"
#include "runtime/training/step/StepHosts.h"
#include "test/fixtures/Fixture.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace windlass::test {

/// The batch of a fixture as data. An example is a row of the batch.
class FixtureData final : public DataSource {
public:
  explicit FixtureData(const Fixture &fixture) : fixture(fixture) {}

  Status read(const plan::Input &input, int64_t example, std::span<std::byte> out) const override {
    const size_t count = out.size() / 4;
    const double *row = fixture.at("input/" + input.name).data.data() + static_cast<size_t>(example) * count;
    for (size_t i = 0; i < count; ++i) {
      const float real = static_cast<float>(row[i]);
      const int32_t whole = static_cast<int32_t>(row[i]);
      const void *value = input.type == plan::ElementType::I32 ? static_cast<const void *>(&whole) : &real;
      std::memcpy(out.data() + 4 * i, value, 4);
    }
    return Status::ok();
  }

private:
  const Fixture &fixture;
};

/// Feeds the batch of a fixture, and keeps the reported losses and norms.
class FixtureHost final : public StepHost {
public:
  FixtureHost(const plan::Plan &plan, const Fixture &fixture)
      : plan(plan), fixture(fixture), data(fixture), counts(plan),
        losses(plan::dataRanks(plan) * plan.training.microBatches), norms(plan.ranks()) {
    counts.begin();
    for (int64_t example = 0; example < plan.training.globalBatch; ++example)
      EXPECT_TRUE(counts.add(data, example));
    counts.finish();
    EXPECT_EQ(static_cast<double>(counts.valid()), fixture.setting("count"));
  }

  /// Prepares the step that makes update number `update` of the optimizer, with a loss times `scale`.
  void begin(int64_t step, int64_t update, double scale = 1) {
    scalars = {fixture.setting("learning_rate"), 1 - std::pow(fixture.setting("beta1"), update),
               1 - std::pow(fixture.setting("beta2"), update), scale / fixture.setting("count"), step};
    scalars.inverseLossScale = 1 / scale;
    if (fixture.hasSetting("seed"))
      scalars.seed = static_cast<uint64_t>(fixture.setting("seed"));
  }

  Status feed(const ItemRequest &request, std::span<std::byte> bytes) override {
    const plan::Input *input = findInput(plan, request.item);
    const int64_t block = blockOf(request);
    if (request.item == kTensorCoordinate)
      return feedTensorCoordinate(request.rank, bytes);
    if (!input)
      return feedScalar(request.item, scalars, bytes) ||
                     feedLossShare(plan, request.item, counts.shares(), bytes) ||
                     feedDropout(request.item, {scalars.seed, static_cast<uint64_t>(scalars.step), block},
                                 bytes)
                 ? Status::ok()
                 : Status::internal("unknown item");
    const int64_t rows = input->shape[0];
    const size_t rowBytes = bytes.size() / static_cast<size_t>(rows);
    for (int64_t row = 0; row < rows; ++row, bytes = bytes.subspan(rowBytes))
      WINDLASS_TRY(data.read(*input, block * rows + row, bytes.first(rowBytes)));
    return Status::ok();
  }

  Status report(const ItemRequest &request, std::span<const std::byte> bytes) override {
    if (request.item != "loss")
      std::memcpy(&norms[request.rank], bytes.data(), sizeof(float));
    else if (plan::speaksForItsPlace(plan, request.rank))
      std::memcpy(&losses[static_cast<size_t>(blockOf(request))], bytes.data(), sizeof(float));
    return Status::ok();
  }

  double loss() const { return std::accumulate(losses.begin(), losses.end(), 0.0); }
  double norm() const { return norms[0]; }

private:
  int64_t blockOf(const ItemRequest &request) const {
    return request.microBatch * plan::dataRanks(plan) + plan::dataPlace(plan, request.rank);
  }

  Status feedTensorCoordinate(int64_t rank, std::span<std::byte> bytes) const {
    const auto axis = std::ranges::find(plan.mesh, plan::AxisKind::Tensor, &plan::MeshAxis::kind);
    const int64_t at = plan::meshCoordinates(plan, rank)[static_cast<size_t>(axis - plan.mesh.begin())];
    const auto place = static_cast<int32_t>(at);
    std::ranges::fill(bytes, std::byte{0});
    std::memcpy(bytes.data(), &place, sizeof place);
    return Status::ok();
  }

  const plan::Plan &plan;
  const Fixture &fixture;
  FixtureData data;
  LossCounts counts;
  StepScalars scalars;
  std::vector<float> losses, norms;
};

} // namespace windlass::test
