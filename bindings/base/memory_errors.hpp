// What Python is told where memory for something small is not to be had: OutOfMemory says how much,
// std::bad_alloc says nothing.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <new>

#include "polymargin/base/memory.hpp"

namespace polymargin::bindings {

inline void register_memory_errors() {
  nanobind::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const OutOfMemory&) {
      throw;  // becomes a MemoryError with its own words
    } catch (const std::bad_alloc&) {
      PyErr_SetString(PyExc_MemoryError,
                      "the system has no more memory for this process; free memory, or use fewer "
                      "rows, features or classes, or float32");
    }
  });
}

}  // namespace polymargin::bindings
