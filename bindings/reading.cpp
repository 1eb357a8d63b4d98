// Text of files into NumPy arrays, as a module of its own.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/memory_errors.hpp"
#include "polymargin/reading/svmlight.hpp"
#include "polymargin/reading/table.hpp"
#include "polymargin/reading/text_output.hpp"

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

static nb::dict failure_dict(const TextPosition& position, const std::string& expected,
                             const std::string& found) {
  nb::dict result;
  result["line"] = position.line;
  result["column"] = position.column;
  result["expected"] = expected;
  result["found"] = nb::bytes(found.data(), found.size());
  return result;
}

template <class Real, class Index>
static Svmlight<Real, Index> parse(std::string_view text, FirstIndex first_index, int threads,
                                   bool several_labels) {
  nb::gil_scoped_release released;
  return SvmlightParser<Real, Index>(text, first_index, threads, &signalled, TextChunks::kSize,
                                     several_labels)
      .parse();
}

template <class Real, class Index>
static nb::dict svmlight_dict(std::string_view text, Svmlight<Real, Index> parsed) {
  if (parsed.stopped || PyErr_Occurred()) throw nb::python_error();
  if (parsed.failure.fault != Fault::none) {
    const Description description = describe(text, parsed.failure);
    return failure_dict(description.position, description.expected, description.found);
  }
  nb::dict result;
  result["data"] = to_numpy(std::move(parsed.values), parsed.entries);
  result["indices"] = to_numpy(std::move(parsed.indices), parsed.entries);
  result["indptr"] = to_numpy(std::move(parsed.row_starts), parsed.rows + 1);
  result["n_features"] = parsed.features;
  result["first_index"] = parsed.first_index;
  result["labels_are_numbers"] = parsed.labels_are_numbers;
  result["labels"] = to_numpy(std::move(parsed.labels), parsed.rows);
  result["label_offsets"] = to_numpy(std::move(parsed.label_offsets), parsed.rows);
  return result;
}

template <class Real>
static nb::dict parse_svmlight(Bytes bytes, FirstIndex first_index, int threads, bool several) {
  const std::string_view text = view(bytes);
  auto narrow = parse<Real, std::int32_t>(text, first_index, threads, several);
  if (narrow.failure.fault != Fault::index_width) return svmlight_dict(text, std::move(narrow));
  narrow = {};
  return svmlight_dict(text, parse<Real, std::int64_t>(text, first_index, threads, several));
}

template <class Real>
static nb::dict parse_table(Bytes bytes, char delimiter, std::int64_t columns, std::int64_t label,
                            int threads) {
  if (columns < 1 || label < -1 || label >= columns)
    throw std::invalid_argument("label must be a column, or -1");
  const std::string_view text = view(bytes);
  Table<Real> table;
  {
    nb::gil_scoped_release released;
    table = polymargin::parse_table<Real>(text, {delimiter, columns, label}, threads, &signalled);
  }
  if (table.stopped || PyErr_Occurred()) throw nb::python_error();
  const TableFault fault = table.failure.fault;
  if (fault != TableFault::none) {
    const auto description = describe(text, delimiter, columns, table.failure);
    nb::dict result = failure_dict(description.position, description.expected, description.found);
    const bool in_column = fault != TableFault::few_columns && fault != TableFault::many_columns;
    result["table_column"] = in_column ? nb::cast(table.failure.column) : nb::none();
    return result;
  }
  nb::dict result;
  result["data"] = to_numpy(std::move(table.values), table.rows * (columns - (label >= 0)));
  result["n_rows"] = table.rows;
  result["labels_are_numbers"] = table.labels_are_numbers;
  result["codes"] = table.codes;
  result["labels"] = to_numpy(std::move(table.labels), table.rows);
  result["label_offsets"] = to_numpy(std::move(table.label_offsets), table.rows);
  return result;
}

using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// One row of bytes for each word, filled up with zeros.
template <class WordAt>
static nb::object words(const Offsets& offsets, WordAt&& word_at) {
  const std::size_t rows = offsets.shape(0);
  std::size_t width = 1;
  for (std::size_t i = 0; i < rows; ++i)
    width = std::max(width, word_at(std::size_t(offsets.data()[i])).size());
  auto values = std::make_unique<std::uint8_t[]>(rows * width);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::string_view word = word_at(std::size_t(offsets.data()[i]));
    std::copy(word.begin(), word.end(), values.get() + i * width);
  }
  return to_numpy(std::move(values), std::int64_t(rows * width)).attr("reshape")(rows, width);
}

