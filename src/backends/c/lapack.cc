#include "backends/c/lapack.h"

#include <fmt/format.h>

#include "base/check.h"

namespace pw::backends::c {

namespace {

bool has(ir::Routine routine) {
  return routine == ir::Routine::Solve || routine == ir::Routine::Cholesky || routine == ir::Routine::Eigh ||
         routine == ir::Routine::Eigvalsh || routine == ir::Routine::LeastSquares;
}

/// Writes the lines of one function. A matrix has its rows one after the other.
class Writer {
 public:
  Writer(Port& port, ir::FunctionId id)
      : port_(port),
        id_(id),
        function_(port.module[id]),
        names_(port.signatures[id.index()].arguments),
        info_(port.names.fresh(id, "info")) {}

  std::string write() {
    code_.open(fmt::format("if ({})", takes()));
    code_.line(fmt::format("lapack_int {} = 0;", info_));
    switch (function_.routine) {
      case ir::Routine::Solve:
        solve();
        break;
      case ir::Routine::Cholesky:
        cholesky();
        break;
      case ir::Routine::Eigh:
        eigen('V');
        break;
      case ir::Routine::Eigvalsh:
        eigen('N');
        break;
      case ir::Routine::Svd:
        singular();
        break;
      case ir::Routine::LeastSquares:
        least_squares();
        break;
      default:
        PW_UNREACHABLE("a routine that LAPACK has not");
    }
    code_.line(fmt::format("*{} = {} > 0;", names_.back(), info_));
    code_.line(fmt::format("return {} < 0 ? -1 : 0;", info_));
    code_.close();
    return code_.text();
  }

 private:
  std::string takes() {
    // Of vectors each size, so that they have the signs that NumPy's have.
    if (function_.routine == ir::Routine::Eigh) return fmt::format("{0} > 0 && {0} <= 32767", names_[1]);
    if (function_.routine == ir::Routine::Svd) {
      return fmt::format("{0} > 0 && {0} <= 32767 && {1} > 0 && {1} <= 32767", names_[1], names_[2]);
    }
    std::string out = fmt::format("{}({})", port_.prelude.use("lapack_takes"), names_[1]);
    if (function_.routine == ir::Routine::Solve) out += fmt::format(" && {} <= INT32_MAX", names_[2]);
    if (function_.routine == ir::Routine::LeastSquares) {
      out = fmt::format("{}({})", port_.prelude.use("lapack_takes"), names_[0]);
      out += fmt::format(" && {}({}) && {} <= INT32_MAX", port_.prelude.use("lapack_takes"), names_[1],
                         names_[2]);
    }
    return out;
  }

  /// The name of LAPACKE's function for the dtype of the routine's first array.
  std::string routine(const char* real, const char* complex = nullptr) {
    for (const ir::Parameter& each : function_.parameters) {
      const auto* buffer = std::get_if<ir::BufferId>(&each);
      if (buffer == nullptr) continue;
      const ir::DType type = port_.module[*buffer].type;
      const char letter = type == ir::DType::F32   ? 's'
                          : type == ir::DType::F64 ? 'd'
                          : type == ir::DType::C64 ? 'c'
                                                   : 'z';
      const bool is_complex = ir::is_complex(type) && complex != nullptr;
      return fmt::format("LAPACKE_{}{}", letter, is_complex ? complex : real);
    }
    PW_UNREACHABLE("a routine without an array");
  }

  /// The C type of that array's elements.
  std::string element_type() {
    for (const ir::Parameter& each : function_.parameters) {
      if (const auto* buffer = std::get_if<ir::BufferId>(&each))
        return std::string(c_type(port_.module[*buffer].type));
    }
    PW_UNREACHABLE("a routine without an array");
  }

  /// One call a matrix, until one fails.
  void each(const std::string& call, const std::string& at) {
    code_.open(fmt::format("for (int64_t {0} = 0; {0} < {1} && {2} == 0; ++{0})", at, names_[0], info_));
    code_.line(fmt::format("{} = {};", info_, call));
    code_.close();
  }

  /// Leaves with "out of memory" where there is no room.
  std::string array(std::string_view wanted, std::string_view type, const std::string& count) {
    const std::string name = port_.names.fresh(id_, std::string(wanted));
    code_.line(
        fmt::format("{}* {} = {}({}, sizeof({}));", type, name, port_.prelude.use("new_array"), count, type));
    return name;
  }

  // Source: https://netlib.org/lapack/explore-html/ (gesv): LU with partial pivoting.
  void solve() {
    const std::string &n = names_[1], &columns = names_[2], &a = names_[3], &b = names_[4];
    const std::string pivots = array("pivots", "lapack_int", n);
    code_.line(fmt::format("if (!{}) return -1;  // out of memory", pivots));
    const std::string at = port_.names.fresh(id_, "o");
    each(fmt::format("{0}(LAPACK_ROW_MAJOR, (int){1}, (int){2}, {3} + {5} * {1} * {1}, (int){1}, {6}, {4} + "
                     "{5} * {1} * "
                     "{2}, (int){2})",
                     routine("gesv_work"), n, columns, a, b, at, pivots),
         at);
    code_.line(fmt::format("free({});", pivots));
  }

  // Source: potrf. Our rows are its columns, so our lower triangle is its upper one.
  void cholesky() {
    const std::string &n = names_[1], &a = names_[2];
    const std::string at = port_.names.fresh(id_, "o");
    each(fmt::format("{0}(LAPACK_COL_MAJOR, 'U', (int){1}, {2} + {3} * {1} * {1}, (int){1})",
                     routine("potrf_work"), n, a, at),
         at);
  }

