// Threads, as many as the system gives: one that cannot be started is no reason to end the program.
#pragma once

#include <system_error>
#include <thread>
#include <vector>

namespace polymargin {

// Starts body(0), body(1), ... on threads of their own: `count` of them, or fewer if the system has
// no room for more. Whoever shares out work asks how many there are.
template <class Body>
std::vector<std::thread> start_threads(int count, const Body& body) {
  std::vector<std::thread> threads;
  if (count > 0) threads.reserve(std::size_t(count));
  try {
    for (int thread = 0; thread < count; ++thread)
      threads.emplace_back([body, thread] { body(thread); });
  } catch (const std::system_error&) {
  }
  return threads;
}

}  // namespace polymargin
