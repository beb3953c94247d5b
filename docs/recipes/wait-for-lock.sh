#!/bin/sh
# Imports phones one after the other while other processes may change the library.
# Usage: wait-for-lock.sh LIBRARY ARCHIVE…
# Exit code 11 says that another process has the library, and names it. --lock-wait waits for it; what waits for more
# than that one lock, as for a disk, asks again. Exit code 3 says that something is absent from an archive: what is in it
# was imported, so the next one follows, and 3 is what the script ends with.
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
