// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tiers/Arena.h"
#include <algorithm>
#include <gtest/gtest.h>

using windlass::Arena;

TEST(Arena, beginsOnAHugePageAndIsFilledWithTheCanary) {
  auto arena = Arena::create(3'000'001, 0xA5);
  ASSERT_TRUE(arena) << arena.status().message();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(arena->data()) % (2 << 20), 0u);
  EXPECT_EQ(arena->size(), 3'000'001);
  EXPECT_TRUE(std::ranges::all_of(arena->span(), [](std::byte b) { return b == std::byte{0xA5}; }));
}

TEST(Arena, isZeroWithoutACanary) {
  auto arena = Arena::create(4096);
  ASSERT_TRUE(arena);
  EXPECT_TRUE(std::ranges::all_of(arena->span(), [](std::byte b) { return b == std::byte{0}; }));
}

TEST(Arena, tooLargeIsRefusedWithItsSize) {
  auto arena = Arena::create(int64_t{1} << 60);
  ASSERT_FALSE(arena);
  EXPECT_EQ(arena.status().code(), windlass::ExitCode::CannotFit);
  EXPECT_NE(arena.status().message().find("is not granted"), std::string::npos);
}
