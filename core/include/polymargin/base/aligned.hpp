// A zero-filled array aligned for packs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>

#include "polymargin/base/memory.hpp"

namespace polymargin {

inline constexpr std::size_t kAlignment = 64;

template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t size) { resize(size); }
  AlignedArray(AlignedArray&& other) noexcept { swap(other); }
  AlignedArray& operator=(AlignedArray&& other) noexcept {
    swap(other);
    return *this;
  }
  ~AlignedArray() { ::operator delete(data_, std::align_val_t{kAlignment}); }

  void resize(std::size_t size) {
    const std::size_t bytes = checked_product(std::max<std::size_t>(size, 1), sizeof(T));
    AlignedArray fresh;
    fresh.data_ =
        static_cast<T*>(::operator new(bytes, std::align_val_t{kAlignment}, std::nothrow));
    if (fresh.data_ == nullptr) throw OutOfMemory(double(bytes));
    fresh.size_ = size;
    fresh.clear();
    swap(fresh);
  }
  void clear() { std::fill_n(data_, size_, T{}); }
  void swap(AlignedArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace polymargin
