// The library routine "fft": transforms of any length, some of them side by side.
// Source: Bluestein, A linear filtering approach to the computation of the discrete Fourier transform, IEEE
// Trans. Audio Electroacoust. 18 (1970), for lengths with a great prime factor; fft_passes.cc for the others.
#include <algorithm>

#include "frontends/numpy/functions/fft_passes.h"
#include "frontends/numpy/functions/fourier.h"

namespace pw::numpy::functions {

namespace {

using ir::ExprId;
using ir::ExtentId;
using ir::ExtentOp;
using ir::Op;

/// Transforms that are made side by side: enough to fill a cache line, few enough for their passes to stay in
/// a cache.
constexpr std::int64_t kWidth = 8;

/// The parameters of the routine, and what its parts share.
class Fft {
 public:
  Fft(Stager& stager, RoutineBody body)
      : stager_(stager),
        table_(stager.extents()),
        outer_(body.size("outer")),
        n_(body.size("n")),
        inner_(body.size("inner")),
        sign_(body.integer("sign")),
        total_(table_.multiply(outer_, inner_)),
        x_(body.array("x", ir::DType::C128, table_.multiply(table_.multiply(outer_, n_), inner_))) {}

  void run() {
    const ExprId some = stager_.apply(Op::Gt, {stager_.index(n_), stager_.integer(1)});
    const ExprId any = stager_.apply(Op::Gt, {stager_.index(total_), stager_.integer(0)});
    if_else(stager_, stager_.apply(Op::And, {some, any}), [&] { choose(); }, [] {});
  }

 private:
  struct Value {
    ExprId re, im;
  };

  void choose() {
    forward_ = kept(stager_, stager_.apply(Op::Lt, {stager_.index(sign_), stager_.integer(0)}));
    at_once_ = fixed(stager_, stager_.index(table_.apply(ExtentOp::Min, total_, stager_.size(kWidth))),
                     "at_once", 1);
    radices_ = stager_.allocate({stager_.size(kMostFactors)}, ir::DType::I64, "radices");
    starts_ = stager_.allocate({stager_.size(kWidth)}, ir::DType::I64, "starts");
    const Factors factors = find_factors(stager_, n_, radices_);
    if_else(
        stager_, stager_.apply(Op::Eq, {stager_.index(factors.rest), stager_.integer(1)}),
        [&] { by_passes(factors.count); }, [&] { by_convolution(); });
  }

  Passes make_passes(ExtentId length, ExtentId count) {
    Passes out;
    out.n = length;
    out.count = count;
    out.radices = radices_;
    out.roots = allocate_planes(stager_, length, "cosine", "sine");
    out.room = table_.multiply(length, at_once_);
    out.a = allocate_planes(stager_, out.room, "a_re", "a_im");
    out.b = allocate_planes(stager_, out.room, "b_re", "b_im");
    find_roots(stager_, length, out.roots);
    return out;
  }

  /// Runs `body` over all transforms, `width` of them at a time, with starts_ saying where in x each begins.
  void by_width(const std::function<void(ExtentId width)>& body) {
    const ExtentId rounded = table_.add(total_, stager_.size(kWidth - 1));
    const ExtentId groups = table_.apply(ExtentOp::FloorDiv, rounded, stager_.size(kWidth));
    stager_.range_over("group", stager_.size(0), groups, [&](ExtentId group) {
      const ExtentId first = table_.scale(group, kWidth);
      const ExtentId rest = table_.apply(ExtentOp::Min, table_.subtract(total_, first), stager_.size(kWidth));
      const ExtentId width = fixed(stager_, stager_.index(rest), "width", 1);
      const ExtentId lanes[] = {width};
      stager_.map_over(lanes, [&](const Indices& at) {
        const ExtentId which = table_.add(first, at[0]);
        const ExtentId row = table_.apply(ExtentOp::FloorDiv, which, inner_);
        const ExtentId column = table_.apply(ExtentOp::Mod, which, inner_);
        const ExtentId start = table_.add(table_.multiply(table_.multiply(row, n_), inner_), column);
        stager_.store(starts_, {at[0]}, stager_.index(start));
      });
      body(width);
    });
  }

