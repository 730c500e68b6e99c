// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/questions/LargestModel.h"

#include "compiler/driver/questions/Fit.h"
#include "compiler/driver/questions/ModelVariant.h"
#include "compiler/import/huggingface/ConfigKeys.h"
#include "runtime/base/Counted.h"
#include <algorithm>
#include <optional>

namespace windlass {
namespace {

/// The search ends when the bounds of the size differ by at most one part in this many.
constexpr int64_t kPrecision = 100;
/// The largest batch that is tried.
constexpr int64_t kMostBatch = 1 << 20;

class Search {
public:
  Search(const CompileRequest &request, Growing growing) : request(request), growing(growing) {}

  Result<LargestModel> run(const std::function<Status(const CompileRequest &)> &then) {
    if (growing != Growing::Batch) {
      Result<ModelVariant> model = ModelVariant::of(request.model);
      WINDLASS_TRY(model.status());
      variant.emplace(model.take());
      request.weights = "none"; // weights in files have another size
    }
    unit = growing == Growing::Hidden ? variant->hiddenUnit() : 1;
    Result<LargestModel> found = bisect();
    WINDLASS_TRY(found.status());
    WINDLASS_TRY(resize(found->size));
    WINDLASS_TRY(then(request));
    return found;
  }

private:
  /// Searches sizes in units, from that of the files on.
  Result<LargestModel> bisect() {
    LargestModel found;
    int64_t low = 0, high = 0;
    const auto ask = [&](int64_t size) {
      Result<FitAnswer> answer = fits(size);
      if (answer && answer->fits)
        note(found, low = size, *answer);
      else if (answer)
        high = size;
      else if (size < first() && answer.status().code() == ExitCode::BadInput) {
        low = size; // too small for the training file: stages need a layer each
        return Status::ok();
      }
      return answer.status();
    };
    for (int64_t size = first(); high == 0 && size <= most(); size *= 2)
      WINDLASS_TRY(ask(size));
    if (high == 0 && low < most())
      WINDLASS_TRY(ask(most()));
    while (high - low > std::max<int64_t>(1, low / kPrecision))
      WINDLASS_TRY(ask(low + (high - low) / 2));
    if (found.size == 0)
      return Status::cannotFit(std::string(kGrowing[static_cast<size_t>(growing)]) + " " +
                               std::to_string(high * unit) + ", the smallest, does not fit");
    found.tooLarge = high * unit;
    return found;
  }

  int64_t first() const {
    return growing == Growing::Layers   ? variant->layers()
           : growing == Growing::Hidden ? variant->hidden() / unit
                                        : 1;
  }
  /// The largest size that a model file may have, in units.
  int64_t most() const {
    return growing == Growing::Layers   ? kMostLayers
           : growing == Growing::Hidden ? kLargestSize / unit
                                        : kMostBatch;
  }

  void note(LargestModel &found, int64_t units, const FitAnswer &answer) const {
    found.size = units * unit;
    found.parameters = answer.parameters;
  }

  Result<FitAnswer> fits(int64_t units) {
    request.progress("asking whether " + std::string(kGrowing[static_cast<size_t>(growing)]) + " " +
                     formatCount(units * unit) + " fits");
    WINDLASS_TRY(resize(units * unit));
    CompileRequest quiet = request;
    quiet.progress = [](const std::string &) {};
    return checkFit(quiet);
  }

  Status resize(int64_t size) {
    if (growing == Growing::Batch) {
      request.whatIf.microBatch = size;
      return Status::ok();
    }
    Result<std::string> model =
        growing == Growing::Layers ? variant->withLayers(size) : variant->withHidden(size);
    if (model)
      request.model = *model;
    return model.status();
  }

  CompileRequest request;
  Growing growing;
  int64_t unit = 1;
  std::optional<ModelVariant> variant;
};

} // namespace

Result<LargestModel> largestModel(const CompileRequest &request, Growing growing,
                                  const std::function<Status(const CompileRequest &)> &then) {
  return Search(request, growing).run(then);
}

} // namespace windlass
