#!/bin/sh
# Imports phones one after the other, whoever else is changing the library. Usage: wait-for-lock.sh LIBRARY ARCHIVE…
# Exit code 11 says that another process has the library, and names it. --lock-wait waits for it; what waits for more
# than that one lock, as for a disk, asks again.
set -u
library=$1
shift
for archive; do
  while :; do
    smilepile import -l "$library" --lock-wait 2 "$archive" && break
    status=$?
    [ "$status" -eq 11 ] || exit "$status"
    echo "the library is busy; trying again" >&2
  done
done
