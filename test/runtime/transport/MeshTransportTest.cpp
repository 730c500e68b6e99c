// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups over the axes of a mesh of 2 x 3 ranks: each sums and gathers by itself, in rank order. An abort of
// one group aborts all.
#include "runtime/transport/MeshTransport.h"
#include "runtime/transport/InProcessTransport.h"
#include <functional>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace windlass;
using plan::ElementType;

namespace {

constexpr int64_t kRows = 2, kColumns = 3, kRanks = kRows * kColumns;

/// A plan whose collectives run over these sets of axes.
plan::Plan meshPlan(const std::vector<std::vector<int64_t>> &axes) {
  plan::Plan plan;
  plan.mesh = {{"outer", kRows}, {"inner", kColumns}};
  plan.programs[0].ranks = plan.ranks();
  plan::Section &section = plan.programs[0].sections.emplace_back();
  for (const std::vector<int64_t> &some : axes) {
    plan::Instruction &collective = section.instructions.emplace_back();
    collective.op = plan::Opcode::AllGather;
    collective.lane = plan::Lane::Gg;
    collective.axes = some;
  }
  return plan;
}

MeshTransport threadsOf(const plan::Plan &plan) {
  return MeshTransport::create(
             plan,
             [](std::span<const MeshTransport::Party> parties) -> Result<std::unique_ptr<Transport>> {
               return {std::make_unique<InProcessTransport>(std::ssize(parties))};
             })
      .take();
}

void onRanks(const std::function<void(int64_t)> &body) {
  std::vector<std::jthread> threads;
  for (int64_t rank = 0; rank < kRanks; ++rank)
    threads.emplace_back([&, rank] { body(rank); });
}

std::span<std::byte> bytes(std::vector<float> &values) { return std::as_writable_bytes(std::span(values)); }

/// The numbers that a rank gathers from its group when every rank brings its own number.
std::vector<float> gathered(const MeshTransport &transport, plan::Axes axes, int64_t rank, int64_t members) {
  auto [group, place] = transport.at(plan::Lane::Gg, axes, rank);
  std::vector<float> shard = {static_cast<float>(rank)}, whole(members);
  const WholeTensor tensors[] = {{bytes(whole).data(), 4}};
  EXPECT_TRUE(group->allGather(place, bytes(shard), tensors));
  return whole;
}

TEST(MeshTransportTest, groupsAreRanksThatDifferInTheirAxesAlone) {
  const std::vector<int64_t> outer = {0}, inner = {1}, all;
  const plan::Plan plan = meshPlan({outer, inner, all, inner});
  const MeshTransport transport = threadsOf(plan);
  onRanks([&](int64_t rank) {
    const auto row = static_cast<float>(rank / kColumns), column = static_cast<float>(rank % kColumns);
    for (int round = 0; round < 100; ++round) {
      EXPECT_EQ(gathered(transport, inner, rank, kColumns),
                (std::vector<float>{3 * row, 3 * row + 1, 3 * row + 2}));
      EXPECT_EQ(gathered(transport, outer, rank, kRows), (std::vector<float>{column, column + 3}));
      EXPECT_EQ(gathered(transport, all, rank, kRanks), (std::vector<float>{0, 1, 2, 3, 4, 5}));
    }
  });
}

/// 2^24 + 1 is no f32 number: another order of the additions gives another sum.
TEST(MeshTransportTest, aSumIsInRankOrderInsideAndThenAcross) {
  const std::vector<int64_t> outer = {0}, inner = {1};
  const plan::Plan plan = meshPlan({outer, inner});
  const MeshTransport transport = threadsOf(plan);
  const std::vector<float> brought = {16777216, 1, 1, 1, 1, 1};
  onRanks([&](int64_t rank) {
    std::vector<float> whole(kColumns, brought[rank]), sum(1);
    const WholeTensor inside[] = {{bytes(whole).data(), 4}};
    auto [row, column] = transport.at(plan::Lane::Gg, inner, rank);
    ASSERT_TRUE(row->reduceScatter(column, ElementType::F32, bytes(sum), inside, {}));
    EXPECT_EQ(sum[0], rank < kColumns ? 16777216 : 3); // 2^24 + 1 + 1 is rounded twice
    std::vector<float> both(kRows, sum[0]), total(1);
    const WholeTensor across[] = {{bytes(both).data(), 4}};
    auto [group, place] = transport.at(plan::Lane::Gg, outer, rank);
    ASSERT_TRUE(group->reduceScatter(place, ElementType::F32, bytes(total), across, {}));
    EXPECT_EQ(total[0], 16777220); // 2^24 + 3, rounded to even
  });
}

TEST(MeshTransportTest, abortReleasesEveryGroup) {
  const std::vector<int64_t> outer = {0}, inner = {1};
  const plan::Plan plan = meshPlan({outer, inner});
  MeshTransport transport = threadsOf(plan);
  onRanks([&](int64_t rank) {
    if (rank == 0) // does not take part
      return transport.abort();
    const bool isInner = rank % 2 == 0;
    auto [group, place] = transport.at(plan::Lane::Gg, isInner ? inner : outer, rank);
    std::vector<float> shard(1), whole(isInner ? kColumns : kRows);
    const WholeTensor tensors[] = {{bytes(whole).data(), 4}};
    EXPECT_FALSE(group->allGather(place, bytes(shard), tensors));
  });
}

/// A group is made once for each lane, as the groups of two lanes exchange at the same time.
TEST(MeshTransportTest, everyGroupIsMadeOnceOfItsMembers) {
  const std::vector<int64_t> outer = {0}, inner = {1};
  plan::Plan plan = meshPlan({outer, inner, outer, outer});
  plan.programs[0].sections[0].instructions[3].lane = plan::Lane::Nodes;
  std::vector<std::pair<plan::Lane, std::vector<int64_t>>> made;
  auto failing = [&](std::span<const MeshTransport::Party> parties) -> Result<std::unique_ptr<Transport>> {
    made.push_back({parties.front().lane, {}});
    for (const auto &[rank, lane] : parties) {
      EXPECT_EQ(lane, parties.front().lane);
      made.back().second.push_back(rank);
    }
    if (made.size() == 8)
      return Status::cannotFit("no eighth group");
    return {std::make_unique<InProcessTransport>(std::ssize(parties))};
  };
  Result<MeshTransport> mesh = MeshTransport::create(plan, failing);
  ASSERT_FALSE(mesh);
  EXPECT_EQ(mesh.status().message(), "no eighth group");
  const plan::Lane gg = plan::Lane::Gg, nodes = plan::Lane::Nodes;
  EXPECT_EQ(made, (decltype(made){{gg, {0, 3}},
                                  {gg, {1, 4}},
                                  {gg, {2, 5}},
                                  {gg, {0, 1, 2}},
                                  {gg, {3, 4, 5}},
                                  {nodes, {0, 3}},
                                  {nodes, {1, 4}},
                                  {nodes, {2, 5}}}));
}

} // namespace
