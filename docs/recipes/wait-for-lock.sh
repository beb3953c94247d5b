#!/bin/sh
# Imports archives one after another while other processes may change the library.
# Usage: wait-for-lock.sh LIBRARY ARCHIVE…
# Exit code 11 means that another process has locked the library. --lock-wait waits for the lock; after that time the
# script tries again. Exit code 3 means that photos are missing in an archive and that the others were imported: the
# script continues with the next archive and ends with exit code 3.
set -u
library=$1
shift
result=0
for archive; do
  while :; do
    smilepile import -l "$library" --lock-wait 2 "$archive"
    status=$?
    case $status in
      0) break ;;
      3) result=3; break ;;
      11) echo "the library is busy; trying again" >&2 ;;
      *) exit "$status" ;;
    esac
  done
done
exit "$result"
