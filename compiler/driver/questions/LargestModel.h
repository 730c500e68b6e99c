// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LargestModel.h - the largest model that fits a machine ================//
//
// Duty: finds the largest number of layers, hidden size or micro-batch with which some plan fits; everything
// else is as in the files. Sizes are doubled until one does not fit; then bisection finds the largest that
// fits, to one part in a hundred for hidden sizes and for more than a hundred layers. Errors: those of Fit.h
// and ModelVariant.h; CannotFit if the smallest size does not fit. Threads: as compile().
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/inputs/CompileRequest.h"
#include "runtime/base/Status.h"
#include <functional>
#include <string_view>

namespace windlass {

/// The size that is searched.
enum class Growing { Layers, Hidden, Batch };
inline constexpr std::string_view kGrowing[] = {"layers", "hidden", "batch"};

struct LargestModel {
  int64_t size = 0, parameters = 0;
  int64_t tooLarge = 0; ///< the smallest size known not to fit; 0: the largest possible size fits
};

/// `then`: called with the request of the largest model, while its files exist.
Result<LargestModel> largestModel(const CompileRequest &request, Growing growing,
                                  const std::function<Status(const CompileRequest &)> &then);

} // namespace windlass
