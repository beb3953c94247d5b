#!/bin/sh
# finally: /etc/smilepile/healthcheck.sh https://hc.example.org/ping/0c9f
# Tells a service that waits for it how the backup went; where no ping comes, the service speaks up by itself.
# A drill that went well says nothing of the last backup.
case $SMILEPILE_TASK/$SMILEPILE_OUTCOME in
  backup/done | backup/unchanged) url=$1 ;;
  drill/done) exit ;;
  *) url=$1/fail ;;
esac
curl --fail --silent --show-error --max-time 10 --retry 3 --data-raw "$SMILEPILE_MESSAGE" "$url" >/dev/null
