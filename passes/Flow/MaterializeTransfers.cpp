// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes every movement between tiers an instruction.

#include "passes/Flow/Passes.h"
#include "passes/Flow/PlanMemory.h"
#include "passes/Flow/homes/AwayFromDevice.h"
#include "passes/Flow/homes/BorrowedParameters.h"
#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/homes/Staging.h"
#include "passes/Flow/lowering/SectionLowering.h"
#include "passes/Flow/lowering/SectionOrder.h"

using namespace mlir;

namespace windlass::flow {

#define GEN_PASS_DEF_MATERIALIZETRANSFERS
#include "passes/Flow/Passes.h.inc"

namespace {

/// Sets the tier of uses and views to that of their home.
void retypeUses(SectionOp section, const HomeTable &homes) {
  for (Operation &op : section.getBody().front()) {
    if (auto use = dyn_cast<UseOp>(op))
      use.getBuffer().setType(typeOf(homes.of(use)));
    if (auto view = dyn_cast<ViewOp>(op))
      view.getBuffer().setType(BufferType::get(op.getContext(), bufferType(view.getBuffer()).getBytes(),
                                               bufferType(view.getSource()).getTier()));
  }
}

/// The tier where work on homes of a tier runs: for NVMe, the host.
Tier workTier(Tier home) { return home == Tier::Device ? Tier::Device : Tier::Host; }

class SectionMaterializer {
public:
  SectionMaterializer(SectionOp section, const HomeTable &homes, dist::KernelTable &kernels,
                      int64_t chunkElements)
      : section(section), homes(homes), chunkElements(std::max<int64_t>(4096, chunkElements / 4096 * 4096)),
        staging(section, kernels), borrowed(homes) {}

  void run() {
    retypeUses(section, homes);
    offloadCheckpoints(section, staging);
    offloadSlots(section, homes, staging);
    sumGradients(section, homes, staging);
    for (Operation &op : llvm::make_early_inc_range(section.getBody().front())) {
      if (auto collective = dyn_cast<CollectiveOpInterface>(op)) {
        moveUnits(collective);
        legalize(cast<InstructionOpInterface>(op), Tier::Device);
      } else if (auto launch = dyn_cast<LaunchOp>(op)) {
        borrowParameters(launch);
        const Tier tier = launchTier(launch);
        moveScratch(launch, tier);
        legalize(launch, tier);
      } else if (isa<SendOp, RecvOp>(op))
        legalize(cast<InstructionOpInterface>(op), Tier::Device);
      else if (auto update = dyn_cast<UpdateOp>(op))
        expand(update);
    }
    placeReleases(section);
  }

private:
  /// A launch reads whole parameters that rest elsewhere from their copies on the device.
  void borrowParameters(LaunchOp launch) {
    staging.at(launch);
    for (Value parameter : borrowed.firstReadBy(launch))
      copies[parameter] = staging.bring(parameter, Tier::Device);
    if (!BorrowedParameters::borrows(launch))
      return;
    for (OpOperand &operand : launch->getOpOperands()) {
      BufferRange range = resolveBuffer(operand.get());
      if (Value copy = copies.lookup(range.root); copy && copy != range.root)
        operand.set(staging.view(copy, range.offset, range.bytes));
    }
  }

  /// A launch on a home runs in the tier of the home. A launch that pads blocks on their way to NVMe runs on
  /// the host.
  Tier launchTier(LaunchOp launch) {
    for (Value operand : launch.getOperands())
      if (HomeOp home = homes.behind(operand); home && home.getBufferClass() != BufferClass::Workspace)
        return workTier(*home.getTier());
    bool isOnHost = llvm::all_of(launch.getOperands(),
                                 [](Value operand) { return bufferType(operand).getTier() == Tier::Host; });
    return isOnHost ? Tier::Host : Tier::Device;
  }

  /// What a launch has for itself lies where it runs.
  static void moveScratch(LaunchOp launch, Tier tier) {
    for (Value scratch : launch.getScratch())
      if (scratch.getDefiningOp<AllocOp>())
        scratch.setType(BufferType::get(launch.getContext(), bufferType(scratch).getBytes(), tier));
  }

