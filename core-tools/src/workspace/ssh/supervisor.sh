# Runs one program in a process group of its own, for who listens at the other end of the connection.
# $1 the mark that status lines begin with  $2 the directory  $3 the length of its input  $4 whether stderr is apart
# $5 the program's name; then the command. stdin brings the input, then a letter a line: T, K for the group; t, k for the
# session as well; R.
n=$1 d=$2 l=$3 a=$4 w=$5
shift 5
exec 3<&0 4</dev/null </dev/null
# A bash that takes itself for the first shell of an SSH session reads its profile, which the login shell has done.
export SHLVL=2
cd -- "$d" 2>/dev/null || { printf '%s cwd\n' "$n"; exit; }
command -v -- "$w" >/dev/null 2>&1 || { printf '%s program\n' "$n"; exit; }
if [ -z "${BASH_VERSION-}" ]; then
  command -v setsid >/dev/null 2>&1 || { printf '%s group\n' "$n"; exit; }
  set -- setsid "$@"
  # Without job control a shell lets its background commands ignore both.
  env --default-signal=INT,QUIT true 2>/dev/null && set -- env --default-signal=INT,QUIT "$@"
fi
if [ "$l" -gt 0 ]; then
  f=$(mktemp) || { printf '%s room\n' "$n"; exit; }
  # More is sent only now, so that nothing that is read ahead is lost.
  printf '%s input\n' "$n"
  head -c "$l" <&3 >"$f"
  exec 4<"$f"
  h=$(wc -c <"$f")
  rm -f -- "$f"
  [ "$h" -eq "$l" ] || { printf '%s room\n' "$n"; exit; }
fi
printf '%s started\n' "$n"
printf '%s started\n' "$n" >&2

# The program with its group. Its output goes to 1, its stderr to 5, statuses to 2; orders come from 3, its input from 4.
run() {
  [ -z "${BASH_VERSION-}" ] || set -m
  { exec "$@"; } <&4 2>&5 3<&- 4<&- 5>&- &
  p=$!
  exec 4<&- 5>&- >/dev/null
  [ -z "${BASH_VERSION-}" ] || set +m
  (
    while IFS= read -r order <&3; do
      case $order in
        T) signal TERM; signal CONT ;;
        K) signal KILL ;;
        t) strays TERM; signal TERM; signal CONT ;;
        k) strays KILL; signal KILL ;;
        R) exit ;;
      esac
    done
    # Who gave the orders is gone.
    strays KILL
    signal KILL
  ) </dev/null 2>/dev/null &
  r=$!
  exec 3<&-
  { wait "$p"; s=$?; } 2>/dev/null
  c=0
  kill -s 0 -- "-$p" 2>/dev/null && c=1
  printf '%s exit %s %s\n' "$n" "$s" "$c" >&2
  # The orders end when this does, and the group would with them.
  wait "$r"
}
# The group is there a moment later than the process.
signal() { kill -s "$1" -- "-$p" || kill -s "$1" "$p"; }
# Those that left the group and are of its session, or of this shell's, whose own group is another.
strays() {
  own=
  for f in /proc/$$/stat /proc/[0-9]*/stat; do
    { IFS= read -r l <"$f"; } || continue
    q=${f#/proc/}
    # Its name stands before, in brackets, and may hold anything.
    set -- "$1" ${l##*) }
    : "${own:="$4 $5"}"
    [ "$5" = "$p" ] || { [ "$5" = "${own#* }" ] && [ "$4" != "${own% *}" ]; } || continue
    kill -s "$1" "${q%/stat}"
    [ "$1" != TERM ] || kill -s CONT "${q%/stat}"
  done
}
# Passes on what comes, and says when all who could write it have let go of it. An end of file does not: stdin and stdout
# may be one socket, which the orders keep open.
pass() {
  cat
  printf '%s %s\n' "$n" "$1"
}
# Nobody who waits may hold an end of the pipes, nor a shell its copy of one: `exec` keeps none, as other redirections do.
if [ "$a" = 1 ]; then
  exec 7>&1
  {
    { exec 5>&6 6>&- 7>&-; run "$@"; } | { exec 3<&- 4<&- 6>&- >&7; pass output; } &
    exec 3<&- 4<&- 6>&- 7>&- >/dev/null
    wait
  } 6>&1 | { exec 3<&- 4<&- 7>&- >&2; pass errors; }
else
  { exec 5>&1; run "$@"; } | { exec 3<&- 4<&-; pass output; }
fi
