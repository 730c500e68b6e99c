// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tiers/Arena.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace windlass;

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

TEST(Arena, liesInAFileWhereOthersMaySeeItAndFilesHaveHugePages) {
  EXPECT_EQ(SharedFile::placeOf(Arena::create(4096)->span()).inode, 0u);
  auto first = Arena::create(4096, 1, Arena::Seen::ByProcessesOfHost);
  auto second = Arena::create(4096, 2, Arena::Seen::ByProcessesOfHost);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(second->data()) % (2 << 20), 0u);
  EXPECT_EQ(first->span()[4095], std::byte{1});
  EXPECT_EQ(second->span()[4095], std::byte{2});
  const std::span<std::byte> part = second->span().subspan(100, 200);
  const SharedPlace place = SharedFile::placeOf(part);
  if (place.inode == 0)
    GTEST_SKIP() << "this system makes no huge pages for files";
  EXPECT_EQ(place.offset, 100u);
  EXPECT_NE(place.inode, SharedFile::placeOf(first->span()).inode);
  EXPECT_EQ(SharedFile::placeOf({part.data(), 4 << 20}).inode, 0u) << "more than the file has";
  *second = Arena();
  EXPECT_EQ(SharedFile::placeOf(part).inode, 0u);
}

TEST(Arena, tooLargeIsRefusedWithItsSize) {
  auto arena = Arena::create(int64_t{1} << 60);
  ASSERT_FALSE(arena);
  EXPECT_EQ(arena.status().code(), ExitCode::CannotFit);
  EXPECT_NE(arena.status().message().find("is not granted"), std::string::npos);
}
