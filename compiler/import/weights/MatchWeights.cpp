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

/// A tensor that transformers ties to another one, by the endings of names; `of`: of a tensor that only
/// models with this tie have.
struct Tie {
  std::string_view second, first, of;
};
constexpr Tie kTies[] = {{"lm_head.weight", "wte.weight", "wte.weight"},
                         {"lm_head.weight", "embed_tokens.weight", "embed_tokens.weight"},
                         {"cls.predictions.decoder.weight", "word_embeddings.weight", "cls.predictions.bias"},
                         {"cls.predictions.decoder.bias", "cls.predictions.bias", "cls.predictions.bias"}};

constexpr std::string_view kTypes[] = {"F64", "F32", "F16", "BF16"};

using Tensors = std::map<std::string, WeightFiles::Tensor>;

/// The tensor of a parameter, under its own name or with the base model's prefix put on or left out.
Tensors::const_iterator findFor(const std::string &parameter, const Tensors &tensors) {
  auto found = tensors.find(parameter);
  for (std::string_view prefix : kBasePrefixes) {
    if (found != tensors.end())
      break;
    found = parameter.starts_with(prefix) ? tensors.find(parameter.substr(prefix.size()))
                                          : tensors.find(std::string(prefix) + parameter);
  }
  return found;
}

/// The name that the parameter of a layer norm has in old checkpoints of BERT; empty for others.
std::string oldNameOf(const std::string &parameter) {
  for (auto [now, then] :
       {std::pair("LayerNorm.weight", "LayerNorm.gamma"), {"LayerNorm.bias", "LayerNorm.beta"}})
    if (parameter.ends_with(now))
      return parameter.substr(0, parameter.size() - std::string_view(now).size()) + then;
  return "";
}

Result<bool> haveEqualBytes(const WeightFiles::Tensor &a, const WeightFiles::Tensor &b) {
  if (a.entry->type != b.entry->type || a.entry->shape != b.entry->shape)
    return false;
  std::vector<std::byte> ofA(1 << 20), ofB(1 << 20);
  for (int64_t at = 0; at < a.entry->bytes; at += std::ssize(ofA)) {
    const auto some = static_cast<size_t>(std::min<int64_t>(a.entry->bytes - at, std::ssize(ofA)));
    WINDLASS_TRY(a.file->read(*a.entry, at, std::span(ofA).first(some)));
    WINDLASS_TRY(b.file->read(*b.entry, at, std::span(ofB).first(some)));
    if (!std::equal(ofA.begin(), ofA.begin() + static_cast<int64_t>(some), ofB.begin()))
      return false;
  }
  return true;
}

/// Refuses tensors that the model ties to a used one and that have other values: transformers takes either
/// the one or the other, by its version.
Status checkTies(const Tensors &tensors, const std::set<std::string> &used) {
  const auto findUsed = [&](std::string_view end) {
    return std::ranges::find_if(used, [&](const std::string &name) { return name.ends_with(end); });
  };
  for (const auto &[name, tensor] : tensors)
    for (const Tie &tie : kTies) {
      const auto first = findUsed(tie.first);
      if (used.contains(name) || !name.ends_with(tie.second) || first == used.end() ||
          findUsed(tie.of) == used.end())
        continue;
      Result<bool> areEqual = haveEqualBytes(tensor, tensors.at(*first));
      WINDLASS_TRY(areEqual.status());
      if (!*areEqual)
        return Status::badInput("\"" + name + "\" and \"" + *first +
                                "\" have different values, but the configuration ties them; with "
                                "\"tie_word_embeddings\": false each has its own");
    }
  return Status::ok();
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

Status matchWeights(ModuleOp module, const std::string &path, MayTie mayTie) {
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
    if (found == files->tensors().end())
      found = findFor(oldNameOf(parameter), files->tensors());
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
  if (mayTie == MayTie::Yes)
    WINDLASS_TRY(checkTies(files->tensors(), used).in(path));
  if (!surplus.isEmpty())
    emitWarning(UnknownLoc::get(module.getContext()),
                path + ": tensors that the model does not use:" + surplus.str());
  return Status::ok();
}

} // namespace windlass
