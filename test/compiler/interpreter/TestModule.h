// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TestModule.h - modules of the interpreter's tests =====================//
//
// Duty: parses a module from text, draws its inputs, and compares tensors.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/Interpreter.h"
#include "dialects/Graph/IR/GraphDialect.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <random>

namespace windlass::interpreter {

/// A module in a context of its own.
struct TestModule {
  explicit TestModule(const std::string &text) {
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                        graph::GraphDialect>();
    context.allowUnregisteredDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  mlir::func::FuncOp function(llvm::StringRef name) { return module->lookupSymbol<mlir::func::FuncOp>(name); }
  bool verifies() { return mlir::succeeded(mlir::verify(*module)); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// `text` with `to` in place of every `from`.
inline std::string replaced(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

inline Tensor randomTensor(mlir::RankedTensorType type, std::mt19937 &random, double low = -1,
                           double high = 1) {
  Tensor tensor(type.getShape());
  std::uniform_real_distribution<double> real(low, high);
  std::uniform_int_distribution<int> integer(static_cast<int>(low), static_cast<int>(high));
  for (double &value : tensor.data)
    value = llvm::isa<mlir::FloatType>(type.getElementType()) ? real(random) : integer(random);
  return tensor;
}

/// Random arguments: floats in [low, high], integers in [0, bound).
inline Tensors randomArguments(mlir::func::FuncOp function, std::mt19937 &random, double low, double high,
                               int bound) {
  Tensors arguments;
  for (mlir::Type type : function.getArgumentTypes()) {
    auto tensor = llvm::cast<mlir::RankedTensorType>(type);
    bool isFloat = llvm::isa<mlir::FloatType>(tensor.getElementType());
    arguments.push_back(randomTensor(tensor, random, isFloat ? low : 0, isFloat ? high : bound - 1));
  }
  return arguments;
}

inline double dot(const Tensor &a, const Tensor &b) {
  double sum = 0;
  for (int64_t i = 0; i < a.size(); ++i)
    sum += a.data[i] * b.data[i];
  return sum;
}

/// Expects every element to differ by at most `tolerance` times the largest expected magnitude, or times 1e-3
/// if that is larger.
inline void expectNear(const Tensor &found, const Tensor &expected, double tolerance) {
  ASSERT_EQ(found.shape, expected.shape);
  double largest = 0;
  for (double value : expected.data)
    largest = std::max(largest, std::fabs(value));
  for (int64_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found.data[i], expected.data[i], tolerance * std::max(largest, 1e-3)) << "element " << i;
}

} // namespace windlass::interpreter
