#!/bin/sh
# Shows the progress of a backup from its JSON lines. Usage: progress-json.sh LIBRARY FOLDER
# Every line is an object with a "message_type": status, error, and at the end summary or exit_error. A program must
# ignore unknown types, because later versions may add some; docs/reference/json.md lists them. A pipeline ends with
# the exit code of its last command, so descriptor 3 passes on the exit code of the backup.
set -u
exec 4>&1
status=$(
  {
    { smilepile export -l "$1" -o "$2" --json 3>&- 4>&-; echo $? >&3; } |
      jq -r --unbuffered '
        if .message_type == "status" then "\(.percent_done * 100 | floor) %  \(.files_done)/\(.total_files)"
        elif .message_type == "error" then "cannot read \(.item): \(.message)"
        elif .message_type == "summary" then "\(.photos) photos in \(.archive)"
        elif .message_type == "exit_error" then "failed (\(.code)): \(.message)"
        else empty end' >&4 3>&-
  } 3>&1
)
exit "$status"
