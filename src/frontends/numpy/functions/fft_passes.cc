// Passes of the Stockham autosort transform, decimation in frequency.
// Source: Van Loan, Computational Frameworks for the Fast Fourier Transform, sections 1.7 (Stockham) and 2.1
// (any radix).
#include "frontends/numpy/functions/fft_passes.h"

#include <cmath>
#include <numbers>

namespace pw::numpy::functions {

namespace {

using ir::ExprId;
using ir::ExtentId;
using ir::ExtentOp;
using ir::Op;

struct ComplexNumber {
  Number re, im;
};
ComplexNumber operator+(const ComplexNumber& a, const ComplexNumber& b) { return {a.re + b.re, a.im + b.im}; }
ComplexNumber operator-(const ComplexNumber& a, const ComplexNumber& b) { return {a.re - b.re, a.im - b.im}; }
ComplexNumber operator*(double a, const ComplexNumber& b) { return {a * b.re, a * b.im}; }
ComplexNumber operator*(const ComplexNumber& a, const ComplexNumber& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/// a - i b and a + i b.
ComplexNumber minus_i(const ComplexNumber& a, const ComplexNumber& b) { return {a.re + b.im, a.im - b.re}; }
ComplexNumber plus_i(const ComplexNumber& a, const ComplexNumber& b) { return {a.re - b.im, a.im + b.re}; }

/// Bound to locals NAME_re and NAME_im.
ComplexNumber held(Stager& stager, const ComplexNumber& x, const std::string& name) {
  const auto bound = [&](ExprId expr, const char* part) {
    return Number{&stager, stager.module.add(ir::Read{stager.let(expr, name + part)}, stager.here())};
  };
  const Number re = bound(x.re.expr, "_re");
  return {re, bound(x.im.expr, "_im")};
}

ComplexNumber load(Stager& stager, const Planes& planes, ExtentId at, const std::string& name) {
  const ComplexNumber x = {{&stager, stager.load(planes.re, {at})}, {&stager, stager.load(planes.im, {at})}};
  return held(stager, x, name);
}

void store(Stager& stager, const Planes& planes, ExtentId at, const ComplexNumber& x) {
  stager.store(planes.re, {at}, x.re.expr);
  stager.store(planes.im, {at}, x.im.expr);
}

// ---- transforms of few points

using Points = std::vector<ComplexNumber>;

Points transform_2(Stager&, const Points& t) { return {t[0] + t[1], t[0] - t[1]}; }

Points transform_4(Stager& stager, const Points& t) {
  const ComplexNumber a = held(stager, t[0] + t[2], "even_sum");
  const ComplexNumber b = held(stager, t[0] - t[2], "even_gap");
  const ComplexNumber c = held(stager, t[1] + t[3], "odd_sum");
  const ComplexNumber d = held(stager, t[1] - t[3], "odd_gap");
  return {a + c, minus_i(b, d), a - c, plus_i(b, d)};
}

/// Of an odd number r: points j and r - j are added and subtracted first, so that the roots are real numbers.
Points transform_odd(Stager& stager, const Points& t) {
  const std::size_t r = t.size();
  Points sums, differences;
  for (std::size_t j = 1; 2 * j < r; ++j) {
    sums.push_back(held(stager, t[j] + t[r - j], "sum"));
    differences.push_back(held(stager, t[j] - t[r - j], "gap"));
  }
  Points out(r, t[0]);
  for (const ComplexNumber& sum : sums) out[0] = out[0] + sum;
  for (std::size_t k = 1; 2 * k < r; ++k) {
    const auto turns = [&](std::size_t j) {
      return 2 * std::numbers::pi * static_cast<double>(j * k % r) / static_cast<double>(r);
    };
    ComplexNumber even = t[0];
    ComplexNumber odd = std::sin(turns(1)) * differences[0];
    for (std::size_t j = 0; j < sums.size(); ++j) {
      even = even + std::cos(turns(j + 1)) * sums[j];
      if (j > 0) odd = odd + std::sin(turns(j + 1)) * differences[j];
    }
    even = held(stager, even, "even");
    odd = held(stager, odd, "odd");
    out[k] = minus_i(even, odd);
    out[r - k] = plus_i(even, odd);
  }
  return out;
}

// ---- one pass

/// Of the transforms of n points, made of `radix` ones of m each, the first step: x[q + s*(p + m*j)], j = 0
/// .. radix-1, become y[q + s*(radix*p + k)]; s transforms lie side by side, and the roots of unity of n lie
/// `step` apart.
struct Pass {
  Stager& stager;
  ExtentId radix, m, s, step;
  Planes roots, x, y;

  ExtentId from(ExtentId p, ExtentId q, ExtentId j) const {
    ir::ExtentTable& table = stager.extents();
    return table.add(q, table.multiply(s, table.add(p, table.multiply(m, j))));
  }
  ExtentId to(ExtentId p, ExtentId q, ExtentId k) const {
    ir::ExtentTable& table = stager.extents();
    return table.add(q, table.multiply(s, table.add(table.multiply(radix, p), k)));
  }
  ComplexNumber root(ExtentId p, ExtentId k) const {
    ir::ExtentTable& table = stager.extents();
    return load(stager, roots, table.multiply(table.multiply(p, k), step), "root");
  }
};

/// One block of `radix` points: element `lane` of block `p`.
void few_points(const Pass& pass, ExtentId p, ExtentId lane, const Points& roots,
                Points (*transform)(Stager&, const Points&)) {
  Stager& stager = pass.stager;
  Points in;
  for (std::size_t j = 0; j < roots.size(); ++j) {
    in.push_back(load(stager, pass.x, pass.from(p, lane, stager.size(static_cast<std::int64_t>(j))), "x"));
  }
  const Points out = transform(stager, in);
  for (std::size_t k = 0; k < out.size(); ++k) {
    store(stager, pass.y, pass.to(p, lane, stager.size(static_cast<std::int64_t>(k))),
          k == 0 ? out[k] : held(stager, out[k], "y") * roots[k]);
  }
}

Points roots_of(const Pass& pass, ExtentId p, std::int64_t radix) {
  Points roots(1);
  for (std::int64_t k = 1; k < radix; ++k) roots.push_back(pass.root(p, pass.stager.size(k)));
  return roots;
}

void pass_of(Pass pass, std::int64_t radix, Points (*transform)(Stager&, const Points&)) {
  Stager& stager = pass.stager;
  pass.radix = stager.size(radix);
  const ExtentId blocks[] = {pass.m};
  const ExtentId lanes[] = {pass.s};
  stager.map_over(blocks, [&](const Indices& p) {
    const Points roots = roots_of(pass, p[0], radix);
    stager.map_over(lanes, [&](const Indices& q) { few_points(pass, p[0], q[0], roots, transform); });
  });
}

/// The first pass of a transform that stands alone: blocks side by side instead of lanes.
void first_pass_of(Pass pass, std::int64_t radix, Points (*transform)(Stager&, const Points&)) {
  Stager& stager = pass.stager;
  pass.radix = stager.size(radix);
  pass.s = stager.size(1);
  pass.step = stager.size(1);
  const ExtentId blocks[] = {pass.m};
  stager.map_over(blocks, [&](const Indices& p) {
    few_points(pass, p[0], stager.size(0), roots_of(pass, p[0], radix), transform);
  });
}

/// By the definition of a transform of `radix` points.
void pass_of_any(const Pass& pass, ExtentId n) {
  Stager& stager = pass.stager;
  ir::ExtentTable& table = stager.extents();
  const ExtentId blocks[] = {pass.m, pass.radix};
  const ExtentId lanes[] = {pass.s};
  const ExtentId apart = fixed(stager, stager.index(table.apply(ExtentOp::FloorDiv, n, pass.radix)), "apart");
  stager.map_over(blocks, [&](const Indices& at) {
    const auto each = [&](const std::function<ComplexNumber(ExtentId q, const ComplexNumber& y)>& change) {
      stager.map_over(lanes, [&](const Indices& q) {
        const ExtentId place = pass.to(at[0], q[0], at[1]);
        store(stager, pass.y, place, change(q[0], load(stager, pass.y, place, "y")));
      });
    };
    stager.map_over(lanes, [&](const Indices& q) {
      store(stager, pass.y, pass.to(at[0], q[0], at[1]),
            load(stager, pass.x, pass.from(at[0], q[0], stager.size(0)), "x"));
    });
    stager.range_over("j", stager.size(1), pass.radix, [&](ExtentId j) {
      const ExtentId turn = table.apply(ExtentOp::Mod, table.multiply(j, at[1]), pass.radix);
      const ComplexNumber root = load(stager, pass.roots, table.multiply(turn, apart), "root");
      each([&](ExtentId q, const ComplexNumber& y) {
        return y + load(stager, pass.x, pass.from(at[0], q, j), "x") * root;
      });
    });
    const ComplexNumber root = pass.root(at[0], at[1]);
    each([&](ExtentId, const ComplexNumber& y) { return y * root; });
  });
}

ir::FunctionId pass_routine(Stager& stager) {
  return stager.routine("fft_pass", [&](ir::Function& function) {
    RoutineBody body{stager, function};
    const ExtentId n = body.size("n");
    const ExtentId room = body.size("room");
    const ExtentId radix = body.size("radix");
    const ExtentId m = body.size("m");
    const ExtentId s = body.size("s");
    const ExtentId step = body.size("step");
    const auto planes = [&](std::string_view re, std::string_view im, ExtentId length) {
      const Array first = body.array(re, ir::DType::F64, length);
      return Planes{first, body.array(im, ir::DType::F64, length)};
    };
    const Planes roots = planes("cosine", "sine", n);
    const Planes x = planes("x_re", "x_im", room);
    const Planes y = planes("y_re", "y_im", room);
    const Pass pass{stager, radix, m, s, step, roots, x, y};
    struct Known {
      std::int64_t radix;
      Points (*transform)(Stager&, const Points&);
    };
    static constexpr Known kKnown[] = {
        {4, transform_4}, {2, transform_2}, {3, transform_odd}, {5, transform_odd}, {7, transform_odd}};
    const std::function<void(std::size_t)> choose = [&](std::size_t k) {
      if (k == std::size(kKnown)) return pass_of_any(pass, n);
      const ExprId is_it = stager.apply(Op::Eq, {stager.index(radix), stager.integer(kKnown[k].radix)});
      if_else(
          stager, is_it, [&] { pass_of(pass, kKnown[k].radix, kKnown[k].transform); },
          [&] { choose(k + 1); });
    };
    const ExprId four = stager.apply(Op::Eq, {stager.index(radix), stager.integer(4)});
    const ExprId alone = stager.apply(Op::Eq, {stager.index(s), stager.integer(1)});
    if_else(
        stager, stager.apply(Op::And, {four, alone}), [&] { first_pass_of(pass, 4, transform_4); },
        [&] { choose(0); });
  });
}

// ---- all passes

ir::FunctionId passes_routine(Stager& stager) {
  return stager.routine("fft_passes", [&](ir::Function& function) {
    ir::ExtentTable& table = stager.extents();
    RoutineBody body{stager, function};
    const ExtentId n = body.size("n");
    const ExtentId room = body.size("room");
    const ExtentId width = body.size("width");
    const ExtentId count = body.size("count");
    const Array radices = body.array("radices", ir::DType::I64, stager.size(kMostFactors));
    std::vector<RoutineArgument> parts;
    for (const std::string_view name : {"cosine", "sine"})
      parts.emplace_back(body.array(name, ir::DType::F64, n));
    std::vector<RoutineArgument> a, b;
    for (const std::string_view name : {"a_re", "a_im"})
      a.emplace_back(body.array(name, ir::DType::F64, room));
    for (const std::string_view name : {"b_re", "b_im"})
      b.emplace_back(body.array(name, ir::DType::F64, room));
    const ir::LocalId stride = stager.declare_variable("stride", ir::DType::I64, stager.index(width));
    const ir::LocalId left = stager.declare_variable("left", ir::DType::I64, stager.index(n));
    const auto read = [&](ir::LocalId local) { return stager.module.add(ir::Read{local}, stager.here()); };
    stager.range_over("k", stager.size(0), count, [&](ExtentId k) {
      const ExtentId radix = fixed(stager, stager.load(radices, {k}), "radix", 2);
      const ExtentId s = fixed(stager, read(stride), "s");
      const ExtentId now = fixed(stager, read(left), "now", 1);
      const ExtentId m = fixed(stager, stager.index(table.apply(ExtentOp::FloorDiv, now, radix)), "m");
      const ExtentId step = fixed(stager, stager.index(table.apply(ExtentOp::FloorDiv, n, now)), "step");
      const auto call = [&](const std::vector<RoutineArgument>& from,
                            const std::vector<RoutineArgument>& to) {
        std::vector<RoutineArgument> arguments = {n, room, radix, m, s, step};
        const std::vector<RoutineArgument>* lists[] = {&parts, &from, &to};
        for (const auto* list : lists) arguments.insert(arguments.end(), list->begin(), list->end());
        call_routine(stager, pass_routine(stager), arguments);
      };
      const ExtentId to_go = table.apply(ExtentOp::Mod, table.subtract(count, k), stager.size(2));
      if_else(
          stager, stager.apply(Op::Eq, {stager.index(to_go), stager.integer(1)}), [&] { call(b, a); },
          [&] { call(a, b); });
      stager.emit(ir::Assign{stride, stager.index(table.multiply(s, radix))});
      stager.emit(ir::Assign{left, stager.index(m)});
    });
  });
}

ir::FunctionId factors_routine(Stager& stager) {
  return stager.routine("fft_factors", [&](ir::Function& function) {
    RoutineBody body{stager, function};
    const ExtentId n = body.size("n");
    const Array radices = body.array("radices", ir::DType::I64, stager.size(kMostFactors));
    function.results = {ir::DType::I64, ir::DType::I64};
    const ir::LocalId rest = stager.declare_variable("rest", ir::DType::I64, stager.index(n));
    const ir::LocalId count = stager.declare_variable("count", ir::DType::I64, stager.integer(0));
    const auto read = [&](ir::LocalId local) { return stager.module.add(ir::Read{local}, stager.here()); };
    stager.range_over("factor", stager.size(1), stager.size(kGreatestFactor + 1), [&](ExtentId factor) {
      const ExprId first = stager.apply(Op::Eq, {stager.index(factor), stager.integer(1)});
      const ExprId choice = stager.apply(Op::Select, {first, stager.integer(4), stager.index(factor)});
      const ExprId radix = stager.index(fixed(stager, choice, "radix", 2));
      const ExprId left = stager.apply(Op::Mod, {read(rest), radix});
      const ir::BlockId take = stager.block([&] {
        stager.store(radices, {fixed(stager, read(count), "at")}, radix);
        stager.emit(ir::Assign{count, stager.apply(Op::Add, {read(count), stager.integer(1)})});
        stager.emit(ir::Assign{rest, stager.apply(Op::FloorDiv, {read(rest), radix})});
      });
      stager.emit(ir::While{stager.apply(Op::Eq, {left, stager.integer(0)}), take});
    });
    stager.emit(ir::Return{{read(count), read(rest)}});
  });
}

// ---- roots of unity

/// cos and -sin of 2 pi k / n for k = 0 .. last, in units of a quarter of an n-th of a turn, from angles of
/// at most an eighth of a turn.
void roots_from_angles(Stager& stager, ExtentId n, ExtentId last, const Planes& roots) {
  ir::ExtentTable& table = stager.extents();
  const ExtentId range[] = {table.add(last, stager.size(1))};
  stager.map_over(range, [&](const Indices& at) {
    const ExtentId k = at[0];
    const auto integer = [&](std::int64_t of_n, std::int64_t of_k) {
      return stager.index(table.add(table.scale(n, of_n), table.scale(k, of_k)));
    };
    const ExprId first = kept(stager, stager.apply(Op::Le, {integer(0, 8), integer(1, 0)}));
    const ExprId third = kept(stager, stager.apply(Op::Gt, {integer(0, 8), integer(3, 0)}));
    const ExprId later = stager.apply(Op::Select, {third, integer(2, -4), integer(1, -4)});
    const ExprId units = stager.apply(Op::Select, {first, integer(0, 4), later});
    const ExprId turns = stager.apply(
        Op::Div, {stager.cast(units, ir::DType::F64), stager.cast(stager.index(n), ir::DType::F64)});
    const ExprId angle =
        kept(stager, stager.apply(Op::Mul, {stager.real(std::numbers::pi / 2, ir::DType::F64), turns}));
    const ExprId cosine = kept(stager, stager.apply(Op::Cos, {angle}));
    const ExprId sine = kept(stager, stager.apply(Op::Sin, {angle}));
    const ExprId second = kept(stager, stager.apply(Op::Not, {stager.apply(Op::Or, {first, third})}));
    const ExprId turned = stager.apply(Op::Select, {third, stager.apply(Op::Neg, {cosine}), cosine});
    stager.store(roots.re, {k}, stager.apply(Op::Select, {second, sine, turned}));
    stager.store(roots.im, {k}, stager.apply(Op::Neg, {stager.apply(Op::Select, {second, cosine, sine})}));
  });
}

/// The root at `whole` - i for i = `least` .. `least` + count - 1, of that at i.
void mirror_roots(Stager& stager, const Planes& roots, ExtentId whole, std::int64_t least, ExtentId count,
                  const std::function<ComplexNumber(const ComplexNumber&)>& image) {
  ir::ExtentTable& table = stager.extents();
  const ExtentId range[] = {count};
  stager.map_over(range, [&](const Indices& at) {
    const ExtentId i = table.add(at[0], stager.size(least));
    store(stager, roots, table.subtract(whole, i), image(load(stager, roots, i, "root")));
  });
}

ir::FunctionId roots_routine(Stager& stager) {
  return stager.routine("fft_roots", [&](ir::Function& function) {
    ir::ExtentTable& table = stager.extents();
    RoutineBody body{stager, function};
    const ExtentId n = body.size("n");
    const Array cosine = body.array("cosine", ir::DType::F64, n);
    const Planes roots{cosine, body.array("sine", ir::DType::F64, n)};
    const auto part = [&](std::int64_t parts) {
      return table.apply(ExtentOp::FloorDiv, n, stager.size(parts));
    };
    const auto negative = [&](Number x) { return Number{&stager, stager.apply(Op::Neg, {x.expr})}; };
    const ExtentId over = table.apply(ExtentOp::Mod, n, stager.size(8));
    if_else(
        stager, stager.apply(Op::Eq, {stager.index(over), stager.integer(0)}),
        [&] {
          roots_from_angles(stager, n, part(8), roots);
          mirror_roots(stager, roots, part(4), 0, part(8),
                       [&](const ComplexNumber& x) { return ComplexNumber{negative(x.im), negative(x.re)}; });
          mirror_roots(stager, roots, part(2), 0, part(4),
                       [&](const ComplexNumber& x) { return ComplexNumber{negative(x.re), x.im}; });
        },
        [&] { roots_from_angles(stager, n, part(2), roots); });
    const ExtentId rest = table.apply(ExtentOp::FloorDiv, table.add(n, stager.size(-1)), stager.size(2));
    mirror_roots(stager, roots, n, 1, rest,
                 [&](const ComplexNumber& x) { return ComplexNumber{x.re, negative(x.im)}; });
  });
}

}  // namespace

Planes allocate_planes(Stager& stager, ExtentId length, std::string_view re, std::string_view im) {
  const Array first = stager.allocate({length}, ir::DType::F64, re);
  return {first, stager.allocate({length}, ir::DType::F64, im)};
}

Factors find_factors(Stager& stager, ExtentId n, const Array& radices) {
  const RoutineArgument arguments[] = {n, radices};
  const std::string_view results[] = {"count", "rest"};
  const std::vector<ExtentId> out = call_routine(stager, factors_routine(stager), arguments, results);
  return {out[0], out[1]};
}

void find_roots(Stager& stager, ExtentId n, const Planes& roots) {
  const RoutineArgument arguments[] = {n, roots.re, roots.im};
  call_routine(stager, roots_routine(stager), arguments);
}

void run_passes(Stager& stager, const Passes& passes, ExtentId width) {
  const RoutineArgument arguments[] = {passes.n,       passes.room,     width,           passes.count,
                                       passes.radices, passes.roots.re, passes.roots.im, passes.a.re,
                                       passes.a.im,    passes.b.re,     passes.b.im};
  call_routine(stager, passes_routine(stager), arguments);
}

void fill_start(Stager& stager, const Passes& passes, const std::function<void(const Planes& start)>& fill) {
  const ExtentId odd = stager.extents().apply(ExtentOp::Mod, passes.count, stager.size(2));
  if_else(
      stager, stager.apply(Op::Eq, {stager.index(odd), stager.integer(1)}), [&] { fill(passes.b); },
      [&] { fill(passes.a); });
}

}  // namespace pw::numpy::functions
