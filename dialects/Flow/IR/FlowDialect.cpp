// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Flow/IR/FlowDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace windlass::flow;

static constexpr llvm::StringLiteral kUnplaced = "unplaced";

StringRef windlass::flow::stringifyTier(std::optional<Tier> tier) {
  return tier ? stringifyEnum(*tier) : StringRef(kUnplaced);
}

namespace windlass::flow {

/// Parses the tier of a type or attribute.
static FailureOr<std::optional<Tier>> parseTier(AsmParser &parser) {
  std::optional<Tier> tier;
  if (succeeded(parser.parseOptionalKeyword(kUnplaced)))
    return tier;
  FailureOr<Tier> placed = FieldParser<Tier>::parse(parser);
  if (failed(placed))
    return failure();
  tier = *placed;
  return tier;
}

} // namespace windlass::flow

#include "dialects/Flow/IR/FlowDialect.cpp.inc"
#include "dialects/Flow/IR/FlowEnums.cpp.inc"
#include "dialects/Flow/IR/FlowInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Flow/IR/FlowAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Flow/IR/FlowTypes.cpp.inc"

OriginAttr OriginAttr::doing(StringRef what) const {
  return get(getContext(), getFunction(), StringAttr::get(getContext(), what), getPhase(), getMicroBatch());
}

void FlowDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Flow/IR/FlowAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Flow/IR/FlowTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Flow/IR/FlowOps.cpp.inc"
      >();
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t bytes,
                                 std::optional<Tier> tier, int64_t owner, int64_t slots) {
  if (bytes <= 0)
    return emitError() << "a buffer holds at least one byte, found " << bytes;
  if (owner < -1)
    return emitError() << "an owner is a rank, found " << owner;
  if (slots < 0)
    return emitError() << "slots are counted, found " << slots;
  return success();
}
