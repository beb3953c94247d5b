#!/bin/sh
# Shows the progress of a backup as a gauge in the terminal. Usage: gauge.sh LIBRARY FOLDER
# --progress percent prints whole numbers on standard output and the path of the archive on standard error.
set -u
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=$(
  {
    { smilepile export -l "$1" -o "$2" --progress percent 2>"$log" 3>&-; echo $? >&3; } |
      whiptail --gauge "Backing up $1" 6 60 0 >/dev/tty 3>&-
  } 3>&1
)
cat "$log" >&2
exit "$status"
