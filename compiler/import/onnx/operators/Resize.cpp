// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resize: along each dimension a product with the matrix that interpolates it, which is known before the run.
#include "compiler/import/onnx/operators/Formula.h"
#include "compiler/import/onnx/operators/Operator.h"

#include <algorithm>
#include <cmath>

namespace windlass::onnx {
namespace {

constexpr size_t kScales = 2, kSizes = 3; ///< inputs

/// The resize of one dimension, from `in` to `out` elements; the scale need not be their quotient.
struct Axis {
  int64_t in = 1, out = 1;
  double scale = 1;

  bool isWhole() const { return in == out && scale == 1; }
};

enum class Mode : uint8_t { Nearest, Linear, Cubic };

struct Resize {
  Mode mode = Mode::Nearest;
  std::string coordinates, nearest;
  double cubic = -0.75;
  bool excludesOutside = false;
  std::vector<Axis> axes; ///< one for each dimension
};

/// Scales or sizes, in the order of the dimensions that `axes` names.
void readAxes(OpView &op, Resize &resize) {
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < op.rank(0); ++d) {
    dims.push_back(d);
    resize.axes.push_back({op.shape(0)[static_cast<size_t>(d)], op.shape(0)[static_cast<size_t>(d)]});
  }
  if (const auto *given = op.node.attribute<std::vector<int64_t>>("axes")) {
    dims = *given;
    for (int64_t &dim : dims)
      dim = op.normalized(dim, op.rank(0));
    if (!op.isOk())
      return;
  }
  const bool hasSizes = op.has(kSizes);
  const Literal *values = op.literal(hasSizes ? kSizes : kScales);
  if (!op.need(values && values->size() == std::ssize(dims),
               "must have a known scale or size for each dimension"))
    return;
  for (int64_t i = 0; i < values->size(); ++i) {
    Axis &axis = resize.axes[static_cast<size_t>(dims[static_cast<size_t>(i)])];
    const double in = static_cast<double>(axis.in), value = values->real(i);
    const float product = static_cast<float>(value) * static_cast<float>(in); // scales are f32
    if (!op.need(axis.in > 0 && value > 0 && (hasSizes ? value : value * in) < INT32_MAX,
                 "scales and sizes must be above 0, and make fewer than 2^31 elements"))
      return;
    axis.scale = hasSizes ? value / in : value;
    axis.out = hasSizes ? static_cast<int64_t>(value) : static_cast<int64_t>(product);
  }
}

Resize resizeOf(OpView &op) {
  Resize resize;
  const std::string mode = op.text("mode", "nearest");
  resize.mode = mode == "linear" ? Mode::Linear : mode == "cubic" ? Mode::Cubic : Mode::Nearest;
  resize.coordinates = op.text("coordinate_transformation_mode", "half_pixel");
  resize.nearest = op.text("nearest_mode", "round_prefer_floor");
  resize.cubic = op.real("cubic_coeff_a", -0.75);
  resize.excludesOutside = op.integer("exclude_outside", 0) != 0;
  if (op.need(mode == "nearest" || mode == "linear" || mode == "cubic",
              "mode must be nearest, linear or cubic, is \"" + mode + "\"") &&
      op.need(resize.coordinates != "tf_crop_and_resize", "parts of images are not resized") &&
      op.need(op.integer("antialias", 0) == 0, "antialias must be 0") &&
      op.need(op.text("keep_aspect_ratio_policy", "stretch") == "stretch", "only stretching is supported"))
    readAxes(op, resize);
  return resize;
}

/// The place in the input of element `to` of the output, computed in f32 or f64.
template <typename Real> Real placeOf(const Resize &resize, const Axis &axis, int64_t to) {
  const auto x = static_cast<Real>(to), in = static_cast<Real>(axis.in),
             scale = static_cast<Real>(axis.scale), out = scale * in, half = static_cast<Real>(0.5);
  if (resize.coordinates == "align_corners")
    return out <= 1 ? 0 : x * (in - 1) / (out - 1);
  if (resize.coordinates == "asymmetric")
    return x / scale;
  if (resize.coordinates == "tf_half_pixel_for_nn")
    return (x + half) / scale;
  if (resize.coordinates == "pytorch_half_pixel" && axis.out == 1)
    return 0;
  const Real middle = (x + half) / scale - half;
  if (resize.coordinates == "half_pixel_symmetric")
    return middle + in / 2 * (1 - static_cast<Real>(axis.out) / out);
  return middle;
}

double roundedPlace(const std::string &how, double place) {
  if (how == "floor")
    return std::floor(place);
  if (how == "ceil")
    return std::ceil(place);
  return how == "round_prefer_ceil" ? std::floor(place + 0.5) : std::ceil(place - 0.5);
}

/// The weights of the elements first, first + 1, ...
struct Taps {
  int64_t first = 0;
  std::vector<double> weights;
};

/// The weights of four elements for the place at `part` of the distance from the second to the third.
std::vector<double> cubicWeights(double a, double part) {
  auto near = [&](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  auto far = [&](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  return {far(part + 1), near(part), near(1 - part), far(2 - part)};
}

Taps tapsOf(const Resize &resize, const Axis &axis, int64_t to) {
  if (resize.mode == Mode::Nearest) // as runtimes compute it: where places meet, the rounding decides
    return {static_cast<int64_t>(roundedPlace(resize.nearest, placeOf<float>(resize, axis, to))), {1}};
  const auto place = placeOf<double>(resize, axis, to);
  const auto before = static_cast<int64_t>(std::floor(place));
  const double part = place - std::floor(place);
  return resize.mode == Mode::Linear ? Taps{before, {1 - part, part}}
                                     : Taps{before - 1, cubicWeights(resize.cubic, part)};
}

/// The matrix of out x in weights. Places outside of the input are the element at the edge, or are excluded.
std::vector<std::vector<double>> matrixOf(const Resize &resize, const Axis &axis) {
  std::vector<std::vector<double>> rows;
  for (int64_t to = 0; to < axis.out; ++to) {
    std::vector<double> &row = rows.emplace_back(static_cast<size_t>(axis.in), 0.0);
    const Taps taps = tapsOf(resize, axis, to);
    double sum = 0;
    for (size_t i = 0; i < taps.weights.size(); ++i) {
      const int64_t from = taps.first + static_cast<int64_t>(i);
      if (resize.excludesOutside && (from < 0 || from >= axis.in))
        continue;
      row[static_cast<size_t>(std::clamp<int64_t>(from, 0, axis.in - 1))] += taps.weights[i];
      sum += taps.weights[i];
    }
    if (resize.excludesOutside && sum != 0)
      for (double &weight : row)
        weight /= sum;
  }
  return rows;
}

/// The number of times that each element is repeated, if the resize only repeats elements; else 0.
int64_t repetitions(const Resize &resize, const Axis &axis) {
  const int64_t times = axis.out / axis.in;
  if (resize.mode != Mode::Nearest || times * axis.in != axis.out)
    return 0;
  for (int64_t to = 0; to < axis.out; ++to)
    if (std::clamp<int64_t>(tapsOf(resize, axis, to).first, 0, axis.in - 1) != to / times)
      return 0;
  return times;
}

std::vector<Type> inferResize(OpView &op) {
  if (!op.need(isFloat(op.type(0)), "must be numbers"))
    return {};
  const Resize resize = resizeOf(op);
  Shape shape;
  for (const Axis &axis : resize.axes)
    shape.push_back(axis.out);
  return {{op.type(0), shape}};
}

/// x of outer x in x inner, resized in the middle.
std::string resized(OpView &op, Formula &f, const Resize &resize, const Axis &axis, const std::string &x,
                    int64_t outer, int64_t inner) {
  constexpr int64_t kMostNumbers = 65536; ///< elements, at most, of a constant in graph JSON
  if (const int64_t times = repetitions(resize, axis); times > 0)
    return f.expand(f.reshape(x, {outer, axis.in, 1, inner}), {outer, axis.in, times, inner});
  if (!op.need(axis.in * axis.out <= kMostNumbers, "must resize " + std::to_string(axis.in) + " to " +
                                                       std::to_string(axis.out) + " by at most " +
                                                       std::to_string(kMostNumbers) + " weights"))
    return x;
  const std::string matrix = f.matrix(matrixOf(resize, axis));
  return f.apply("matmul", {matrix, f.reshape(x, {outer, axis.in, inner})});
}

void writeResize(OpView &op, Writer &writer) {
  const Resize resize = resizeOf(op);
  Formula f(writer);
  std::string x = writer.as(op.in(0));
  Shape shape = op.shape(0);
  for (size_t d = 0; d < resize.axes.size() && op.isOk(); ++d) {
    const Axis &axis = resize.axes[d];
    if (axis.isWhole())
      continue;
    const auto at = shape.begin() + static_cast<int64_t>(d);
    x = resized(op, f, resize, axis, x, elementsOf({shape.begin(), at}), elementsOf({at + 1, shape.end()}));
    shape[d] = axis.out;
    x = f.reshape(x, shape);
  }
  writer.declare(op.out(), x, shape);
}

constexpr Operator kOperators[] = {
    {"Resize", "`expand`, or `matmul`", 1, 4, inferResize, nullptr, writeResize},
};

} // namespace

std::span<const Operator> resizeOperators() { return kOperators; }

} // namespace windlass::onnx
