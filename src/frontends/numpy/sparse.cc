// Sparse arguments: bound from their buffers, checked, and gone through entry by entry.
#include "frontends/numpy/sparse.h"

namespace pw::numpy {

bool concerns_sparse(const Value& value) { return value.is<Sparse>() || value.is<DenseMatrix>(); }

const SparseMatrix* sparse_of(const Value& value) {
  const auto* sparse = value.as<Sparse>();
  return sparse == nullptr ? nullptr : sparse->matrix.get();
}

Value sparse_value(SparseMatrix matrix) {
  return value(Sparse{std::make_shared<const SparseMatrix>(std::move(matrix))});
}

std::string_view format_of(const SparseMatrix& matrix) {
  switch (matrix.form) {
    case SparseMatrix::Form::Compressed:
      if (matrix.has_blocks()) return "bsr";
      return matrix.flipped ? "csc" : "csr";
    case SparseMatrix::Form::Coordinates:
      return matrix.has_blocks() ? "" : "coo";
    case SparseMatrix::Form::Diagonals:
      return "dia";
    case SparseMatrix::Form::Dense:
      return "";
  }
  return "";
}

SparseMatrix transposed(Stager& stager, const SparseMatrix& matrix) {
  SparseMatrix out = matrix;
  std::swap(out.rows, out.columns);
  std::swap(out.row_blocks, out.column_blocks);
  if (matrix.form == SparseMatrix::Form::Coordinates) {
    std::swap(out.first, out.second);
  } else {
    out.flipped = !matrix.flipped;
  }
  if (matrix.has_blocks()) out.data = stager.transpose(matrix.data, std::vector<std::size_t>{0, 2, 1});
  if (matrix.form == SparseMatrix::Form::Dense) {
    out.data = stager.transpose(matrix.data, std::vector<std::size_t>{1, 0});
  }
  return out;
}

// ---- arguments

Result<Value> Stager::bind_sparse(const SparseArgument& argument, const SizeNames& names, base::Span span) {
  using Role = SparseArgument::Role;
  SparseMatrix matrix;
  matrix.is_matrix = argument.is_matrix;
  PW_TRY(matrix.rows, interface_extent(argument.shape[0], names, span));
  PW_TRY(matrix.columns, interface_extent(argument.shape[1], names, span));
  for (const SparseArgument::Buffer& buffer : argument.buffers) {
    PW_TRY(const Value bound, bind_array(buffer.name, buffer.array, names, span));
    const bool leads =
        buffer.role == Role::Indptr || buffer.role == Role::Row || buffer.role == Role::Offsets;
    Array& part = buffer.role == Role::Data ? matrix.data : leads ? matrix.first : matrix.second;
    part = *bound.as<Array>();
    sparse_buffers_.insert(part.buffer);
  }
  if (argument.format == "coo" || argument.format == "bcoo") matrix.form = SparseMatrix::Form::Coordinates;
  if (argument.format == "dia") matrix.form = SparseMatrix::Form::Diagonals;
  matrix.flipped = argument.format == "csc";
  PW_CHECK_OK(check_sparse(matrix, span));
  return sparse_value(std::move(matrix));
}

namespace {

/// How many of some index tests hold over all points of a shape.
ir::ExprId count_of(Stager& stager, ir::ExtentId length,
                    const std::function<ir::ExprId(ir::ExtentId)>& test) {
  const std::vector<ir::ExtentId> shape = {length};
  return stager.fold(shape, ir::ReduceOp::Sum, ir::DType::I64, ir::ReduceOrder::Any,
                     [&](const Indices& at) { return stager.cast(test(at[0]), ir::DType::I64); });
}

ir::ExprId number_at(Stager& stager, const Array& array, ir::ExtentId at) {
  return stager.cast(stager.load(array, {at}), ir::DType::I64);
}

/// Entries of an index array that are no index into `extent`.
ir::ExprId stray_indices(Stager& stager, const Array& array, ir::ExtentId extent) {
  return count_of(stager, array.shape[0], [&](ir::ExtentId at) {
    const ir::ExprId index = number_at(stager, array, at);
    return stager.apply(ir::Op::Or, {stager.apply(ir::Op::Lt, {index, stager.integer(0)}),
                                     stager.apply(ir::Op::Ge, {index, stager.index(extent)})});
  });
}

/// The side of a block as a number that is known to be small: threads never share the loops over it.
ir::ExtentId block_side(Stager& stager, ir::ExtentId given) {
  constexpr std::int64_t kLargest = 64;
  const ir::ExprId side = stager.index(given);
  stager.trap_if(stager.apply(ir::Op::Or, {stager.apply(ir::Op::Lt, {side, stager.integer(1)}),
                                           stager.apply(ir::Op::Gt, {side, stager.integer(kLargest)})}),
                 ir::TrapKind::Assumption, "a sparse matrix whose blocks are empty, or larger than 64");
  const ir::ExtentId largest = stager.size(kLargest);
  const ir::LocalId local =
      stager.let(stager.index(stager.extents().apply(ir::ExtentOp::Min, given, largest)), "side");
  stager.module[local].range = {stager.size(1), largest};
  return stager.extents().local(local);
}

/// How many blocks lie along a side of the matrix, which must be whole ones.
ir::ExtentId blocks_along(Stager& stager, ir::ExtentId side, ir::ExtentId block) {
  ir::ExtentTable& table = stager.extents();
  const ir::LocalId count =
      stager.let(stager.index(table.apply(ir::ExtentOp::FloorDiv, side, block)), "blocks");
  stager.module[count].range = {stager.size(0), side};
  const ir::ExtentId covered = table.multiply(table.local(count), block);
  stager.trap_if(stager.apply(ir::Op::Ne, {stager.index(covered), stager.index(side)}),
                 ir::TrapKind::Assumption, "a sparse matrix whose blocks do not cover it");
  return table.local(count);
}

}  // namespace

/// The port reads where the index arrays point: it declines arrays that no matrix of the shape has.
Result<Done> Stager::check_sparse(SparseMatrix& matrix, base::Span span) {
  at(span);
  const bool blocks = matrix.has_blocks();
  for (const std::size_t k : {1, 2}) {
    if (blocks) matrix.data.shape[k] = block_side(*this, matrix.data.shape[k]);
  }
  matrix.row_blocks = blocks ? blocks_along(*this, matrix.rows, matrix.data.shape[1]) : matrix.rows;
  matrix.column_blocks = blocks ? blocks_along(*this, matrix.columns, matrix.data.shape[2]) : matrix.columns;
  std::vector<ir::ExprId> wrong;
  if (matrix.form == SparseMatrix::Form::Diagonals) {
    PW_CHECK_OK(require_equal(matrix.first.shape[0], matrix.data.shape[0], span));
    wrong.push_back(count_of(*this, matrix.first.shape[0], [&](ir::ExtentId k) {
      const ir::ExprId offset = number_at(*this, matrix.first, k);
      const ir::ExprId lowest = index(extents().scale(matrix.rows, -1));
      return apply(ir::Op::Or,
                   {apply(ir::Op::Le, {offset, lowest}), apply(ir::Op::Ge, {offset, index(matrix.columns)})});
    }));
  } else {
    PW_CHECK_OK(require_equal(matrix.second.shape[0], matrix.data.shape[0], span));
    wrong.push_back(
        stray_indices(*this, matrix.second, matrix.flipped ? matrix.row_blocks : matrix.column_blocks));
  }
  if (matrix.form == SparseMatrix::Form::Coordinates) {
    PW_CHECK_OK(require_equal(matrix.first.shape[0], matrix.data.shape[0], span));
    wrong.push_back(stray_indices(*this, matrix.first, matrix.row_blocks));
  }
  if (matrix.form == SparseMatrix::Form::Compressed) {
    const ir::ExtentId lines = matrix.flipped ? matrix.column_blocks : matrix.row_blocks;
    PW_CHECK_OK(require_equal(matrix.first.shape[0], extents().add(lines, size(1)), span));
    wrong.push_back(count_of(*this, lines, [&](ir::ExtentId i) {
      return apply(ir::Op::Gt, {number_at(*this, matrix.first, i),
                                number_at(*this, matrix.first, extents().add(i, size(1)))});
    }));
    wrong.push_back(
        cast(apply(ir::Op::Lt, {number_at(*this, matrix.first, size(0)), integer(0)}), ir::DType::I64));
    wrong.push_back(
        cast(apply(ir::Op::Gt, {number_at(*this, matrix.first, lines), index(matrix.second.shape[0])}),
             ir::DType::I64));
  }
  for (const ir::ExprId count : wrong) {
    trap_if(apply(ir::Op::Ne, {count, integer(0)}), ir::TrapKind::Assumption,
            "index arrays that no sparse matrix of this shape has");
  }
  return Done{};
}

// ---- entries

namespace {

class Entries {
 public:
  Entries(Stager& stager, const SparseMatrix& matrix, const EntryBody& body)
      : stager_(stager), matrix_(matrix), body_(body) {}

