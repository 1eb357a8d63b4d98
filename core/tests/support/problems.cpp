#include "problems.hpp"

#include "polymargin/access/storage.hpp"

namespace polymargin::test {

template <class Real, class S>
static std::shared_ptr<const Rows<Real>> rows_of(const S& storage, Real bias) {
  return std::make_shared<RowsOf<Real, S>>(storage, bias);
}

template <class Real>
std::shared_ptr<const Rows<Real>> Matrix<Real>::view(Storage storage, Real bias) const {
  using Csr32 = CsrStorage<Real, std::int32_t>;
  using Csr64 = CsrStorage<Real, std::int64_t>;
  switch (storage) {
    case Storage::csr32:
      return rows_of(Csr32{values_.data(), indices_.data(), starts_.data(), rows_, columns_}, bias);
    case Storage::csr64:
      return rows_of(
          Csr64{values_.data(), long_indices_.data(), long_starts_.data(), rows_, columns_}, bias);
    case Storage::dense_c:
      return rows_of(DenseStorage<Real, true>{by_row_.data(), columns_, 1, rows_, columns_}, bias);
    case Storage::dense_rows:
      return rows_of(DenseStorage<Real, true>{wide_.data(), 2 * columns_, 1, rows_, columns_},
                     bias);
    case Storage::dense_columns:
      return rows_of(DenseStorage<Real>{spread_.data(), 2 * columns_, 2, rows_, columns_}, bias);
    default:
      return rows_of(DenseStorage<Real, false>{by_column_.data(), 1, rows_, rows_, columns_}, bias);
  }
}

template class Matrix<float>;
template class Matrix<double>;

}  // namespace polymargin::test
