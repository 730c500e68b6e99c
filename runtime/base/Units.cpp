// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/Units.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace windlass {
namespace {

struct Unit {
  std::string_view text;
  double factor;
};

constexpr std::array<Unit, 13> kByteUnits = {{{"", 1},
                                              {"B", 1},
                                              {"KB", 1e3},
                                              {"MB", 1e6},
                                              {"GB", 1e9},
                                              {"TB", 1e12},
                                              {"PB", 1e15},
                                              {"KiB", 1024.0},
                                              {"MiB", 1048576.0},
                                              {"GiB", 1073741824.0},
                                              {"TiB", 1099511627776.0},
                                              {"PiB", 1125899906842624.0},
                                              {"bytes", 1}}};
constexpr std::array<Unit, 6> kRatePrefixes = {
    {{"P", 1e15}, {"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"K", 1e3}, {"k", 1e3}}};
constexpr std::array<Unit, 5> kTimeUnits = {{{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};

/// Splits "3.8 GB/s" into 3.8 and "GB/s"; false if it does not begin with a number.
bool splitNumber(std::string_view text, double &number, std::string_view &unit) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0)
    return false;
  unit = text.substr(end - text.data());
  while (!unit.empty() && unit.front() == ' ')
    unit.remove_prefix(1);
  return true;
}

Status unreadable(std::string_view what, std::string_view text, std::string_view example) {
  return Status::badInput("\"" + std::string(text) + "\" is not a " + std::string(what) + " (example: \"" +
                          std::string(example) + "\")");
}

Status unknownRate(std::string_view text) {
  return Status::badInput(
      "\"" + std::string(text) +
      "\" has no unit of a rate: B/s, FLOP/s, FLOPS, params/s and /s are known, with K, M, "
      "G, T or P before them, and KiB/s to PiB/s (example: \"3.8GB/s\")");
}

/// Whether the unit of a rate is one of bits, in any spelling: "Gb/s", "GBit/s".
bool countsBits(std::string_view unit) {
  std::string small(unit);
  std::ranges::transform(small, small.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return unit.ends_with("b/s") || small.find("bit") != std::string::npos;
}

/// `number` of `amount` per second: "GB", "KiB", "bytes", "TFLOP", "Mparams" or "G".
Result<double> scaledRate(std::string_view text, double number, std::string_view amount) {
  for (const Unit &known : kByteUnits)
    if (amount == known.text)
      return number * known.factor;
  for (std::string_view counted : {"B", "FLOP", "params", ""})
    if (amount.ends_with(counted)) {
      const std::string_view before = amount.substr(0, amount.size() - counted.size());
      const auto prefix = std::ranges::find(kRatePrefixes, before, &Unit::text);
      if (before.empty() || prefix != kRatePrefixes.end())
        return number * (before.empty() ? 1 : prefix->factor);
    }
  return unknownRate(text);
}

std::string printed(const char *format, double value, std::string_view unit) {
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, format, value);
  return std::string(buffer) + std::string(unit);
}

/// Three significant digits, of 9.999 too ("10.0").
std::string threeDigits(double value, std::string_view unit) {
  return printed(value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f", value, unit);
}

} // namespace

Result<int64_t> parseBytes(std::string_view text) {
  double number = 0;
  std::string_view unit;
  if (!splitNumber(text, number, unit))
    return unreadable("size", text, "12MiB");
  for (const Unit &known : kByteUnits) {
    if (unit != known.text)
      continue;
    double bytes = number * known.factor;
    if (bytes >= 9.2e18)
      return Status::badInput("size \"" + std::string(text) + "\" is larger than 2^63 bytes");
    if (bytes != std::floor(bytes) && known.factor == 1)
      return Status::badInput("size \"" + std::string(text) + "\" is not a whole number of bytes");
    return static_cast<int64_t>(bytes);
  }
  return unreadable("size", text, "12MiB");
}

Result<double> parseRate(std::string_view text) {
  double number = 0;
  std::string_view unit;
  if (!splitNumber(text, number, unit))
    return unreadable("rate", text, "3.8GB/s");
  if (unit.empty())
    return number;
  if (countsBits(unit))
    return Status::badInput("\"" + std::string(text) +
                            "\" counts bits; rates are of bytes (example: \"3.8GB/s\")");
  if (unit.ends_with("FLOPS"))
    return scaledRate(text, number, unit.substr(0, unit.size() - 1));
  if (unit.ends_with("/s"))
    return scaledRate(text, number, unit.substr(0, unit.size() - 2));
  return unknownRate(text);
}

Result<double> parseRateOf(std::string_view unit, std::string_view text) {
  const auto names = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  const bool isOfBytes = text.ends_with("B/s") || names("bytes");
  Result<double> rate = parseRate(text);
  if (rate && ((isOfBytes && unit != "B") || (names("FLOP") && unit != "FLOP") ||
               (names("param") && unit != "params")))
    return Status::badInput("\"" + std::string(text) + "\" is no rate of " + std::string(unit));
  return rate;
}

Result<double> parseSeconds(std::string_view text) {
  double number = 0;
  std::string_view unit;
  if (!splitNumber(text, number, unit))
    return unreadable("time", text, "5us");
  for (const Unit &known : kTimeUnits)
    if (unit == known.text)
      return number * known.factor;
  return unreadable("time", text, "5us");
}

std::string formatBytes(int64_t bytes) {
  double value = static_cast<double>(bytes);
  constexpr std::array<std::string_view, 6> units = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
  size_t unit = 0;
  for (; std::abs(value) >= 1024 && unit + 1 < units.size(); ++unit)
    value /= 1024;
  return unit == 0 ? std::to_string(bytes) + " B" : threeDigits(value, units[unit]);
}

std::string formatSeconds(double seconds) {
  if (seconds >= 120)
    return printed("%.1f", seconds / 60, " min");
  if (seconds >= 1)
    return threeDigits(seconds, " s");
  if (seconds >= 1e-3)
    return threeDigits(seconds * 1e3, " ms");
  if (seconds >= 1e-6 || seconds == 0)
    return threeDigits(seconds * 1e6, " us");
  return threeDigits(seconds * 1e9, " ns");
}

std::string formatRate(double perSecond, std::string_view unit) {
  constexpr std::array<Unit, 5> prefixes = {{{"P", 1e15}, {"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"K", 1e3}}};
  for (const Unit &prefix : prefixes)
    if (perSecond >= prefix.factor)
      return threeDigits(perSecond / prefix.factor,
                         " " + std::string(prefix.text) + std::string(unit) + "/s");
  return threeDigits(perSecond, " " + std::string(unit) + "/s");
}

std::string formatCount(int64_t n) {
  std::string digits = std::to_string(n < 0 ? -n : n);
  for (int64_t at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<size_t>(at), ",");
  return n < 0 ? "-" + digits : digits;
}

std::string formatShape(std::span<const int64_t> shape) {
  std::string text = shape.empty() ? "scalar" : std::to_string(shape.front());
  for (size_t d = 1; d < shape.size(); ++d)
    text.append("x").append(std::to_string(shape[d]));
  return text;
}

} // namespace windlass
