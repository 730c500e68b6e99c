// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/tcp/NearMemory.h"

#include "runtime/tiers/Arena.h"
#include "runtime/wire/Packing.h"
#include <algorithm>
#include <csignal>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace windlass {
namespace {

/// A process with the memory of this one at the time of the fork. It does nothing.
class Twin {
public:
  Twin() : process(::fork()) {
    while (process == 0)
      ::pause();
  }
  ~Twin() {
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
  }
  const pid_t process;
};

/// `text` as another process would write it.
std::string saidBy(pid_t process, const std::string &text) {
  Unpacking unpacking(text);
  (void)unpacking.get<int64_t>();
  const auto address = unpacking.get<uint64_t>();
  return Packing().add(static_cast<int64_t>(process)).add(address).addText(unpacking.getText()).take();
}

TEST(NearMemory, manyPiecesOfAllSizesAreThoseOfTheOtherProcess) {
  constexpr size_t kPieces = 201;
  std::vector<std::vector<std::byte>> here;
  for (size_t i = 0; i < kPieces; ++i)
    here.emplace_back(i % 7 == 0 ? 0 : i * i, static_cast<std::byte>(i));
  const Twin twin;
  std::vector<std::vector<std::byte>> copies;
  std::vector<FarSpan> from;
  std::vector<std::span<std::byte>> to;
  for (std::vector<std::byte> &piece : here) {
    from.push_back(shownToOthers(piece));
    to.emplace_back(copies.emplace_back(piece.size()));
  }
  for (std::vector<std::byte> &piece : here) // the twin keeps its own bytes
    std::ranges::fill(piece, std::byte{255});
  if (!FarMemory(twin.process).copy(from, to))
    GTEST_SKIP() << "this system lets no process read another's memory";
  for (size_t i = 0; i < kPieces; ++i)
    EXPECT_EQ(copies[i], std::vector(copies[i].size(), static_cast<std::byte>(i))) << "piece " << i;
}

TEST(NearMemory, bytesInAFileAreSeenInPlaceUntilTheirOwnerIsGone) {
  Arena arena = Arena::create(3 << 20, 1, Arena::Seen::ByProcessesOfHost).take();
  const FarSpan shown = shownToOthers(arena.span().subspan(5, 100));
  if (shown.place.inode == 0)
    GTEST_SKIP() << "this system makes no huge pages for files";
  const Twin twin;
  FarMemory far(twin.process);
  const std::byte *const seen = far.find(shown);
  if (!seen)
    GTEST_SKIP() << "this system lets no process read another's memory";
  EXPECT_NE(seen, arena.data() + 5);
  EXPECT_EQ(seen[99], std::byte{1});
  arena.data()[104] = std::byte{2}; // this byte is also the twin's
  EXPECT_EQ(seen[99], std::byte{2});
  EXPECT_EQ(far.find(shown), seen);

  FarSpan beyond = shown, another = shown;
  beyond.place.offset = (4 << 20) - 50;
  EXPECT_EQ(far.find(beyond), nullptr);
  ++another.place.inode;
  EXPECT_EQ(far.find(another), nullptr) << "a file that is no more";
  arena = Arena();
  EXPECT_EQ(seen[99], std::byte{2});
}

TEST(NearMemory, ofItsOwnAProcessSeesAllInPlace) {
  const std::byte own[3] = {};
  EXPECT_EQ(FarMemory(::getpid()).find(shownToOthers(own)), own);
}

TEST(NearMemory, aMarkIsOfTheProcessThatHasTheSecretThere) {
  const MemoryMark mark;
  const std::string text = mark.text();
  EXPECT_EQ(MemoryMark::readableProcess(text), ::getpid());
  std::string wrong = text;
  wrong.back() = static_cast<char>(wrong.back() ^ 1);
  EXPECT_EQ(MemoryMark::readableProcess(wrong), 0) << "another host has a process of this number, too";
  EXPECT_EQ(MemoryMark::readableProcess(text.substr(0, 20)), 0);
  EXPECT_EQ(MemoryMark::readableProcess(""), 0);
}

TEST(NearMemory, aProcessThatIsGoneIsNotRead) {
  const MemoryMark mark;
  pid_t gone = 0;
  {
    const Twin twin;
    gone = twin.process;
  }
  EXPECT_EQ(MemoryMark::readableProcess(saidBy(gone, mark.text())), 0);
}

TEST(NearMemory, piecesOfOtherSizesAreRefused) {
  std::byte there = {}, here[2] = {};
  const FarSpan from[] = {shownToOthers({&there, 1})};
  const std::span<std::byte> to[] = {here};
  EXPECT_FALSE(FarMemory(::getpid()).copy(from, to));
}

} // namespace
} // namespace windlass
