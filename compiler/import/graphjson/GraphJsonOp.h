// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphJsonOp.h - one operation of a graph JSON while it is read ========//
//
// Duty: one operation while it is read, for the builders of operations: its inputs, checks of types and
// shapes, its keys; and the table entry of an operation: name, inputs, keys and meaning. Tables:
// GraphJsonElementwise, GraphJsonShapes, GraphJsonLayers, GraphJsonLosses, GraphJsonAttention,
// GraphJsonConvolution, GraphJsonPooling; GraphJsonOps joins them. Numbers are f32; whole numbers and truth
// values (0 and 1) are i32. Errors: noted at the reader's place; a builder then returns nothing. Threads: one
// builder, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/graphjson/Dimensions.h"
#include "dialects/Graph/IR/GraphBuilders.h"
#include <optional>
#include <string>

namespace windlass {

using Values = llvm::SmallVector<mlir::Value>;

struct GraphJsonOp {
  JsonReader &place;
  const Dimensions &dims;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  Values in;

  mlir::RankedTensorType type(size_t i) const { return graph::typeOf(in[i]); }
  llvm::ArrayRef<int64_t> shape(size_t i) const { return type(i).getShape(); }
  int64_t dim(size_t i, int64_t d) const { return type(i).getDimSize(d); }
  int64_t rank(size_t i) const { return type(i).getRank(); }
  int64_t last(size_t i) const { return shape(i).back(); }
  bool isFloat(size_t i) const { return llvm::isa<mlir::FloatType>(type(i).getElementType()); }
  mlir::MLIRContext *context() const { return builder.getContext(); }
  mlir::Type f32() const { return builder.getF32Type(); }
  mlir::Type i32() const { return builder.getI32Type(); }

  // Rules for input i. False if the rule is broken; the error is then noted at the place of the input.
  bool need(bool holds, size_t i, const std::string &rule) const;
  bool needFloats(size_t i) const;
  bool needIntegers(size_t i) const;
  /// Whether no integer of input i is known to reach `count`: known are the ranges of inputs, of constants
  /// and of positions. `but`: a number that stands for none, if it is the largest.
  bool needBelow(size_t i, int64_t count, const std::string &of, int64_t but = -1) const;
  /// Whether no integer of input i is known to be below `least`.
  bool needAtLeast(size_t i, int64_t least) const;
  bool needRank(size_t i, int64_t least) const;
  bool needVector(size_t i, int64_t size) const;
  bool needMatrix(size_t i) const;
  bool needShape(size_t i, llvm::ArrayRef<int64_t> shape) const;

  // Keys. A key with a default may be absent.
  bool flag(std::string_view key) const { return place.has(key) && place.at(key).boolean(); }
  double number(std::string_view key, double otherwise, double low, double high) const;
  /// A dropout rate; 0 without the key.
  double dropoutRate(std::string_view key) const { return number(key, 0, 0, kMostDropped); }
  /// A dimension of input i; -1 is the last one.
  int64_t axis(std::string_view key, size_t i, std::optional<int64_t> otherwise = std::nullopt) const;
  /// Different dimensions of input i.
  Shape axes(std::string_view key, size_t i) const;
  /// Whole numbers.
  Shape integers(std::string_view key) const;
};

struct GraphJsonEntry {
  /// `inputs`: names separated by commas; optional ones in brackets; "..." for any number.
  std::string_view name, inputs, keys, meaning;
  /// The results, none after a failure.
  Values (*build)(GraphJsonOp &);
};

/// The map by which a tensor of shape `part` is read in the loops of `whole`, as numpy broadcasts; nothing if
/// it does not fit.
std::optional<mlir::AffineMap> broadcastMap(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> whole,
                                            llvm::ArrayRef<int64_t> part);
/// The shape that numpy broadcasts two shapes to.
std::optional<Shape> broadcastShape(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
/// `tensor` with its dimensions in another order; `order[i]` is the old place of dimension i.
mlir::Value buildTranspose(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor,
                           llvm::ArrayRef<unsigned> order);

/// The entries of all tables.
llvm::SmallVector<const GraphJsonEntry *> graphJsonEntries();
llvm::ArrayRef<GraphJsonEntry> elementwiseOps();
llvm::ArrayRef<GraphJsonEntry> shapeOps();
llvm::ArrayRef<GraphJsonEntry> layerOps();
llvm::ArrayRef<GraphJsonEntry> lossOps();
llvm::ArrayRef<GraphJsonEntry> attentionOps();
llvm::ArrayRef<GraphJsonEntry> convolutionOps();
llvm::ArrayRef<GraphJsonEntry> poolingOps();

} // namespace windlass