  /// Units of a collective that lie side by side in one buffer of another tier move in one transfer, for they
  /// may share a block of NVMe.
  void moveUnits(CollectiveOpInterface collective) {
    if (collective.getUnits().size() < 2)
      return;
    BufferRange all = resolveBuffer(collective.getUnits().front());
    int64_t end = all.offset;
    for (Value unit : collective.getUnits()) {
      BufferRange range = resolveBuffer(unit);
      if (range.root != all.root || bufferType(range.root).getTier() == Tier::Device)
        return;
      all.offset = std::min(all.offset, range.offset);
      end = std::max(end, range.offset + range.bytes);
    }
    auto instruction = cast<InstructionOpInterface>(collective.getOperation());
    staging.at(instruction);
    Value span = staging.view(all.root, all.offset, end - all.offset);
    Value here =
        collective.bringsUnits() ? staging.room(span, Tier::Device) : staging.bring(span, Tier::Device);
    for (OpOperand &operand : instruction->getOpOperands())
      if (BufferRange range = resolveBuffer(operand.get()); range.root == all.root)
        operand.set(staging.view(here, range.offset - all.offset, range.bytes));
    staging.after(instruction);
    if (collective.bringsUnits())
      staging.send(here, span);
  }

  /// Brings operands that are read, and sends those that are written, if they lie in another tier.
  void legalize(InstructionOpInterface op, Tier tier) {
    staging.at(op);
    llvm::DenseMap<Value, Value> moved;
    for (Value read : op.getReads())
      if (bufferType(read).getTier() != tier && !moved.count(read))
        moved[read] = staging.bring(read, tier);
    SmallVector<Value> written;
    for (Value write : op.getWrites()) {
      if (bufferType(write).getTier() == tier)
        continue;
      if (!moved.count(write))
        moved[write] = staging.room(write, tier);
      written.push_back(write);
    }
    for (OpOperand &operand : op->getOpOperands())
      if (Value here = moved.lookup(operand.get()))
        operand.set(here);
    staging.after(op);
    for (Value write : written)
      staging.send(moved[write], write);
  }

  //===--------------------------------------------------------------------===//
  // Updates
  //===--------------------------------------------------------------------===//

  struct Argument {
    SmallVector<Value> buffers;
    bool whole = false;
    int64_t elementBytes = 0; ///< 0: a scalar
    bool input = false;
  };

  SmallVector<Argument> argumentsOf(UpdateOp update) {
    SmallVector<Argument> arguments;
    int64_t at = 0;
    for (auto [i, count] : llvm::enumerate(update.getCounts())) {
      arguments.push_back(
          {llvm::to_vector(llvm::map_range(update.getBuffers().slice(at, count), [](Value v) { return v; })),
           update.getWhole()[i], update.getElementBytes()[i],
           static_cast<int64_t>(i) < static_cast<int64_t>(update.getNumInputs())});
      at += count;
    }
    return arguments;
  }

  void expand(UpdateOp update) {
    SmallVector<Argument> arguments = argumentsOf(update);
    HomeOp home = homes.ofUpdate(update);
    Tier tier = home ? workTier(*home.getTier()) : Tier::Device;
    bool streams = llvm::any_of(arguments, [&](const Argument &argument) {
      return argument.elementBytes && bufferType(argument.buffers.front()).getTier() != tier;
    });
    int64_t elements = 0;
    for (int64_t piece : update.getPieces())
      elements += piece;
    staging.at(update);
    unitCopies.clear();
    int64_t chunk = streams ? chunkElements : elements;
    for (int64_t begin = 0; begin < elements; begin += chunk)
      expandChunk(update, arguments, tier, begin, std::min(elements, begin + chunk), elements);
    update.erase();
  }

