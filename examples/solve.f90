! A matrix of complex 5x5 blocks put together on the device, and a system solved with it, from Fortran:
! ./solve [DEVICE]
program solve
    use rechenwerk
    implicit none
    integer, parameter :: n = 12, cells = n*n, b = 5, unknowns = cells*b
    type(c_ptr) :: context, device, matrix, x, y, solver
    type(rw_sparse_layout) :: layout
    type(rw_krylov_spec) :: spec
    type(rw_krylov_result) :: result
    integer(c_int64_t) :: first(cells + 1), column(5*cells), i, k
    complex(c_double_complex) :: block(b, b), exact(unknowns), found(unknowns)
    character(32) :: name
    integer :: r, c

    call get_command_argument(1, name)
    if (name == "") name = "auto"
    if (rw_context_create(context) /= rw_ok) stop "no memory"
    call check(rw_device_open(context, name, device))

    ! the pattern: each cell of a grid and its neighbours, ascending; cells count from 0
    first(1) = 0
    do i = 0, cells - 1
        k = first(i + 1)
        if (i >= n) call add(i - n)
        if (mod(i, int(n, c_int64_t)) > 0) call add(i - 1)
        call add(i)
        if (mod(i, int(n, c_int64_t)) < n - 1) call add(i + 1)
        if (i < cells - n) call add(i + n)
        first(i + 2) = k
    end do
    call check(rw_sparse_layout_parse(context, "bcsr:5x5:c128", layout))
    call check(rw_sparse_create(device, layout, int(cells, c_int64_t), int(cells, c_int64_t), first, column, matrix))

    ! the blocks right where they stay; row after row, so block(c, r) is column c of row r
    do i = 0, cells - 1
        do k = first(i + 1) + 1, first(i + 2)
            do r = 1, b
                do c = 1, b
                    block(c, r) = cmplx(sin(real(25*k + b*r + c, c_double)), &
                        cos(real(25*k + b*c + r, c_double)), c_double)
                    if (column(k) == i .and. r == c) block(c, r) = block(c, r) + 30
                end do
            end do
            call check(rw_sparse_add_blocks(matrix, 1_c_int64_t, [i], column(k:k), block))
        end do
    end do

    ! y = A x for an x that is known, then x from y
    exact = [(cmplx(1 + mod(r, 7), mod(r, 3), c_double), r=1, unknowns)]
    call check(rw_array_create(device, rw_c128, 1_c_int, [int(unknowns, c_int64_t)], rw_memory_device, x))
    call check(rw_array_create(device, rw_c128, 1_c_int, [int(unknowns, c_int64_t)], rw_memory_device, y))
    call check(rw_array_set(x, exact))
    call check(rw_sparse_multiply(matrix, rw_op_none, x=x, y=y, queue=rw_device_queue(device)))
    call check(rw_array_zero(x, rw_device_queue(device)))
    spec%method = rw_krylov_gmres
    spec%rtol = 1e-10_c_double
    spec%precond%method = rw_precond_jacobi
    call check(rw_krylov_create(rw_sparse_operator(matrix), rw_c128, spec, solver))
    call check(rw_krylov_solve(solver, y, x, result))
    call check(rw_array_get(x, found))
    print "(a, i0, a, i0, a, es9.2, a, es9.2)", trim(name)//": ", unknowns, " unknowns, ", result%iterations, &
        " iterations, |b - A x| = ", result%residual/result%right_side, " |b|, error of x ", maxval(abs(found - exact))

    call rw_krylov_destroy(solver)
    call rw_array_destroy(x)
    call rw_array_destroy(y)
    call rw_sparse_destroy(matrix)
    call rw_device_close(device)
    call rw_context_destroy(context)
    if (maxval(abs(found - exact)) > 1e-8_c_double) stop 1

contains

    subroutine add(j)
        integer(c_int64_t), intent(in) :: j
        k = k + 1
        column(k) = j
    end subroutine

    subroutine check(status)
        integer(c_int), intent(in) :: status
        if (status == rw_ok) return
        print "(a)", rw_status_text(status)//": "//rw_message(context)
        stop 1
    end subroutine
end program
