// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backend/Backend.h"
#include "runtime/tiers/Arena.h"
#include <gtest/gtest.h>
#include <vector>

using namespace windlass;

namespace {

TEST(Backend, oneThatIsNotBuiltInIsRefusedWithThoseThatAre) {
  Result<std::unique_ptr<Backend>> made = makeBackend("abacus");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.status().code(), ExitCode::CannotFit);
  EXPECT_EQ(made.status().message(), "the plan is for the backend 'abacus'; built in here: 'cpu', 'cuda'");
}

TEST(Backend, aPlanThatNamesNoneIsForTheCpu) { EXPECT_TRUE(makeBackend(plan::Plan().backend)); }

TEST(CpuBackend, memoryIsTheHostsAndCopiesAreDoneOnReturn) {
  auto backend = makeBackend("cpu").take();
  auto memory = backend->makeMemory(0, 4096, 0x5A);
  ASSERT_TRUE(memory) << memory.status().message();
  EXPECT_EQ((*memory)->hostView().size(), 4096u);
  EXPECT_EQ((*memory)->hostView()[4095], std::byte{0x5A});
  EXPECT_FALSE(*(*memory)->makeStream(4));
  const std::vector<std::byte> in(64, std::byte{7});
  std::vector<std::byte> out(64);
  ASSERT_TRUE((*memory)->upload((*memory)->data() + 128, in.data(), 64, nullptr));
  EXPECT_EQ((*memory)->hostView()[128], std::byte{7});
  EXPECT_EQ((*memory)->hostView()[127], std::byte{0x5A});
  ASSERT_TRUE((*memory)->offload(out.data(), (*memory)->data() + 128, 64, nullptr));
  EXPECT_EQ(out, in);
}

TEST(CpuBackend, memoryIsSeenByOtherProcessesOfTheHostIfThereAreAny) {
  const Arena seen = Arena::create(1, -1, Arena::Seen::ByProcessesOfHost).take();
  const plan::RankSet local(0, 2);
  const auto isSeen = [&](int64_t ranksOnHost) {
    auto backend = makeBackend("cpu").take();
    EXPECT_TRUE(backend->settle(plan::Plan(), local, {0, ranksOnHost, {}}));
    auto memory = backend->makeMemory(0, 4096, -1).take();
    return SharedFile::placeOf(memory->hostView()).inode != 0;
  };
  EXPECT_FALSE(isSeen(0)) << "a process alone";
  EXPECT_FALSE(isSeen(2));
  if (SharedFile::placeOf(seen.span()).inode == 0)
    GTEST_SKIP() << "this system makes no huge pages for files";
  EXPECT_TRUE(isSeen(4));
}

TEST(CpuBackend, oneSetOfKernelsServesDeviceAndHost) {
  auto backend = makeBackend("cpu").take();
  const plan::Plan plan;
  auto kernels = backend->loadKernels(plan, ".");
  ASSERT_TRUE(kernels) << kernels.status().message();
  EXPECT_EQ(kernels->device, kernels->host);
  EXPECT_TRUE(kernels->device->makeLauncher(0, nullptr));
}

} // namespace
