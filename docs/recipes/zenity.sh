#!/bin/sh
# Shows the progress of a backup in a window. Usage: zenity.sh LIBRARY FOLDER
# zenity reads whole numbers, and after a "#" the text above the bar. Closing the window interrupts the backup, which
# then leaves no files.
set -u
pipe=$(mktemp -u)
mkfifo -m 600 "$pipe"
trap 'rm -f "$pipe"' EXIT
smilepile export -l "$1" -o "$2" --progress percent >"$pipe" &
backup=$!
{ echo "# Backing up $1"; cat "$pipe"; } | zenity --progress --title "SmilePile" --auto-close --no-cancel ||
  kill "$backup"
wait "$backup"
