// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads in place of hosts, over the loopback interface. A link that is cut needs real hosts:
// test/cluster/hosts_test.py.
#include "runtime/launch/HostLinks.h"

#include <gtest/gtest.h>
#include <thread>

namespace windlass {
namespace {

TEST(HostLinks, everyTwoMeetAndAnEndIsNoCut) {
  std::vector<Door> doors;
  std::vector<HostLinks::Place> places;
  for (const char *name : {"b", "c", "d"}) {
    doors.emplace_back(Socket::listenAt({"127.0.0.1", 0}).take(), "secret");
    places.push_back({std::ssize(places), name, doors.back().address()});
  }
  std::vector<std::unique_ptr<HostLinks>> links(places.size());
  std::vector<std::jthread> threads;
  for (size_t host = 0; host < places.size(); ++host)
    threads.emplace_back([&, host] {
      Result<HostLinks> made = HostLinks::connect(std::move(doors[host]), "secret", places, host);
      ASSERT_TRUE(made.isOk()) << made.status().message();
      links[host] = std::make_unique<HostLinks>(made.take());
    });
  threads.clear();
  for (const auto &each : links) {
    ASSERT_TRUE(each);
    EXPECT_EQ(each->count(), 2U);
    EXPECT_FALSE(each->unreachable());
  }
  links[1].reset(); // the control channel knows why it is gone
  for (size_t left : {0U, 2U})
    for (int asked = 0; asked < 100; ++asked)
      EXPECT_FALSE(links[left]->unreachable());
}

TEST(HostLinks, aHostThatIsNotThereIsNamed) {
  std::vector<HostLinks::Place> places = {{4, "process 4 (host b)", {"no.such.host.invalid", 1}},
                                          {5, "c", {}}};
  Door door(Socket::listenAt({"127.0.0.1", 0}).take(), "secret");
  const Status failed = HostLinks::connect(std::move(door), "secret", places, 1, /*seconds=*/0.2).status();
  EXPECT_EQ(failed.code(), ExitCode::RunFailed);
  EXPECT_NE(failed.message().find("process 4 (host b)"), std::string::npos) << failed.message();
}

} // namespace
} // namespace windlass
