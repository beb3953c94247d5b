#!/bin/sh
# What a script does with the exit codes. Usage: exit-codes.sh LIBRARY FOLDER
archive=$(smilepile export -l "$1" -o "$2" --verify)
case $? in
  0) echo "whole: $archive" ;;
  3) echo "photos are missing, and reported above; the others are in $archive" ;;
  10) echo "there is no library at $1" ;;
  11) echo "another process is changing the library" ;;
  12) echo "the password is wrong or missing" ;;
  130 | 143) echo "stopped; nothing was left behind" ;;
  *) echo "failed; nothing was written" ;;
esac
