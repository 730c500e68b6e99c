// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- EnumWord.h - an enum attribute as a bare word =========================//
//
// Duty: the directive `custom<Word>($attribute)` of assembly formats, for ops that hold an EnumAttr:
// `tier(host)`. Without the directive an EnumAttr prints a space before its word, as in `#flow<tier host>`.
// Sources that define ops include this header before the generated definitions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/OpImplementation.h"

namespace windlass {

template <typename EnumAttr> mlir::ParseResult parseWord(mlir::OpAsmParser &parser, EnumAttr &attribute) {
  auto value = mlir::FieldParser<decltype(attribute.getValue())>::parse(parser);
  if (mlir::failed(value))
    return mlir::failure();
  attribute = EnumAttr::get(parser.getContext(), *value);
  return mlir::success();
}

template <typename EnumAttr>
void printWord(mlir::OpAsmPrinter &printer, mlir::Operation *, EnumAttr attribute) {
  printer << stringifyEnum(attribute.getValue());
}

} // namespace windlass
