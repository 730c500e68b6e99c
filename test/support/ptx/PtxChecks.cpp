// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/ptx/PtxChecks.h"

#include <algorithm>

namespace windlass::ptx {

void AccessLog::turnTo(uint64_t page) {
  std::unique_ptr<Page> &place = pages[page];
  if (!place)
    place = std::make_unique<Page>();
  lastNumber = page, lastPage = place.get();
}

std::optional<Conflict> AccessLog::conflictWithWriter(const Record &record, Toucher who) {
  const Toucher &writer = record.writer;
  if (writer.block == kNone || writer == who)
    return std::nullopt;
  if (writer.block != who.block)
    return Conflict{true, true};
  if (writer.barriers == who.barriers) // and so a different thread
    return Conflict{false, true};
  return std::nullopt;
}

std::optional<Conflict> AccessLog::conflictWithReaders(const Record &record, Toucher who) {
  const Toucher &reader = record.reader;
  if (reader.block == kNone || reader == who)
    return std::nullopt;
  if (reader.block != who.block)
    return Conflict{true, false};
  if (reader.barriers == who.barriers)
    return Conflict{false, false};
  return std::nullopt;
}

void AccessLog::addReader(Record &record, Toucher who) {
  Toucher &reader = record.reader;
  if (reader.block == kNone)
    reader = who;
  else if (reader.block != who.block)
    reader.block = kSeveral;
  else if (reader.barriers != who.barriers)
    reader = who;
  else if (reader.thread != who.thread)
    reader.thread = kSeveral;
}

std::optional<Conflict> AccessLog::read(uint64_t address, uint32_t bytes, Toucher who) {
  for (Record &place : records(address, bytes)) {
    if (auto conflict = conflictWithWriter(place, who))
      return conflict;
    addReader(place, who);
  }
  return std::nullopt;
}

std::optional<Conflict> AccessLog::write(uint64_t address, uint32_t bytes, Toucher who) {
  for (Record &place : records(address, bytes)) {
    if (auto conflict = conflictWithWriter(place, who))
      return conflict;
    if (auto conflict = conflictWithReaders(place, who))
      return conflict;
    place.writer = who;
  }
  return std::nullopt;
}

std::vector<Touched> AccessLog::touched() const {
  std::vector<uint64_t> numbers;
  for (const auto &entry : pages)
    numbers.push_back(entry.first);
  std::ranges::sort(numbers);
  const uint64_t granule = uint64_t(1) << shift;
  std::vector<Touched> ranges;
  for (uint64_t number : numbers)
    for (uint64_t place = 0; place < kPageGranules; ++place) {
      const Record &record = (*pages.at(number))[place];
      const Touched one{(number * kPageGranules + place) * granule, granule, record.reader.block != kNone,
                        record.writer.block != kNone};
      if (!one.isRead && !one.isWritten)
        continue;
      if (!ranges.empty() && ranges.back().address + ranges.back().bytes == one.address &&
          ranges.back().isRead == one.isRead && ranges.back().isWritten == one.isWritten)
        ranges.back().bytes += granule;
      else
        ranges.push_back(one);
    }
  return ranges;
}

} // namespace windlass::ptx