  void run() {
    switch (matrix_.form) {
      case SparseMatrix::Form::Compressed:
        return compressed();
      case SparseMatrix::Form::Coordinates:
        return stager_.range_over("k", stager_.size(0), matrix_.data.shape[0], [&](ir::ExtentId k) {
          const ir::ExtentId row = stored_index(stager_, matrix_.first, k, matrix_.row_blocks);
          block(row, stored_index(stager_, matrix_.second, k, matrix_.column_blocks), k);
        });
      case SparseMatrix::Form::Diagonals:
        return diagonals();
      case SparseMatrix::Form::Dense:
        return;
    }
  }

 private:
  void compressed() {
    const auto line = [&](ir::ExtentId i) {
      const ir::ExtentId across = matrix_.flipped ? matrix_.row_blocks : matrix_.column_blocks;
      const LineEnds ends = line_ends(stager_, matrix_, i);
      stager_.range_over("k", ends.begin, ends.end, [&](ir::ExtentId k) {
        const ir::ExtentId j = stored_index(stager_, matrix_.second, k, across);
        matrix_.flipped ? block(j, i, k) : block(i, j, k);
      });
    };
    if (matrix_.flipped) return stager_.range_over("j", stager_.size(0), matrix_.column_blocks, line);
    const ir::ExtentId rows[] = {matrix_.row_blocks};
    stager_.map_over(rows, [&](const Indices& at) { line(at[0]); });
  }

