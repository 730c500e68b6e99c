// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GradientWork.h - where gradients are accumulated ======================//
//
// Duty: finds in a module whose homes have no tier which launches accumulate gradients on the device,
// whatever the tiers of the homes will be, and counts the bytes of gradients that leave the device for a home
// in another tier. There are two cases. A section that first stores a gradient and later adds to it
// accumulates the gradient in a buffer of the device, and sends the sum to its home once (AwayFromDevice.h).
// Any other section sends each term to the tier of the home, and the term is added there. Units: bytes of one
// run of a section. Threads, ownership: refers to the table of homes. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/homes/Homes.h"
#include "llvm/ADT/DenseSet.h"

namespace windlass::flow {

class GradientWork {
public:
  GradientWork(mlir::ModuleOp module, const HomeTable &homes);

  /// Whether a launch accumulates a gradient in a buffer of the device.
  bool isOnDevice(LaunchOp launch) const { return onDevice.contains(launch); }
  /// Bytes of the gradient of a home that leave the device in one run of a section, if its home is elsewhere.
  double bytesLeaving(SectionOp section, HomeOp home) const { return leaving.lookup({section, home}); }

private:
  void add(SectionOp section, const HomeTable &homes);

  llvm::DenseSet<mlir::Operation *> onDevice;
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Operation *>, double> leaving;
};

} // namespace windlass::flow
