// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/windlass-compile/OnnxFlags.h"

#include "compiler/import/onnx/loss/LossSpec.h"
#include "tools/command-line/Numbers.h"

namespace windlass {
namespace {

/// Adds a flag with one or more values of the form NAME=NUMBER; each number is at least `least`.
CLI::Option *addNumbers(CLI::App &app, const std::string &flag, const std::string &form,
                        std::map<std::string, int64_t> &numbers, int64_t least, const std::string &help) {
  auto read = [=, &numbers](const std::vector<std::string> &bindings) {
    for (const std::string &binding : bindings) {
      const size_t at = binding.rfind('=');
      if (at == std::string::npos || at == 0 || at + 1 == binding.size())
        throw CLI::ValidationError(flag, "must be " + form + ", is " + binding);
      std::string number = binding.substr(at + 1);
      if (const std::string wrong = wholeNumber(least)(number); !wrong.empty())
        throw CLI::ValidationError(flag + " " + binding.substr(0, at), wrong);
      numbers[binding.substr(0, at)] = *numberOf<int64_t>(number);
    }
  };
  return app.add_option_function<std::vector<std::string>>(flag, read, help)->type_name(form);
}

void readTies(const std::vector<std::string> &words, OnnxOptions &options) {
  for (const std::string &word : words) {
    const size_t at = word.find('=');
    if (word == "auto" || word == "off")
      options.tie = word == "auto";
    else if (at == std::string::npos || at == 0 || at + 1 == word.size())
      throw CLI::ValidationError("--tie", "must be auto, off or NAME=NAME, is " + word);
    else
      options.ties.emplace_back(word.substr(0, at), word.substr(at + 1));
  }
}

} // namespace

void addOnnxFlags(CLI::App &app, OnnxOptions &options) {
  const char *group = "For ONNX files (docs/models.md)";
  addNumbers(app, "--dim", "NAME=SIZE", options.dims, 1, "size of a dimension that the file leaves open")
      ->group(group);
  app.add_option(
         "--loss", options.losses,
         "loss to minimise, if the file has none: cross-entropy, mse or bce-with-logits, with keys after\n"
         "commas; several losses are added (docs/onnx.md)")
      ->type_name("[WEIGHT*]LOSS[,KEY=VALUE...]")
      ->check(CLI::Validator(
          [](const std::string &text) {
            Result<LossSpec> loss = parseLoss(text);
            return loss ? std::string() : loss.status().message();
          },
          ""))
      ->group(group);
  app.add_option("--logits", options.logits, "output from which the loss is computed")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--labels", options.labels, "input with the labels for the loss; added if the file has none")
      ->type_name("NAME")
      ->group(group);
  app.add_option_function<std::vector<std::string>>(
         "--tie", [&options](const std::vector<std::string> &words) { readTies(words, options); },
         "auto joins nameless copies of a matrix with it, off keeps them apart; NAME=NAME says that two\n"
         "parameters with equal elements are one")
      ->type_name("auto|off|NAME=NAME")
      ->group(group);
  addNumbers(app, "--padding", "NAME=ROW", options.padding, 0,
             "row of a table that gets no gradient from being looked up: PyTorch's padding_idx")
      ->group(group);
  app.add_option(
         "--batch-norm", options.batchNorm,
         "train normalises with the batch, frozen with the running statistics; default: as the file says")
      ->type_name("train|frozen")
      ->check(CLI::IsMember({"train", "frozen"}))
      ->group(group);
  app.add_option_function<std::string>(
         "--bn-stats", [&options](const std::string &word) { options.unbiased = word == "torch"; },
         "the running variance: onnx divides by the number of elements, torch by one less")
      ->type_name("onnx|torch")
      ->check(CLI::IsMember({"onnx", "torch"}))
      ->group(group);
  app.add_flag("--accept-folded", options.acceptFolded,
               "train a file whose exporter folded batch norms into other layers, as it stands")
      ->group(group);
}

} // namespace windlass
