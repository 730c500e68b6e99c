// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads in place of processes, over the loopback interface. Deadlines are short, and the tests assert only
// that they end a wait.
#include "runtime/launch/ControlChannel.h"
#include "runtime/wire/Packing.h"

#include <array>
#include <atomic>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

namespace windlass {
namespace {

using Joined = Result<std::unique_ptr<ControlChannel>>;

class ControlChannelTest : public testing::Test {
protected:
  ControlChannel::Config config(int64_t process, int64_t processes) {
    ControlChannel::Config config;
    config.process = process;
    config.processes = processes;
    config.meeting = meeting;
    config.token = "secret";
    config.version = "1";
    config.joinSeconds = 20;
    config.graceSeconds = 600; // nothing here may end the process of the test
    if (process == 0)
      config.listening = std::move(listening);
    return config;
  }

  /// Runs each process: it joins with its configuration after `change`, and runs `body`.
  void onProcesses(
      int64_t processes, const std::function<void(int64_t, Joined)> &body,
      const std::function<void(ControlChannel::Config &)> &change = [](auto &) {}) {
    std::vector<std::jthread> threads;
    for (int64_t process = 0; process < processes; ++process)
      threads.emplace_back(
          [&, process, given = std::make_shared<ControlChannel::Config>(config(process, processes))] {
            change(*given);
            body(process, ControlChannel::join(std::move(*given)));
          });
  }

  /// Counts in `said` how often each process prints the verdict.
  std::function<void(ControlChannel::Config &)> saysInto() {
    return [this](ControlChannel::Config &each) {
      each.say = [this, process = static_cast<size_t>(each.process)](const Status &) { ++said[process]; };
    };
  }

