// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/wire/Door.h"
#include "runtime/wire/FrameLine.h"
#include "runtime/wire/Packing.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

namespace windlass {
namespace {

Door openDoor() { return {Socket::listenAt({"127.0.0.1", 0}).take(), "secret"}; }

Socket enter(const Door &door, const std::string &token, int64_t from) {
  return Door::enter(door.address(), token, {-1, from, 2}, afterSeconds(5)).take();
}

/// Waits for the end of a connection.
bool isClosedByOther(const Socket &socket) {
  pollfd wait = {socket.number(), POLLIN, 0};
  char byte = 0;
  return ::poll(&wait, 1, 10'000) == 1 && ::recv(socket.number(), &byte, 1, 0) <= 0;
}

void send(const Socket &socket, std::string_view text) {
  ASSERT_TRUE(socket.send(std::as_bytes(std::span(text)), afterSeconds(5)).isOk());
}

TEST(Packing, whatIsPackedComesOutAgain) {
  const std::string bytes = Packing()
                                .add(int64_t{-3})
                                .addText("a\0b")
                                .addList(std::span<const float>(std::vector{1.5F, -0.0F}))
                                .take();
  Unpacking unpacking(bytes);
  EXPECT_EQ(unpacking.get<int64_t>(), -3);
  EXPECT_EQ(unpacking.getText(), "a");
  EXPECT_EQ(unpacking.getList<float>(), (std::vector{1.5F, -0.0F}));
  EXPECT_TRUE(unpacking.isWhole() && unpacking.isAtEnd());
}

TEST(Packing, aLengthIsBelievedOnlyWhereTheBytesAre) {
  const std::string bytes = Packing().add(UINT64_MAX).take() + "short";
  Unpacking unpacking(bytes);
  EXPECT_EQ(unpacking.getText(), "");
  EXPECT_FALSE(unpacking.isWhole());
  EXPECT_EQ(unpacking.get<int32_t>(), 0) << "nothing is read behind a fault";
}

TEST(Packing, textsInOne) {
  const std::vector<std::string> texts = {"", "one", std::string(3, '\0')};
  EXPECT_EQ(unpackTexts(packTexts(texts)), texts);
}

TEST(Door, letsInWhoHasTheTokenPastStrangers) {
  Door door = openDoor();
  const Socket silent = Socket::connectTo(door.address(), afterSeconds(5)).take();
  const Socket rude = Socket::connectTo(door.address(), afterSeconds(5)).take();
  send(rude, "GET / HTTP/1.1\r\nHost: somewhere\r\nUser-Agent: a stranger\r\n\r\n              ");
  const Socket wrong = enter(door, "another secret", 7);
  const Socket right = enter(door, "secret", 5);
  const std::optional<Door::Guest> guest = door.next(afterSeconds(5));
  ASSERT_TRUE(guest.has_value());
  EXPECT_EQ(guest->greeting.from, 5);
  EXPECT_EQ(guest->greeting.to, 2);
  EXPECT_FALSE(door.next(afterSeconds(0.05)).has_value());
  EXPECT_TRUE(isClosedByOther(rude));
  EXPECT_TRUE(isClosedByOther(wrong));
}

TEST(Door, manyWhoSayNothingKeepNobodyOut) {
  Door door = openDoor();
  std::vector<Socket> silent;
  for (int i = 0; i < 200; ++i)
    silent.push_back(Socket::connectTo(door.address(), afterSeconds(5)).take());
  const Socket right = enter(door, "secret", 1);
  ASSERT_TRUE(door.next(afterSeconds(5)).has_value());
  EXPECT_TRUE(isClosedByOther(silent.front())) << "the oldest make room";
}

/// As many members as a large group has connect before the first is accepted.
TEST(Door, manyMembersAtOnceAreAllLetIn) {
  Door door = openDoor();
  std::vector<Socket> members;
  for (int64_t from = 0; from < 200; ++from)
    members.push_back(enter(door, "secret", from));
  std::vector<bool> came(members.size());
  for (size_t i = 0; i < members.size(); ++i) {
    const std::optional<Door::Guest> guest = door.next(afterSeconds(5));
    ASSERT_TRUE(guest.has_value()) << "after " << i;
    came[static_cast<size_t>(guest->greeting.from)] = true;
  }
  EXPECT_EQ(std::ranges::count(came, true), std::ssize(members));
}

TEST(Socket, nobodyThereIsToldWithTheAddress) {
  const Endpoint closed = Socket::listenAt({"127.0.0.1", 0})->local(); // the listener is already closed
  const Result<Socket> socket = Socket::connectTo(closed, afterSeconds(0.1));
  ASSERT_FALSE(socket.isOk());
  EXPECT_NE(socket.status().message().find(closed.text() + ": cannot connect"), std::string::npos);
}

TEST(Socket, twoDoNotListenAtOnePort) {
  const Socket first = Socket::listenAt({"127.0.0.1", 0}).take();
  EXPECT_NE(Socket::listenAt(first.local()).status().message().find("another job"), std::string::npos);
}

TEST(Socket, anInterfaceHasAnAddressOrIsNotThere) {
  EXPECT_EQ(*addressOfInterface("lo"), "127.0.0.1");
  EXPECT_EQ(*addressOfInterface("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(addressOfInterface("no-such-one").status().code(), ExitCode::BadInput);
}

TEST(FrameLine, framesComeWholeAndInOrderHoweverTheyWereCut) {
  Door door = openDoor();
  Socket far = enter(door, "secret", 1);
  FrameLine here(std::move(door.next(afterSeconds(5))->socket)), there(std::move(far));
  const std::string large(3'000'000, 'x'); // more than the system takes at once
  there.put(1, large);
  there.put(2, "");
  there.put(3, "end");
  std::vector<Frame> came;
  for (const Deadline deadline = afterSeconds(10); came.size() < 3 && WireClock::now() < deadline;) {
    there.move();
    here.move();
    while (std::optional<Frame> frame = here.take())
      came.push_back(std::move(*frame));
  }
  ASSERT_EQ(came.size(), 3U);
  EXPECT_EQ(came[0].bytes, large);
  EXPECT_EQ(came[1].kind, 2U);
  EXPECT_EQ(came[2].bytes, "end");
}

/// A sender also receives while it sends. The bytes it receives must not count as silence.
TEST(FrameLine, whatCameWhileItSentIsHeard) {
  Door door = openDoor();
  Socket far = enter(door, "secret", 1);
  FrameLine here(std::move(door.next(afterSeconds(5))->socket)), there(std::move(far));
  EXPECT_FALSE(here.hasHeard());
  there.put(1, "beat");
  there.move();
  pollfd wait = {here.number(), POLLIN, 0};
  ASSERT_EQ(::poll(&wait, 1, 10'000), 1);
  here.put(1, "beat");
  here.move();
  EXPECT_TRUE(here.hasHeard());
  EXPECT_FALSE(here.hasHeard()) << "once";
}

TEST(FrameLine, aFrameOfNoBelievableLengthBreaksTheLine) {
  Door door = openDoor();
  const Socket far = enter(door, "secret", 1);
  FrameLine here(std::move(door.next(afterSeconds(5))->socket));
  send(far, std::string_view("\1\0\0\0\xff\xff\xff\xff", 8));
  for (const Deadline deadline = afterSeconds(10); !here.isBroken() && WireClock::now() < deadline;) {
    here.move();
    EXPECT_FALSE(here.take().has_value());
  }
  EXPECT_TRUE(here.isBroken());
}

} // namespace
} // namespace windlass
