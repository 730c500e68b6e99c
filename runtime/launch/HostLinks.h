// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- HostLinks.h - that hosts still reach each other =====================//
//
// Duty: an idle TCP connection between each two hosts of a job but the first process's, which all hear
// anyway: tells where the system hears nothing of the other machine for five seconds. For networks that do
// not say so themselves (MPI waits). Whether the host is gone or the link to it is cut, the control channel
// finds out.
// Threads: one at a time. Errors: `connect`: RunFailed naming who did not come. A connection that its process
// closed is no failure here.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/wire/Door.h"
#include <optional>
#include <vector>

namespace windlass {

class HostLinks {
public:
  /// One process of each host that is watched, in one order, with where its door is.
  struct Place {
    int64_t process = 0;
    std::string name; ///< in messages
    Endpoint address;
  };
  static constexpr int kSilenceSeconds = 5;

  HostLinks() = default;
  /// All of `places` call it, each with its own place.
  static Result<HostLinks> connect(Door door, const std::string &token, const std::vector<Place> &places,
                                   size_t mine, double seconds = 60);

  size_t count() const { return links.size(); }
  /// A process that is not reached any more, if there is one. Never waits.
  std::optional<int64_t> unreachable();

private:
  struct Link {
    int64_t process = 0;
    Socket socket;
  };
  std::vector<Link> links;
};

} // namespace windlass
