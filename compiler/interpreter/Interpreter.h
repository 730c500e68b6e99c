// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Interpreter.h - runs graph and dist modules in f64 ====================//
//
// Duty: the test oracle of passes at these levels. Runs functions and steps on N virtual ranks in lockstep:
// each op is evaluated on all ranks before the next, so that a collective is an ordinary evaluator. Every
// graph op is evaluated directly, never by its decomposition. Numbers: f64 throughout; with `roundToTypes`
// every result, and every scalar inside a body, is rounded to its type. Threads: one. Ownership: borrows the
// module, owns states and reports. Errors: Status; an op without an evaluator, a state or feed that is
// missing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/Tensor.h"
#include "runtime/base/Status.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace windlass::interpreter {

struct Options {
  int ranks = 1;
  bool roundToTypes = false;
  /// Whether yields of graph.micro_batches are summed over ranks. Off at the dist level, where collectives
  /// sum.
  bool sumOverRanks = true;
  uint64_t seed = 0; ///< of normal initialisers
};

/// An item that the step reads; the micro-batch is 0 outside of graph.micro_batches.
struct FeedRequest {
  std::string item;
  mlir::RankedTensorType type;
  int64_t bound;
  int rank;
  int64_t microBatch;
};
using FeedFn = std::function<Result<Tensor>(const FeedRequest &)>;

struct Report {
  std::string item;
  int rank;
  int64_t microBatch;
  Tensor value;
};

using Tensors = std::vector<Tensor>;
using States = std::map<std::string, Tensor, std::less<>>;

class Execution;
/// Evaluates one op on all ranks.
using Evaluator = std::function<Status(mlir::Operation *, Execution &)>;

class Interpreter {
public:
  explicit Interpreter(mlir::ModuleOp module, Options options = {});

  /// Adds or replaces how the ops of a name are evaluated ("dist.all_gather").
  void setEvaluator(llvm::StringRef name, Evaluator evaluator) { evaluators[name] = std::move(evaluator); }

  /// A function on one rank's tensors, or on every rank's.
  Result<Tensors> call(llvm::StringRef function, Tensors arguments);
  Result<std::vector<Tensors>> callOnRanks(llvm::StringRef function, std::vector<Tensors> arguments);
  /// One run of a graph.step: reads states, takes feeds, writes states at its end.
  Result<std::vector<Report>> runStep(llvm::StringRef step, const FeedFn &feed);

  /// The states of one rank by name: graph.states, or a rank's shards and units of buckets
  /// ("h.0.decay.0.momentum", "h.0.decay.0.parameter.u1" for a whole unit). A state without a value gets its
  /// initial value when read.
  States &states(int rank = 0) { return rankStates[rank]; }
  const Options &getOptions() const { return options; }
  mlir::ModuleOp getModule() const { return module; }

private:
  friend class Execution;
  mlir::ModuleOp module;
  Options options;
  llvm::StringMap<Evaluator> evaluators;
  std::vector<States> rankStates;
};

/// The state of a run, for evaluators.
class Execution {
public:
  Execution(Interpreter &interpreter, const FeedFn &feed) : interpreter(interpreter), feed(feed) {
    values.resize(ranks());
    written.resize(ranks());
  }

  int ranks() const { return interpreter.options.ranks; }
  const Options &options() const { return interpreter.options; }
  const Tensor &get(int rank, mlir::Value value) const { return values[rank].find(value)->second; }
  /// Sets the value, rounded to its type if the options say so.
  void set(int rank, mlir::Value value, Tensor tensor);

  /// Runs a block on all ranks, up to its terminator.
  Status runBlock(mlir::Block &block);
  /// Calls a function on all ranks; the results are those of each rank.
  Result<std::vector<Tensors>> call(mlir::func::FuncOp function, std::vector<Tensors> arguments);
  /// The function called `name`, null if there is none.
  mlir::func::FuncOp lookup(llvm::StringRef name) const;

  States &states(int rank) { return interpreter.rankStates[rank]; }
  /// A state's value from the end of the step on.
  void write(int rank, llvm::StringRef name, Tensor value) { written[rank][name.str()] = std::move(value); }
  void commitWrites();

  Result<Tensor> takeFeed(FeedRequest request) const;
  void report(Report report) { reports.push_back(std::move(report)); }
  std::vector<Report> takeReports() { return std::move(reports); }
  int64_t microBatch = 0;

private:
  Interpreter &interpreter;
  const FeedFn &feed;
  std::vector<llvm::DenseMap<mlir::Value, Tensor>> values;
  std::vector<States> written;
  std::vector<Report> reports;
};

} // namespace windlass::interpreter
