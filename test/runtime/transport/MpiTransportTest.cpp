// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mpirun runs this program. Each process has one rank or two, and all processes run all cases in the same
// order.
#include "runtime/transport/ExchangeTransport.h"
#include "runtime/transport/mpi/MpiWorld.h"
#include "test/conformance/TransportSuite.h"
#include <thread>

namespace windlass::test {
namespace {

std::unique_ptr<MpiWorld> world;

class MpiTransport : public testing::TestWithParam<std::tuple<int64_t, TransportCase>> {};

TEST_P(MpiTransport, overMpi) {
  static int64_t groups = 0;
  const auto &[ranksOfEach, one] = GetParam();
  std::vector<int64_t> processes;
  for (int64_t r = 0; r < world->processes() * ranksOfEach; ++r)
    processes.push_back(r / ranksOfEach);
  Result<std::unique_ptr<ByteGroup>> group = world->makeGroup(groups++, processes);
  ASSERT_TRUE(group.isOk()) << group.status().message();
  ExchangeTransport transport(std::ssize(processes), group.take());
  std::vector<std::jthread> threads;
  for (int64_t r = world->process() * ranksOfEach; r < (world->process() + 1) * ranksOfEach; ++r)
    threads.emplace_back([&, r, run = one.run] { run({transport, r, std::ssize(processes)}); });
}

INSTANTIATE_TEST_SUITE_P(All, MpiTransport,
                         testing::Combine(testing::Values(1, 2), testing::ValuesIn(kTransportCases)));

TEST(MpiWorld, theFirstProcessTellsAllOthers) {
  Result<std::string> told = world->tell(world->process() == 0 ? "news" : "");
  ASSERT_TRUE(told.isOk());
  EXPECT_EQ(*told, "news");
}

} // namespace
} // namespace windlass::test

int main(int argc, char **argv) {
  using namespace windlass;
  testing::InitGoogleTest(&argc, argv);
  Result<std::unique_ptr<MpiWorld>> opened = MpiWorld::open();
  if (!opened) {
    std::fprintf(stderr, "error: %s\n", opened.status().message().c_str());
    return static_cast<int>(opened.status().code());
  }
  test::world = opened.take();
  if (test::world->processes() == 1) {
    std::fprintf(stderr, "error: to be run by mpirun, with several processes\n");
    return 1;
  }
  const int failed = RUN_ALL_TESTS();
  test::world->close();
  return failed;
}
