// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/weights/MatchWeights.h"

#include "dialects/Graph/IR/GraphAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include <algorithm>
#include <set>

using namespace mlir;

namespace windlass {
namespace {

/// The prefixes of base models, which transformers also saves alone.
constexpr std::string_view kBasePrefixes[] = {"transformer.", "model.", "bert.", "vit.", "roberta."};

/// Suffixes of the names of computed masks and tables, and of second names of tied tensors.
constexpr std::string_view kHarmless[] = {".attn.bias",
                                          ".attn.masked_bias",
                                          "rotary_emb.inv_freq",
                                          "position_ids",
                                          "lm_head.weight",
                                          "cls.predictions.decoder.weight",
                                          "cls.predictions.decoder.bias"};

constexpr std::string_view kTypes[] = {"F64", "F32", "F16", "BF16"};

/// The tensor of a parameter, under its own name or with the base model's prefix put on or left out.
std::map<std::string, WeightFiles::Tensor>::const_iterator
findFor(const std::string &parameter, const std::map<std::string, WeightFiles::Tensor> &tensors) {
  auto found = tensors.find(parameter);
  for (std::string_view prefix : kBasePrefixes) {
    if (found != tensors.end())
      break;
    found = parameter.starts_with(prefix) ? tensors.find(parameter.substr(prefix.size()))
                                          : tensors.find(std::string(prefix) + parameter);
  }
  return found;
}

bool isHarmless(const std::string &name) {
  return std::ranges::any_of(kHarmless, [&](std::string_view end) { return name.ends_with(end); });
}

/// A list of at most twenty lines.
class List {
public:
  void add(const std::string &line) {
    if (++count <= 20)
      text += line;
  }
  std::string str() const {
    return count > 20 ? text + "\n  and " + std::to_string(count - 20) + " more" : text;
  }
  bool isEmpty() const { return count == 0; }

private:
  std::string text;
  size_t count = 0;
};

} // namespace

std::string startFrom(graph::StateOp state, const std::string &name, const WeightFiles::Tensor &tensor,
                      bool transposed) {
  const TensorEntry &entry = *tensor.entry;
  ArrayRef<int64_t> wanted = cast<RankedTensorType>(state.getType()).getShape();
  std::vector<int64_t> shape(wanted.begin(), wanted.end());
  if (state->hasAttr(graph::kNumber))
    shape.clear();
  if (transposed)
    std::reverse(shape.begin(), shape.end());
  if (entry.shape != shape)
    return "\n  \"" + name + "\" has shape " + formatShape(entry.shape) + ", the model wants " +
           formatShape(shape);
  if (std::ranges::find(kTypes, entry.type) == std::end(kTypes))
    return "\n  \"" + name + "\" has type " + entry.type + ", not F64, F32, F16 or BF16";
  MLIRContext *context = state.getContext();
  auto text = [&](const std::string &words) { return StringAttr::get(context, words); };
  state.setInitAttr(
      withSource(state.getInit(), graph::SourceAttr::get(context, text(tensor.file->path()), text(name),
                                                         text(entry.type), tensor.offset(), transposed)));
  return "";
}

Status matchWeights(ModuleOp module, const std::string &path) {
  Result<WeightFiles> files = WeightFiles::open(path);
  if (!files)
    return files.status();
  List wrong, surplus;
  std::set<std::string> used;
  for (auto state : module.getOps<graph::StateOp>()) {
    if (state.getRole() != graph::Role::Parameter)
      continue;
    const std::string parameter = state.getOriginal().str();
    auto found = findFor(parameter, files->tensors());
    if (found == files->tensors().end()) {
      wrong.add("\n  \"" + parameter + "\" is missing");
      continue;
    }
    used.insert(found->first);
    if (std::string line = startFrom(state, found->first, found->second, /*transposed=*/false); !line.empty())
      wrong.add(line);
  }
  for (const auto &[name, tensor] : files->tensors())
    if (!used.contains(name) && !isHarmless(name))
      surplus.add("\n  \"" + name + "\" is not in the model");
  if (!wrong.isEmpty())
    return Status::badInput(path + ": the weights do not fit the model:" + wrong.str() + surplus.str());
  if (!surplus.isEmpty())
    emitWarning(UnknownLoc::get(module.getContext()),
                path + ": tensors that the model does not use:" + surplus.str());
  return Status::ok();
}

} // namespace windlass
