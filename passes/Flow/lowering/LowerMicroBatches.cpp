// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Micro-batches of a section: one, or several in the vertical order.

#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/lowering/SectionLowering.h"

using namespace mlir;

namespace windlass::flow {

/// The segments of a micro-batch: the ops of a layer call, or all ops between two calls.
static SmallVector<SmallVector<Operation *>> segmentsOf(Block &body) {
  SmallVector<SmallVector<Operation *>> segments;
  bool wasCall = true;
  for (Operation &op : body) {
    bool isCall = isa<func::CallOp>(op);
    if (isCall || wasCall)
      segments.emplace_back();
    segments.back().push_back(&op);
    wasCall = isCall;
  }
  return segments;
}

LogicalResult SectionLowering::lowerMicroBatches(graph::MicroBatchesOp micro, Frame &frame) {
  Block &body = micro.getBody().front();
  SmallVector<Frame> inner;
  for (int64_t number = 0; number < options.microBatches; ++number)
    inner.push_back(enterMicroBatch(micro, number, frame));
  findReduced(micro, frame);
  for (const SmallVector<Operation *> &segment : segmentsOf(body)) {
    for (Frame &one : inner)
      for (Operation *op : segment)
        if (failed(lowerOp(op, one)))
          return failure();
    gatheredInSegment.clear();
  }
  return success();
}

SectionLowering::Frame SectionLowering::enterMicroBatch(graph::MicroBatchesOp micro, int64_t number,
                                                        Frame &frame) {
  Block &body = micro.getBody().front();
  Frame inner;
  inner.microBatch = number;
  inner.buffers = frame.buffers;
  for (Accumulator accumulator : accumulatorsOf(micro, symbols)) {
    Value value = body.getTerminator()->getOperand(accumulator.sum.getResultNumber());
    Type sum = tensorOf(accumulator.sum).getElementType(), term = tensorOf(value).getElementType();
    const bool stores = options.stores && number == 0;
    Destination at{nullptr, 0, homes.of(accumulator), sum, stores, accumulator.unit >= 0};
    Value home = use(at.accumulator);
    if (at.isUnit) { // the term is as long as the home, which is written to its end
      int64_t bytes = bufferType(home).getBytes() / bytesOf(sum) * bytesOf(term);
      at.slot = std::make_shared<Slot>(Slot{BufferClass::Partial, bytes, {}, bytesOf(tensorOf(value))});
    }
    inner.destinations[value] = at;
    frame.buffers[accumulator.sum] = home;
  }
  findDestinations(body, inner);
  return inner;
}

} // namespace windlass::flow
