#!/bin/sh
# Follows a backup by its JSON lines, as a program would. Usage: progress-json.sh LIBRARY FOLDER
# Every line is an object; "message_type" tells which: status, error, and one last summary or exit_error. Types that
# are not known are passed over, since there may be more: docs/reference/json.md lists them.
# A pipe ends with the status of its last command, so the backup's own comes by descriptor 3.
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
