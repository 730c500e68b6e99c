// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buckets, collectives, packs and launches of the dist level.

#include "compiler/interpreter/Evaluators.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "dialects/Graph/IR/GraphBuilders.h"

using namespace mlir;

namespace windlass::interpreter {

/// "h.0.decay.0.momentum" is a shard, "h.0.decay.0.parameter.u1" a whole unit.
static std::string heldStateName(StringRef bucket, graph::Role role, int64_t unit) {
  std::string name = (bucket + "." + stringifyEnum(role)).str();
  return unit < 0 ? name : name + ".u" + std::to_string(unit);
}

//===----------------------------------------------------------------------===//
// Units and their pieces
//===----------------------------------------------------------------------===//

/// Rank `rank`'s pieces of whole units, back to back; beyond a unit's end they are zero.
static Tensor cutPieces(ArrayRef<Tensor> units, ArrayRef<int64_t> pieces, int64_t rank) {
  Tensor shard(ArrayRef<int64_t>{std::accumulate(pieces.begin(), pieces.end(), int64_t(0))});
  int64_t at = 0;
  for (auto [unit, piece] : llvm::zip_equal(units, pieces)) {
    int64_t end = std::min((rank + 1) * piece, unit.size());
    for (int64_t element = rank * piece; element < end; ++element)
      shard.data[at + element - rank * piece] = unit.data[element];
    at += piece;
  }
  return shard;
}

static Tensors unitsOf(int rank, ValueRange units, const Execution &execution) {
  Tensors tensors;
  for (Value unit : units)
    tensors.push_back(execution.get(rank, unit));
  return tensors;
}

/// The ranks that agree in every axis of the mesh but `over`, in order; without axes all ranks.
using Group = SmallVector<int>;
static SmallVector<Group> groupsOf(Operation *op, std::optional<ArrayAttr> over, const Execution &execution) {
  std::map<int64_t, Group> groups; // by the number that the other axes make
  dist::MeshOp mesh = over ? dist::meshOf(op) : dist::MeshOp();
  for (int rank = 0; rank < execution.ranks(); ++rank) {
    int64_t left = rank, number = 0, weight = 1;
    for (size_t axis = mesh ? mesh.getSizes().size() : 0; axis-- > 0; left /= mesh.getSizes()[axis])
      if (!llvm::is_contained(*over, mesh.getNames()[axis])) {
        number += left % mesh.getSizes()[axis] * weight;
        weight *= mesh.getSizes()[axis];
      }
    groups[number].push_back(rank);
  }
  return llvm::map_to_vector(groups, [](auto &entry) { return entry.second; });
}

static Status gatherIn(const Group &group, dist::AllGatherOp gather, Execution &execution) {
  int64_t base = 0;
  for (auto [unit, piece] : llvm::zip_equal(gather.getUnits(), gather.getPieces())) {
    Tensor whole(shapeOf(unit));
    if (whole.size() > piece * std::ssize(group))
      return Status::badInput(std::to_string(group.size()) + " pieces of " + std::to_string(piece) +
                              " elements cannot hold a unit of " + std::to_string(whole.size()));
    for (int64_t element = 0; element < whole.size(); ++element)
      whole.data[element] =
          execution.get(group[element / piece], gather.getShard()).data[base + element % piece];
    for (int rank : group)
      execution.set(rank, unit, whole);
    base += piece;
  }
  return Status::ok();
}

static Status evaluateAllGather(Operation *op, Execution &execution) {
  auto gather = cast<dist::AllGatherOp>(op);
  for (const Group &group : groupsOf(op, gather.getOver(), execution))
    WINDLASS_TRY(gatherIn(group, gather, execution));
  return Status::ok();
}

/// The sums over a group's ranks of whole units.
static Tensors sumUnits(const Group &group, ValueRange units, const Execution &execution) {
  Tensors sums = unitsOf(group.front(), units, execution);
  for (int rank : ArrayRef(group).drop_front())
    for (auto [sum, unit] : llvm::zip_equal(sums, units))
      for (int64_t i = 0; i < sum.size(); ++i)
        sum.data[i] += execution.get(rank, unit).data[i];
  return sums;
}

static Status evaluateReduceScatter(Operation *op, Execution &execution) {
  auto reduce = cast<dist::ReduceScatterOp>(op);
  for (const Group &group : groupsOf(op, reduce.getOver(), execution)) {
    Tensors sums = sumUnits(group, reduce.getUnits(), execution);
    for (auto [place, rank] : llvm::enumerate(group))
      execution.set(rank, reduce.getShard(), cutPieces(sums, reduce.getPieces(), place));
  }
  return Status::ok();
}

/// Copies: every rank of the interpreter has the owner's shard, and all copies change alike.
static Status evaluateBroadcast(Operation *op, Execution &execution) {
  auto broadcast = cast<dist::BroadcastOp>(op);
  for (int rank = 0; rank < execution.ranks(); ++rank) {
    auto at = execution.get(rank, broadcast.getShard()).data.begin();
    for (auto [unit, piece] : llvm::zip_equal(broadcast.getUnits(), broadcast.getPieces())) {
      Tensor whole(shapeOf(unit));
      if (whole.size() > piece)
        return Status::badInput("a piece of " + std::to_string(piece) + " elements cannot hold a unit of " +
                                std::to_string(whole.size()));
      std::copy_n(at, whole.size(), whole.data.begin());
      execution.set(rank, unit, whole);
      at += piece;
    }
  }
  return Status::ok();
}

static Status evaluateReduce(Operation *op, Execution &execution) {
  auto reduce = cast<dist::ReduceOp>(op);
  for (const Group &group : groupsOf(op, reduce.getOver(), execution)) {
    Tensor sum = cutPieces(sumUnits(group, reduce.getUnits(), execution), reduce.getPieces(), 0);
    for (int rank : group)
      execution.set(rank, reduce.getShard(), sum);
  }
  return Status::ok();
}

static Status evaluateOwnShard(Operation *op, Execution &execution) {
  auto own = cast<dist::OwnShardOp>(op);
  dist::MeshOp mesh = dist::meshOf(op);
  for (int rank = 0; rank < execution.ranks(); ++rank)
    execution.set(rank, own.getShard(),
                  cutPieces(unitsOf(rank, own.getUnits(), execution), own.getPieces(),
                            mesh ? mesh.placeOf(rank, own.getOverAttr()) : rank));
  return Status::ok();
}

static Result<Tensors> evaluatePack(dist::PackOp op, Inputs members, const Options &) {
  Tensor packed(shapeOf(op.getPacked()));
  for (auto [member, offset] : llvm::zip_equal(members, op.getOffsets())) {
    if (offset + member->size() > packed.size())
      return Status::badInput("a member of " + std::to_string(member->size()) + " elements at " +
                              std::to_string(offset) + " leaves a pack of " + std::to_string(packed.size()));
    llvm::copy(member->data, packed.data.begin() + offset);
  }
  return Tensors{packed};
}

static Result<Tensors> evaluateUnpack(dist::UnpackOp op, Inputs packed, const Options &) {
  Tensors members;
  for (auto [member, offset] : llvm::zip_equal(op.getMembers(), op.getOffsets())) {
    Tensor &tensor = members.emplace_back(shapeOf(member));
    if (offset + tensor.size() > packed[0]->size())
      return Status::badInput("a member of " + std::to_string(tensor.size()) + " elements at " +
                              std::to_string(offset) + " leaves a pack of " +
                              std::to_string(packed[0]->size()));
    std::copy_n(packed[0]->data.begin() + offset, tensor.size(), tensor.data.begin());
  }
  return members;
}

/// One slot per piece, evenly spaced over the extent; with owners, a row of slots per place.
static Status evaluateNormSlots(Operation *op, Execution &execution) {
  auto norm = cast<dist::NormSlotsOp>(op);
  int64_t count = 0;
  for (auto pieces : norm.getPieces().getAsRange<DenseI64ArrayAttr>())
    count += pieces.size();
  dist::MeshOp mesh = dist::meshOf(op);
  auto placeOf = [&](int64_t rank) { return mesh ? mesh.placeOf(rank, norm.getOverAttr()) : rank; };
  int64_t rows = !norm.getOwners() ? 1 : mesh ? mesh.groupRanks(norm.getOverAttr()) : execution.ranks();
  for (int rank = 0; rank < execution.ranks(); ++rank) {
    Tensor slots(shapeOf(norm.getSlots()));
    int64_t stride = slots.size() / (rows * count), slot = 0;
    for (auto [number, pieces] : llvm::enumerate(norm.getPieces().getAsRange<DenseI64ArrayAttr>())) {
      int64_t owner = norm.getOwners() ? (*norm.getOwners())[number] : -1;
      int64_t first = owner >= 0 || rows == 1 ? 0 : placeOf(rank), last = owner >= 0 ? rows - 1 : first;
      auto at = execution.get(rank, norm.getShards()[number]).data.begin();
      for (int64_t piece : pieces.asArrayRef()) {
        for (int64_t row = first; row <= last; ++row)
          for (auto end = at + piece; at != end; ++at)
            if (owner < 0 || owner == placeOf(rank))
              slots.data[(row * count + slot) * stride] += *at * *at;
        ++slot;
      }
    }
    execution.set(rank, norm.getSlots(), std::move(slots));
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// States of buckets
//===----------------------------------------------------------------------===//

/// A whole unit as it starts: members at their offsets, zero between them. Moments start at zero.
static Result<Tensor> initialUnit(dist::UnitAttr unit, graph::Role role, Type element, uint64_t seed) {
  Tensor whole(ArrayRef<int64_t>{unit.getElements()});
  if (role != graph::Role::Parameter && role != graph::Role::Master)
    return whole;
  for (dist::MemberAttr member : unit.getMembers()) {
    if (member.getInit().getSource())
      return startsFromFile(member.getOriginal());
    auto type = RankedTensorType::get(member.getShape().asArrayRef(), element);
    Tensor value = initialValue(member.getInit(), member.getOriginal(), type, member.getSlice(), seed);
    llvm::copy(value.data, whole.data.begin() + member.getOffset());
  }
  return whole;
}

static Status evaluateRead(Operation *op, Execution &execution) {
  auto read = cast<dist::ReadOp>(op);
  auto bucket = SymbolTable::lookupNearestSymbolFrom<dist::BucketOp>(op, read.getBucketAttr());
  if (!bucket)
    return Status::badInput("there is no bucket '" + read.getBucket().str() + "'");
  bool sharded = bucket.isSharded(read.getRole());
  for (int rank = 0; rank < execution.ranks(); ++rank)
    for (auto [number, value] : llvm::enumerate(read.getValues())) {
      States &states = execution.states(rank);
      std::string name = heldStateName(read.getBucket(), read.getRole(), sharded ? -1 : number);
      auto known = states.find(name);
      if (known == states.end()) {
        Tensors units;
        for (auto unit : bucket.getUnits().getAsRange<dist::UnitAttr>()) {
          Result<Tensor> initial = initialUnit(unit, read.getRole(), graph::typeOf(value).getElementType(),
                                               execution.options().seed);
          if (!initial)
            return initial.status();
          units.push_back(initial.take());
        }
        // The shard of an owner has all units.
        dist::MeshOp mesh = dist::meshOf(op);
        int64_t place = bucket.getOwner() || !mesh ? 0 : mesh.placeOf(rank, bucket.axesOf(read.getRole()));
        Tensor held = sharded ? cutPieces(units, bucket.getPieces(read.getRole()), place) : units[number];
        held.shape.assign(shapeOf(value).begin(), shapeOf(value).end());
        known = states.emplace(name, std::move(held)).first;
      }
      execution.set(rank, value, known->second);
    }
  return Status::ok();
}

static Status evaluateWrite(Operation *op, Execution &execution) {
  auto write = cast<dist::WriteOp>(op);
  auto bucket = SymbolTable::lookupNearestSymbolFrom<dist::BucketOp>(op, write.getBucketAttr());
  if (!bucket)
    return Status::badInput("there is no bucket '" + write.getBucket().str() + "'");
  bool sharded = bucket.isSharded(write.getRole());
  for (int rank = 0; rank < execution.ranks(); ++rank)
    for (auto [number, value] : llvm::enumerate(write.getValues()))
      execution.write(rank, heldStateName(write.getBucket(), write.getRole(), sharded ? -1 : number),
                      execution.get(rank, value));
  return Status::ok();
}

void addDistEvaluators(Interpreter &interpreter) {
  interpreter.setEvaluator(dist::ReadOp::getOperationName(), evaluateRead);
  interpreter.setEvaluator(dist::WriteOp::getOperationName(), evaluateWrite);
  interpreter.setEvaluator(dist::AllGatherOp::getOperationName(), evaluateAllGather);
  interpreter.setEvaluator(dist::ReduceScatterOp::getOperationName(), evaluateReduceScatter);
  interpreter.setEvaluator(dist::BroadcastOp::getOperationName(), evaluateBroadcast);
  interpreter.setEvaluator(dist::ReduceOp::getOperationName(), evaluateReduce);
  interpreter.setEvaluator(dist::NormSlotsOp::getOperationName(), evaluateNormSlots);
  interpreter.setEvaluator(dist::OwnShardOp::getOperationName(), evaluateOwnShard);
  interpreter.setEvaluator(dist::LaunchOp::getOperationName(), [](Operation *op, Execution &execution) {
    return evaluateCallTo(cast<dist::LaunchOp>(op).getKernel(), op, execution);
  });
  addLocal<dist::PackOp>(interpreter, evaluatePack);
  addLocal<dist::UnpackOp>(interpreter, evaluateUnpack);
}

} // namespace windlass::interpreter
