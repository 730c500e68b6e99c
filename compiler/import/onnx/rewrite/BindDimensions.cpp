// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/rewrite/BindDimensions.h"

#include "compiler/import/onnx/file/ReadTensor.h"
#include "runtime/base/Counted.h"
#include "runtime/base/NearestName.h"
#include <set>

namespace windlass::onnx {
namespace {

class Binder {
public:
  Binder(Graph &graph, const Sizes &sizes) : graph(graph), sizes(sizes), bound(sizes.dims) {}

  Status run() {
    if (graph.inputs.empty())
      return Status::badInput("must have an input, whose first dimension is the batch, and has none");
    for (const Input &input : graph.inputs)
      WINDLASS_TRY(bind(input));
    if (!open.empty())
      return Status::badInput("dimensions without a size: " + open + "; give them with --dim NAME=SIZE");
    for (const auto &[name, size] : sizes.dims)
      if (!names.contains(name))
        return Status::badInput("--dim " + name + ": is no dimension of an input" + hint(name));
    return Status::ok();
  }

private:
  std::string hint(const std::string &name) const {
    std::vector<std::string_view> known(names.begin(), names.end());
    const std::string_view nearest = nearestName(name, known);
    return nearest.empty() ? "" : " (\"" + std::string(nearest) + "\" is)";
  }

  Status bind(const Input &input) {
    Value &value = graph.at(input.value);
    if (input.dims.empty())
      return Status::badInput("input \"" + value.name +
                              "\": must have the batch as its first dimension, is a scalar");
    for (size_t d = 0; d < input.dims.size(); ++d) {
      if (const int64_t *size = std::get_if<int64_t>(&input.dims[d])) {
        value.shape.push_back(*size);
        continue;
      }
      std::string name = std::get<std::string>(input.dims[d]);
      if (name.empty())
        name = value.name + "." + std::to_string(d);
      names.insert(name);
      const bool isSequence = d == 1 && !isFloat(value.type) && sizes.sequence > 0;
      if (d == 0)
        bound.try_emplace(name, sizes.batch);
      else if (isSequence)
        bound.try_emplace(name, sizes.sequence);
      if (auto found = bound.find(name); found != bound.end())
        value.shape.push_back(found->second);
      else
        open += (open.empty() ? "\"" : ", \"") + name + "\" (input \"" + value.name + "\")";
    }
    if (Status valid = checkShape(value.shape); !valid)
      return valid.in("input \"" + value.name + "\"");
    if (value.shape[0] != sizes.batch)
      return Status::badInput("input \"" + value.name + "\": must begin with the micro-batch of " +
                              counted(sizes.batch, "example") + ", begins with " +
                              std::to_string(value.shape[0]) +
                              "; train with that micro-batch, or export with a dynamic first dimension");
    return Status::ok();
  }

  Graph &graph;
  const Sizes &sizes;
  std::map<std::string, int64_t> bound;
  std::set<std::string> names;
  std::string open; ///< dimensions that nothing binds, for the message
};

} // namespace

Status bindDimensions(Graph &graph, const Sizes &sizes) { return Binder(graph, sizes).run(); }

int64_t batchOf(const Graph &graph) {
  for (const Input &input : graph.inputs)
    if (const int64_t *size = input.dims.empty() ? nullptr : std::get_if<int64_t>(&input.dims[0]))
      return *size;
  return 1;
}

} // namespace windlass::onnx
