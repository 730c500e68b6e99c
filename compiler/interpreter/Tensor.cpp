// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/interpreter/Tensor.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"

namespace windlass::interpreter {

double roundTo(double value, mlir::Type type) {
  auto narrow = llvm::dyn_cast<mlir::FloatType>(type);
  if (!narrow || narrow.isF64())
    return value;
  if (narrow.isF32())
    return static_cast<double>(static_cast<float>(value));
  llvm::APFloat rounded(value);
  bool losesInfo = false;
  rounded.convert(narrow.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  rounded.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.convertToDouble();
}

void roundTo(llvm::MutableArrayRef<double> values, mlir::Type type) {
  if (type.isF32()) { // most often
    for (double &value : values)
      value = static_cast<double>(static_cast<float>(value));
    return;
  }
  for (double &value : values)
    value = roundTo(value, type);
}

} // namespace windlass::interpreter