static nb::object tokens(Bytes bytes, Offsets offsets) {
  const std::string_view text = view(bytes);
  return words(offsets, [&](std::size_t at) { return token_of(text.substr(at)); });
}

static nb::object fields(Bytes bytes, Offsets offsets, char delimiter) {
  // The last line may lack its end.
  const std::string_view text = view(bytes);
  const auto last = text.rfind('\n') + 1;
  const std::string rest = std::string(text.substr(last)) + '\n';
  return words(offsets, [&](std::size_t at) {
    return field_at(at < last ? text.data() + at : rest.data() + (at - last), delimiter).word();
  });
}

// Words as rows of bytes, filled up with zeros; without columns if there are none.
using Words = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

static std::string_view word_of(const Words& words, std::size_t row) {
  const std::size_t width = words.shape(1);
  const std::string_view all(reinterpret_cast<const char*>(words.data()) + row * width, width);
  return all.substr(0, all.find('\0'));
}

// Rows [begin, end) of a CSR matrix, whose arrays Python has checked.
template <class Real, class Index>
static nb::bytes format_svmlight(Array<Real> data, Array<Index> indices, Array<Index> indptr,
                                 Words labels, std::size_t begin, std::size_t end,
                                 int first_index) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    const Index from = indptr.data()[i], to = indptr.data()[i + 1];
    append_svmlight_row(text, word_of(labels, i), indices.data() + from, data.data() + from,
                        to - from, first_index);
  }
  return nb::bytes(text.data(), text.size());
}

template <class Real>
static nb::bytes format_table(nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu> X,
                              Words labels, char delimiter) {
  std::string text;
  for (std::size_t i = 0; i < X.shape(0); ++i)
    append_table_row(text, word_of(labels, i), X.data() + i * X.shape(1), std::int64_t(X.shape(1)),
                     delimiter);
  return nb::bytes(text.data(), text.size());
}

template <class Real, class Index>
static void bind_format_svmlight(nb::module_& m) {
  m.def("format_svmlight", &format_svmlight<Real, Index>, "data"_a.noconvert(),
        "indices"_a.noconvert(), "indptr"_a.noconvert(), "labels"_a, "begin"_a, "end"_a,
        "first_index"_a, "Rows of a CSR matrix as svmlight text.");
}

}  // namespace polymargin::bindings

NB_MODULE(_reading, m) {
  nb::set_leak_warnings(false);  // as in core.cpp
  polymargin::bindings::register_memory_errors();
  using namespace polymargin::bindings;
  using polymargin::FirstIndex;
  nb::enum_<FirstIndex>(m, "FirstIndex")
      .value("unknown", FirstIndex::unknown)
      .value("zero", FirstIndex::zero)
      .value("one", FirstIndex::one);
  m.def("parse_svmlight_float32", &parse_svmlight<float>, "text"_a, "first_index"_a, "threads"_a,
        "several_labels"_a = false);
  m.def("parse_svmlight_float64", &parse_svmlight<double>, "text"_a, "first_index"_a, "threads"_a,
        "several_labels"_a = false,
        "The arrays of a CSR matrix and of labels; or line, column, what was expected and what was "
        "found instead.");
  m.def("parse_table_float32", &parse_table<float>, "text"_a, "delimiter"_a, "columns"_a, "label"_a,
        "threads"_a);
  m.def("parse_table_float64", &parse_table<double>, "text"_a, "delimiter"_a, "columns"_a,
        "label"_a, "threads"_a,
        "The matrix, row by row, and labels; or line, column, what was expected and what was found "
        "instead.");
  m.def("tokens", &tokens, "text"_a, "offsets"_a,
        "The words at these places of svmlight text, as rows of bytes filled up with zeros.");
  m.def("fields", &fields, "text"_a, "offsets"_a, "delimiter"_a,
        "The fields at these places of a table, likewise.");
  bind_format_svmlight<float, std::int32_t>(m);
  bind_format_svmlight<float, std::int64_t>(m);
  bind_format_svmlight<double, std::int32_t>(m);
  bind_format_svmlight<double, std::int64_t>(m);
  m.def("format_table", &format_table<float>, "X"_a.noconvert(), "labels"_a, "delimiter"_a);
  m.def("format_table", &format_table<double>, "X"_a.noconvert(), "labels"_a, "delimiter"_a,
        "A matrix as rows of a table, labels last.");
}
