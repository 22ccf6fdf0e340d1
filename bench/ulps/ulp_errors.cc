// How far results of elementary functions lie from the exact ones: ulp_errors FUNCTION DTYPE ARGUMENTS... -- RESULTS...
//
// Each file holds elements of the dtype (float32, float64, complex64, complex128), of one count. For each file of
// results a line: the largest |got - exact| in ulps of the exact result (of its modulus for complex ones), the
// index where, and how many results have another kind of value (a NaN, or an infinity where the exact result is
// within the range). An ulp is that of the result's binade; below the least normal number that of the subnormals.
// Exact values: MPFR (https://www.mpfr.org/mpfr-current/mpfr.html), which rounds correctly, at 160 bits; complex
// functions by their real and imaginary parts at 500 (https://dlmf.nist.gov/4.15, 4.21, 4.35).
#include <mpfr.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr mpfr_prec_t kRealBits = 160;
constexpr mpfr_prec_t kComplexBits = 500;

class Number {
 public:
  explicit Number(mpfr_prec_t bits) { mpfr_init2(value_, bits); }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  operator mpfr_ptr() { return value_; }  // NOLINT(google-explicit-constructor): stands where MPFR's type does

 private:
  mpfr_t value_;
};

using RealFunction = std::function<void(mpfr_ptr out, mpfr_ptr a, mpfr_ptr b)>;

void logaddexp(mpfr_ptr out, mpfr_ptr a, mpfr_ptr b, bool binary) {
  Number difference(kRealBits * 4);
  Number term(kRealBits * 4);
  mpfr_sub(difference, a, b, MPFR_RNDN);
  mpfr_abs(difference, difference, MPFR_RNDN);
  mpfr_neg(difference, difference, MPFR_RNDN);
  if (binary) {
    mpfr_exp2(term, difference, MPFR_RNDN);
    mpfr_add_ui(term, term, 1, MPFR_RNDN);
    mpfr_log2(term, term, MPFR_RNDN);
  } else {
    mpfr_exp(term, difference, MPFR_RNDN);
    mpfr_log1p(term, term, MPFR_RNDN);
  }
  mpfr_max(out, a, b, MPFR_RNDN);
  mpfr_add(out, out, term, MPFR_RNDN);
}

