#!/bin/sh
# Handles each exit code of an export. Usage: exit-codes.sh LIBRARY FOLDER
archive=$(smilepile export -l "$1" -o "$2" --verify)
case $? in
  0) echo "complete: $archive" ;;
  3) echo "some photos are missing (see above); $archive contains the others" ;;
  10) echo "there is no library at $1" ;;
  11) echo "another process is changing the library" ;;
  12) echo "the password is wrong or missing" ;;
  130 | 143) echo "interrupted; no archive was written" ;;
  *) echo "failed; no archive was written" ;;
esac