  /// For element j of transform c of a group: its place in the planes and in x.
  void each_element(ExtentId width,
                    const std::function<void(ExtentId j, ExtentId place, ExtentId in_x)>& body) {
    const ExtentId both[] = {n_, width};
    stager_.map_over(both, [&](const Indices& at) {
      const ExtentId start = fixed(stager_, stager_.load(starts_, {at[1]}), "start");
      body(at[0], table_.add(table_.multiply(at[0], width), at[1]),
           table_.add(start, table_.multiply(at[0], inner_)));
    });
  }

  /// The inverse is the forward transform of exchanged parts.
  Value exchanged(Value value) {
    return {stager_.apply(Op::Select, {forward_, value.re, value.im}),
            stager_.apply(Op::Select, {forward_, value.im, value.re})};
  }
  Value from_x(ExtentId at) {
    const ExprId element = kept(stager_, stager_.load(x_, {at}));
    return exchanged({stager_.apply(Op::Real, {element}), stager_.apply(Op::Imag, {element})});
  }
  void to_x(ExtentId at, Value value) {
    const Value out = exchanged({kept(stager_, value.re), kept(stager_, value.im)});
    stager_.store(x_, {at}, stager_.apply(Op::Complex, {out.re, out.im}));
  }
  Value from(const Planes& planes, ExtentId at) {
    return {kept(stager_, stager_.load(planes.re, {at})), kept(stager_, stager_.load(planes.im, {at}))};
  }
  void to(const Planes& planes, ExtentId at, Value value) {
    stager_.store(planes.re, {at}, value.re);
    stager_.store(planes.im, {at}, value.im);
  }
  Value product(Value a, Value b) {
    const auto number = [&](ExprId expr) { return Number{&stager_, expr}; };
    const Number re = number(a.re) * number(b.re) - number(a.im) * number(b.im);
    const Number im = number(a.re) * number(b.im) + number(a.im) * number(b.re);
    return {re.expr, im.expr};
  }

  void by_passes(ExtentId count) {
    const Passes passes = make_passes(n_, count);
    by_width([&](ExtentId width) {
      fill_start(stager_, passes, [&](const Planes& start) {
        each_element(width, [&](ExtentId, ExtentId place, ExtentId in_x) { to(start, place, from_x(in_x)); });
      });
      run_passes(stager_, passes, width);
      each_element(width,
                   [&](ExtentId, ExtentId place, ExtentId in_x) { to_x(in_x, from(passes.a, place)); });
    });
  }

  /// The least 2^k, 3 * 2^k or 5 * 2^k at which a cyclic convolution of n by 2n - 1 elements does not wrap.
  ExtentId convolution_length() {
    const ir::LocalId best = stager_.declare_variable("best", ir::DType::I64, stager_.integer(0));
    const auto read = [&](ir::LocalId local) { return stager_.module.add(ir::Read{local}, stager_.here()); };
    const ExprId least = stager_.index(table_.add(table_.scale(n_, 2), stager_.size(-1)));
    for (const std::int64_t odd : {1, 3, 5}) {
      const ir::LocalId length = stager_.declare_variable("length", ir::DType::I64, stager_.integer(odd));
      const ir::BlockId twice = stager_.block([&] {
        stager_.emit(ir::Assign{length, stager_.apply(Op::Mul, {read(length), stager_.integer(2)})});
      });
      stager_.emit(ir::While{stager_.apply(Op::Lt, {read(length), least}), twice});
      const ExprId shorter = stager_.apply(Op::Lt, {read(length), read(best)});
      const ExprId chosen = stager_.apply(Op::Select, {shorter, read(length), read(best)});
      stager_.emit(ir::Assign{best, odd == 1 ? read(length) : chosen});
    }
    return fixed(stager_, read(best), "length", 1);
  }

