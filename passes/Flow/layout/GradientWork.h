// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GradientWork.h - what sums of gradients take, by where they rest ====//
//
// Duty: of a lowered module without tiers, which launches add to gradients on the device wherever these rest,
// and how many bytes of them leave the device where they rest elsewhere. A section that stores a gradient and
// then adds to it does so on the device, and sends the sum (AwayFromDevice.h); others send each term to where
// the sum rests, and there it is added.
// Units: bytes of one run of a section. Threads, ownership: refers to the table of homes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/homes/Homes.h"
#include "llvm/ADT/DenseSet.h"

namespace windlass::flow {

class GradientWork {
public:
  GradientWork(mlir::ModuleOp module, const HomeTable &homes);

  bool isOnDevice(LaunchOp launch) const { return onDevice.contains(launch); }
  /// Of a home, in a run of a section.
  double bytesLeaving(SectionOp section, HomeOp home) const { return leaving.lookup({section, home}); }

private:
  void add(SectionOp section, const HomeTable &homes);

  llvm::DenseSet<mlir::Operation *> onDevice;
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Operation *>, double> leaving;
};

} // namespace windlass::flow
