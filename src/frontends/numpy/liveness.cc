#include "frontends/numpy/liveness.h"

#include <cstdint>

#include "frontends/numpy/walker.h"

namespace pw::numpy {

namespace {

using python::ExprId;
using python::StmtId;
using python::Tree;
using Block = Liveness::Block;

/// A set of the names that a function binds; others are not followed.
class Names {
 public:
  explicit Names(std::size_t count) : words_((count + 63) / 64) {}
  void insert(std::size_t name) { words_[name / 64] |= bit(name); }
  void erase(std::size_t name) { words_[name / 64] &= ~bit(name); }
  bool contains(std::size_t name) const { return (words_[name / 64] & bit(name)) != 0; }
  void add(const Names& other) {
    for (std::size_t k = 0; k < words_.size(); ++k) words_[k] |= other.words_[k];
  }
  bool operator==(const Names&) const = default;

 private:
  static std::uint64_t bit(std::size_t name) { return std::uint64_t{1} << (name % 64); }
  std::vector<std::uint64_t> words_;
};

using Ids = std::unordered_map<std::string, std::size_t>;

/// Adds what is read to a set.
class Reader : public Walker {
 public:
  Reader(const Tree& tree, const Ids& ids, Names& live) : Walker(tree), ids_(ids), live_(live) {}
  void add(const std::string& name) {
    if (const auto id = ids_.find(name); id != ids_.end()) live_.insert(id->second);
  }
  bool enter(StmtId id) override {
    if (const auto* augmented = tree_.get_if<python::AugAssign>(id)) {
      if (const auto* name = tree_.get_if<python::Name>(augmented->target)) add(name->id);
    }
    return true;
  }
  void on_name(const python::Name& name, base::Span) override {
    if (name.ctx != python::ExprContext::Store) add(name.id);
  }

 private:
  const Ids& ids_;
  Names& live_;
};

/// Adds what nested functions read: they may be called anywhere.
class Captures : public Walker {
 public:
  Captures(const Tree& tree, Reader& reader) : Walker(tree), reader_(reader) {}
  bool enter(StmtId id) override {
    if (is_function(tree_, id)) reader_.walk(id);
    return !is_function(tree_, id);
  }
  void on_lambda(ExprId id) override { reader_.walk(id); }

 private:
  Reader& reader_;
};

}  // namespace

class LivenessOfFunction {
 public:
  LivenessOfFunction(Liveness& all, const Block& body, Liveness::Function& found)
      : all_(all), tree_(all.tree_), ids_(ids_of(all, body)), everywhere_(ids_.size()), found_(found) {
    Reader reader(tree_, ids_, everywhere_);
    Captures(tree_, reader).walk(body);
    Names live = everywhere_;
    block(body, live);
  }

 private:
  struct Loop {
    Names on_break, on_continue;
  };

  static Ids ids_of(Liveness& all, const Block& body) {
    Ids out;
    for (const auto& [name, how] : all.assigned_in(body)) out.emplace(name, out.size());
    return out;
  }

  void read(ExprId expr, Names& live) { Reader(tree_, ids_, live).walk(expr); }

  /// Takes the names that a target binds away; what else it reads is read before.
  void bind(ExprId target, Names& live) {
    if (const auto* name = tree_.get_if<python::Name>(target)) {
      const auto id = ids_.find(name->id);
      if (id != ids_.end() && !everywhere_.contains(id->second)) live.erase(id->second);
      return;
    }
    if (const auto* tuple = tree_.get_if<python::Tuple>(target)) {
      for (const ExprId item : tuple->elts) bind(item, live);
    } else if (const auto* list = tree_.get_if<python::List>(target)) {
      for (const ExprId item : list->elts) bind(item, live);
    } else if (const auto* rest = tree_.get_if<python::Starred>(target)) {
      bind(rest->value, live);
    }
  }

  /// From what is live behind the statements to what is live before them.
  void block(const Block& body, Names& live) {
    for (auto id = body.rbegin(); id != body.rend(); ++id) statement(*id, live);
  }

  void statement(StmtId id, Names& live) {
    python::visit(
        tree_[id],
        [&](const python::Assign& n) {
          for (const ExprId target : n.targets) bind(target, live);
          for (const ExprId target : n.targets) read(target, live);
          read(n.value, live);
        },
        [&](const python::AnnAssign& n) {
          if (n.value.valid()) bind(n.target, live);
          read(n.target, live);
          read(n.value, live);
        },
        [&](const python::Return& n) {
          live = everywhere_;
          read(n.value, live);
        },
        [&](const python::Raise& n) {
          live = everywhere_;
          read(n.exc, live);
        },
        [&](const python::Break&) { live = loops_.empty() ? live : loops_.back()->on_break; },
        [&](const python::Continue&) { live = loops_.empty() ? live : loops_.back()->on_continue; },
        [&](const python::If& n) {
          const Names behind = live;
          Names other = live;
          block(n.orelse, other);
          block(n.body, live);
          live.add(other);
          keep({&n.body, &n.orelse}, behind, &live);
          read(n.test, live);
        },
        [&](const python::For& n) {
          loop(n.body, n.orelse, n.target, ExprId{}, live);
          read(n.target, live);
          read(n.iter, live);
        },
        [&](const python::While& n) { loop(n.body, n.orelse, ExprId{}, n.test, live); },
        [&](const python::Try& n) { attempt(id, n, live); },
        [&](const python::TryStar& n) { attempt(id, n, live); },
        [&](const python::With& n) { whole(id, {&n.body}, live); },
        [&](const python::AsyncWith& n) { whole(id, {&n.body}, live); },
        [&](const python::AsyncFor& n) { whole(id, {&n.body, &n.orelse}, live); },
        [&](const python::Match& n) {
          std::vector<const Block*> blocks;
          for (const auto& each : n.cases) blocks.push_back(&each.body);
          whole(id, blocks, live);
        },
        [&](const auto&) { Reader(tree_, ids_, live).walk(id); });
  }

