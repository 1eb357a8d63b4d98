// Text of files into NumPy arrays, as a module of its own.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string_view>

#include "polymargin/reading/svmlight.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace polymargin::bindings {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static std::string_view view(const Bytes& text) {
  return {reinterpret_cast<const char*>(text.data()), text.shape(0)};
}

template <class T>
static nb::object to_numpy(std::unique_ptr<T[]> values, std::int64_t size) {
  if (!values) return nb::none();
  T* const data = values.release();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {std::size_t(size)}, owner));
}

// A pending signal, whose exception is then set.
static bool signalled() {
  nb::gil_scoped_acquire acquired;
  return PyErr_Occurred() || PyErr_CheckSignals() != 0;
}

static nb::dict failure_dict(std::string_view text, const Failure& failure) {
  const Description description = describe(text, failure);
  nb::dict result;
  result["line"] = description.line;
  result["column"] = description.column;
  result["expected"] = description.expected;
  result["found"] = nb::bytes(description.found.data(), description.found.size());
  return result;
}

template <class Real, class Index>
static Svmlight<Real, Index> parse(std::string_view text, FirstIndex first_index, int threads) {
  nb::gil_scoped_release released;
  return SvmlightParser<Real, Index>(text, first_index, threads, &signalled).parse();
}

template <class Real, class Index>
static nb::dict svmlight_dict(std::string_view text, Svmlight<Real, Index> parsed) {
  if (parsed.stopped) throw nb::python_error();
  if (parsed.failure.fault != Fault::none) return failure_dict(text, parsed.failure);
  nb::dict result;
  result["data"] = to_numpy(std::move(parsed.values), parsed.entries);
  result["indices"] = to_numpy(std::move(parsed.indices), parsed.entries);
  result["indptr"] = to_numpy(std::move(parsed.row_starts), parsed.rows + 1);
  result["n_features"] = parsed.features;
  result["labels_are_numbers"] = parsed.labels_are_numbers;
  result["labels"] = to_numpy(std::move(parsed.labels), parsed.rows);
  result["label_offsets"] = to_numpy(std::move(parsed.label_offsets), parsed.rows);
  return result;
}

template <class Real>
static nb::dict parse_svmlight(Bytes bytes, FirstIndex first_index, int threads) {
  const std::string_view text = view(bytes);
  auto narrow = parse<Real, std::int32_t>(text, first_index, threads);
  if (narrow.failure.fault != Fault::index_width) return svmlight_dict(text, std::move(narrow));
  narrow = {};
  return svmlight_dict(text, parse<Real, std::int64_t>(text, first_index, threads));
}

// The words at these places, one row each, filled up with zeros.
static nb::object words(Bytes bytes,
                        nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig> offsets) {
  const std::string_view text = view(bytes);
  const std::size_t rows = offsets.shape(0);
  const auto word = [&](std::size_t i) {
    return token_of(text.substr(std::size_t(offsets.data()[i]), kLongestLabel + 1));
  };
  std::size_t width = 1;
  for (std::size_t i = 0; i < rows; ++i) width = std::max(width, word(i).size());
  auto values = std::make_unique<std::uint8_t[]>(rows * width);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto found = word(i);
    std::copy(found.begin(), found.end(), values.get() + i * width);
  }
  std::uint8_t* const data = values.release();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::uint8_t*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<2>>(data, {rows, width}, owner));
}

}  // namespace polymargin::bindings

NB_MODULE(_reading, m) {
  using namespace polymargin::bindings;
  using polymargin::FirstIndex;
  nb::enum_<FirstIndex>(m, "FirstIndex")
      .value("unknown", FirstIndex::unknown)
      .value("zero", FirstIndex::zero)
      .value("one", FirstIndex::one);
  m.def("parse_svmlight_float32", &parse_svmlight<float>, "text"_a, "first_index"_a, "threads"_a);
  m.def("parse_svmlight_float64", &parse_svmlight<double>, "text"_a, "first_index"_a, "threads"_a,
        "The arrays of a CSR matrix and of labels; or line, column, what was expected and what was "
        "found instead.");
  m.def("words", &words, "text"_a, "offsets"_a,
        "The words at these places of a text, as rows of bytes filled up with zeros.");
}
