#!/bin/sh
# A backup with a window. Usage: zenity.sh LIBRARY FOLDER
# zenity reads whole numbers, and the text above the bar behind a "#". Closing the window stops the backup, which
# leaves nothing behind.
set -u
pipe=$(mktemp -u)
mkfifo -m 600 "$pipe"
trap 'rm -f "$pipe"' EXIT
smilepile export -l "$1" -o "$2" --progress percent >"$pipe" &
backup=$!
{ echo "# Backing up $1"; cat "$pipe"; } | zenity --progress --title "SmilePile" --auto-close --no-cancel ||
  kill "$backup"
wait "$backup"
