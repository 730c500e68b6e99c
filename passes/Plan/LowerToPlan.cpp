// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowers schedules, sections, homes and buckets to the plan dialect: one op per instruction, buffer and
// state.

#include "dialects/Dist/IR/BucketSplits.h"
#include "dialects/Dist/IR/DistChunks.h"
#include "dialects/Graph/IR/ParameterGroups.h"
#include "passes/Dist/Kernels.h"
#include "passes/Flow/PlanMemory.h"
#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/homes/StagingHomes.h"
#include "passes/Flow/waits/LaneOrder.h"
#include "passes/Plan/Passes.h"

using namespace mlir;

namespace windlass::plandialect {

#define GEN_PASS_DEF_LOWERTOPLAN
#include "passes/Plan/Passes.h.inc"

namespace {

class ModuleLowering {
public:
  explicit ModuleLowering(ModuleOp module)
      : module(module), names(module), homes(module), builder(module.getContext()) {
    builder.setInsertionPointToEnd(module.getBody());
  }

  void run() {
    lowerArenas();
    for (auto home : module.getOps<flow::HomeOp>())
      lowerHome(home);
    for (auto bucket : module.getOps<dist::BucketOp>()) {
      lowerStates(bucket);
      lowerGradients(bucket);
    }
    for (auto schedule : llvm::to_vector(module.getOps<flow::ScheduleOp>()))
      lowerSchedule(schedule);
    for (auto section : llvm::to_vector(module.getOps<flow::SectionOp>()))
      lowerSection(section);
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (isa<flow::HomeOp, flow::ScheduleOp, flow::SectionOp, dist::BucketOp>(op))
        op.erase();
  }

private:
  Location loc() { return module.getLoc(); }
  StringAttr text(const Twine &words) { return builder.getStringAttr(words); }

  void lowerArenas() {
    for (plan::Tier tier : {plan::Tier::Device, plan::Tier::Host, plan::Tier::Nvme})
      if (const flow::Arena arena = flow::arenaOf(module, tier); arena.bytes > 0)
        ArenaOp::create(builder, loc(), tier, arena.bytes, arena.lowerBound, arena.capacity);
  }

  IntegerAttr ownerAttr(int64_t owner) {
    return owner < 0 ? IntegerAttr() : builder.getI64IntegerAttr(owner);
  }

  void lowerHome(flow::HomeOp home) {
    auto buffer = BufferOp::create(
        builder, home.getLoc(), ("home." + home.getSymName()).str(), home.getSymName(), home.getBufferClass(),
        *home.getTier(), static_cast<int64_t>(home.getOffset()), static_cast<int64_t>(home.getBytes()),
        home.getBufferClass() != plan::BufferClass::Workspace, ownerAttr(home.getOwner()),
        static_cast<int64_t>(home.getSlots()));
    bufferOf[home] = FlatSymbolRefAttr::get(buffer.getSymNameAttr());
  }

  /// The cut of a class of a bucket's states over ranks.
  struct Cut {
    bool sharded = true;
    int64_t parts = 1; ///< of a unit's piece
    ArrayAttr over;
  };

  void lowerStates(dist::BucketOp bucket) {
    for (auto attr : bucket.getClasses().getAsRange<graph::RoleAttr>()) {
      graph::Role role = attr.getValue();
      const Cut cut{bucket.isSharded(role), role == graph::Role::Parameter ? 1 : bucket.parts(),
                    bucket.axesOf(role)};
      Type element = flow::elementOf(bucket, role);
      int64_t inShard = 0;
      for (auto [number, unit] : llvm::enumerate(bucket.getUnits().getAsRange<dist::UnitAttr>())) {
        flow::HomeOp home = homes.of(bucket, role, cut.sharded ? -1 : number);
        OperandAttr place = placeOf(bucket, home, cut, number, flow::bytesOf(element), inShard);
        lowerMembers(bucket, unit, role, element, cut, place,
                     [&](dist::MemberAttr member) { return initOf(member, role); });
      }
    }
  }

  /// The bytes of a rank's elements of a unit: in the shard, behind those of earlier units, or in a home of
  /// their own.
  OperandAttr placeOf(dist::BucketOp bucket, flow::HomeOp home, const Cut &cut, size_t unit,
                      int64_t elementBytes, int64_t &inShard) {
    int64_t held = cut.sharded ? bucket.getPieces()[unit] / cut.parts
                               : bucket.sharers() * cast<dist::UnitAttr>(bucket.getUnits()[unit]).getPiece();
    int64_t offset = cut.sharded ? std::exchange(inShard, inShard + held * elementBytes) : 0;
    return OperandAttr::get(module.getContext(), bufferOf.lookup(home), offset, held * elementBytes, {});
  }