  /// Elements [begin, end) of the shard: bring, launch, send.
  void expandChunk(UpdateOp update, ArrayRef<Argument> arguments, Tier tier, int64_t begin, int64_t end,
                   int64_t elements) {
    SmallVector<Value> here(arguments.size());      // a buffer that holds the chunk, or the scalar
    SmallVector<int64_t> base(arguments.size(), 0); // element of the shard at its start
    SmallVector<std::pair<Value, Value>> sends;
    llvm::DenseMap<Value, Value> moved; // by buffer: a state that is read and written has one staging buffer
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      Value buffer = argument.buffers.front();
      if (!argument.elementBytes) {
        here[i] = staging.scalar(buffer, tier);
        continue;
      }
      if (bufferType(buffer).getTier() == tier || argument.whole) {
        here[i] = buffer;
        continue;
      }
      // A range that is read includes the padding at the end; a range that is only written does not.
      int64_t from = begin * argument.elementBytes, to = end * argument.elementBytes;
      if (argument.input && end == elements)
        to = std::min(roundUp(to, kShardGranule), bufferType(buffer).getBytes());
      Value &staged = moved[buffer];
      Value range = staging.view(buffer, from, to - from);
      if (!staged)
        staged = argument.input ? staging.bring(range, tier) : staging.room(range, tier);
      if (!argument.input)
        sends.push_back({staging.view(staged, 0, to - from), range});
      here[i] = staged;
      base[i] = begin;
    }
    launchUnits(update, arguments, here, base, tier, begin, end);
    for (auto [staged, range] : sends)
      staging.send(staged, range);
  }

  /// A piece of a whole unit in the tier where the update runs. A unit on NVMe is brought whole and once, for
  /// pieces do not begin at its blocks.
  Value pieceOf(Value unit, Tier tier, int64_t offset, int64_t bytes, ArrayRef<int64_t> strides) {
    if (bufferType(unit).getTier() != Tier::Nvme)
      return staging.bring(staging.view(unit, offset, bytes, strides), tier);
    Value &copy = unitCopies[unit];
    if (!copy)
      copy = staging.bring(unit, tier);
    return staging.view(copy, offset, bytes, strides);
  }

  /// From one rank's piece of a whole unit to the next.
  SmallVector<int64_t> strides(UpdateOp update, int64_t bytes) {
    dist::MeshOp mesh = dist::meshOf(update);
    return mesh ? mesh.strides(update.getOverAttr(), bytes) : SmallVector<int64_t>{bytes};
  }

  /// One launch over the shard; or one per unit, over this rank's piece, where a state is held in whole
  /// units.
  void launchUnits(UpdateOp update, ArrayRef<Argument> arguments, ArrayRef<Value> here,
                   ArrayRef<int64_t> base, Tier tier, int64_t begin, int64_t end) {
    bool perUnit = llvm::any_of(arguments, [](const Argument &argument) { return argument.whole; });
    int64_t start = 0;
    for (auto [unit, piece] : llvm::enumerate(update.getPieces())) {
      int64_t low = perUnit ? std::max(begin, start) : begin,
              high = perUnit ? std::min(end, start + piece) : end;
      if (low < high) {
        SmallVector<Value> inputs, outputs;
        for (auto [i, argument] : llvm::enumerate(arguments)) {
          int64_t bytes = (high - low) * argument.elementBytes;
          Value value = here[i];
          if (argument.whole)
            value = pieceOf(argument.buffers[unit], tier, (low - start) * argument.elementBytes, bytes,
                            strides(update, piece * argument.elementBytes));
          else if (argument.elementBytes)
            value = staging.view(value, (low - base[i]) * argument.elementBytes, bytes);
          (argument.input ? inputs : outputs).push_back(value);
        }
        staging.launch(update.getKernel(), inputs, outputs, high - low,
                       cast<InstructionOpInterface>(update.getOperation()).origin());
      }
      if (!perUnit)
        return;
      start += piece;
    }
  }

  SectionOp section;
  const HomeTable &homes;
  int64_t chunkElements;
  Staging staging;
  BorrowedParameters borrowed;
  llvm::DenseMap<Value, Value> copies;     ///< of borrowed parameters on the device, by buffer
  llvm::DenseMap<Value, Value> unitCopies; ///< whole units an update works on, by buffer
};

struct MaterializeTransfersPass : impl::MaterializeTransfersBase<MaterializeTransfersPass> {
  using MaterializeTransfersBase::MaterializeTransfersBase;

  void runOnOperation() override {
    for (auto home : getOperation().getOps<HomeOp>())
      if (!home.getTier()) {
        home.emitError("home '") << home.getSymName() << "' has no tier; place it first";
        return signalPassFailure();
      }
    materializeTransfers(getOperation(), chunkElements);
  }
};

} // namespace

void materializeTransfers(ModuleOp module, int64_t chunkElements) {
  HomeTable homes(module);
  dist::KernelTable kernels(module);
  for (auto section : module.getOps<SectionOp>())
    SectionMaterializer(section, homes, kernels, chunkElements).run();
}

} // namespace windlass::flow
