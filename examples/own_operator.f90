! A system solved with an operator of one's own, from Fortran: A x is a function, no matrix is stored.
! A = -d2/dx2 + c on a line, in units of the spacing. The function computes on the host (direct). A function that
! launches kernels of its own is recorded by the solver instead: see own_operator.c.
!     ./own_operator [DEVICE]
module line
    use rechenwerk
    implicit none
    integer, parameter :: n = 200
    real(c_double), target :: c = 0.01_c_double

contains

    ! y <- A x. user: the address of c.
    integer(c_int) function multiply(user, op, x, y, queue) bind(c)
        type(c_ptr), value :: user, x, y, queue
        integer(c_int), value :: op
        real(c_double), pointer :: shift
        real(c_double) :: u(0:n + 1), v(n)
        u = 0
        multiply = rw_array_get(x, u(1:n))
        if (multiply /= rw_ok) return
        call c_f_pointer(user, shift)
        v = (2 + shift)*u(1:n) - u(0:n - 1) - u(2:n + 1)
        multiply = rw_array_set(y, v)
        if (op /= rw_op_none .or. .not. c_associated(queue)) multiply = rw_err_unsupported    ! never asked for
    end function
end module

program own_operator
    use line
    implicit none
    type(c_ptr) :: context, device, operator, solver, x, b
    type(rw_operator_spec) :: spec
    type(rw_krylov_spec) :: method
    type(rw_krylov_result) :: result
    real(c_double) :: exact(n), found(n)
    character(32) :: name
    integer :: i

    call get_command_argument(1, name)
    if (name == "") name = "auto"
    if (rw_context_create(context) /= rw_ok) stop "no memory"
    call check(rw_device_open(context, name, device))
    spec%rows = n
    spec%columns = n
    spec%type = rw_f64
    spec%multiply = c_funloc(multiply)
    spec%user = c_loc(c)
    spec%direct = .true.
    spec%hermitian = .true.
    call check(rw_operator_create(device, spec, operator))

    ! b = A x for an x that is known, then x from b
    exact = [(1 + mod(i, 7), i=1, n)]
    call check(rw_array_create(device, rw_f64, 1_c_int, [int(n, c_int64_t)], rw_memory_device, x))
    call check(rw_array_create(device, rw_f64, 1_c_int, [int(n, c_int64_t)], rw_memory_device, b))
    call check(rw_array_set(x, exact))
    call check(rw_operator_multiply(operator, rw_op_none, x=x, y=b, queue=rw_device_queue(device)))
    call check(rw_array_zero(x, rw_device_queue(device)))
    method%method = rw_krylov_cg
    method%rtol = 1e-12_c_double
    call check(rw_krylov_create(operator, rw_f64, method, solver))
    call check(rw_krylov_solve(solver, b, x, result))
    call check(rw_array_get(x, found))
    print "(a, i0, a, es9.2)", trim(name)//": ", result%iterations, " iterations, error of x ", &
        maxval(abs(found - exact))

    call rw_krylov_destroy(solver)
    call rw_operator_destroy(operator)
    call rw_array_destroy(x)
    call rw_array_destroy(b)
    call rw_device_close(device)
    call rw_context_destroy(context)
    if (maxval(abs(found - exact)) > 1e-8_c_double) stop 1

contains

    subroutine check(status)
        integer(c_int), intent(in) :: status
        if (status == rw_ok) return
        print "(a)", rw_status_text(status)//": "//rw_message(context)
        stop 1
    end subroutine
end program
