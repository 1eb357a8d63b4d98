// The few functions of BLAS and LAPACK that the core calls, as their owner gives them: Fortran's
// conventions, matrices column by column.
#pragma once

namespace polymargin {

struct Blas {
  void (*dgemm)(const char*, const char*, const int*, const int*, const int*, const double*,
                const double*, const int*, const double*, const int*, const double*, double*,
                const int*);
  void (*dgemv)(const char*, const int*, const int*, const double*, const double*, const int*,
                const double*, const int*, const double*, double*, const int*);
  void (*dsyrk)(const char*, const char*, const int*, const int*, const double*, const double*,
                const int*, const double*, double*, const int*);
  void (*dtrsm)(const char*, const char*, const char*, const char*, const int*, const int*,
                const double*, const double*, const int*, double*, const int*);
  void (*dtrsv)(const char*, const char*, const char*, const int*, const double*, const int*,
                double*, const int*);
  void (*dpotrf)(const char*, const int*, double*, const int*, int*);

  // C <- alpha op(A) op(B) + beta C, where op(A) is m x k and op(B) is k x n.
  void product(char op_a, char op_b, int m, int n, int k, double alpha, const double* a, int lda,
               const double* b, int ldb, double beta, double* c, int ldc) const {
    dgemm(&op_a, &op_b, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
  }

  // y <- op(A) x + beta y, where A is m x n.
  void product_with_vector(char op, int m, int n, const double* a, int lda, const double* x,
                           double beta, double* y) const {
    const double one = 1;
    const int step = 1;
    dgemv(&op, &m, &n, &one, a, &lda, x, &step, &beta, y, &step);
  }

  // The lower half of C <- alpha op(A) op(A)^T + beta C, where op(A) is n x k.
  void gram(char op, int n, int k, double alpha, const double* a, int lda, double beta, double* c,
            int ldc) const {
    const char lower = 'L';
    dsyrk(&lower, &op, &n, &k, &alpha, a, &lda, &beta, c, &ldc);
  }
};

}  // namespace polymargin