  /// Rounds until nothing is added: what is live where a round ends is live where the next one begins.
  void loop(const Block& body, const Block& orelse, ExprId target, ExprId test, Names& live) {
    Loop own{live, live};
    Names end = live;  // where the rounds end
    block(orelse, end);
    Names top = end;  // where a round begins, its target bound
    for (Names& before = befores_.try_emplace(&body, end).first->second;;) {
      before.add(end);
      own.on_continue = before;
      read(test, own.on_continue);
      loops_.push_back(&own);
      top = own.on_continue;
      block(body, top);
      loops_.pop_back();
      Names again = top;
      bind(target, again);
      again.add(before);
      if (again == before) break;
      before = again;
    }
    Names behind = end;
    behind.add(own.on_break);
    keep({&body}, behind, &top, target);
    keep({&orelse}, live);
    Names in = top;
    bind(target, in);
    in.add(end);
    read(test, in);
    live = std::move(in);
  }

  template <typename Node>
  void attempt(StmtId id, const Node& node, Names& live) {
    std::vector<const Block*> blocks = {&node.body, &node.orelse, &node.finalbody};
    for (const auto& handler : node.handlers) blocks.push_back(&handler.body);
    Names behind = live;
    for (const StmtId last : node.finalbody) Reader(tree_, ids_, behind).walk(last);
    whole(id, blocks, live);
    keep(blocks, behind);
  }

  /// A statement that may leave its blocks anywhere: what it reads is live throughout.
  void whole(StmtId id, const std::vector<const Block*>& blocks, Names& live) {
    Names outside = everywhere_;
    std::swap(outside, everywhere_);
    everywhere_.add(live);
    Reader(tree_, ids_, everywhere_).walk(id);
    for (const Loop* each : loops_) {
      everywhere_.add(each->on_break);
      everywhere_.add(each->on_continue);
    }
    for (const Block* each : blocks) {
      Names inside = everywhere_;
      block(*each, inside);
    }
    live = everywhere_;
    std::swap(outside, everywhere_);
  }

  /// Notes what is live behind the statement of these blocks, of the names that they bind. A loop's are met
  /// more than once, and the last time says the most.
  void keep(const std::vector<const Block*>& blocks, const Names& behind, const Names* top = nullptr,
            ExprId target = ExprId{}) {
    std::map<std::string, Liveness::Fact> facts;
    const auto note = [&](const std::string& name) {
      const auto id = ids_.find(name);
      if (id == ids_.end()) return;
      facts[name] = {behind.contains(id->second), top == nullptr || top->contains(id->second)};
    };
    for (const Block* each : blocks) {
      for (const auto& [name, how] : all_.assigned_in(*each)) note(name);
    }
    if (target.valid()) {
      for (const std::string& name : mentioned_names(tree_, target)) note(name);
    }
    for (const Block* each : blocks) found_.insert_or_assign(each, facts);
  }

  Liveness& all_;
  const Tree& tree_;
  const Ids ids_;
  Names everywhere_;
  Liveness::Function& found_;
  std::vector<Loop*> loops_;                         // from the outside in
  std::unordered_map<const Block*, Names> befores_;  // of a loop's body: live where it is decided on a round
};

const std::map<std::string, AssignedName>& Liveness::assigned_in(const Block& block) {
  const auto [it, missing] = assigned_.try_emplace(&block);
  if (missing) it->second = assigned_names(tree_, block);
  return it->second;
}

Liveness::Fact Liveness::fact_of(const Block& function, const Block& block, const std::string& name) {
  const auto [it, missing] = functions_.try_emplace(&function);
  if (missing) LivenessOfFunction(*this, function, it->second);
  constexpr Fact kUnknown{true, true};
  const auto facts = it->second.find(&block);
  if (facts == it->second.end()) return kUnknown;
  const auto fact = facts->second.find(name);
  return fact == facts->second.end() ? kUnknown : fact->second;
}

bool Liveness::lives_behind(const Block& function, const Block& block, const std::string& name) {
  return fact_of(function, block, name).behind;
}

bool Liveness::lives_at_top(const Block& function, const Block& body, const std::string& name) {
  return fact_of(function, body, name).at_top;
}

}  // namespace pw::numpy
