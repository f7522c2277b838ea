# Runs one program in a process group of its own, for who listens at the other end of the connection.
# $1 the mark that status lines begin with  $2 the directory  $3 the length of its input  $4 whether stderr is apart
# $5 the program's name; then the command. stdin brings the input, then a letter a line: T, K, R.
n=$1 d=$2 l=$3 a=$4 w=$5
shift 5
exec 3<&0 4</dev/null </dev/null
cd -- "$d" 2>/dev/null || { printf '%s cwd\n' "$n"; exit; }
command -v -- "$w" >/dev/null 2>&1 || { printf '%s program\n' "$n"; exit; }
if [ -n "${BASH_VERSION-}" ]; then
  set -m
elif command -v setsid >/dev/null 2>&1; then
  set -- setsid "$@"
  # Without job control a shell lets its background commands ignore both.
  env --default-signal=INT,QUIT true 2>/dev/null && set -- env --default-signal=INT,QUIT "$@"
else
  printf '%s group\n' "$n"
  exit
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
if [ "$a" = 1 ]; then
  { exec "$@"; } <&4 3<&- 4<&- &
else
  { exec "$@"; } <&4 2>&1 3<&- 4<&- &
fi
p=$!
[ -z "${BASH_VERSION-}" ] || set +m
# The group is there a moment later than the process.
signal() { kill -s "$1" -- "-$p" || kill -s "$1" "$p"; }
(
  while IFS= read -r order <&3; do
    case $order in
      T) signal TERM; signal CONT ;;
      K) signal KILL ;;
      R) exit ;;
    esac
  done
  # Who gave the orders is gone.
  signal KILL
) </dev/null >/dev/null 2>&1 4<&- &
r=$!
exec 3<&- 4<&- >/dev/null
{ wait "$p"; s=$?; } 2>/dev/null
c=0
kill -s 0 -- "-$p" 2>/dev/null && c=1
printf '%s exit %s %s\n' "$n" "$s" "$c" >&2
# The output ends when the program's own children let go of it. But the orders end when this does.
exec 2>/dev/null
wait "$r"