  // Source: syevd, heevd: divide and conquer, as NumPy; syevx, heevx of some, as SciPy.
  void eigen(char vectors) {
    const std::string &n = names_[1], &upper = names_[2], &first = names_[3], &count = names_[4],
                      &a = names_[5], &w = names_[6];
    const std::string type = element_type();
    const std::string at = port_.names.fresh(id_, "o");
    code_.open(fmt::format("for (int64_t {0} = 0; {0} < {1} && {2} == 0; ++{0})", at, names_[0], info_));
    const std::string place = fmt::format("{} + {} * {} * {}", a, at, n, n);
    const std::string values = fmt::format("{} + {} * {}", w, at, n);
    code_.open(fmt::format("if ({} == {})", count, n));
    code_.line(fmt::format("{} = {}(LAPACK_COL_MAJOR, '{}', {} ? 'U' : 'L', (int){}, {}, (int){}, {});",
                           info_, routine("syevd", "heevd"), vectors, upper, n, place, n, values));
    code_.reopen("else");
    const std::string z = array("z", type, fmt::format("{} * {}", n, count));
    const std::string fails = array("fails", "lapack_int", n);
    const std::string found = port_.names.fresh(id_, "found");
    code_.line(fmt::format("lapack_int {} = 0;", found));
    code_.line(fmt::format("{} = -1;", info_));
    code_.line(fmt::format(
        "if ({} && {}) {} = {}(LAPACK_COL_MAJOR, '{}', 'I', {} ? 'U' : 'L', (int){}, {}, (int){}, 0.0, 0.0, "
        "(int){} + 1, (int)({} + {}), 0.0, &{}, {}, {}, (int){}, {});",
        z, fails, info_, routine("syevx", "heevx"), vectors, upper, n, place, n, first, first, count, found,
        values, z, n, fails));
    if (vectors == 'V') {
      code_.line(fmt::format("if ({} == 0) memcpy({}, {}, (size_t)({} * {}) * sizeof({}));", info_, place, z,
                             n, count, type));
    }
    code_.line(fmt::format("free({});", fails));
    code_.line(fmt::format("free({});", z));
    code_.close();
    code_.close();
  }

  // Source: gesdd: divide and conquer, as NumPy.
  void singular() {
    const std::string &rows = names_[1], &columns = names_[2], &u_columns = names_[3], &v_rows = names_[4],
                      &a = names_[5], &u = names_[6], &s = names_[7], &v = names_[8];
    const std::string at = port_.names.fresh(id_, "o");
    const std::string least =
        fmt::format("{}({}, {})", port_.prelude.use("min", ir::DType::I64), rows, columns);
    each(fmt::format("{0}(LAPACK_ROW_MAJOR, {5} == {1} && {6} == {2} ? 'A' : 'S', (int){1}, (int){2}, {3} + "
                     "{4} * {1} * "
                     "{2}, (int){2}, {7} + {4} * {10}, {8} + {4} * {1} * {5}, (int){5}, {9} + {4} * {6} * "
                     "{2}, (int){2})",
                     routine("gesdd"), rows, columns, a, at, u_columns, v_rows, s, u, v, least),
         at);
  }

  // Source: gelsd: the least solution by the singular values. It wants room for as many rows as a has
  // columns.
  void least_squares() {
    const std::string &rows = names_[0], &n = names_[1], &columns = names_[2], &a = names_[3], &b = names_[4],
                      &x = names_[5];
    const std::string longest = fmt::format("{}({}, {})", port_.prelude.use("max", ir::DType::I64), rows, n);
    const std::string room = array("room", "double", fmt::format("{} * {}", longest, columns));
    const std::string s = array("s", "double", n);
    const std::string rank = port_.names.fresh(id_, "counted");
    code_.line(fmt::format("lapack_int {} = 0;", rank));
    code_.open(fmt::format("if ({} && {})", room, s));
    code_.line(fmt::format("memcpy({}, {}, (size_t)({} * {}) * sizeof(double));", room, b, rows, columns));
    code_.line(
        fmt::format("{} = {}(LAPACK_ROW_MAJOR, (int){}, (int){}, (int){}, {}, (int){}, {}, (int){}, {}, "
                    "{} * 0x1p-52, &{});",
                    info_, routine("gelsd"), rows, n, columns, a, n, room, columns, s,
                    fmt::format("(double){}", longest), rank));
    code_.line(fmt::format("memcpy({}, {}, (size_t)({} * {}) * sizeof(double));", x, room, n, columns));
    code_.line("} else {");
    code_.line(fmt::format("  {} = -1;", info_));
    code_.close();
    code_.line(fmt::format("free({});", s));
    code_.line(fmt::format("free({});", room));
    code_.line(fmt::format("*{} = {};", names_[names_.size() - 2], rank));
  }

  Port& port_;
  const ir::FunctionId id_;
  const ir::Function& function_;
  const std::vector<std::string>& names_;  // of the parameters and of the pointers that results go through
  const std::string info_;
  Code code_{1};
};

}  // namespace

const runtime::Library& lapack() {
  static const runtime::Library kLapack = {"LAPACKE", "lapacke.h", "-llapacke", "liblapacke-dev"};
  return kLapack;
}

std::set<ir::FunctionId> lapack_functions(const ir::Module& module) {
  std::set<ir::FunctionId> out;
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    if (has(module.functions[i].routine)) out.emplace(i);
  }
  return out;
}

std::string lapack_lines(Port& port, ir::FunctionId id) {
  port.libraries.emplace(lapack().header, &lapack());
  return Writer(port, id).write();
}

}  // namespace pw::backends::c
