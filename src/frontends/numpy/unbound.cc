// Names that only some paths bind: NumPy raises UnboundLocalError where such a name is read on another path.
//
// A frame knows which names may be unbound at the statement at hand. Where such a name may be read, a flag is
// declared beside its variable (control.cc), assignments set it, and the read traps without it.
#include <fmt/format.h>

#include "frontends/numpy/frame.h"
#include "frontends/numpy/stager.h"

namespace pw::numpy {

/// `name` is bound from here on.
void Stager::mark_bound(const std::string& name) {
  Frame* frame = frames_.back();
  frame->unjoined.erase(name);
  const auto found = frame->unset.find(name);
  if (found == frame->unset.end()) return;
  if (found->second.valid()) emit(ir::Assign{found->second, constant(ir::const_bool(true))});
  frame->unset.erase(found);
}

/// Before a read of `name`, which was found in `scope`.
Result<Done> Stager::check_bound(const Scope* scope, const std::string& name, base::Span span) {
  for (Frame* frame : frames_) {
    if (frame->scope != scope) continue;
    const auto found = frame->unset.find(name);
    if (found == frame->unset.end()) continue;
    // Of a comprehension or a function inside it is a free variable, whose reads raise another exception.
    if (scope != scope_.get()) return engine.report(Rule::NumpyUnknownName, span, name);
    frame->unset_reads.insert(name);
    if (!found->second.valid()) {
      frame->flag_requests.insert(name);
      continue;
    }
    if (!frame->checked_bound.emplace(blocks_.back(), name).second) continue;
    trap_if(apply(ir::Op::Not, {module.add(ir::Read{found->second}, span_)}), ir::TrapKind::UnboundLocalError,
            fmt::format("{} is read where no path bound it", name));
  }
  return Done{};
}

Stager::Unset Stager::either(const Unset& a, const Unset& b) {
  Unset out = a;
  out.insert(b.begin(), b.end());
  return out;
}

/// `before`: at the loop; `exits`: where it may be left. `certain`: it is left at one of them.
Stager::Unset Stager::behind_loop(const Unset& before, std::span<const Unset> exits, bool certain) {
  if (!certain) return before;
  Unset out;
  for (const Unset& each : exits) out = either(out, each);
  return out;
}

}  // namespace pw::numpy
