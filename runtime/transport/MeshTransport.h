// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MeshTransport.h - a transport for every group of a mesh ===============//
//
// Duty: the ranks of a plan exchange bytes in groups over some axes of the mesh (plan/Groups.h), and in pairs
// where one program sends to another (plan/Meetings.h). Each group is a Transport of its own, in which ranks
// are numbered by their place: sums within a group are in rank order because places are. Lanes have groups of
// their own, for they exchange at the same time; over streams the collectives of a lane stand in its stream,
// whatever their groups.
// On a lane a rank calls its groups one at a time, in the plan's order, which is the same on all ranks: of
// the calls that wait, the one that stands first in that order has every rank it waits for on its way to it.
// So no two groups wait for each other.
// Ownership: owns the groups; the plan must outlive it.
// Threads: as Transport; `abort` from any. Errors: those of whoever makes a group.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Groups.h"
#include "runtime/plan/Meetings.h"
#include "runtime/transport/Transport.h"
#include <functional>
#include <memory>

namespace windlass {

class MeshTransport {
public:
  /// A rank's place in one of its groups.
  struct Member {
    Transport *group = nullptr;
    int64_t place = 0;
  };

  /// A rank that exchanges bytes, and the lane of it that does.
  struct Party {
    int64_t rank = 0;
    plan::Lane lane = plan::Lane::Gg;
  };

  /// A transport between some ranks of the plan, in their order; null where none of them is of this process.
  /// It is called for the same groups in the same order in every process.
  using MakeGroup = std::function<Result<std::unique_ptr<Transport>>(std::span<const Party> parties)>;

  /// Groups over every set of axes that a collective of the plan runs over, on its lane; and for each channel
  /// of messages a pair for each rank that sends, at place 0, to one that receives, at place 1.
  static Result<MeshTransport> create(const plan::Plan &plan, const MakeGroup &make);

  /// Allocates nothing. Lane and axes must be those of a collective of the plan.
  Member at(plan::Lane lane, plan::Axes axes, int64_t rank) const;
  /// Allocates nothing. `channel`: index into plan::channelsOf, of one that carries messages of the rank.
  Member onChannel(size_t channel, int64_t rank) const {
    return channels[channel].members[static_cast<size_t>(rank)];
  }

  /// Releases every rank that waits in any group; for good.
  void abort();

private:
  /// Groups that exchange apart from all others.
  struct Communicator {
    std::vector<std::unique_ptr<Transport>> groups;
    std::vector<Member> members; ///< per rank of the plan
  };
  struct Collectives : Communicator {
    plan::Lane lane;
    plan::Axes axes;
  };
  const Collectives *find(plan::Lane lane, plan::Axes axes) const;
  Status addCollective(const plan::Plan &plan, const plan::Instruction &collective, const MakeGroup &make);
  Status addPairs(const plan::Plan &plan, const plan::Channel &channel, const MakeGroup &make);

  std::vector<Collectives> communicators; ///< one per lane and set of axes
  std::vector<Communicator> channels; ///< as plan::channelsOf; without groups where one carries no messages
};

} // namespace windlass