  std::array<int, 3> said = {};
  Socket listening = Socket::listenAt({"127.0.0.1", 0}).take();
  Endpoint meeting = listening.local();
};

TEST_F(ControlChannelTest, moreThanAMessageHoldsIsRefusedInWords) {
  const auto atMostOneHundred = [](ControlChannel::Config &config) { config.mostBytes = 100; };
  onProcesses(
      2,
      [](int64_t process, Joined joined) {
        ASSERT_TRUE(joined.isOk()) << joined.status().message();
        const Status alone = (*joined)->exchange(std::string(process == 1 ? 101 : 0, 'x')).status();
        const Status verdict = (*joined)->finish(process == 1 ? alone : Status::ok());
        EXPECT_EQ(verdict.code(), ExitCode::RunFailed);
        EXPECT_NE(verdict.message().find("has to say 101 bytes"), std::string::npos) << verdict.message();
      },
      atMostOneHundred);
}

TEST_F(ControlChannelTest, moreThanAMessageHoldsTogetherIsRefusedInWords) {
  const auto atMostOneHundred = [](ControlChannel::Config &config) { config.mostBytes = 100; };
  onProcesses(
      2,
      [](int64_t, Joined joined) {
        ASSERT_TRUE(joined.isOk()) << joined.status().message();
        const Status together = (*joined)->exchange(std::string(60, 'x')).status();
        EXPECT_EQ(together.code(), ExitCode::RunFailed);
        EXPECT_NE(together.message().find("all processes together have to say"), std::string::npos)
            << together.message();
        (void)(*joined)->finish(together);
      },
      atMostOneHundred);
}

TEST_F(ControlChannelTest, everyoneHearsEveryone) {
  onProcesses(3, [](int64_t process, Joined joined) {
    ASSERT_TRUE(joined.isOk()) << joined.status().message();
    for (int round = 0; round < 50; ++round) {
      const auto said = [&](int64_t who) { return std::to_string(who) + " in " + std::to_string(round); };
      Result<std::vector<std::string>> all = (*joined)->exchange(said(process));
      ASSERT_TRUE(all.isOk()) << all.status().message();
      EXPECT_EQ(*all, (std::vector{said(0), said(1), said(2)}));
    }
    Result<std::vector<std::string>> first = (*joined)->exchange("mine", ControlChannel::For::First);
    ASSERT_TRUE(first.isOk());
    EXPECT_EQ(*first, std::vector<std::string>(3, process == 0 ? "mine" : ""));
    EXPECT_TRUE((*joined)->finish(Status::ok()).isOk());
  });
}

TEST_F(ControlChannelTest, aDifferenceIsTheSameRefusalForAll) {
  onProcesses(2, [](int64_t process, Joined joined) {
    ASSERT_TRUE(joined.isOk());
    (*joined)->setRanksOfEach(2);
    EXPECT_TRUE((*joined)->agree({{"the plan", "a"}}).isOk());
    const Status status = (*joined)->agree({{"the plan", "a"}, {"the data", process == 0 ? "b" : "c"}});
    EXPECT_EQ(status.code(), ExitCode::BadInput);
    EXPECT_EQ(status.message(), "the data: ranks 2 to 3 (host " + hostName() +
                                    ") has c, but ranks 0 to 1 (host " + hostName() + ") has b");
    EXPECT_EQ((*joined)->finish(status).code(), ExitCode::BadInput);
  });
}

TEST_F(ControlChannelTest, theFirstFailureEndsAllWithItsNameAndCode) {
  onProcesses(
      3,
      [](int64_t process, Joined joined) {
        ASSERT_TRUE(joined.isOk());
        (*joined)->setRanksOfEach(1);
        ASSERT_TRUE((*joined)->exchange("named").isOk());
        std::atomic<bool> isReleased = false;
        (*joined)->setRelease([&](const Status &verdict) {
          EXPECT_EQ(verdict.code(), ExitCode::CannotFit);
          isReleased = true;
          isReleased.notify_all();
        });
        const Status mine = process == 1 ? Status::cannotFit("the disk is full")
                                         : (*joined)->exchange("never complete").status();
        const Status end = (*joined)->finish(mine);
        EXPECT_EQ(end.code(), ExitCode::CannotFit);
        EXPECT_EQ(end.message(), "rank 1 (host " + hostName() + "): the disk is full");
        isReleased.wait(false);
      },
      saysInto());
  EXPECT_EQ(said, (std::array{1, 0, 0}));
}

TEST_F(ControlChannelTest, aConnectionThatClosesIsADeath) {
  onProcesses(3, [](int64_t process, Joined joined) {
    ASSERT_TRUE(joined.isOk());
    (*joined)->setRanksOfEach(1);
    ASSERT_TRUE((*joined)->exchange("named").isOk());
    if (process == 2)
      return; // leaves without finish()
    const Status lost = (*joined)->exchange("").status();
    EXPECT_EQ(lost.code(), ExitCode::RunFailed);
    EXPECT_EQ(lost.message().find("rank 2 (host " + hostName() + ") has died"), 0U) << lost.message();
    EXPECT_EQ((*joined)->finish(lost).message(), lost.message());
  });
}

/// A process joins, and then stops.
TEST_F(ControlChannelTest, silenceIsADeathAndTellsWhereItWasLast) {
  std::atomic<bool> isOver = false;
  std::jthread stopped([&] {
    ControlChannel::Config joining = config(1, 2);
    joining.token = "secret";
    Joined joined = ControlChannel::join(std::move(joining));
    ASSERT_TRUE(joined.isOk());
    std::atomic<bool> isAsked = false;
    (*joined)->setWhereabouts([&]() -> std::string { // blocks its heartbeat
      if (isAsked.exchange(true))
        isOver.wait(false);
      return "gg 3";
    });
    isOver.wait(false);
    (void)(*joined)->finish(Status::ok());
  });
  ControlChannel::Config first = config(0, 2);
  first.silenceSeconds = 1.5;
  Joined joined = ControlChannel::join(std::move(first));
  ASSERT_TRUE(joined.isOk());
  const Status lost = (*joined)->exchange("").status();
  EXPECT_EQ(lost.message(), "process 1 (host " + hostName() + ") does not answer for 1 s (its process is " +
                                std::to_string(::getpid()) + "); it was last at gg 3");
  isOver = true;
  isOver.notify_all();
  EXPECT_EQ((*joined)->finish(lost).code(), ExitCode::RunFailed);
}

/// The first process hears from both others, and so knows that neither is lost.
TEST_F(ControlChannelTest, whoIsOutOfReachOfOneAloneIsNotLost) {
  onProcesses(3, [](int64_t process, Joined joined) {
    ASSERT_TRUE(joined.isOk());
    (*joined)->setRanksOfEach(1);
    ASSERT_TRUE((*joined)->exchange("named").isOk());
    if (process == 1) {
      (*joined)->setWhereabouts([] { return "rank 1, gg 3"; });
      (*joined)->setWatch([] { return std::optional<int64_t>(2); });
    }
    const Status cut = process == 2 ? (*joined)->finish(Status::ok()) : (*joined)->exchange("").status();
    EXPECT_EQ(cut.code(), ExitCode::RunFailed);
    EXPECT_EQ(cut.message(), "rank 1 (host " + hostName() + ") does not reach rank 2 (host " + hostName() +
                                 ") any more, though that one lives: the link between them is cut; it was "
                                 "last at rank 1, gg 3");
    EXPECT_EQ((*joined)->finish(cut).message(), cut.message());
  });
}

/// Another process may notice the loss first. The verdict is still what the first process finds.
TEST_F(ControlChannelTest, whoIsOutOfReachOfAllIsLostWhoeverNoticesFirst) {
  std::atomic<bool> isStopped = false, isOver = false;
  onProcesses(
      3,
      [&](int64_t process, Joined joined) {
        ASSERT_TRUE(joined.isOk());
        (*joined)->setRanksOfEach(1);
        ASSERT_TRUE((*joined)->exchange("named").isOk());
        if (process == 2) {
          (*joined)->setWhereabouts([&]() -> std::string { // blocks its heartbeat
            isStopped = true;
            isOver.wait(false);
            return "";
          });
          isOver.wait(false);
          return;
        }
        if (process == 1)
          (*joined)->setWatch([&] { return isStopped ? std::optional<int64_t>(2) : std::nullopt; });
        const Status lost = (*joined)->exchange("").status();
        EXPECT_EQ(lost.message().find("rank 2 (host " + hostName() + ") does not answer for 3 s"), 0U)
            << lost.message();
        EXPECT_EQ((*joined)->finish(lost).message(), lost.message());
        isOver = true;
        isOver.notify_all();
      },
      [](ControlChannel::Config &each) { each.silenceSeconds = 3; });
}

TEST_F(ControlChannelTest, anotherVersionOrWorldIsRefusedInWordsOnBothSides) {
  const auto expect = [&](const std::string &words) {
    return [words](int64_t, Joined joined) {
      EXPECT_EQ(joined.status().code(), ExitCode::BadInput);
      EXPECT_NE(joined.status().message().find(words), std::string::npos) << joined.status().message();
    };
  };
  onProcesses(2, expect("is Windlass 2, but the first process (host " + hostName() + ") is 1"),
              [](ControlChannel::Config &each) { each.version = each.process == 0 ? "1" : "2"; });
  listening = Socket::listenAt({"127.0.0.1", 0}).take();
  meeting = listening.local();
  onProcesses(2,
              expect("was started as one of 3, but the first process (host " + hostName() + ") as one of 2"),
              [](ControlChannel::Config &each) { each.processes += each.process; });
}

TEST_F(ControlChannelTest, machinesOfOneNameAreNumberedAndAreNotOneHost) {
  const std::array<const char *, 4> names = {"twin", "twin", "other", "twin"};
  const std::array<const char *, 4> machines = {"x", "y", "x", "x"};
  onProcesses(
      4,
      [](int64_t, Joined joined) {
        ASSERT_TRUE(joined.isOk()) << joined.status().message();
        for (const auto &[process, host] :
             {std::pair(0, "twin#1"), {1, "twin#2"}, {2, "other"}, {3, "twin#1"}})
          EXPECT_EQ((*joined)->hostOf(process), host);
        EXPECT_TRUE((*joined)->finish(Status::ok()).isOk());
      },
      [&](ControlChannel::Config &each) {
        each.host = names[static_cast<size_t>(each.process)];
        each.machine = machines[static_cast<size_t>(each.process)];
      });
}

TEST_F(ControlChannelTest, strangersHarmNothing) {
  const Socket silent = Socket::connectTo(meeting, afterSeconds(5)).take();
  const Socket rude = Socket::connectTo(meeting, afterSeconds(5)).take();
  const std::string rudeness(100, 'x');
  ASSERT_TRUE(rude.send(std::as_bytes(std::span(rudeness)), afterSeconds(5)).isOk());
  const Socket liar = Door::enter(meeting, "guessed", {-1, 1, 2}, afterSeconds(5)).take();
  const Socket mute = Door::enter(meeting, "secret", {7, 1, 2}, afterSeconds(5)).take(); // of another purpose
  onProcesses(2, [](int64_t, Joined joined) {
    ASSERT_TRUE(joined.isOk()) << joined.status().message();
    EXPECT_TRUE((*joined)->exchange("").isOk());
    EXPECT_TRUE((*joined)->finish(Status::ok()).isOk());
  });
  EXPECT_FALSE(Socket::connectTo(meeting, afterSeconds(0.1)).isOk()) << "nobody listens any more";
}

/// Greets and says hello as process 1 does, hears that the first process lives, and leaves.
TEST_F(ControlChannelTest, whoComesAndGoesEndsTheWait) {
  std::jthread leaving([&] {
    FrameLine line(Door::enter(meeting, "secret", {-1, 1, 3}, afterSeconds(10)).take());
    const int64_t protocol = 2, process = 4711;
    line.put(0, Packing().add(protocol).addText("1").addText(hostName()).add(process).addText("").take());
    for (const Deadline deadline = afterSeconds(10); !line.take() && WireClock::now() < deadline;)
      line.move();
  });
  ControlChannel::Config first = config(0, 3);
  first.silenceSeconds = 2; // the time in which it tells late processes
  const Status status = ControlChannel::join(std::move(first)).status();
  EXPECT_EQ(status.code(), ExitCode::RunFailed);
  EXPECT_EQ(status.message(), "process 1 (host " + hostName() +
                                  ") has died, or closed its connection, before all others had come (its "
                                  "process is 4711)");
}

TEST_F(ControlChannelTest, aHostThatShowsItsOwnOutputSaysItOnce) {
  onProcesses(
      3,
      [](int64_t process, Joined joined) {
        ASSERT_TRUE(joined.isOk());
        const Status mine = process == 2 ? Status::cannotFit("full") : (*joined)->exchange("").status();
        EXPECT_FALSE((*joined)->finish(mine));
      },
      [&](ControlChannel::Config &each) {
        each.speaksOnEveryHost = true;
        saysInto()(each);
      });
  EXPECT_EQ(said, (std::array{1, 0, 0})) << "all are on one host";
}

/// Each process prints the verdict at once, even while its main thread is busy.
TEST_F(ControlChannelTest, theVerdictIsSaidBeforeAnyoneEnds) {
  std::promise<std::string> heard;
  onProcesses(
      2,
      [&](int64_t process, Joined joined) {
        ASSERT_TRUE(joined.isOk());
        if (process == 0)
          EXPECT_EQ(heard.get_future().get(), "process 1 (host " + hostName() + "): full");
        EXPECT_FALSE((*joined)->finish(process == 0 ? Status::ok() : Status::cannotFit("full")));
      },
      [&](ControlChannel::Config &each) {
        each.say = [&](const Status &verdict) { heard.set_value(verdict.message()); };
      });
}

/// Otherwise the late process would look for a first process that has ended.
TEST_F(ControlChannelTest, whoComesAfterARefusalIsToldToo) {
  std::atomic<bool> isRefused = false;
  const auto join = [&](int64_t process, const char *version) {
    ControlChannel::Config joining = config(process, 3);
    joining.version = version;
    return ControlChannel::join(std::move(joining)).status().message();
  };
  std::jthread first([&] { (void)join(0, "1"); });
  std::jthread other([&] {
    (void)join(1, "2");
    isRefused = true;
    isRefused.notify_all();
  });
  isRefused.wait(false);
  EXPECT_NE(join(2, "1").find("process 1 (host " + hostName() + ") is Windlass 2"), std::string::npos);
}

/// The processes that came are told at once. Otherwise the silence of a long wait for the others would look
/// to them like another failure.
TEST_F(ControlChannelTest, whoDoesNotComeIsNamed) {
  ControlChannel::Config first = config(0, 3), other = config(1, 3);
  first.joinSeconds = 1.1; // one heartbeat
  first.silenceSeconds = 2;
  other.silenceSeconds = 1.5;
  auto told = std::async([&] { return ControlChannel::join(std::move(other)).status(); });
  const Status status = ControlChannel::join(std::move(first)).status();
  EXPECT_EQ(status.code(), ExitCode::RunFailed);
  EXPECT_EQ(status.message(), "of 3 processes these did not come to " + meeting.text() + " within 1 s: 2");
  EXPECT_EQ(told.get().message(), status.message());
}

} // namespace
} // namespace windlass
