// What every backend takes and gives: options in, the files of a port and how to build them out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "diagnostics/engine.h"
#include "ir/module.h"
#include "runtime/recipe.h"

namespace pw::backends {

/// Libraries that the text may call, beside what a pass has marked.
struct Libraries {
  bool fftw = false;    // Fourier transforms are left to FFTW
  bool lapack = false;  // linear algebra is left to a LAPACK where the sizes are worth it
};

struct EmitOptions {
  std::string name;                      // the kernel's id, with its layout: "spmv__csr"
  ir::DType run_dtype = ir::DType::F64;  // what the harness's float dtype was staged as; F32 adds "_f32"
  std::string source_path;               // as printed in the port; empty: not printed
  std::string source_sha256;
  std::string portwright_version;
  Libraries libraries;
  bool openmp = true;  // false: loops that a pass proved parallel run on one thread
};

/// What a port says by a status below 0, as its header explains it: "an array is NULL". Empty: no port of
/// ours returns it.
std::string_view status_text(int status);

struct File {
  std::string name;  // without a folder
  std::string text;
};

struct Emitted {
  std::vector<File> files;  // the first is the one that is built
  std::string symbol;       // the port's function
  std::string checked;      // the function of the same arguments that checks what the header promises
  runtime::Recipe recipe;   // {source} is files[0], {output} what the build makes
  /// Flags, beside the recipe's, of a build in which threads share every loop that they may share, however
  /// short it is. Empty: there is no such loop.
  std::vector<std::string> threaded_flags = {};
};

/// A construct that a backend has no code for.
struct Refusal {
  std::string construct;
  base::Span span;
  std::string reason;
};

struct Backend {
  std::string_view name;    // "c", as --to takes it
  std::string_view target;  // "C11", as reports show it
  /// All that stands in the way of emit; empty: emit succeeds.
  std::vector<Refusal> (*can_generate)(const ir::Module&);
  /// Pure text: starts no process, reads no file. Fails with backend-refused, and only if can_generate says
  /// so.
  base::Result<Emitted> (*emit)(const ir::Module&, const EmitOptions&, diagnostics::Engine&);
};

/// NAME or NAME_f32: the stem of a port's files and its function.
std::string port_name(const EmitOptions& options);

/// Reports each refusal; Done if there is none.
base::Result<base::Done> report_refusals(const std::vector<Refusal>& refusals, std::string_view backend,
                                         diagnostics::Engine& engine);

}  // namespace pw::backends
