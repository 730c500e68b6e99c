// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Split/SplitProblem.h"

#include "planning/TextForm.h"
#include <charconv>
#include <set>

namespace windlass::planning {
namespace {

using Kind = SplitForm::Kind;

Status checkOp(const SplitOp &op, std::vector<bool> &isMade) {
  for (uint32_t value : op.reads)
    if (value >= isMade.size() || !isMade[value])
      return Status::badInput("\"" + op.id + "\" reads value " + std::to_string(value) +
                              ", which nothing before it makes");
  for (uint32_t value : op.makes) {
    if (value >= isMade.size() || isMade[value])
      return Status::badInput("\"" + op.id + "\" makes value " + std::to_string(value) +
                              ", which is no value or was made before");
    isMade[value] = true;
  }
  if (op.ways.empty())
    return Status::badInput("\"" + op.id + "\" can be run in no way");
  for (const SplitWay &way : op.ways)
    if (way.reads.size() != op.reads.size() || way.makes.size() != op.makes.size())
      return Status::badInput("way \"" + way.word + "\" of \"" + op.id + "\" has " +
                              std::to_string(way.reads.size()) + " and " + std::to_string(way.makes.size()) +
                              " forms, not " + std::to_string(op.reads.size()) + " and " +
                              std::to_string(op.makes.size()));
  return Status::ok();
}

std::string printForms(const std::vector<SplitForm> &forms) {
  std::string text;
  for (const SplitForm &form : forms)
    text += (text.empty() ? "" : ",") + printForm(form);
  return text;
}

/// "split:768:128,whole"
std::vector<SplitForm> readForms(TextLine &line, const std::string &key) {
  std::vector<SplitForm> forms;
  std::string text = line.take(key);
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    SplitForm form = SplitForm::whole();
    if (word == "varied") {
      form = SplitForm::varied();
    } else if (word == "terms") {
      form = SplitForm::terms();
    } else if (word.starts_with("split:")) {
      form.kind = Kind::Split;
      const char *at = word.data() + 6, *last = word.data() + word.size();
      auto period = std::from_chars(at, last, form.period);
      const bool hasWidth = period.ec == std::errc() && period.ptr != last && *period.ptr == ':';
      if (!hasWidth || std::from_chars(period.ptr + 1, last, form.width).ptr != last)
        line.fail(key, "a split is split:PERIOD:WIDTH, not \"" + word + "\"");
    } else if (word != "whole") {
      line.fail(key, "there is no form \"" + word + "\"");
    }
    forms.push_back(form);
  }
  return forms;
}

} // namespace

Status checkProblem(const SplitProblem &problem) {
  std::vector<bool> isMade(problem.values.size());
  for (const SplitOp &op : problem.ops)
    WINDLASS_TRY(checkOp(op, isMade));
  for (size_t value = 0; value < isMade.size(); ++value)
    if (!isMade[value])
      return Status::badInput("nothing makes \"" + problem.values[value].id + "\"");
  return Status::ok();
}

double movedBetween(const SplitValue &value, const SplitForm &made, const std::vector<SplitForm> &asked) {
  const auto elements = static_cast<double>(value.elements);
  const double backward = value.hasGradient ? elements : 0;
  std::set<SplitForm> others; // but what it is made as
  for (const SplitForm &form : asked)
    if (form != made)
      others.insert(form);
  if (others.empty())
    return 0;
  double moved = 0;
  if (made.kind == Kind::Terms) // all_reduce; its adjoint moves nothing
    moved += 2 * elements;
  if (made.isSplit()) // all_gather; its adjoint moves nothing
    moved += elements * (value.isParameter ? kParameterWeight : 1);
  for (const SplitForm &form : others) {
    if (form.kind == Kind::Varied) // vary, back an all_reduce
      moved += 2 * backward;
    if (form.isSplit()) // own_part, back an all_gather
      moved += backward;
  }
  return moved;
}

std::string printForm(const SplitForm &form) {
  switch (form.kind) {
  case Kind::Whole:
    return "whole";
  case Kind::Varied:
    return "varied";
  case Kind::Terms:
    return "terms";
  case Kind::Split:
    return "split:" + std::to_string(form.period) + ":" + std::to_string(form.width);
  }
  return "";
}

std::string printSplit(const SplitProblem &problem) {
  std::string text;
  for (const SplitValue &value : problem.values)
    text += "value " + value.id + " elements=" + std::to_string(value.elements) +
            (value.hasGradient ? "" : " gradient=0") + (value.isParameter ? " parameter=1" : "") + "\n";
  for (const SplitOp &op : problem.ops) {
    text += "op " + op.id + " reads=" + joined(op.reads) + " makes=" + joined(op.makes) + "\n";
    for (const SplitWay &way : op.ways)
      text += "way " + way.word + " reads=" + printForms(way.reads) + " makes=" + printForms(way.makes) +
              " not_shared=" + shortest(way.notShared) + " moved=" + shortest(way.moved) + "\n";
  }
  return text;
}

Result<SplitProblem> parseSplit(std::string_view text) {
  SplitProblem problem;
  for (TextLine &line : textLines(text)) {
    if (line.word() == "value") {
      problem.values.push_back({line.name(), line.integer("elements"), line.integer("gradient", 1) != 0,
                                line.integer("parameter") != 0});
    } else if (line.word() == "op") {
      std::vector<uint32_t> reads = line.list("reads"), makes = line.list("makes");
      problem.ops.push_back({line.name(), std::move(reads), std::move(makes), {}});
    } else if (line.word() == "way" && !problem.ops.empty()) {
      SplitWay way;
      way.word = line.name();
      way.reads = readForms(line, "reads");
      way.makes = readForms(line, "makes");
      way.notShared = line.real("not_shared");
      way.moved = line.real("moved");
      problem.ops.back().ways.push_back(std::move(way));
    } else {
      line.fail(line.word(), "a split problem has value and op, and the ways of an op behind it");
    }
    WINDLASS_TRY(line.finish());
  }
  WINDLASS_TRY(checkProblem(problem));
  return problem;
}

} // namespace windlass::planning
