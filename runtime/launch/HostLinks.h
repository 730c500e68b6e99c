// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- HostLinks.h - that hosts still reach each other =======================//
//
// Duty: an idle TCP connection between each two hosts of a job, except the host of the first process, to
// which every process has a control connection. unreachable() finds a host whose machine has not responded
// for five seconds. Networks that do not notice this themselves need it (MPI waits forever). The control
// channel then decides whether the host or the link is lost.
// Threads: one at a time. Errors: `connect`: RunFailed naming the missing hosts. A connection that its
// process closed is no failure here.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/wire/Door.h"
#include <optional>
#include <vector>

namespace windlass {

class HostLinks {
public:
  /// The process of a host that has the links of the host, and the address of its door.
  struct Place {
    int64_t process = 0;
    std::string name; ///< in messages
    Endpoint address;
  };
  static constexpr int kSilenceSeconds = 5;

  HostLinks() = default;
  /// The processes of all `places` call this, with the same list and each with its own index `mine`.
  static Result<HostLinks> connect(Door door, const std::string &token, const std::vector<Place> &places,
                                   size_t mine, double seconds = 60);

  size_t count() const { return links.size(); }
  /// The process of a host that does not respond any more, if there is one. Does not wait.
  std::optional<int64_t> unreachable();

private:
  struct Link {
    int64_t process = 0;
    Socket socket;
  };
  std::vector<Link> links;
};

} // namespace windlass
