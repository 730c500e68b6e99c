// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Graph/IR/GraphPitch.h"

#include "dialects/Graph/IR/GraphDialect.h"

using namespace mlir;

namespace windlass::graph {

LogicalResult PitchAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                        function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() < 2)
    return emitError() << "a tensor of " << shape.size() << " dimensions has no rows to lie apart";
  if (getElements() < shape.back())
    return emitError() << "rows of " << shape.back() << " elements lie only " << getElements() << " apart";
  return success();
}

int64_t pitchOf(RankedTensorType type) {
  auto pitch = dyn_cast_or_null<PitchAttr>(type.getEncoding());
  return pitch ? pitch.getElements() : type.getShape().back();
}

int64_t storedElements(RankedTensorType type) {
  if (!type.getEncoding())
    return type.getNumElements();
  int64_t elements = pitchOf(type);
  for (int64_t extent : type.getShape().drop_back())
    elements *= extent;
  return elements;
}

RankedTensorType withPitch(RankedTensorType type, int64_t elements) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               PitchAttr::get(type.getContext(), elements));
}

} // namespace windlass::graph
