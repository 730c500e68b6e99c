// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ByteNetwork.h - how processes move bytes ============================//
//
// Duty: the seam between collectives and whatever joins processes: TCP, MPI. It moves bytes from place to
// place of a group and knows nothing of their types: sums are made by ExchangeTransport alone.
// Ownership: a group must not outlive its network. Threads: a network has one owner; of a group each place
// of this process is one thread's; `abort` from any.
// Units: bytes. Errors: RunFailed naming the place that did not come; after abort() every call fails.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/base/Units.h"
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace windlass {

/// Bytes on their way to, or from, another place.
struct Outgoing {
  int64_t to = 0;
  std::span<const std::byte> bytes;
};
struct Incoming {
  int64_t from = 0;
  std::span<std::byte> bytes;
};

/// An exchange of pieces of `bytes`, of which the others' are used slice by slice.
struct Slices {
  std::span<const Outgoing> outgoing;
  std::span<const Incoming> rooms; ///< for one slice of each other's piece, where it must be brought
  int64_t bytes = 0;
  std::span<const std::byte *> pieces; ///< by place: where others' slices are, in a room or in place
  /// Bytes [begin, begin + count) of others' pieces are at `pieces`. Empty: nothing is used here.
  std::function<void(int64_t begin, int64_t count)> use;
};

/// The places of one group, numbered from 0.
class ByteGroup {
public:
  virtual ~ByteGroup() = default;
  /// One place's part of an exchange in which what one sends to another the other receives, in equal pieces
  /// and order. Returns when all of it has come, and what was sent may be overwritten. Waiting sleeps.
  virtual Status exchange(int64_t place, std::span<const Outgoing> outgoing,
                          std::span<const Incoming> incoming) = 0;
  /// Whether places look into each other's memory: the same for all of the group.
  virtual bool looks() const { return false; }
  /// Where they do: an exchange of pieces that have all the same size. What is to come is not brought: slices
  /// of it are shown to `use`, one after the other. Others wait meanwhile.
  virtual Status exchangeSlices(int64_t place, const Slices &slices);
  virtual void abort() = 0;
};

inline Status ByteGroup::exchangeSlices(int64_t /*place*/, const Slices & /*slices*/) {
  return Status::internal("nobody looks into memory here");
}

/// How long an exchange waits for others that live, if nothing else is said.
inline constexpr double kExchangeSeconds = 600;

/// Why an exchange is given up whose other places live: they are called by `names`.
inline Status tooLate(const std::string &names, double seconds) {
  return Status::runFailed(names + " did not come to this exchange within " + formatSeconds(seconds) +
                           ", all that --collective-timeout allows");
}

/// Called by any thread, as long as the network lives.
using NameOfProcess = std::function<std::string(int64_t process)>;

class ByteNetwork {
public:
  virtual ~ByteNetwork() = default;
  /// `processes`: the process of each place. Each of these processes makes the group, and processes that
  /// share several groups make them in one order. `number`: the number of the group in all of them, from 0;
  /// no other group has it.
  virtual Result<std::unique_ptr<ByteGroup>> makeGroup(int64_t number,
                                                       std::span<const int64_t> processes) = 0;
  /// Before groups are made: how messages call a process, if not by its number; and how many seconds an
  /// exchange waits for others that live.
  virtual void setNames(NameOfProcess given) { names = std::move(given); }
  virtual void setPatience(double seconds) { patience = seconds; }
  /// A process that bytes go to or come from and of which the system hears nothing any more, if there is one;
  /// any thread. Exchanges with it wait a while to be told why.
  virtual std::optional<int64_t> unreachable() const { return std::nullopt; }
  /// No more groups are made: nobody else is let in.
  virtual void closeDoor() {}
  /// Ends all exchanges of all groups, for good; any thread.
  virtual void abort() = 0;

protected:
  std::string nameOf(int64_t process) const {
    return names ? names(process) : "process " + std::to_string(process);
  }
  double exchangeSeconds() const { return patience; }

private:
  NameOfProcess names;
  double patience = kExchangeSeconds;
};

} // namespace windlass
