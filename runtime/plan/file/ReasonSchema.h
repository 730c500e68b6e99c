// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ReasonSchema.h - the fields of reasons in plan.json ===================//
//
// Duty: the part of Schema.h that describes the records of Reasons.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Reasons.h"

namespace windlass::plan {

template <typename A> void describe(A &file, typename A::template Of<QuotedRate> &rate) {
  file.field("key", rate.key);
  file.field("per_second", rate.perSecond);
  file.field("unit", rate.unit);
  file.optional("measured", rate.measured, false);
}

template <typename A> void describe(A &file, typename A::template Of<QuotedTime> &time) {
  file.field("key", time.key);
  file.field("seconds", time.seconds);
}

template <typename A> void describe(A &file, typename A::template Of<Consumer> &consumer) {
  file.field("name", consumer.name);
  file.field("bytes", consumer.bytes);
}

template <typename A> void describe(A &file, typename A::template Of<Shortage> &shortage) {
  file.field("of", shortage.of);
  file.field("tier", shortage.tier);
  file.field("bytes", shortage.bytes);
  file.optional("needed", shortage.needed, int64_t{0});
  file.optional("capacity", shortage.capacity, int64_t{0});
  file.optionalList("largest", shortage.largest);
}

template <typename A> void describe(A &file, typename A::template Of<Price> &price) {
  file.field("resource", price.resource);
  file.field("seconds", price.seconds);
  file.field("before", price.before);
  file.optional("rate", price.rate, QuotedRate());
}

template <typename A> void describe(A &file, typename A::template Of<Trial> &trial) {
  file.field("value", trial.value);
  file.field("outcome", trial.outcome);
  file.optional("refusal", trial.refusal, std::string());
  file.optional("clock", trial.clock, Clock::None);
  file.optional("seconds", trial.seconds, 0.0);
  file.optional("whole_parameters", trial.wholeParameters, false);
  file.optionalList("shortages", trial.shortages);
  file.optional("price", trial.price, Price());
  file.optionalList("figures", trial.figures);
}

template <typename A> void describe(A &file, typename A::template Of<Resting> &resting) {
  file.field("tier", resting.tier);
  file.field("items", resting.items);
  file.field("bytes", resting.bytes);
}

template <typename A> void describe(A &file, typename A::template Of<FetchWindow> &window) {
  file.field("what", window.what);
  file.field("fn", window.function);
  file.field("ahead", window.ahead);
  file.field("seconds", window.seconds);
  file.record("latency", window.latency);
  file.field("bytes", window.bytes);
  file.optional("shares", window.shares, int64_t{1});
  file.record("rate", window.rate);
  file.optional("last_what", window.lastWhat, std::string());
  file.optional("last_fn", window.lastFunction, std::string());
  file.field("late", window.late);
  file.optional("held", window.held, int64_t{0});
}

template <typename A> void describe(A &file, typename A::template Of<Reason> &reason) {
  file.field("decision", reason.decision);
  file.optional("subject", reason.subject, std::string());
  file.signedNumber("stage", reason.stage, kEveryStage);
  file.field("taken", reason.taken);
  file.field("basis", reason.basis);
  file.optionalList("figures", reason.figures);
  file.optionalList("rests", reason.rests);
  file.optional("window", reason.window, FetchWindow());
  file.optionalList("trials", reason.trials);
}

} // namespace windlass::plan
