! Types and constants of the module against those of C (layouts.c): sizes, where each component lies, values; then calls
! that fail and ones that do not, with real and complex numbers.
program layouts
    use rechenwerk
    implicit none
    interface
        integer(c_long_long) function value_in_c(name) bind(c)
            import
            character(1, c_char), intent(in) :: name(*)
        end function
    end interface
    type(rw_sparse_layout), target :: l
    type(rw_sparse_blocks), target :: b
    type(rw_sparse_size), target :: s
    type(rw_krylov_spec), target :: k
    type(rw_precond_spec), target :: p
    type(rw_krylov_result), target :: r
    type(rw_operator_spec), target :: o
    integer :: compared = 0, wrong = 0

    call same("rw_sparse_layout", int(c_sizeof(l), c_intptr_t))
    call place("rw_sparse_layout.format", c_loc(l%format), c_loc(l))
    call place("rw_sparse_layout.values", c_loc(l%values), c_loc(l))
    call place("rw_sparse_layout.block_rows", c_loc(l%block_rows), c_loc(l))
    call place("rw_sparse_layout.block_columns", c_loc(l%block_columns), c_loc(l))
    call place("rw_sparse_layout.columns", c_loc(l%columns), c_loc(l))
    call place("rw_sparse_layout.slice", c_loc(l%slice), c_loc(l))
    call place("rw_sparse_layout.sort", c_loc(l%sort), c_loc(l))
    call place("rw_sparse_layout.section", c_loc(l%section), c_loc(l))
    call place("rw_sparse_layout.index_bits", c_loc(l%index_bits), c_loc(l))
    call place("rw_sparse_layout.scaled", c_loc(l%scaled), c_loc(l))
    call same("rw_sparse_blocks", int(c_sizeof(b), c_intptr_t))
    call place("rw_sparse_blocks.rows", c_loc(b%rows), c_loc(b))
    call place("rw_sparse_blocks.columns", c_loc(b%columns), c_loc(b))
    call place("rw_sparse_blocks.first", c_loc(b%first), c_loc(b))
    call place("rw_sparse_blocks.column", c_loc(b%column), c_loc(b))
    call place("rw_sparse_blocks.row_size", c_loc(b%row_size), c_loc(b))
    call place("rw_sparse_blocks.column_size", c_loc(b%column_size), c_loc(b))
    call same("rw_sparse_size", int(c_sizeof(s), c_intptr_t))
    call place("rw_sparse_size.rows", c_loc(s%rows), c_loc(s))
    call place("rw_sparse_size.columns", c_loc(s%columns), c_loc(s))
    call place("rw_sparse_size.blocks", c_loc(s%blocks), c_loc(s))
    call place("rw_sparse_size.stored", c_loc(s%stored), c_loc(s))
    call place("rw_sparse_size.bytes", c_loc(s%bytes), c_loc(s))
    call same("rw_operator_spec", int(c_sizeof(o), c_intptr_t))
    call place("rw_operator_spec.rows", c_loc(o%rows), c_loc(o))
    call place("rw_operator_spec.columns", c_loc(o%columns), c_loc(o))
    call place("rw_operator_spec.type", c_loc(o%type), c_loc(o))
    call place("rw_operator_spec.multiply", c_loc(o%multiply), c_loc(o))
    call place("rw_operator_spec.direct", c_loc(o%direct), c_loc(o))
    call place("rw_operator_spec.transposes", c_loc(o%transposes), c_loc(o))
    call place("rw_operator_spec.hermitian", c_loc(o%hermitian), c_loc(o))
    call place("rw_operator_spec.diagonal", c_loc(o%diagonal), c_loc(o))
    call place("rw_operator_spec.destroy", c_loc(o%destroy), c_loc(o))
    call place("rw_operator_spec.user", c_loc(o%user), c_loc(o))
    call same("rw_krylov_spec", int(c_sizeof(k), c_intptr_t))
    call place("rw_krylov_spec.method", c_loc(k%method), c_loc(k))
    call place("rw_krylov_spec.rtol", c_loc(k%rtol), c_loc(k))
    call place("rw_krylov_spec.atol", c_loc(k%atol), c_loc(k))
    call place("rw_krylov_spec.iterations", c_loc(k%iterations), c_loc(k))
    call place("rw_krylov_spec.restart", c_loc(k%restart), c_loc(k))
    call place("rw_krylov_spec.orthogonal", c_loc(k%orthogonal), c_loc(k))
    call place("rw_krylov_spec.precond", c_loc(k%precond), c_loc(k))
    call place("rw_krylov_spec.monitor", c_loc(k%monitor), c_loc(k))
    call place("rw_krylov_spec.user", c_loc(k%user), c_loc(k))
    call place("rw_krylov_spec.inner", c_loc(k%inner), c_loc(k))
    call place("rw_krylov_spec.precond_operator", c_loc(k%precond_operator), c_loc(k))
    call place("rw_krylov_spec.cancel", c_loc(k%cancel), c_loc(k))
    call same("rw_precond_spec", int(c_sizeof(p), c_intptr_t))
    call place("rw_precond_spec.method", c_loc(p%method), c_loc(p))
    call place("rw_precond_spec.level", c_loc(p%level), c_loc(p))
    call place("rw_precond_spec.drop", c_loc(p%drop), c_loc(p))
    call place("rw_precond_spec.fill", c_loc(p%fill), c_loc(p))
    call place("rw_precond_spec.omega", c_loc(p%omega), c_loc(p))
    call place("rw_precond_spec.degree", c_loc(p%degree), c_loc(p))
    call place("rw_precond_spec.theta", c_loc(p%theta), c_loc(p))
    call place("rw_precond_spec.order", c_loc(p%order), c_loc(p))
    call place("rw_precond_spec.iterations", c_loc(p%iterations), c_loc(p))
    call place("rw_precond_spec.sweeps", c_loc(p%sweeps), c_loc(p))
    call place("rw_precond_spec.f32", c_loc(p%f32), c_loc(p))
    call place("rw_precond_spec.scaled", c_loc(p%scaled), c_loc(p))
    call place("rw_precond_spec.block", c_loc(p%block), c_loc(p))
    call same("rw_krylov_result", int(c_sizeof(r), c_intptr_t))
    call place("rw_krylov_result.reason", c_loc(r%reason), c_loc(r))
    call place("rw_krylov_result.iterations", c_loc(r%iterations), c_loc(r))
    call place("rw_krylov_result.first", c_loc(r%first), c_loc(r))
    call place("rw_krylov_result.residual", c_loc(r%residual), c_loc(r))
    call place("rw_krylov_result.estimate", c_loc(r%estimate), c_loc(r))
    call place("rw_krylov_result.right_side", c_loc(r%right_side), c_loc(r))
    call place("rw_krylov_result.seconds", c_loc(r%seconds), c_loc(r))
    call constant("RW_OK", rw_ok)
    call constant("RW_ERR_ARGUMENT", rw_err_argument)
    call constant("RW_ERR_INPUT", rw_err_input)
    call constant("RW_ERR_FILE", rw_err_file)
    call constant("RW_ERR_MEMORY", rw_err_memory)
    call constant("RW_ERR_DEVICE", rw_err_device)
    call constant("RW_ERR_NOT_CONVERGED", rw_err_not_converged)
    call constant("RW_F32", rw_f32)
    call constant("RW_F64", rw_f64)
    call constant("RW_C64", rw_c64)
    call constant("RW_C128", rw_c128)
    call constant("RW_I8", rw_i8)
    call constant("RW_I16", rw_i16)
    call constant("RW_I32", rw_i32)
    call constant("RW_I64", rw_i64)
    call constant("RW_U8", rw_u8)
    call constant("RW_U16", rw_u16)
    call constant("RW_U32", rw_u32)
    call constant("RW_U64", rw_u64)
    call constant("RW_F16", rw_f16)
    call constant("RW_BF16", rw_bf16)
    call constant("RW_BOOL", rw_bool)
    call constant("RW_MEMORY_MANAGED", rw_memory_managed)
    call constant("RW_MEMORY_MAPPED", rw_memory_mapped)
    call constant("RW_MEMORY_DEVICE", rw_memory_device)
    call constant("RW_MEMORY_PINNED", rw_memory_pinned)
    call constant("RW_OP_NONE", rw_op_none)
    call constant("RW_OP_TRANSPOSE", rw_op_transpose)
    call constant("RW_OP_CONJUGATE", rw_op_conjugate)
    call constant("RW_KRYLOV_CG", rw_krylov_cg)
    call constant("RW_KRYLOV_BICGSTAB", rw_krylov_bicgstab)
    call constant("RW_KRYLOV_GMRES", rw_krylov_gmres)
    call constant("RW_KRYLOV_FGMRES", rw_krylov_fgmres)
    call constant("RW_KRYLOV_IDR", rw_krylov_idr)
    call constant("RW_PRECOND_NONE", rw_precond_none)
    call constant("RW_PRECOND_JACOBI", rw_precond_jacobi)
    call constant("RW_PRECOND_SSOR", rw_precond_ssor)
    call constant("RW_PRECOND_ILU", rw_precond_ilu)
    call constant("RW_PRECOND_MILU", rw_precond_milu)
    call constant("RW_PRECOND_ILUT", rw_precond_ilut)
    call constant("RW_PRECOND_CHEBYSHEV", rw_precond_chebyshev)
    call constant("RW_PRECOND_AMG", rw_precond_amg)
    call constant("RW_KRYLOV_CONVERGED", rw_krylov_converged)
    call constant("RW_ERR_COMPILE", rw_err_compile)
    call constant("RW_ERR_LAUNCH", rw_err_launch)
    call constant("RW_ERR_CHECK", rw_err_check)
    call constant("RW_OFF", rw_off)
    if (sign(1.0_c_double, rw_zero) > 0) then
        print "(a)", "rw_zero is not the negative zero"
        wrong = wrong + 1
    end if
    call constant("RW_ERR_UNSUPPORTED", rw_err_unsupported)
    call constant("RW_ERR_INTERRUPTED", rw_err_interrupted)
    call constant("RW_ERR_INTERNAL", rw_err_internal)
    call constant("RW_DTYPE_DEFAULT", rw_dtype_default)
    call constant("RW_KRYLOV_ITERATIONS", rw_krylov_iterations)
    call constant("RW_KRYLOV_STAGNATION", rw_krylov_stagnation)
    call constant("RW_KRYLOV_BREAKDOWN", rw_krylov_breakdown)
    call constant("RW_KRYLOV_INDEFINITE", rw_krylov_indefinite)
    call constant("RW_KRYLOV_NOT_FINITE", rw_krylov_not_finite)
    call constant("RW_KRYLOV_INTERRUPTED", rw_krylov_interrupted)
    call constant("RW_KRYLOV_RANGE", rw_krylov_range)
    call constant("RW_KRYLOV_CLASSICAL", rw_krylov_classical)
    call constant("RW_KRYLOV_MODIFIED", rw_krylov_modified)
    call constant("RW_SPARSE_COO", rw_sparse_coo)
    call constant("RW_SPARSE_CSR", rw_sparse_csr)
    call constant("RW_SPARSE_BCSR", rw_sparse_bcsr)
    call constant("RW_SPARSE_VBCSR", rw_sparse_vbcsr)
    call constant("RW_SPARSE_DIA", rw_sparse_dia)
    call constant("RW_SPARSE_ELL", rw_sparse_ell)
    call constant("RW_SPARSE_BELL", rw_sparse_bell)
    call constant("RW_SPARSE_SELL", rw_sparse_sell)
    call constant("RW_SPARSE_BSELL", rw_sparse_bsell)
    call calls()
    print "(i0, a, i0, a)", compared, " sizes, places, values and calls, ", wrong, " wrong"
    if (wrong > 0) stop 1

