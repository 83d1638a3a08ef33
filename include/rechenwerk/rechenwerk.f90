! Rechenwerk from Fortran 2018: matrices made of blocks, products and solvers on a device. The headers beside this file
! are the manual; names, arguments and statuses are those of C, and rows and columns count from 0. Modules suit one
! compiler only, so this file is compiled with your program; rechenwerk_options.inc lies beside it:
!
!     gfortran -c /usr/local/include/rechenwerk/rechenwerk.f90
!     gfortran program.f90 rechenwerk.o $(pkg-config --libs rechenwerk)
!
! Objects are type(c_ptr). What C takes as text is a character value here. rw_array_get and rw_array_set copy whole
! arrays from and to the host.
module rechenwerk
    use, intrinsic :: iso_c_binding
    implicit none
    private :: terminated, from_c, is_of

    ! rw_status
    integer(c_int), parameter :: rw_ok = 0, rw_err_argument = 1, rw_err_input = 2, rw_err_file = 3, rw_err_memory = 4, &
        rw_err_device = 5, rw_err_compile = 6, rw_err_launch = 7, rw_err_check = 8, rw_err_unsupported = 9, &
        rw_err_not_converged = 10, rw_err_interrupted = 11, rw_err_internal = 12
    ! rw_dtype
    integer(c_int), parameter :: rw_dtype_default = 0, rw_f32 = 1, rw_f64 = 2, rw_c64 = 3, rw_c128 = 4, &
        rw_i8 = 5, rw_i16 = 6, rw_i32 = 7, rw_i64 = 8, rw_u8 = 9, rw_u16 = 10, rw_u32 = 11, rw_u64 = 12, rw_f16 = 13, &
        rw_bf16 = 14, rw_bool = 15
    ! rw_memory
    integer(c_int), parameter :: rw_memory_device = 0, rw_memory_pinned = 1, rw_memory_managed = 2, &
        rw_memory_mapped = 3
    ! a limit or tolerance that is switched off; the value 0 of a real component whose default is another number
    integer(c_int), parameter :: rw_off = -1
    real(c_double), parameter :: rw_zero = -0.0_c_double
    ! rw_op
    integer(c_int), parameter :: rw_op_none = 0, rw_op_transpose = 1, rw_op_conjugate = 2
    ! methods, formats and other options: from the tables of parameters, `rechenwerk help --fortran`
    include 'rechenwerk_options.inc'
    ! rw_krylov_reason
    integer(c_int), parameter :: rw_krylov_converged = 0, rw_krylov_iterations = 1, rw_krylov_stagnation = 2, &
        rw_krylov_breakdown = 3, rw_krylov_indefinite = 4, rw_krylov_not_finite = 5, rw_krylov_interrupted = 6, &
        rw_krylov_range = 7

    type, bind(c) :: rw_sparse_layout
        integer(c_int) :: format = 0, values = 0, block_rows = 0, block_columns = 0
        logical(c_bool) :: columns = .false.
        integer(c_int) :: slice = 0, sort = 0, section = 0, index_bits = 0
        logical(c_bool) :: scaled = .false.
        integer(c_int64_t) :: reserved(4) = 0
    end type

    type, bind(c) :: rw_sparse_blocks
        integer(c_int64_t) :: rows = 0, columns = 0
        type(c_ptr) :: first = c_null_ptr, column = c_null_ptr, row_size = c_null_ptr, column_size = c_null_ptr
    end type

    type, bind(c) :: entries
        integer(c_int64_t) :: rows, columns, n
        logical(c_bool) :: is_complex
        type(c_ptr) :: row, column, value
    end type

    type, bind(c) :: rw_sparse_size
        integer(c_int64_t) :: rows = 0, columns = 0, blocks = 0, stored = 0, bytes = 0
    end type

    ! An operator that is a function of your own, with bind(c) and the arguments of `multiply` in operator.h:
    !     integer(c_int) function multiply(user, op, x, y, queue) bind(c)
    !         type(c_ptr), value :: user, x, y, queue
    !         integer(c_int), value :: op
    ! direct = .true.: it may read x and write y on the host, with rw_array_get and rw_array_set.
    type, bind(c) :: rw_operator_spec
        integer(c_int64_t) :: rows = 0, columns = 0
        integer(c_int) :: type = rw_dtype_default
        type(c_funptr) :: multiply = c_null_funptr
        logical(c_bool) :: direct = .false., transposes = .false., hermitian = .false.
        type(c_funptr) :: diagonal = c_null_funptr, destroy = c_null_funptr
        type(c_ptr) :: user = c_null_ptr
    end type

    type, bind(c) :: rw_precond_spec
        integer(c_int) :: method = rw_precond_none, level = 0
        real(c_double) :: drop = 0
        integer(c_int) :: fill = 0
        real(c_double) :: omega = 0
        integer(c_int) :: degree = 0
        real(c_double) :: theta = 0
        integer(c_int) :: order = 0, iterations = 0, sweeps = 0
        logical(c_bool) :: f32 = .false., scaled = .false.
        integer(c_int) :: block = 0
        type(c_ptr) :: cancel = c_null_ptr
        integer(c_int64_t) :: reserved(4) = 0
    end type

    type, bind(c) :: rw_krylov_spec
        integer(c_int) :: method = 0
        real(c_double) :: rtol = 0, atol = 0
        integer(c_int64_t) :: iterations = 0
        integer(c_int) :: restart = 0, orthogonal = 0
        type(rw_precond_spec) :: precond = rw_precond_spec()
        type(c_ptr) :: inner = c_null_ptr, precond_operator = c_null_ptr
        type(c_funptr) :: monitor = c_null_funptr
        type(c_ptr) :: user = c_null_ptr, cancel = c_null_ptr     ! cancel: of an rw_cancel
    end type

    ! A request to stop: rw_cancel_request
    type, bind(c) :: rw_cancel
        integer(c_int) :: requested = 0
    end type

    type, bind(c) :: rw_krylov_result
        integer(c_int) :: reason = 0
        integer(c_int64_t) :: iterations = 0
        real(c_double) :: first = 0, residual = 0, estimate = 0, right_side = 0, seconds = 0
    end type

    interface
        ! core.h
        integer(c_int) function rw_context_create(context) bind(c)
            import
            type(c_ptr), intent(out) :: context
        end function
        subroutine rw_context_destroy(context) bind(c)
            import
            type(c_ptr), intent(inout) :: context
        end subroutine
        integer(c_int) function rw_status_exit_code(status) bind(c)
            import
            integer(c_int), value :: status
        end function

        ! device.h
        subroutine rw_device_close(device) bind(c)
            import
            type(c_ptr), intent(inout) :: device
        end subroutine
        type(c_ptr) function rw_device_queue(device) bind(c)
            import
            type(c_ptr), value :: device
        end function
        integer(c_int) function rw_queue_wait(queue) bind(c)
            import
            type(c_ptr), value :: queue
        end function

        ! array.h
        integer(c_int) function rw_array_create(device, dtype, ndim, shape, memory, array) bind(c)
            import
            type(c_ptr), value :: device
            integer(c_int), value :: dtype, ndim, memory
            integer(c_int64_t), intent(in) :: shape(*)
            type(c_ptr), intent(out) :: array
        end function
        subroutine rw_array_destroy(array) bind(c)
            import
            type(c_ptr), intent(inout) :: array
        end subroutine
        integer(c_int64_t) function rw_array_size(array) bind(c)
            import
            type(c_ptr), value :: array
        end function
        integer(c_int) function rw_array_dtype(array) bind(c)
            import
            type(c_ptr), value :: array
        end function
        integer(c_int) function rw_array_read(array, data) bind(c)
            import
            type(c_ptr), value :: array
            type(c_ptr), intent(out) :: data
        end function
        integer(c_int) function rw_array_write(array, data) bind(c)
            import
            type(c_ptr), value :: array
            type(c_ptr), intent(out) :: data
        end function
        integer(c_int) function rw_array_zero(array, queue) bind(c)
            import
            type(c_ptr), value :: array, queue
        end function
        integer(c_int) function rw_array_copy(dst, src, queue) bind(c)
            import
            type(c_ptr), value :: dst, src, queue
        end function

        ! sparse.h
        subroutine rw_sparse_destroy(matrix) bind(c)
            import
            type(c_ptr), intent(inout) :: matrix
        end subroutine
        integer(c_int) function rw_sparse_zero(matrix) bind(c)
            import
            type(c_ptr), value :: matrix
        end function
        integer(c_int) function rw_sparse_get_size(matrix, size) bind(c)
            import
            type(c_ptr), value :: matrix
            type(rw_sparse_size), intent(out) :: size
        end function
        ! The matrix as solvers take it.
        type(c_ptr) function rw_sparse_operator(matrix) bind(c)
            import
            type(c_ptr), value :: matrix
        end function
        integer(c_int) function rw_sparse_multiply(matrix, op, alpha, x, beta, y, queue) bind(c)
            import
            type(c_ptr), value :: matrix, x, y, queue
            integer(c_int), value :: op
            real(c_double), intent(in), optional :: alpha(2), beta(2)
        end function

        ! operator.h
        subroutine rw_operator_destroy(operator) bind(c)
            import
            type(c_ptr), intent(inout) :: operator
        end subroutine
        integer(c_int) function rw_operator_multiply(operator, op, alpha, x, beta, y, queue) bind(c)
            import
            type(c_ptr), value :: operator, x, y, queue
            integer(c_int), value :: op
            real(c_double), intent(in), optional :: alpha(2), beta(2)
        end function

        ! krylov.h
        subroutine rw_krylov_destroy(solver) bind(c)
            import
            type(c_ptr), intent(inout) :: solver
        end subroutine
        integer(c_int) function rw_krylov_update(solver) bind(c)
            import
            type(c_ptr), value :: solver
        end function
    end interface

    ! The whole contents of an array of that type and size to or from `values`; ERR_ARGUMENT without a message for
    ! another one.
    interface rw_array_get
        module procedure get_f32, get_f64, get_c64, get_c128
    end interface
    interface rw_array_set
        module procedure set_f32, set_f64, set_c64, set_c128
    end interface
    ! n blocks at (row, column), block after block, each row after row; values: real or complex as the matrix,
    ! rw_err_argument for others.
    interface rw_sparse_add_blocks
        module procedure add_f32, add_f64, add_c64, add_c128
    end interface
    private :: add_f32, add_f64, add_c64, add_c128, add_values
    ! A matrix from entries in any order, numbered from 0; those of one place are added.
    interface rw_sparse_from_entries
        module procedure from_real_entries, from_complex_entries
    end interface
    private :: from_real_entries, from_complex_entries, from_entries, entries
    private :: get_f32, get_f64, get_c64, get_c128, set_f32, set_f64, set_c64, set_c128

