# Runs one program in the terminal that this shell has, for who listens at the other end of the connection.
# $1 the mark that status lines begin with  $2 the directory  $3 the program's name; then the command.
n=$1 d=$2 w=$3
shift 3
# It was raw for this script to come through.
stty sane
stty iutf8 2>/dev/null
cd -- "$d" 2>/dev/null || { printf '%s cwd\n' "$n"; exit; }
command -v -- "$w" >/dev/null 2>&1 || { printf '%s program\n' "$n"; exit; }
printf '%s started %s %s\n' "$n" "$$" "$(tty)"
# Keys that interrupt are for the program; what is trapped, and not ignored, is not handed on.
trap : INT QUIT
"$@"
s=$?
printf '%s exit %s\n' "$n" "$s"
exit
