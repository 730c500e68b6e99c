// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/tcp/NearMemory.h"

#include "runtime/wire/Packing.h"
#include <algorithm>
#include <csignal>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace windlass {
namespace {

/// A process that has what this one had when it was made, and does nothing.
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

/// `text` as another process would say it.
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
    from.push_back({reinterpret_cast<uintptr_t>(piece.data()), piece.size()});
    to.emplace_back(copies.emplace_back(piece.size()));
  }
  for (std::vector<std::byte> &piece : here) // the twin keeps its own
    std::ranges::fill(piece, std::byte{255});
  if (!copyFrom(twin.process, from, to))
    GTEST_SKIP() << "this system lets no process read another's memory";
  for (size_t i = 0; i < kPieces; ++i)
    EXPECT_EQ(copies[i], std::vector(copies[i].size(), static_cast<std::byte>(i))) << "piece " << i;
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
  const FarSpan from[] = {{reinterpret_cast<uintptr_t>(&there), 1}};
  const std::span<std::byte> to[] = {here};
  EXPECT_FALSE(copyFrom(::getpid(), from, to));
}

} // namespace
} // namespace windlass
