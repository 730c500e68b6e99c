// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- HostLinks.h - that hosts still reach each other =====================//
//
// Duty: an idle TCP connection between each two hosts of a job but the first process's, which all hear
// anyway: where the system hears nothing of the other machine for seven seconds, the link between them is
// cut. For networks that do not say so themselves (MPI waits). Two seconds longer than the control channel
// waits: of a host that is gone altogether, that one knows.
// Threads: one at a time. Errors: `connect`: RunFailed naming who did not come; `check`: RunFailed naming the
// process that is not reached. A connection that its process closed is no failure here.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/wire/Door.h"
#include <vector>

namespace windlass {

class HostLinks {
public:
  /// One process of each host that is watched, in one order, with where its door is.
  struct Place {
    std::string name;
    Endpoint address;
  };
  static constexpr int kSilenceSeconds = 7;

  HostLinks() = default;
  /// All of `places` call it, each with its own place.
  static Result<HostLinks> connect(Door door, const std::string &token, const std::vector<Place> &places,
                                   size_t mine, double seconds = 60);

  size_t count() const { return links.size(); }
  /// Never waits.
  Status check();

private:
  struct Link {
    std::string name;
    Socket socket;
  };
  std::vector<Link> links;
};

} // namespace windlass
