// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LargestModel.h - how large a model the machine holds ================//
//
// Duty: finds the largest number of layers, hidden size or micro-batch with which some plan fits, all else as
// the files say. Sizes double until one does not fit; bisection finds the last that does, to one part in a
// hundred of hidden sizes and layers beyond a hundred.
// Errors: those of Fit.h and ModelVariant.h; CannotFit where the smallest does not fit. Threads: as
// compile().
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/inputs/CompileRequest.h"
#include "runtime/base/Status.h"
#include <functional>
#include <string_view>

namespace windlass {

/// What grows.
enum class Growing { Layers, Hidden, Batch };
inline constexpr std::string_view kGrowing[] = {"layers", "hidden", "batch"};

struct LargestModel {
  int64_t size = 0, parameters = 0;
  int64_t tooLarge = 0; ///< the smallest size that was found not to fit; 0: the largest that can be asked
};

/// `then`: called with the request of the largest model, while its files are there.
Result<LargestModel> largestModel(const CompileRequest &request, Growing growing,
                                  const std::function<Status(const CompileRequest &)> &then);

} // namespace windlass