contains

    subroutine place(name, component, whole)
        character(*), intent(in) :: name
        type(c_ptr), intent(in) :: component, whole
        call same(name, transfer(component, 0_c_intptr_t) - transfer(whole, 0_c_intptr_t))
    end subroutine

    subroutine same(name, value)
        character(*), intent(in) :: name
        integer(c_intptr_t), intent(in) :: value
        compared = compared + 1
        if (value == value_in_c(name//c_null_char)) return
        wrong = wrong + 1
        print "(a, i0, a, i0)", name//": ", value, " in Fortran, in C ", value_in_c(name//c_null_char)
    end subroutine

    subroutine constant(name, value)
        character(*), intent(in) :: name
        integer(c_int), intent(in) :: value
        call same(name, int(value, c_intptr_t))
    end subroutine

    subroutine require(fact, what)
        logical, intent(in) :: fact
        character(*), intent(in) :: what
        compared = compared + 1
        if (fact) return
        wrong = wrong + 1
        print "(a)", what
    end subroutine

    ! A diagonal matrix of entries 1, 2, 3 (complex: times i) and its blocks of 1 x 1, in all types of vectors.
    subroutine calls()
        type(c_ptr) :: context, device, matrix, x, y, again
        real(c_float) :: f(3)
        real(c_double) :: d(3)
        complex(c_float_complex) :: c(3)
        complex(c_double_complex) :: z(3)
        integer(c_int64_t), parameter :: three(3) = [0_c_int64_t, 1_c_int64_t, 2_c_int64_t]
        type(rw_krylov_spec) :: spec
        call require(rw_context_create(context) == rw_ok, "no context")
        call require(rw_device_open(context, "cpuu", device) == rw_err_device, "the device cpuu")
        call require(index(rw_message(context), "cpuu") > 0, "no message on cpuu")
        call require(rw_status_text(rw_err_device) /= "", "no text of a status")
        call require(rw_device_open(context, "cpu", device) == rw_ok, "the device cpu")
        call require(rw_krylov_parse(context, "gmers", spec) == rw_err_argument, "the method gmers")
        call require(rw_krylov_parse(context, "cg:rtol=1e-3", spec) == rw_ok, "the method cg")
        call require(spec%method == rw_krylov_cg .and. spec%rtol == 1e-3_c_double, "cg is another method")
        call require(rw_sparse_layout_parse(context, "bcsr:5x3:columns", l) == rw_ok, "bcsr:5x3:columns")
        call require(l%block_rows == 5 .and. l%block_columns == 3 .and. l%values == rw_f64 .and. l%columns, &
            "bcsr is other")
        call require(rw_sparse_layout_parse(context, "csr", l) == rw_ok, "csr")
        call require(rw_sparse_from_entries(device, l, 3_c_int64_t, 3_c_int64_t, three, three, &
            [1d0, 2d0, 3d0], matrix) == rw_ok, "entries")
        call require(rw_sparse_get_size(matrix, s) == rw_ok, "the size of a matrix")
        call require(s%rows == 3 .and. s%stored == 3, "the size of a matrix")
        f = [1., 2., 3.]
        call require(rw_array_create(device, rw_f32, 1_c_int, [3_c_int64_t], rw_memory_device, x) == rw_ok, "an array")
        call require(rw_array_create(device, rw_f32, 1_c_int, [3_c_int64_t], rw_memory_device, y) == rw_ok, "an array")
        call require(rw_array_set(x, f) == rw_ok, "numbers of f32")
        call require(rw_array_set(x, [1d0, 2d0, 3d0]) == rw_err_argument, "numbers of f64 into f32")
        call require(rw_sparse_multiply(matrix, rw_op_none, x=x, y=y, queue=rw_device_queue(device)) == rw_ok, &
            "a product")
        call require(rw_sparse_multiply(matrix, rw_op_none, [2d0, 0d0], x, [1d0, 0d0], y, &
            rw_device_queue(device)) == rw_ok, "y + 2 A x")
        call require(rw_array_get(y, f) == rw_ok, "y")
        call require(all(f == [3., 12., 27.]), "y is not 3 A x")
        call require(rw_array_save(y, "fortran.npy") == rw_ok, "a file of an array")
        call require(rw_sparse_write(matrix, "fortran.mtx") == rw_ok, "a file of a matrix")
        call require(rw_array_load(device, "fortran.mtx", rw_f64, again) == rw_err_input, "a matrix as an array")
        call require(rw_array_load(device, "fortran.npy", rw_dtype_default, again) == rw_ok, "an array from a file")
        f = 0
        call require(rw_array_get(again, f) == rw_ok, "what was loaded")
        call require(all(f == [3., 12., 27.]), "another array in the file")
        call rw_array_destroy(again)
        call require(rw_sparse_read(device, l, "nowhere.mtx", again) == rw_err_file, "a matrix from nowhere")
        call require(rw_sparse_read(device, l, "fortran.mtx", again) == rw_ok, "a matrix from a file")
        call require(rw_sparse_get_size(again, s) == rw_ok, "the size of a matrix")
        call require(s%columns == 3 .and. s%blocks == 3, "another matrix in the file")
        call rw_sparse_destroy(again)
        call require(rw_precond_parse(context, "ilu2:f32", p) == rw_ok, "ilu2:f32")
        call require(p%method == rw_precond_ilu .and. p%level == 2 .and. p%f32, "ilu2 is another one")
        call require(rw_array_get(y, f(1:2)) == rw_err_argument, "two of three numbers")
        call rw_array_destroy(x)
        call rw_array_destroy(y)
        call rw_sparse_destroy(matrix)
        call require(rw_array_create(device, rw_f64, 1_c_int, [3_c_int64_t], rw_memory_device, x) == rw_ok, "an array")
        call require(rw_array_set(x, [4d0, 5d0, 6d0]) == rw_ok, "numbers of f64")
        call require(rw_array_get(x, d) == rw_ok, "f64")
        call require(all(d == [4d0, 5d0, 6d0]), "other numbers of f64")
        call rw_array_destroy(x)
        c = [(1., 2.), (3., 4.), (5., 6.)]
        call require(rw_array_create(device, rw_c64, 1_c_int, [3_c_int64_t], rw_memory_device, x) == rw_ok, "an array")
        call require(rw_array_set(x, c) == rw_ok, "numbers of c64")
        c = 0
        call require(rw_array_get(x, c) == rw_ok, "c64")
        call require(c(3) == (5., 6.), "other numbers of c64")
        call rw_array_destroy(x)
        l%values = rw_c128
        call require(rw_sparse_create(device, l, 3_c_int64_t, 3_c_int64_t, [three, 3_c_int64_t], three, &
            matrix) == rw_ok, "blocks")
        call require(rw_sparse_add_blocks(matrix, 3_c_int64_t, three, three, &
            [(0d0, 1d0), (0d0, 2d0), (0d0, 3d0)]) == rw_ok, "values")
        call require(rw_sparse_add_blocks(matrix, 3_c_int64_t, three, three, [1d0, 2d0, 3d0]) == rw_err_argument, &
            "real values in a complex matrix")
        call require(rw_array_create(device, rw_c128, 1_c_int, [3_c_int64_t], rw_memory_device, x) == rw_ok, "an array")
        call require(rw_array_create(device, rw_c128, 1_c_int, [3_c_int64_t], rw_memory_device, y) == rw_ok, "an array")
        call require(rw_array_set(x, [(1d0, 0d0), (1d0, 0d0), (0d0, 1d0)]) == rw_ok, "numbers of c128")
        call require(rw_sparse_multiply(matrix, rw_op_conjugate, x=x, y=y, queue=rw_device_queue(device)) == rw_ok, &
            "a product")
        call require(rw_array_get(y, z) == rw_ok, "y")
        call require(all(z == [(0d0, -1d0), (0d0, -2d0), (3d0, 0d0)]), "y is not A* x")
        call require(rw_sparse_zero(matrix) == rw_ok, "a matrix of zeros")
        call require(rw_array_copy(x, y, rw_device_queue(device)) == rw_ok, "a copy")
        call require(rw_queue_wait(rw_device_queue(device)) == rw_ok, "waiting")
        call require(rw_status_exit_code(rw_err_not_converged) == 3, "an exit code")
        k%restart = 20
        call require(rw_krylov_memory(k, 1000_c_int64_t, rw_c128) == (2*1000 + 21*1024 + 2*31*32 + 2*31 + 4*32)*16, &
            "the memory of GMRES(20)")
        call rw_array_destroy(x)
        call rw_array_destroy(y)
        call rw_sparse_destroy(matrix)
        call rw_device_close(device)
        call rw_context_destroy(context)
    end subroutine
end program