  void block(ir::ExtentId row, ir::ExtentId column, ir::ExtentId k) {
    if (!matrix_.has_blocks()) return body_(row, column, stager_.load(matrix_.data, {k}));
    ir::ExtentTable& table = stager_.extents();
    const ir::ExtentId height = matrix_.data.shape[1];
    const ir::ExtentId width = matrix_.data.shape[2];
    stager_.range_over("r", stager_.size(0), height, [&](ir::ExtentId r) {
      stager_.range_over("c", stager_.size(0), width, [&](ir::ExtentId c) {
        body_(table.add(table.multiply(row, height), r), table.add(table.multiply(column, width), c),
              stager_.load(matrix_.data, {k, r, c}));
      });
    });
  }

  /// data[d, j] lies at (j - offset, j) of what is stored. Some rows at a time, so that what is added to
  /// stays near; no two entries of a diagonal share a row.
  void diagonals() {
    constexpr std::int64_t kRows = 1024;
    ir::ExtentTable& table = stager_.extents();
    const ir::ExtentId rounded = table.add(matrix_.rows, stager_.size(kRows - 1));
    const ir::ExtentId parts[] = {table.apply(ir::ExtentOp::FloorDiv, rounded, stager_.size(kRows))};
    stager_.map_over(parts, [&](const Indices& part) {
      const ir::ExtentId first = table.scale(part[0], kRows);
      const ir::ExtentId last =
          table.apply(ir::ExtentOp::Min, table.add(first, stager_.size(kRows)), matrix_.rows);
      stager_.range_over("d", stager_.size(0), matrix_.data.shape[0],
                         [&](ir::ExtentId d) { diagonal(d, first, last); });
    });
  }

