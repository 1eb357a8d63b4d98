// The visits in one loop of the machines that are used most, instantiated once.
#include "polymargin/driver/linear/block_visits.hpp"

#include "margin_machines.hpp"

namespace polymargin {

namespace {

// Calls f(IntC<bytes>, IntC<packs>) for layouts that have a loop of their own.
template <class F>
void with_layout(const ClassLayout& layout, F&& f) {
  with_pack_bytes(layout.bytes, [&](auto bytes) {
    with_pack_count(layout.packs, [&](auto packs) {
      constexpr bool kHalf = bytes() != kNativeBytes;  // of which there are one or three
      if constexpr (packs() >= 1 && packs() <= kVisitedPacks && !(kHalf && packs() % 2 == 0))
        f(bytes, packs);
    });
  });
}

}  // namespace

template <class Real>
std::unique_ptr<BlockVisits<Real>> make_block_visits(const Rows<Real>& rows,
                                                     const Machine<Real>& machine,
                                                     const ClassLayout& layout) {
  using Each = AbsoluteMargin<Variables::all, false>;
  std::unique_ptr<BlockVisits<Real>> made;
  const auto try_machine = [&]<class Kind>(const Kind*) {
    const auto* kind = dynamic_cast<const Kind*>(&machine);
    if (kind == nullptr) return;
    with_stored_rows(rows, [&]<class Stored>(const Stored& stored) {
      with_layout(layout, [&](auto bytes, auto packs) {
        using Made = BlockVisitsOf<Real, Stored, Kind, bytes(), packs()>;
        made = std::make_unique<Made>(stored, *kind, layout);
      });
    });
  };
  try_machine(static_cast<const SimplexMachine<Real, RelativeMargin, SimplexExact>*>(nullptr));
  try_machine(static_cast<const BoxMachine<Real, RelativeMargin, Penalty::none, BoxExact<false>>*>(
      nullptr));
  try_machine(static_cast<const BoxMachine<Real, Each, Penalty::none, BoxExact<false>>*>(nullptr));
  try_machine(
      static_cast<const BoxMachine<Real, Each, Penalty::of_each, BoxExact<false>>*>(nullptr));
  return made;
}

template std::unique_ptr<BlockVisits<float>> make_block_visits<float>(const Rows<float>&,
                                                                      const Machine<float>&,
                                                                      const ClassLayout&);
template std::unique_ptr<BlockVisits<double>> make_block_visits<double>(const Rows<double>&,
                                                                        const Machine<double>&,
                                                                        const ClassLayout&);

}  // namespace polymargin