  void lowerMembers(dist::BucketOp bucket, dist::UnitAttr unit, graph::Role role, Type element,
                    const Cut &cut, OperandAttr place,
                    llvm::function_ref<graph::InitAttr(dist::MemberAttr)> initOf) {
    const bool isCut = cut.sharded && !bucket.getOwner();
    const auto attr = graph::RoleAttr::get(module.getContext(), role);
    for (dist::MemberAttr member : unit.getMembers())
      StateOp::create(builder, bucket.getLoc(), member.getOriginal(), attr, TypeAttr::get(element),
                      member.getShape(), bucket.getGroupAttr(), initOf(member), unit.getName(),
                      builder.getI64IntegerAttr(member.getOffset()),
                      builder.getI64IntegerAttr(unit.getPiece() / cut.parts),
                      isCut ? builder.getUnitAttr() : UnitAttr(), place, bucket.getSymNameAttr(),
                      member.getSlice(), cut.over, dist::splitOf(bucket, member));
  }

  /// Lowers the gradients of a bucket, which are one shard at every ZeRO stage. For a tensor with several
  /// uses, the update leaves the sum in the first accumulator.
  void lowerGradients(dist::BucketOp bucket) {
    flow::HomeOp home = homes.of(bucket, graph::Role::Gradient);
    if (!home || !home.getElement() || bucket.getClasses().empty() ||
        bucket.getGroup() == graph::kStatisticsGroup) // not trained, no gradient, or at rest on another stage
      return;
    const Cut cut{true, bucket.parts(), bucket.gradientAxes()};
    const Type element = *home.getElement();
    int64_t inShard = 0;
    for (auto [number, unit] : llvm::enumerate(bucket.getUnits().getAsRange<dist::UnitAttr>()))
      lowerMembers(bucket, unit, graph::Role::Gradient, element, cut,
                   placeOf(bucket, home, cut, number, flow::bytesOf(element), inShard),
                   [&](dist::MemberAttr) { return zero(); });
  }

  /// The initialiser of a state: zero for moments; that of the parameter for its master, too.
  graph::InitAttr initOf(dist::MemberAttr member, graph::Role role) {
    if (role == graph::Role::Parameter || role == graph::Role::Master)
      return member.getInit();
    return zero();
  }

  graph::InitAttr zero() {
    FloatAttr number = builder.getF64FloatAttr(0);
    return graph::InitAttr::get(module.getContext(), false, number, number, graph::SourceAttr());
  }

  //===--------------------------------------------------------------------===//
  // Sections
  //===--------------------------------------------------------------------===//

  static std::string symbolOf(StringRef section) { return (section + "_section").str(); }

  void lowerSchedule(flow::ScheduleOp schedule) {
    SmallVector<Attribute> sections;
    for (auto section : schedule.getSections().getAsRange<FlatSymbolRefAttr>())
      sections.push_back(FlatSymbolRefAttr::get(text(symbolOf(section.getValue()))));
    ScheduleOp::create(builder, schedule.getLoc(), schedule.getPurpose(), builder.getArrayAttr(sections),
                       schedule.getTimes());
  }

  void lowerSection(flow::SectionOp section) {
    flow::LaneOrder order(section);
    int64_t number = 0;
    for (auto alloc : section.getBody().front().getOps<flow::AllocOp>()) {
      flow::BufferType type = flow::bufferType(alloc.getBuffer());
      auto buffer = BufferOp::create(
          builder, alloc.getLoc(), (section.getSymName() + "." + Twine(number++)).str(), alloc.getName(),
          alloc.getBufferClass(), *type.getTier(), static_cast<int64_t>(alloc.getOffset()), type.getBytes(),
          false, ownerAttr(type.getOwner()));
      symbols[alloc.getBuffer()] = FlatSymbolRefAttr::get(buffer.getSymNameAttr());
    }
    for (auto use : section.getBody().front().getOps<flow::UseOp>())
      symbols[use.getBuffer()] = bufferOf.lookup(homes.of(use));
    auto lowered = SectionOp::create(builder, section.getLoc(), symbolOf(section.getSymName()),
                                     section.getSymName(), static_cast<int64_t>(section.getAdvance()));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&lowered.getBody().emplaceBlock());
    for (auto [i, op] : llvm::enumerate(order.instructions))
      lowerInstruction(op, order.lanes[i], order.ordinals[i]);
  }

  Attribute place(Value buffer) {
    flow::BufferRange range = flow::resolveBuffer(buffer);
    return OperandAttr::get(module.getContext(), symbols.lookup(range.root), range.offset, range.bytes,
                            range.strides);
  }

  ArrayAttr places(ValueRange first, ValueRange second = {}, ValueRange third = {}) {
    SmallVector<Attribute> all;
    for (ValueRange values : {first, second, third})
      for (Value value : values)
        all.push_back(place(value));
    return builder.getArrayAttr(all);
  }

  /// The program of the stage that sends or receives the other end of a message.
  IntegerAttr peer(int64_t part) { return builder.getI64IntegerAttr(dist::stageOfPart(module, part)); }

  /// The operands of a launch. A library kernel that adds to a tensor gets it once, as the result.
  ArrayAttr operandsOf(flow::LaunchOp launch) {
    auto kernel = names.lookup<func::FuncOp>(launch.getKernel());
    SmallVector<Value> inputs = llvm::to_vector(launch.getInputs());
    if (std::optional<unsigned> onto = dist::ontoArgument(kernel); onto && dist::isLibraryKernel(kernel))
      inputs.erase(inputs.begin() + *onto);
    return places(inputs, launch.getOutputs(), launch.getScratch());
  }