  /// The entries of a diagonal from row `first` to before row `last`.
  void diagonal(ir::ExtentId d, ir::ExtentId first, ir::ExtentId last) {
    ir::ExtentTable& table = stager_.extents();
    const ir::ExtentId rows = matrix_.flipped ? matrix_.columns : matrix_.rows;
    const ir::ExtentId columns = matrix_.flipped ? matrix_.rows : matrix_.columns;
    const ir::LocalId offset = stager_.let(number_at(stager_, matrix_.first, d), "offset");
    stager_.module[offset].range = {table.subtract(stager_.size(1), rows),
                                    table.subtract(columns, stager_.size(1))};
    const ir::ExtentId shift = table.local(offset);
    const auto row_of = [&](ir::ExtentId extent, std::string_view name) {
      const ir::ExtentId whole = table.apply(ir::ExtentOp::Max, extent, stager_.size(0));
      const ir::LocalId id = stager_.let(stager_.index(whole), name);
      stager_.module[id].range = {stager_.size(0), matrix_.rows};
      return table.local(id);
    };
    const auto at_most = [&](ir::ExtentId a, ir::ExtentId b) { return table.apply(ir::ExtentOp::Min, a, b); };
    const ir::ExtentId inside = at_most(columns, matrix_.data.shape[1]);
    const ir::ExtentId from = matrix_.flipped ? shift : table.scale(shift, -1);
    const ir::ExtentId to =
        matrix_.flipped ? at_most(inside, table.add(rows, shift)) : table.subtract(inside, shift);
    const ir::ExtentId begin = row_of(table.apply(ir::ExtentOp::Max, first, from), "begin");
    const ir::ExtentId end = row_of(at_most(last, to), "end");
    const ir::ExtentId length[] = {table.subtract(end, begin)};
    stager_.map_over(length, [&](const Indices& at) {
      const ir::ExtentId row = table.add(begin, at[0]);
      const ir::ExtentId column = matrix_.flipped ? table.subtract(row, shift) : table.add(row, shift);
      body_(row, column, stager_.load(matrix_.data, {d, matrix_.flipped ? row : column}));
    });
  }

  Stager& stager_;
  const SparseMatrix& matrix_;
  const EntryBody& body_;
};

}  // namespace

LineEnds line_ends(Stager& stager, const SparseMatrix& matrix, ir::ExtentId line) {
  ir::ExtentTable& table = stager.extents();
  const ir::ExtentId stored = matrix.second.shape[0];
  const ir::LocalId begin = stager.let(number_at(stager, matrix.first, line), "begin");
  stager.module[begin].range = {stager.size(0), stored};
  const ir::LocalId end = stager.let(number_at(stager, matrix.first, table.add(line, stager.size(1))), "end");
  stager.module[end].range = {table.local(begin), stored};
  return {table.local(begin), table.local(end)};
}

ir::ExtentId stored_index(Stager& stager, const Array& array, ir::ExtentId at, ir::ExtentId extent) {
  const ir::LocalId index = stager.let(number_at(stager, array, at), "at");
  stager.module[index].range = {stager.size(0), stager.extents().add(extent, stager.size(-1))};
  return stager.extents().local(index);
}

void by_block_size(Stager& stager, const SparseMatrix& matrix,
                   const std::function<void(const SparseMatrix&)>& body) {
  if (!matrix.has_blocks()) return body(matrix);
  SparseMatrix plain = matrix;
  plain.data = stager.drop_axis(stager.drop_axis(matrix.data, 2), 1);
  const auto is_one = [&](std::size_t k) {
    return stager.apply(ir::Op::Eq, {stager.index(matrix.data.shape[k]), stager.integer(1)});
  };
  const ir::ExprId single = stager.apply(ir::Op::And, {is_one(1), is_one(2)});
  const ir::BlockId then_body = stager.block([&] { body(plain); });
  const ir::BlockId else_body = stager.block([&] { body(matrix); });
  stager.emit(ir::If{single, then_body, else_body});
}

void each_entry(Stager& stager, const SparseMatrix& matrix, const EntryBody& body) {
  by_block_size(stager, matrix, [&](const SparseMatrix& each) { Entries(stager, each, body).run(); });
}

void add_entries(Stager& stager, const SparseMatrix& matrix, const Array& target) {
  const ir::DType type = stager.type_of(target);
  if (matrix.form == SparseMatrix::Form::Dense) {
    return stager.map_over(target.shape, [&](const Indices& at) {
      const ir::ExprId stored = stager.cast(stager.load(matrix.data, at), type);
      stager.store(target, at, stager.apply(ir::Op::Add, {stager.load(target, at), stored}));
    });
  }
  each_entry(stager, matrix, [&](ir::ExtentId row, ir::ExtentId column, ir::ExprId stored) {
    const ir::ExprId sum =
        stager.apply(ir::Op::Add, {stager.load(target, {row, column}), stager.cast(stored, type)});
    stager.store(target, {row, column}, sum);
  });
}

Array dense_of(Stager& stager, const SparseMatrix& matrix, ir::DType type) {
  if (matrix.form == SparseMatrix::Form::Dense) return stager.copy(matrix.data, type);
  const Array out = stager.zeros({matrix.rows, matrix.columns}, type);
  add_entries(stager, matrix, out);
  return out;
}

}  // namespace pw::numpy
