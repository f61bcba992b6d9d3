! SPDX-License-Identifier: Apache-2.0
! Truth: the 60/30/10 split of split.c in Fortran: six of ten pieces of work are of mixer::sixty, three of mixer::thirty, one of
! mixer::ten (the loops are the same, so their iterations are the truth), in the symbol table as __mixer_MOD_sixty and so on.
!
!   split_f90 SECONDS
module mixer
  use iso_fortran_env, only: int64
  implicit none
contains
  subroutine sixty(n, x)
    integer(int64), intent(in) :: n
    integer(int64), intent(inout) :: x
    integer(int64) :: i
    do i = 1, n
      x = ieor(x, ishft(x, 13)); x = ieor(x, ishft(x, -7)); x = ieor(x, ishft(x, 17))
    end do
  end subroutine
  subroutine thirty(n, x)
    integer(int64), intent(in) :: n
    integer(int64), intent(inout) :: x
    integer(int64) :: i
    do i = 1, n
      x = ieor(x, ishft(x, 13)); x = ieor(x, ishft(x, -7)); x = ieor(x, ishft(x, 17))
    end do
  end subroutine
  subroutine ten(n, x)
    integer(int64), intent(in) :: n
    integer(int64), intent(inout) :: x
    integer(int64) :: i
    do i = 1, n
      x = ieor(x, ishft(x, 13)); x = ieor(x, ishft(x, -7)); x = ieor(x, ishft(x, 17))
    end do
  end subroutine
end module

program split
  use mixer
  implicit none
  character(len=64) :: word
  character(len=1024) :: path
  integer(int64) :: now, rate, finish, x, n, units(3), pieces
  integer :: which, slot, unit
  real :: seconds, random
  call get_command_argument(1, word)
  read (word, *) seconds
  call system_clock(now, rate)
  finish = now + int(seconds * real(rate, 8), int64)
  x = 88172645463325252_int64; units = 0; pieces = 0
  do while (now < finish)
    call random_number(random)
    which = int(random * 10)
    call random_number(random)
    n = 10000 + int(random * 20000, int64)
    if (which < 6) then
      slot = 1; call sixty(n, x)
    else if (which < 9) then
      slot = 2; call thirty(n, x)
    else
      slot = 3; call ten(n, x)
    end if
    units(slot) = units(slot) + n
    call system_clock(now); pieces = pieces + 1
  end do
  if (x == 0) print *, x
  unit = 6
  call get_environment_variable("WORKLOAD_TRUTH", path)
  if (path /= "") open (newunit=unit, file=trim(path), action="write")
  write (unit, '(a,i0,a,i0,a,i0,a,i0,a)') '{"work": ', pieces, &
    ', "units": {"__mixer_MOD_sixty": ', units(1), ', "__mixer_MOD_thirty": ', units(2), ', "__mixer_MOD_ten": ', units(3), '}}'
end program
