// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold when the dist level ends.

#include "passes/Dist/Passes.h"

using namespace mlir;

namespace windlass::dist {

#define GEN_PASS_DEF_VERIFYDIST
#include "passes/Dist/Passes.h.inc"

namespace {

struct VerifyDistPass : impl::VerifyDistBase<VerifyDistPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    const SymbolTable symbols(module);
    bool good = true;
    auto refuse = [&](Operation *op, const Twine &rule) {
      op->emitError("verify-dist: ") << rule;
      good = false;
    };
    std::map<std::pair<std::string, int>, Operation *> writes;
    for (Operation &top : *module.getBody()) {
      if (top.hasAttr(kKernelAttr))
        continue;
      top.walk([&](Operation *op) {
        if (isa<graph::StateOp, graph::ReadOp, graph::WriteOp>(op))
          refuse(op, "a whole state is left; partition must have cut it");
        if (isa<graph::IterationSpaceOpInterface>(op))
          refuse(op, "compute is left outside kernels; form-kernels must have outlined it");
        if (auto write = dyn_cast<WriteOp>(op)) {
          auto [first, fresh] =
              writes.insert({{write.getBucket().str(), static_cast<int>(write.getRole())}, op});
          if (!fresh)
            refuse(op, "bucket '" + write.getBucket() + "' is written a second time");
        }
        if (auto read = dyn_cast<ReadOp>(op))
          checkHeld(op, symbols, read.getBucket(), read.getRole(), read.getValues().getTypes(), refuse);
        if (auto write = dyn_cast<WriteOp>(op))
          checkHeld(op, symbols, write.getBucket(), write.getRole(), write.getValues().getTypes(), refuse);
      });
    }
    if (!good)
      signalPassFailure();
  }

  /// A read or write moves the bucket's shard, or all its whole units.
  void checkHeld(Operation *op, const SymbolTable &symbols, StringRef symbol, graph::Role role,
                 TypeRange types, llvm::function_ref<void(Operation *, const Twine &)> refuse) {
    auto bucket = symbols.lookup<BucketOp>(symbol);
    if (!bucket)
      return refuse(op, "'" + symbol + "' is no bucket of this module");
    if (!bucket.isSharded(role)) {
      if (types.size() != bucket.getUnits().size())
        refuse(op, "bucket '" + symbol + "' has " + Twine(bucket.getUnits().size()) + " whole units, found " +
                       Twine(types.size()));
      return;
    }
    int64_t elements = types.size() == 1 ? cast<RankedTensorType>(types.front()).getNumElements() : -1;
    if (int64_t held = bucket.getShardElements(role); elements != held)
      refuse(op, "the shard of bucket '" + symbol + "' has " + Twine(held) + " elements, found " +
                     Twine(elements));
  }
};

} // namespace
} // namespace windlass::dist
