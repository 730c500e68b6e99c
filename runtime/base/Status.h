// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Status.h - success, or what went wrong and which exit code it means ===//
//
// Duty: the one error type of the runtime and of everything that reads input.
// Returned, never thrown; input never aborts. Messages are lower case, without
// a full stop, and name the file, the place, the rule and the value found.
// Threads: values; no sharing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace windlass {

/// What a tool returns to the shell.
enum class ExitCode : int {
  Done = 0,
  BadInput = 1,  ///< a file or value the user gave is wrong
  Usage = 2,     ///< the command line is wrong
  CannotFit = 3, ///< the plan cannot fit or cannot run on this machine
  RunFailed = 4, ///< NaN, device, lost rank, disk
  Internal = 70, ///< our fault
};

/// Ok, or an exit code with a message. One pointer wide; ok allocates nothing.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(ExitCode code, std::string message)
      : failure(std::make_shared<const Failure>(Failure{code, std::move(message)})) {}

  static Status ok() { return {}; }
  static Status badInput(std::string message) { return {ExitCode::BadInput, std::move(message)}; }
  static Status cannotFit(std::string message) { return {ExitCode::CannotFit, std::move(message)}; }
  static Status runFailed(std::string message) { return {ExitCode::RunFailed, std::move(message)}; }
  static Status internal(std::string message) { return {ExitCode::Internal, std::move(message)}; }

  bool isOk() const { return !failure; }
  explicit operator bool() const { return isOk(); }
  ExitCode code() const { return failure ? failure->code : ExitCode::Done; }
  const std::string &message() const {
    static const std::string none;
    return failure ? failure->message : none;
  }
  /// The same failure with "context: " in front of its message.
  Status in(const std::string &context) const {
    return isOk() ? *this : Status(code(), context + ": " + message());
  }

private:
  struct Failure {
    ExitCode code;
    std::string message;
  };
  std::shared_ptr<const Failure> failure;
};

/// A value, or the Status that says why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : held(std::move(value)) {}
  Result(Status status) : failure(std::move(status)) {}

  bool isOk() const { return held.has_value(); }
  explicit operator bool() const { return isOk(); }
  const Status &status() const { return failure; }
  T &operator*() & { return *held; }
  const T &operator*() const & { return *held; }
  T operator*() && { return std::move(*held); } ///< a value: a reference would outlive the result
  T *operator->() { return &*held; }
  const T *operator->() const { return &*held; }
  T take() { return std::move(*held); }

private:
  std::optional<T> held;
  Status failure;
};

/// Leaves the function with the failure of `expression`, if it failed.
#define WINDLASS_TRY(expression)                                                                             \
  do {                                                                                                       \
    if (::windlass::Status tried = (expression); !tried.isOk())                                              \
      return tried;                                                                                          \
  } while (false)

} // namespace windlass