#define ONE(name) \
  { #name, [](mpfr_ptr out, mpfr_ptr a, mpfr_ptr) { mpfr_##name(out, a, MPFR_RNDN); } }
#define TWO(name) \
  { #name, [](mpfr_ptr out, mpfr_ptr a, mpfr_ptr b) { mpfr_##name(out, a, b, MPFR_RNDN); } }

const std::map<std::string, RealFunction>& real_functions() {
  static const std::map<std::string, RealFunction> table = {
      ONE(sqrt),  ONE(cbrt),  ONE(exp),  ONE(exp2),  ONE(expm1), ONE(log),   ONE(log2),  ONE(log10),
      ONE(log1p), ONE(sin),   ONE(cos),  ONE(tan),   ONE(asin),  ONE(acos),  ONE(atan),  ONE(sinh),
      ONE(cosh),  ONE(tanh),  ONE(asinh), ONE(acosh), ONE(atanh), ONE(gamma), ONE(erf),   ONE(erfc),
      TWO(atan2), TWO(hypot), TWO(pow),
      {"lgamma",
       [](mpfr_ptr out, mpfr_ptr a, mpfr_ptr) {
         int sign = 0;
         mpfr_lgamma(out, &sign, a, MPFR_RNDN);
       }},
      {"logaddexp", [](mpfr_ptr out, mpfr_ptr a, mpfr_ptr b) { logaddexp(out, a, b, false); }},
      {"logaddexp2", [](mpfr_ptr out, mpfr_ptr a, mpfr_ptr b) { logaddexp(out, a, b, true); }},
  };
  return table;
}

struct Complex {
  Number re{kComplexBits};
  Number im{kComplexBits};
};
using ComplexFunction = std::function<void(Complex& out, Complex& a, Complex& b)>;

void multiply(Complex& out, Complex& a, Complex& b) {
  Number first(kComplexBits);
  Number second(kComplexBits);
  mpfr_mul(first, a.re, b.re, MPFR_RNDN);
  mpfr_mul(second, a.im, b.im, MPFR_RNDN);
  Number re(kComplexBits);
  mpfr_sub(re, first, second, MPFR_RNDN);
  mpfr_mul(first, a.re, b.im, MPFR_RNDN);
  mpfr_mul(second, a.im, b.re, MPFR_RNDN);
  mpfr_add(out.im, first, second, MPFR_RNDN);
  mpfr_set(out.re, re, MPFR_RNDN);
}

void divide(Complex& out, Complex& a, Complex& b) {
  Complex conjugate;
  mpfr_set(conjugate.re, b.re, MPFR_RNDN);
  mpfr_neg(conjugate.im, b.im, MPFR_RNDN);
  Complex norm;
  multiply(norm, b, conjugate);
  multiply(out, a, conjugate);
  mpfr_div(out.re, out.re, norm.re, MPFR_RNDN);
  mpfr_div(out.im, out.im, norm.re, MPFR_RNDN);
}

void square_root(Complex& out, Complex& a) {
  Number modulus(kComplexBits);
  Number larger(kComplexBits);
  Number smaller(kComplexBits);
  mpfr_hypot(modulus, a.re, a.im, MPFR_RNDN);
  mpfr_abs(larger, a.re, MPFR_RNDN);
  mpfr_add(larger, modulus, larger, MPFR_RNDN);
  mpfr_div_ui(larger, larger, 2, MPFR_RNDN);
  mpfr_sqrt(larger, larger, MPFR_RNDN);
  mpfr_div(smaller, a.im, larger, MPFR_RNDN);
  mpfr_div_ui(smaller, smaller, 2, MPFR_RNDN);
  if (mpfr_zero_p(static_cast<mpfr_ptr>(larger)) != 0) mpfr_set(smaller, a.im, MPFR_RNDN);
  const bool right = mpfr_signbit(static_cast<mpfr_ptr>(a.re)) == 0;
  mpfr_set(out.re, right ? larger : smaller, MPFR_RNDN);
  if (!right) mpfr_abs(out.re, out.re, MPFR_RNDN);
  mpfr_set(out.im, right ? smaller : larger, MPFR_RNDN);
  mpfr_copysign(out.im, out.im, a.im, MPFR_RNDN);
}

void exponential(Complex& out, Complex& a) {
  Number modulus(kComplexBits);
  Number re(kComplexBits);
  mpfr_exp(modulus, a.re, MPFR_RNDN);
  mpfr_cos(re, a.im, MPFR_RNDN);
  mpfr_sin(out.im, a.im, MPFR_RNDN);
  mpfr_mul(out.im, out.im, modulus, MPFR_RNDN);
  mpfr_mul(out.re, re, modulus, MPFR_RNDN);
}

void logarithm(Complex& out, Complex& a) {
  Number modulus(kComplexBits);
  mpfr_hypot(modulus, a.re, a.im, MPFR_RNDN);
  mpfr_atan2(out.im, a.im, a.re, MPFR_RNDN);
  mpfr_log(out.re, modulus, MPFR_RNDN);
}

/// sinh(re + i im) and cosh of it, by real functions of each part.
void hyperbolic(Complex& sine, Complex& cosine, mpfr_ptr re, mpfr_ptr im) {
  Number sinh_re(kComplexBits);
  Number cosh_re(kComplexBits);
  Number sin_im(kComplexBits);
  Number cos_im(kComplexBits);
  mpfr_sinh_cosh(sinh_re, cosh_re, re, MPFR_RNDN);
  mpfr_sin_cos(sin_im, cos_im, im, MPFR_RNDN);
  mpfr_mul(sine.re, sinh_re, cos_im, MPFR_RNDN);
  mpfr_mul(sine.im, cosh_re, sin_im, MPFR_RNDN);
  mpfr_mul(cosine.re, cosh_re, cos_im, MPFR_RNDN);
  mpfr_mul(cosine.im, sinh_re, sin_im, MPFR_RNDN);
}

enum class Wanted { Sine, Cosine, Tangent };

void hyperbolic_function(Complex& out, Complex& a, Wanted wanted) {
  Complex sine;
  Complex cosine;
  hyperbolic(sine, cosine, a.re, a.im);
  if (wanted == Wanted::Tangent) return divide(out, sine, cosine);
  Complex& chosen = wanted == Wanted::Sine ? sine : cosine;
  mpfr_set(out.re, chosen.re, MPFR_RNDN);
  mpfr_set(out.im, chosen.im, MPFR_RNDN);
}

/// sin z = -i sinh(iz), cos z = cosh(iz), tan z = -i tanh(iz).
void circular_function(Complex& out, Complex& a, Wanted wanted) {
  Complex turned;
  mpfr_neg(turned.re, a.im, MPFR_RNDN);
  mpfr_set(turned.im, a.re, MPFR_RNDN);
  Complex found;
  hyperbolic_function(found, turned, wanted);
  if (wanted == Wanted::Cosine) {
    mpfr_set(out.re, found.re, MPFR_RNDN);
    mpfr_set(out.im, found.im, MPFR_RNDN);
    return;
  }
  mpfr_set(out.re, found.im, MPFR_RNDN);
  mpfr_neg(out.im, found.re, MPFR_RNDN);
}

void power(Complex& out, Complex& a, Complex& b) {
  Complex exponent;
  logarithm(exponent, a);
  multiply(exponent, exponent, b);
  exponential(out, exponent);
}

const std::map<std::string, ComplexFunction>& complex_functions() {
  static const std::map<std::string, ComplexFunction> table = {
      {"mul", multiply},
      {"div", divide},
      {"pow", power},
      {"sqrt", [](Complex& out, Complex& a, Complex&) { square_root(out, a); }},
      {"exp", [](Complex& out, Complex& a, Complex&) { exponential(out, a); }},
      {"log", [](Complex& out, Complex& a, Complex&) { logarithm(out, a); }},
      {"sin", [](Complex& out, Complex& a, Complex&) { circular_function(out, a, Wanted::Sine); }},
      {"cos", [](Complex& out, Complex& a, Complex&) { circular_function(out, a, Wanted::Cosine); }},
      {"tan", [](Complex& out, Complex& a, Complex&) { circular_function(out, a, Wanted::Tangent); }},
      {"sinh", [](Complex& out, Complex& a, Complex&) { hyperbolic_function(out, a, Wanted::Sine); }},
      {"cosh", [](Complex& out, Complex& a, Complex&) { hyperbolic_function(out, a, Wanted::Cosine); }},
      {"tanh", [](Complex& out, Complex& a, Complex&) { hyperbolic_function(out, a, Wanted::Tangent); }},
  };
  return table;
}

struct Format {
  int digits;       // of the significand, the hidden bit too
  int least_power;  // of the least subnormal: 2^least_power
  double largest;
};
template <class T>
constexpr Format format_of() {
  using Limits = std::numeric_limits<T>;
  return {Limits::digits, Limits::min_exponent - Limits::digits, static_cast<double>(Limits::max())};
}

struct Worst {
  double ulps = 0;
  std::size_t index = 0;
  std::size_t other_kind = 0;
};

/// log2 of the ulp of a finite number, not 0.
long ulp_power(mpfr_ptr exact, const Format& format) {
  return std::max<long>(mpfr_get_exp(exact) - format.digits, format.least_power);
}

void note(Worst& worst, mpfr_ptr error, long power, std::size_t index) {
  mpfr_mul_2si(error, error, -power, MPFR_RNDN);
  const double ulps = mpfr_get_d(error, MPFR_RNDU);
  if (ulps > worst.ulps) {
    worst.ulps = ulps;
    worst.index = index;
  }
}

bool overflows(mpfr_ptr exact, const Format& format) {
  return mpfr_inf_p(exact) != 0 || mpfr_cmpabs(exact, [&] {
           static thread_local Number limit(64);
           mpfr_set_d(limit, format.largest, MPFR_RNDN);
           return static_cast<mpfr_ptr>(limit);
         }()) > 0;
}

void judge(Worst& worst, mpfr_ptr exact, double got, const Format& format, std::size_t index) {
  if (mpfr_nan_p(exact) != 0 || std::isnan(got)) {
    worst.other_kind += (mpfr_nan_p(exact) != 0) != std::isnan(got);
    return;
  }
  if (overflows(exact, format)) {
    worst.other_kind += std::fabs(got) < format.largest || std::signbit(got) != (mpfr_signbit(exact) != 0);
    return;
  }
  if (std::isinf(got)) {
    ++worst.other_kind;
    return;
  }
  Number error(kRealBits);
  mpfr_sub_d(error, exact, got, MPFR_RNDN);
  mpfr_abs(error, error, MPFR_RNDN);
  note(worst, error, mpfr_zero_p(exact) != 0 ? format.least_power : ulp_power(exact, format), index);
}

void judge(Worst& worst, Complex& exact, std::complex<double> got, const Format& format, std::size_t index) {
  const bool no_number = mpfr_nan_p(static_cast<mpfr_ptr>(exact.re)) != 0 || mpfr_nan_p(static_cast<mpfr_ptr>(exact.im)) != 0;
  if (no_number || overflows(exact.re, format) || overflows(exact.im, format)) return;
  if (!std::isfinite(got.real()) || !std::isfinite(got.imag())) {
    ++worst.other_kind;
    return;
  }
  Number modulus(kComplexBits);
  mpfr_hypot(modulus, exact.re, exact.im, MPFR_RNDN);
  const bool is_zero = mpfr_zero_p(static_cast<mpfr_ptr>(modulus)) != 0;
  const long power = is_zero ? format.least_power : ulp_power(modulus, format);
  Number re(kComplexBits);
  Number im(kComplexBits);
  mpfr_sub_d(re, exact.re, got.real(), MPFR_RNDN);
  mpfr_sub_d(im, exact.im, got.imag(), MPFR_RNDN);
  mpfr_hypot(re, re, im, MPFR_RNDN);
  note(worst, re, power, index);
}

template <class T>
std::vector<T> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<T> out(bytes.size() / sizeof(T));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
  return out;
}

struct Task {
  std::string function;
  std::vector<std::string> arguments, results;
};

template <class T>
std::vector<std::vector<T>> read_all(const std::vector<std::string>& paths) {
  std::vector<std::vector<T>> out;
  for (const std::string& path : paths) out.push_back(read<T>(path));
  return out;
}

template <class T>
std::vector<Worst> measure_real(const Task& task) {
  const RealFunction& function = real_functions().at(task.function);
  const auto arguments = read_all<T>(task.arguments);
  const auto results = read_all<T>(task.results);
  std::vector<Worst> worst(results.size());
  Number a(64);
  Number b(64);
  Number exact(kRealBits);
  for (std::size_t i = 0; i < arguments[0].size(); ++i) {
    mpfr_set_d(a, static_cast<double>(arguments[0][i]), MPFR_RNDN);
    if (arguments.size() > 1) mpfr_set_d(b, static_cast<double>(arguments[1][i]), MPFR_RNDN);
    function(exact, a, b);
    for (std::size_t k = 0; k < results.size(); ++k)
      judge(worst[k], exact, static_cast<double>(results[k].at(i)), format_of<T>(), i);
  }
  return worst;
}

template <class T>
std::vector<Worst> measure_complex(const Task& task) {
  const bool modulus = task.function == "abs";
  const auto arguments = read_all<std::complex<T>>(task.arguments);
  std::vector<Worst> worst(task.results.size());
  Complex a;
  Complex b;
  Complex exact;
  const auto set = [](Complex& to, std::complex<T> from) {
    mpfr_set_d(to.re, static_cast<double>(from.real()), MPFR_RNDN);
    mpfr_set_d(to.im, static_cast<double>(from.imag()), MPFR_RNDN);
  };
  const auto moduli = modulus ? read_all<T>(task.results) : std::vector<std::vector<T>>{};
  const auto results =
      modulus ? std::vector<std::vector<std::complex<T>>>{} : read_all<std::complex<T>>(task.results);
  for (std::size_t i = 0; i < arguments[0].size(); ++i) {
    set(a, arguments[0][i]);
    if (arguments.size() > 1) set(b, arguments[1][i]);
    if (modulus) {
      mpfr_hypot(exact.re, a.re, a.im, MPFR_RNDN);
      for (std::size_t k = 0; k < moduli.size(); ++k)
        judge(worst[k], exact.re, static_cast<double>(moduli[k].at(i)), format_of<T>(), i);
      continue;
    }
    complex_functions().at(task.function)(exact, a, b);
    for (std::size_t k = 0; k < results.size(); ++k)
      judge(worst[k], exact, std::complex<double>(results[k].at(i)), format_of<T>(), i);
  }
  return worst;
}

}  // namespace

int main(int count, char** words) {
  Task task;
  std::string dtype;
  bool results = false;
  for (int k = 1; k < count; ++k) {
    const std::string word = words[k];
    if (k == 1) {
      task.function = word;
    } else if (k == 2) {
      dtype = word;
    } else if (word == "--") {
      results = true;
    } else {
      (results ? task.results : task.arguments).push_back(word);
    }
  }
  if (task.arguments.empty() || task.results.empty()) {
    std::cerr << "usage: ulp_errors FUNCTION DTYPE ARGUMENTS... -- RESULTS...\n";
    return 2;
  }
  std::vector<Worst> worst;
  if (dtype == "float32") worst = measure_real<float>(task);
  if (dtype == "float64") worst = measure_real<double>(task);
  if (dtype == "complex64") worst = measure_complex<float>(task);
  if (dtype == "complex128") worst = measure_complex<double>(task);
  for (const Worst& each : worst) std::printf("%.4f %zu %zu\n", each.ulps, each.index, each.other_kind);
  return worst.empty() ? 2 : 0;
}