  /// exp(-i pi j^2 / n).
  Planes make_chirp() {
    const ExtentId twice = table_.scale(n_, 2);
    const Planes roots = allocate_planes(stager_, twice, "half_cosine", "half_sine");
    find_roots(stager_, twice, roots);
    const Planes chirp = allocate_planes(stager_, n_, "chirp_re", "chirp_im");
    const ExtentId all[] = {n_};
    stager_.map_over(all, [&](const Indices& at) {
      const ExtentId turn = table_.apply(ExtentOp::Mod, table_.multiply(at[0], at[0]), twice);
      to(chirp, at[0], from(roots, turn));
    });
    return chirp;
  }

  /// The transform of conj(chirp) around 0, over its length.
  Planes make_filter(const Passes& passes, const Planes& chirp) {
    const Planes filter = allocate_planes(stager_, passes.n, "filter_re", "filter_im");
    const ExtentId whole[] = {passes.n};
    const ExtentId all[] = {n_};
    const ExtentId but_first[] = {table_.add(n_, stager_.size(-1))};
    const ExprId zero = stager_.real(0, ir::DType::F64);
    fill_start(stager_, passes, [&](const Planes& start) {
      const auto put = [&](ExtentId place, ExtentId j) {
        const Value c = from(chirp, j);
        to(start, place, {c.re, stager_.apply(Op::Neg, {c.im})});
      };
      stager_.map_over(whole, [&](const Indices& at) { to(start, at[0], {zero, zero}); });
      stager_.map_over(all, [&](const Indices& at) { put(at[0], at[0]); });
      stager_.map_over(but_first, [&](const Indices& at) {
        const ExtentId j = table_.add(at[0], stager_.size(1));
        put(table_.subtract(passes.n, j), j);
      });
    });
    run_passes(stager_, passes, stager_.size(1));
    stager_.map_over(whole, [&](const Indices& at) {
      const ExprId length = stager_.cast(stager_.index(passes.n), ir::DType::F64);
      const Value f = from(passes.a, at[0]);
      to(filter, at[0], {stager_.apply(Op::Div, {f.re, length}), stager_.apply(Op::Div, {f.im, length})});
    });
    return filter;
  }

  /// x's transform is chirp * ((x * chirp) convolved with conj(chirp)).
  void by_convolution() {
    const ExtentId length = convolution_length();
    const Factors factors = find_factors(stager_, length, radices_);
    const Passes passes = make_passes(length, factors.count);
    const Planes chirp = make_chirp();
    const Planes filter = make_filter(passes, chirp);
    Passes back = passes;
    back.a = passes.a.swapped();
    back.b = passes.b.swapped();
    const ExprId zero = stager_.real(0, ir::DType::F64);
    by_width([&](ExtentId width) {
      fill_start(stager_, passes, [&](const Planes& start) {
        const ExtentId whole[] = {table_.multiply(length, width)};
        stager_.map_over(whole, [&](const Indices& at) { to(start, at[0], {zero, zero}); });
        each_element(width, [&](ExtentId j, ExtentId place, ExtentId in_x) {
          to(start, place, product(from_x(in_x), from(chirp, j)));
        });
      });
      run_passes(stager_, passes, width);
      fill_start(stager_, passes, [&](const Planes& start) {
        const ExtentId both[] = {length, width};
        stager_.map_over(both, [&](const Indices& at) {
          const ExtentId place = table_.add(table_.multiply(at[0], width), at[1]);
          to(start, place, product(from(passes.a, place), from(filter, at[0])));
        });
      });
      run_passes(stager_, back, width);
      each_element(width, [&](ExtentId j, ExtentId place, ExtentId in_x) {
        to_x(in_x, product(from(passes.a, place), from(chirp, j)));
      });
    });
  }

  Stager& stager_;
  ir::ExtentTable& table_;
  ExtentId outer_, n_, inner_, sign_, total_;
  Array x_;
  ExprId forward_;
  ExtentId at_once_;  // the most transforms side by side
  Array radices_, starts_;
};

}  // namespace

ir::FunctionId fft_routine(Stager& stager) {
  return stager.routine("fft", [&](ir::Function& function) {
    function.routine = ir::Routine::Fft;
    Fft(stager, RoutineBody{stager, function}).run();
  });
}

}  // namespace pw::numpy::functions
