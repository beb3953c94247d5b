#!/bin/sh
# finally: /etc/smilepile/healthcheck.sh https://hc.example.org/ping/0c9f
# Tells a service that waits for it how the backup went; where no ping comes, the service speaks up by itself.
case $SMILEPILE_OUTCOME in
  done | unchanged) url=$1 ;;
  *) url=$1/fail ;;
esac
curl --fail --silent --show-error --max-time 10 --retry 3 --data-raw "$SMILEPILE_MESSAGE" "$url" >/dev/null
