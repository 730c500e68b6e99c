// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/command-line/Parse.h"
#include "runtime/base/NearestName.h"
#include "runtime/base/Output.h"
#include "runtime/base/Status.h"
#include <cstdio>

namespace windlass {
namespace {

/// The options of the app and of its groups, which CLI11 keeps as apps without a name.
std::vector<CLI::Option *> optionsOf(CLI::App &app) {
  std::vector<CLI::Option *> options = app.get_options();
  for (CLI::App *group : app.get_subcommands({}))
    for (CLI::Option *option : optionsOf(*group))
      options.push_back(option);
  return options;
}

std::vector<std::string> longNames(CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::Option *option : optionsOf(app))
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
  return names;
}

constexpr const char *kEmpty = "must not be empty: give it a value, or leave it out";

/// Refuses empty values, which the tools would treat as options that were not given.
void refuseEmptyValues(CLI::App &app) {
  for (CLI::Option *option : optionsOf(app))
    if (option->get_items_expected_max() > 0)
      option->transform(
          CLI::Validator([](std::string &text) { return std::string(text.empty() ? kEmpty : ""); }, ""));
}

/// Refuses "--name=", for which CLI11 would take the next argument as the value.
void refuseEmptyAssignments(CLI::App &app, int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    for (const std::string &name : longNames(app))
      if (argv[i] == name + "=")
        throw CLI::ValidationError(name, kEmpty);
}

/// The first of the arguments left by CLI11 that looks like an option; nothing if there is none.
std::optional<std::string> unknownOption(CLI::App &app) {
  const std::vector<std::string> names = longNames(app);
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (const std::string &argument : app.remaining(/*recurse=*/true)) {
    const std::string name = argument.substr(0, argument.find('='));
    if (name.size() > 1 && name[0] == '-' && !std::isdigit(static_cast<unsigned char>(name[1])))
      return name + ": unknown option" + (name.size() > 2 ? didYouMean(name, known) : "");
  }
  return std::nullopt;
}

} // namespace

std::optional<int> parseCommandLine(CLI::App &app, int argc, char **argv,
                                    const std::function<void()> &settle) {
  refuseEmptyValues(app);
  try {
    refuseEmptyAssignments(app, argc, argv);
    app.parse(argc, argv);
    settle();
    return std::nullopt;
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error); // prints help or version
    printMessage("error", unknownOption(app).value_or(error.what()));
    std::fputs("Run with --help for more information.\n", stderr);
    return static_cast<int>(ExitCode::Usage);
  }
}

void warnOfUnread(const CLI::App &app, const std::vector<std::string> &names, const std::string &where) {
  for (const std::string &name : names)
    if (app.count(name) > 0)
      printMessage("warning", name + " has no effect " + where);
}

} // namespace windlass
