//===- MeshTransport.h - a transport for every group of a mesh ============//
//
// Duty: the ranks of a plan exchange bytes in groups over some axes of the mesh (plan/Groups.h). Each group
// is a Transport of its own, in which ranks are numbered by their place: sums within a group are in rank
// order because places are. Over streams a rank's collectives stand in one stream, whatever their groups.
// A rank calls the groups it is in one at a time, in the plan's order, which is the same on all ranks: of the
// calls that wait, the one that stands first in that order has every rank it waits for on its way to it. So
// no two groups wait for each other.
// Ownership: owns the groups; the plan must outlive it. Threads: as Transport; `abort` from any.
// Errors: those of whoever makes a group.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Groups.h"
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

  /// A transport between some ranks of the plan, in their order.
  using MakeGroup = std::function<Result<std::unique_ptr<Transport>>(std::span<const int64_t> members)>;

  /// Groups over every set of axes that a collective of the plan runs over.
  static Result<MeshTransport> create(const plan::Plan &plan, const MakeGroup &make);

  /// Allocates nothing. The axes must be those of a collective of the plan.
  Member at(plan::Axes axes, int64_t rank) const;

  /// Releases every rank that waits in any group; for good.
  void abort();

private:
  struct Communicator {
    plan::Axes axes;
    std::vector<std::unique_ptr<Transport>> groups;
    std::vector<Member> members; ///< per rank
  };
  Status add(const plan::Plan &plan, plan::Axes axes, const MakeGroup &make);

  std::vector<Communicator> communicators; ///< one per set of axes
};

} // namespace windlass