  /// Operands of a reduction: the shard, the units, and the staging buffer of the lane if the reduction needs
  /// it. The flag says whether a staging buffer was appended.
  std::pair<ArrayAttr, UnitAttr> stagedPlaces(flow::CollectiveOpInterface sum, flow::Lane lane) {
    SmallVector<Attribute> all = llvm::to_vector(places(sum.getShard(), sum.getUnits()));
    auto home =
        flow::ranksOfSum(sum) > 1 ? names.lookup<flow::HomeOp>(flow::stagingHome(lane)) : flow::HomeOp();
    if (home)
      all.push_back(OperandAttr::get(module.getContext(), bufferOf.lookup(home), 0,
                                     static_cast<int64_t>(home.getBytes()), {}));
    return {builder.getArrayAttr(all), home ? builder.getUnitAttr() : UnitAttr()};
  }

  void lowerInstruction(flow::InstructionOpInterface op, flow::Lane laneOf, int64_t count) {
    auto lane = flow::LaneAttr::get(module.getContext(), laneOf);
    IntegerAttr ordinal = builder.getI64IntegerAttr(count);
    const flow::OriginAttr origin = op.origin();
    const ArrayAttr waits = op.waits() ? op.waits() : builder.getArrayAttr({});
    TypeSwitch<Operation *>(op)
        .Case([&](flow::LaunchOp launch) {
          LaunchOp::create(builder, op.getLoc(), lane, ordinal, operandsOf(launch), waits, origin,
                           launch.getKernelAttr(), launch.getBeginAttr(), launch.getEndAttr());
        })
        .Case([&](flow::AllGatherOp gather) {
          AllGatherOp::create(builder, op.getLoc(), lane, ordinal,
                              places(gather.getShard(), gather.getUnits()), waits, origin,
                              gather.getPieceBytesAttr(), gather.getOverAttr());
        })
        .Case([&](flow::BroadcastOp broadcast) {
          BroadcastOp::create(builder, op.getLoc(), lane, ordinal,
                              places(broadcast.getShard(), broadcast.getUnits()), waits, origin,
                              broadcast.getPieceBytesAttr(), broadcast.getOverAttr());
        })
        .Case([&](flow::ReduceOp reduce) {
          auto [operands, staged] = stagedPlaces(reduce, laneOf);
          ReduceOp::create(builder, op.getLoc(), lane, ordinal, operands, waits, origin,
                           reduce.getPieceBytesAttr(), reduce.getElementAttr(), reduce.getOverAttr(), staged);
        })
        .Case([&](flow::ReduceScatterOp reduce) {
          auto [operands, staged] = stagedPlaces(reduce, laneOf);
          ReduceScatterOp::create(builder, op.getLoc(), lane, ordinal, operands, waits, origin,
                                  reduce.getPieceBytesAttr(), reduce.getElementAttr(), reduce.getOverAttr(),
                                  staged);
        })
        .Case([&](flow::SendOp send) {
          SendOp::create(builder, op.getLoc(), lane, ordinal, places(send.getBuffer()), waits, origin,
                         send.getItemAttr(), peer(send.getTo()));
        })
        .Case([&](flow::RecvOp recv) {
          RecvOp::create(builder, op.getLoc(), lane, ordinal, places(recv.getBuffer()), waits, origin,
                         recv.getItemAttr(), peer(recv.getFrom()));
        })
        .Case([&](flow::FeedOp feed) {
          FeedOp::create(builder, op.getLoc(), lane, ordinal, places(feed.getBuffer()), waits, origin,
                         feed.getItemAttr());
        })
        .Case([&](flow::ReportOp report) {
          ReportOp::create(builder, op.getLoc(), lane, ordinal, places(report.getBuffer()), waits, origin,
                           report.getItemAttr());
        })
        .Case([&](flow::TransferOp transfer) {
          ArrayAttr ends = places(transfer.getSource(), transfer.getTarget());
          switch (transfer.getKind()) {
          case flow::TransferKind::Upload:
            UploadOp::create(builder, op.getLoc(), lane, ordinal, ends, waits, origin);
            return;
          case flow::TransferKind::Offload:
            OffloadOp::create(builder, op.getLoc(), lane, ordinal, ends, waits, origin);
            return;
          case flow::TransferKind::Read:
            ReadOp::create(builder, op.getLoc(), lane, ordinal, ends, waits, origin);
            return;
          case flow::TransferKind::Write:
            WriteOp::create(builder, op.getLoc(), lane, ordinal, ends, waits, origin);
            return;
          }
        });
  }

  ModuleOp module;
  const SymbolTable names; ///< of what is lowered
  flow::HomeTable homes;
  OpBuilder builder;
  llvm::DenseMap<Operation *, FlatSymbolRefAttr> bufferOf; ///< by home
  llvm::DenseMap<Value, FlatSymbolRefAttr> symbols;
};

struct LowerToPlanPass : impl::LowerToPlanBase<LowerToPlanPass> {
  void runOnOperation() override { ModuleLowering(getOperation()).run(); }
};

} // namespace
} // namespace windlass::plandialect
