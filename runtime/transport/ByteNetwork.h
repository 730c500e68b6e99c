// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ByteNetwork.h - how processes move bytes ==============================//
//
// Duty: the interface between collectives and the networks that join processes (TCP, MPI). It moves bytes
// between the places of a group, without their types: sums are made by ExchangeTransport alone.
// Ownership: a group must not outlive its network. Threads: a network has one owner; each place of this
// process in a group belongs to one thread; `abort` from any.
// Units: bytes. Errors: RunFailed naming the missing place; after abort() every call fails.
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

/// Bytes to send to a place of the group, and bytes to receive from one.
struct Outgoing {
  int64_t to = 0;
  std::span<const std::byte> bytes;
};
struct Incoming {
  int64_t from = 0;
  std::span<std::byte> bytes;
};

/// An exchange of pieces of `bytes` each. The pieces of other places are used slice by slice.
struct Slices {
  std::span<const Outgoing> outgoing;
  std::span<const Incoming> rooms; ///< memory for a slice of each other place, if slices are copied
  int64_t bytes = 0;
  std::span<const std::byte *> pieces; ///< by place: the present slice, in a room or in place
  /// Called when bytes [begin, begin + count) of the other places' pieces are at `pieces`. Empty: this place
  /// uses none.
  std::function<void(int64_t begin, int64_t count)> use;
};

/// The places of one group, numbered from 0.
class ByteGroup {
public:
  virtual ~ByteGroup() = default;
  /// The part of one place in an exchange, in which all places take part. What a place sends to another one,
  /// that one receives, in pieces of the same sizes and order. Returns when all pieces have come, and the
  /// outgoing bytes may be overwritten. Waiting sleeps.
  virtual Status exchange(int64_t place, std::span<const Outgoing> outgoing,
                          std::span<const Incoming> incoming) = 0;
  /// Whether places read each other's memory; the same for all places of the group.
  virtual bool looks() const { return false; }
  /// If looks(): an exchange of pieces of one size, in which slices of the incoming pieces are passed to
  /// `use`, one after the other. The sending places wait until their pieces have been used.
  virtual Status exchangeSlices(int64_t place, const Slices &slices);
  virtual void abort() = 0;
};

inline Status ByteGroup::exchangeSlices(int64_t /*place*/, const Slices & /*slices*/) {
  return Status::internal("nobody looks into memory here");
}

/// The seconds that an exchange waits for processes that are alive, by default.
inline constexpr double kExchangeSeconds = 600;

/// The failure of an exchange that waited too long for live places. `names`: of the places.
inline Status tooLate(const std::string &names, double seconds) {
  return Status::runFailed(names + " did not come to this exchange within " + formatSeconds(seconds) +
                           ", all that --collective-timeout allows");
}

/// The name of a process in messages. Called by any thread, during the network's life.
using NameOfProcess = std::function<std::string(int64_t process)>;

class ByteNetwork {
public:
  virtual ~ByteNetwork() = default;
  /// `processes`: the process of each place. Each of these processes makes the group; processes that share
  /// several groups make them in the same order. `number`: of the group, from 0, unique and the same in all
  /// processes.
  virtual Result<std::unique_ptr<ByteGroup>> makeGroup(int64_t number,
                                                       std::span<const int64_t> processes) = 0;
  /// Called before groups are made. setNames: the names of processes in messages. setPatience: the seconds
  /// that an exchange waits for processes that are alive.
  virtual void setNames(NameOfProcess given) { names = std::move(given); }
  virtual void setPatience(double seconds) { patience = seconds; }
  /// A process that groups of this process exchange bytes with and whose machine does not respond any more,
  /// if there is one; any thread. Exchanges with it wait a while for the verdict of the job.
  virtual std::optional<int64_t> unreachable() const { return std::nullopt; }
  /// Called when all groups are made: no further connections are accepted.
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