contains

    function terminated(text) result(c)
        character(*), intent(in) :: text
        character(len(text) + 1, c_char) :: c
        c = text // c_null_char
    end function

    function from_c(p) result(text)
        type(c_ptr), intent(in) :: p
        character(:), allocatable :: text
        character(1, c_char), pointer :: c(:)
        integer(c_size_t) :: i
        interface
            integer(c_size_t) function strlen(s) bind(c)
                import
                type(c_ptr), value :: s
            end function
        end interface
        call c_f_pointer(p, c, [strlen(p)])
        allocate (character(size(c)) :: text)
        do i = 1, size(c)
            text(i:i) = c(i)
        end do
    end function

    integer(c_int) function from_entries(device, layout, list, matrix)
        type(c_ptr), intent(in) :: device
        type(rw_sparse_layout), intent(in) :: layout
        type(entries), intent(in) :: list
        type(c_ptr), intent(out) :: matrix
        interface
            integer(c_int) function make(device, layout, list, matrix) bind(c, name="rw_sparse_from_entries")
                import
                type(c_ptr), value :: device
                type(rw_sparse_layout), intent(in) :: layout
                type(entries), intent(in) :: list
                type(c_ptr), intent(out) :: matrix
            end function
        end interface
        from_entries = make(device, layout, list, matrix)
    end function

    integer(c_int) function from_real_entries(device, layout, rows, columns, row, column, values, matrix)
        type(c_ptr), intent(in) :: device
        type(rw_sparse_layout), intent(in) :: layout
        integer(c_int64_t), intent(in) :: rows, columns
        integer(c_int64_t), intent(in), target, contiguous :: row(:), column(:)
        real(c_double), intent(in), target, contiguous :: values(:)
        type(c_ptr), intent(out) :: matrix
        from_real_entries = from_entries(device, layout, &
            entries(rows, columns, size(row, kind=c_int64_t), .false._c_bool, c_loc(row), c_loc(column), &
                c_loc(values)), matrix)
    end function

    integer(c_int) function from_complex_entries(device, layout, rows, columns, row, column, values, matrix)
        type(c_ptr), intent(in) :: device
        type(rw_sparse_layout), intent(in) :: layout
        integer(c_int64_t), intent(in) :: rows, columns
        integer(c_int64_t), intent(in), target, contiguous :: row(:), column(:)
        complex(c_double_complex), intent(in), target, contiguous :: values(:)
        type(c_ptr), intent(out) :: matrix
        from_complex_entries = from_entries(device, layout, &
            entries(rows, columns, size(row, kind=c_int64_t), .true._c_bool, c_loc(row), c_loc(column), &
                c_loc(values)), matrix)
    end function

    ! The message of the last failed call.
    function rw_message(context) result(text)
        type(c_ptr), intent(in) :: context
        character(:), allocatable :: text
        interface
            type(c_ptr) function message(context) bind(c, name="rw_message")
                import
                type(c_ptr), value :: context
            end function
        end interface
        text = from_c(message(context))
    end function

    ! "host or device memory is exhausted"
    function rw_status_text(status) result(text)
        integer(c_int), intent(in) :: status
        character(:), allocatable :: text
        interface
            type(c_ptr) function status_text(status) bind(c, name="rw_status_text")
                import
                integer(c_int), value :: status
            end function
        end interface
        text = from_c(status_text(status))
    end function

    function rw_krylov_reason_text(reason) result(text)
        integer(c_int), intent(in) :: reason
        character(:), allocatable :: text
        interface
            type(c_ptr) function reason_text(reason) bind(c, name="rw_krylov_reason_text")
                import
                integer(c_int), value :: reason
            end function
        end interface
        text = from_c(reason_text(reason))
    end function

    integer(c_int) function rw_device_open(context, name, device)
        type(c_ptr), intent(in) :: context
        character(*), intent(in) :: name
        type(c_ptr), intent(out) :: device
        interface
            integer(c_int) function open(context, name, device) bind(c, name="rw_device_open")
                import
                type(c_ptr), value :: context
                character(1, c_char), intent(in) :: name(*)
                type(c_ptr), intent(out) :: device
            end function
        end interface
        rw_device_open = open(context, terminated(trim(name)), device)
    end function

    integer(c_int) function add_values(matrix, dtype, n, row, column, values) result(status)
        type(c_ptr), intent(in) :: matrix, values
        integer(c_int), intent(in) :: dtype
        integer(c_int64_t), intent(in) :: n, row(*), column(*)
        interface
            integer(c_int) function add(matrix, dtype, n, row, column, values) bind(c, name="rw_sparse_add_blocks_of")
                import
                type(c_ptr), value :: matrix, values
                integer(c_int), value :: dtype
                integer(c_int64_t), value :: n
                integer(c_int64_t), intent(in) :: row(*), column(*)
            end function
        end interface
        status = add(matrix, dtype, n, row, column, values)
    end function

    integer(c_int) function add_f32(matrix, n, row, column, values) result(status)
        type(c_ptr), intent(in) :: matrix
        integer(c_int64_t), intent(in) :: n, row(*), column(*)
        real(c_float), intent(in), target, contiguous :: values(..)
        status = add_values(matrix, rw_f32, n, row, column, c_loc(values))
    end function

    integer(c_int) function add_f64(matrix, n, row, column, values) result(status)
        type(c_ptr), intent(in) :: matrix
        integer(c_int64_t), intent(in) :: n, row(*), column(*)
        real(c_double), intent(in), target, contiguous :: values(..)
        status = add_values(matrix, rw_f64, n, row, column, c_loc(values))
    end function

    integer(c_int) function add_c64(matrix, n, row, column, values) result(status)
        type(c_ptr), intent(in) :: matrix
        integer(c_int64_t), intent(in) :: n, row(*), column(*)
        complex(c_float_complex), intent(in), target, contiguous :: values(..)
        status = add_values(matrix, rw_c64, n, row, column, c_loc(values))
    end function

    integer(c_int) function add_c128(matrix, n, row, column, values) result(status)
        type(c_ptr), intent(in) :: matrix
        integer(c_int64_t), intent(in) :: n, row(*), column(*)
        complex(c_double_complex), intent(in), target, contiguous :: values(..)
        status = add_values(matrix, rw_c128, n, row, column, c_loc(values))
    end function

    ! An operator y <- A x that is a function of your own: see rw_operator_spec.
    integer(c_int) function rw_operator_create(device, spec, operator)
        type(c_ptr), intent(in) :: device
        type(rw_operator_spec), intent(in) :: spec
        type(c_ptr), intent(out) :: operator
        interface
            integer(c_int) function create(device, spec, operator, spec_size) bind(c, name="rw_operator_create_sized")
                import
                type(c_ptr), value :: device
                type(rw_operator_spec), intent(in) :: spec
                type(c_ptr), intent(out) :: operator
                integer(c_size_t), value :: spec_size
            end function
        end interface
        rw_operator_create = create(device, spec, operator, c_sizeof(spec))
    end function

    integer(c_int) function rw_krylov_create(operator, vectors, spec, solver)
        type(c_ptr), intent(in) :: operator
        integer(c_int), intent(in) :: vectors
        type(rw_krylov_spec), intent(in) :: spec
        type(c_ptr), intent(out) :: solver
        interface
            integer(c_int) function create(operator, vectors, spec, solver, spec_size) &
                bind(c, name="rw_krylov_create_sized")
                import
                type(c_ptr), value :: operator
                integer(c_int), value :: vectors
                type(rw_krylov_spec), intent(in) :: spec
                type(c_ptr), intent(out) :: solver
                integer(c_size_t), value :: spec_size
            end function
        end interface
        rw_krylov_create = create(operator, vectors, spec, solver, c_sizeof(spec))
    end function

    integer(c_int) function rw_krylov_solve(solver, b, x, result)
        type(c_ptr), intent(in) :: solver, b, x
        type(rw_krylov_result), intent(out) :: result
        interface
            integer(c_int) function solve(solver, b, x, result, result_size) bind(c, name="rw_krylov_solve_sized")
                import
                type(c_ptr), value :: solver, b, x
                type(rw_krylov_result), intent(out) :: result
                integer(c_size_t), value :: result_size
            end function
        end interface
        rw_krylov_solve = solve(solver, b, x, result, c_sizeof(result))
    end function

    integer(c_int64_t) function rw_krylov_memory(spec, n, vectors)
        type(rw_krylov_spec), intent(in) :: spec
        integer(c_int64_t), intent(in) :: n
        integer(c_int), intent(in) :: vectors
        interface
            integer(c_int64_t) function memory(spec, n, vectors, spec_size) bind(c, name="rw_krylov_memory_sized")
                import
                type(rw_krylov_spec), intent(in) :: spec
                integer(c_int64_t), value :: n
                integer(c_int), value :: vectors
                integer(c_size_t), value :: spec_size
            end function
        end interface
        rw_krylov_memory = memory(spec, n, vectors, c_sizeof(spec))
    end function

    integer(c_int) function rw_krylov_parse(context, text, spec)
        type(c_ptr), intent(in) :: context
        character(*), intent(in) :: text
        type(rw_krylov_spec), intent(out) :: spec
        interface
            integer(c_int) function parse(context, text, spec, spec_size) bind(c, name="rw_krylov_parse_sized")
                import
                type(c_ptr), value :: context
                character(1, c_char), intent(in) :: text(*)
                type(rw_krylov_spec), intent(out) :: spec
                integer(c_size_t), value :: spec_size
            end function
        end interface
        rw_krylov_parse = parse(context, terminated(trim(text)), spec, c_sizeof(spec))
    end function

    integer(c_int) function rw_sparse_layout_parse(context, text, layout)
        type(c_ptr), intent(in) :: context
        character(*), intent(in) :: text
        type(rw_sparse_layout), intent(out) :: layout
        interface
            integer(c_int) function parse(context, text, layout) bind(c, name="rw_sparse_layout_parse")
                import
                type(c_ptr), value :: context
                character(1, c_char), intent(in) :: text(*)
                type(rw_sparse_layout), intent(out) :: layout
            end function
        end interface
        rw_sparse_layout_parse = parse(context, terminated(trim(text)), layout)
    end function

    integer(c_int) function rw_precond_parse(context, text, spec)
        type(c_ptr), intent(in) :: context
        character(*), intent(in) :: text
        type(rw_precond_spec), intent(out) :: spec
        interface
            integer(c_int) function parse(context, text, spec) bind(c, name="rw_precond_parse")
                import
                type(c_ptr), value :: context
                character(1, c_char), intent(in) :: text(*)
                type(rw_precond_spec), intent(out) :: spec
            end function
        end interface
        rw_precond_parse = parse(context, terminated(trim(text)), spec)
    end function

    integer(c_int) function rw_array_load(device, path, dtype, array)
        type(c_ptr), intent(in) :: device
        character(*), intent(in) :: path
        integer(c_int), intent(in) :: dtype
        type(c_ptr), intent(out) :: array
        interface
            integer(c_int) function load(device, path, dtype, array) bind(c, name="rw_array_load")
                import
                type(c_ptr), value :: device
                character(1, c_char), intent(in) :: path(*)
                integer(c_int), value :: dtype
                type(c_ptr), intent(out) :: array
            end function
        end interface
        rw_array_load = load(device, terminated(trim(path)), dtype, array)
    end function

    integer(c_int) function rw_array_save(array, path)
        type(c_ptr), intent(in) :: array
        character(*), intent(in) :: path
        interface
            integer(c_int) function save_(array, path) bind(c, name="rw_array_save")
                import
                type(c_ptr), value :: array
                character(1, c_char), intent(in) :: path(*)
            end function
        end interface
        rw_array_save = save_(array, terminated(trim(path)))
    end function

    integer(c_int) function rw_sparse_read(device, layout, path, matrix)
        type(c_ptr), intent(in) :: device
        type(rw_sparse_layout), intent(in) :: layout
        character(*), intent(in) :: path
        type(c_ptr), intent(out) :: matrix
        interface
            integer(c_int) function read_(device, layout, path, matrix) bind(c, name="rw_sparse_read")
                import
                type(c_ptr), value :: device
                type(rw_sparse_layout), intent(in) :: layout
                character(1, c_char), intent(in) :: path(*)
                type(c_ptr), intent(out) :: matrix
            end function
        end interface
        rw_sparse_read = read_(device, layout, terminated(trim(path)), matrix)
    end function

    integer(c_int) function rw_sparse_write(matrix, path)
        type(c_ptr), intent(in) :: matrix
        character(*), intent(in) :: path
        interface
            integer(c_int) function write_(matrix, path) bind(c, name="rw_sparse_write")
                import
                type(c_ptr), value :: matrix
                character(1, c_char), intent(in) :: path(*)
            end function
        end interface
        rw_sparse_write = write_(matrix, terminated(trim(path)))
    end function

    ! rows x columns blocks; those of row i = 0, 1, ... are column(first(i + 1) + 1 : first(i + 2)), ascending.
    integer(c_int) function rw_sparse_create(device, layout, rows, columns, first, column, matrix)
        type(c_ptr), intent(in) :: device
        type(rw_sparse_layout), intent(in) :: layout
        integer(c_int64_t), intent(in) :: rows, columns
        integer(c_int64_t), intent(in), target, contiguous :: first(:), column(:)
        type(c_ptr), intent(out) :: matrix
        type(rw_sparse_blocks) :: blocks
        interface
            integer(c_int) function create(device, layout, blocks, matrix) bind(c, name="rw_sparse_create")
                import
                type(c_ptr), value :: device
                type(rw_sparse_layout), intent(in) :: layout
                type(rw_sparse_blocks), intent(in) :: blocks
                type(c_ptr), intent(out) :: matrix
            end function
        end interface
        blocks = rw_sparse_blocks(rows=rows, columns=columns, first=c_loc(first), column=c_loc(column))
        rw_sparse_create = create(device, layout, blocks, matrix)
    end function

    logical function is_of(array, dtype, n)
        type(c_ptr), intent(in) :: array
        integer(c_int), intent(in) :: dtype
        integer(c_int64_t), intent(in) :: n
        is_of = rw_array_dtype(array) == dtype .and. rw_array_size(array) == n
    end function

    integer(c_int) function get_f32(array, values) result(status)
        type(c_ptr), intent(in) :: array
        real(c_float), intent(out) :: values(:)
        real(c_float), pointer :: host(:)
        type(c_ptr) :: p
        status = rw_err_argument
        if (is_of(array, rw_f32, size(values, kind=c_int64_t))) status = rw_array_read(array, p)
        if (status /= rw_ok) return
        call c_f_pointer(p, host, [size(values, kind=c_int64_t)])
        values = host
    end function

    integer(c_int) function set_f32(array, values) result(status)
        type(c_ptr), intent(in) :: array
        real(c_float), intent(in) :: values(:)
        real(c_float), pointer :: host(:)
        type(c_ptr) :: p
        status = rw_err_argument
        if (is_of(array, rw_f32, size(values, kind=c_int64_t))) status = rw_array_write(array, p)
        if (status /= rw_ok) return
        call c_f_pointer(p, host, [size(values, kind=c_int64_t)])
        host = values
    end function

    integer(c_int) function get_f64(array, values) result(status)
        type(c_ptr), intent(in) :: array
        real(c_double), intent(out) :: values(:)
        real(c_double), pointer :: host(:)
        type(c_ptr) :: p
        status = rw_err_argument
        if (is_of(array, rw_f64, size(values, kind=c_int64_t))) status = rw_array_read(array, p)
        if (status /= rw_ok) return
        call c_f_pointer(p, host, [size(values, kind=c_int64_t)])
        values = host
    end function

    integer(c_int) function set_f64(array, values) result(status)
        type(c_ptr), intent(in) :: array
        real(c_double), intent(in) :: values(:)
        real(c_double), pointer :: host(:)
        type(c_ptr) :: p
        status = rw_err_argument
        if (is_of(array, rw_f64, size(values, kind=c_int64_t))) status = rw_array_write(array, p)
        if (status /= rw_ok) return
        call c_f_pointer(p, host, [size(values, kind=c_int64_t)])
        host = values
    end function

    integer(c_int) function get_c64(array, values) result(status)
        type(c_ptr), intent(in) :: array
        complex(c_float_complex), intent(out) :: values(:)
        complex(c_float_complex), pointer :: host(:)
        type(c_ptr) :: p
        status = rw_err_argument
        if (is_of(array, rw_c64, size(values, kind=c_int64_t))) status = rw_array_read(array, p)
        if (status /= rw_ok) return
        call c_f_pointer(p, host, [size(values, kind=c_int64_t)])
        values = host
    end function

    integer(c_int) function set_c64(array, values) result(status)
        type(c_ptr), intent(in) :: array
        complex(c_float_complex), intent(in) :: values(:)
        complex(c_float_complex), pointer :: host(:)
        type(c_ptr) :: p
        status = rw_err_argument
        if (is_of(array, rw_c64, size(values, kind=c_int64_t))) status = rw_array_write(array, p)
        if (status /= rw_ok) return
        call c_f_pointer(p, host, [size(values, kind=c_int64_t)])
        host = values
    end function

    integer(c_int) function get_c128(array, values) result(status)
        type(c_ptr), intent(in) :: array
        complex(c_double_complex), intent(out) :: values(:)
        complex(c_double_complex), pointer :: host(:)
        type(c_ptr) :: p
        status = rw_err_argument
        if (is_of(array, rw_c128, size(values, kind=c_int64_t))) status = rw_array_read(array, p)
        if (status /= rw_ok) return
        call c_f_pointer(p, host, [size(values, kind=c_int64_t)])
        values = host
    end function

    integer(c_int) function set_c128(array, values) result(status)
        type(c_ptr), intent(in) :: array
        complex(c_double_complex), intent(in) :: values(:)
        complex(c_double_complex), pointer :: host(:)
        type(c_ptr) :: p
        status = rw_err_argument
        if (is_of(array, rw_c128, size(values, kind=c_int64_t))) status = rw_array_write(array, p)
        if (status /= rw_ok) return
        call c_f_pointer(p, host, [size(values, kind=c_int64_t)])
        host = values
    end function

end module
