# Ends what runs in a session, on order, and gives its terminal a size. $1 its number  $2 its terminal.
# stdin brings a letter a line: T, K, I, R; or W with lines and columns.
signal() {
  # The group first, which is there on every system; then all that has left it within the session.
  kill -s "$1" -- "-$s"
  for f in /proc/[0-9]*/stat; do
    { IFS= read -r l <"$f"; } || continue
    p=${f#/proc/}
    # Its name stands before, in brackets, and may hold anything.
    set -- "$1" ${l##*) }
    [ "${5-}" = "$s" ] && kill -s "$1" "${p%/stat}"
  done
}
s=$1 t=$2
exec 2>/dev/null
echo here
while IFS= read -r order; do
  case $order in
    T) signal TERM; signal CONT ;;
    K) signal KILL ;;
    W*) set -- ${order#W}; stty rows "$1" cols "$2" <"$t" ;;
    I) kill -s INT -- "-$s" ;;
    R) exit ;;
  esac
done
# Who gave the orders is gone.
signal KILL
