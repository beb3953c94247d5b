#!/bin/sh
# finally: /etc/smilepile/healthcheck.sh https://hc.example.org/ping/0c9f
# Reports the outcome of a job to a monitoring service, which sends an alert by itself if no ping arrives.
# A successful restore test is not reported, because it does not show that the last backup succeeded.
case $SMILEPILE_TASK/$SMILEPILE_OUTCOME in
  backup/done | backup/unchanged) url=$1 ;;
  drill/done) exit ;;
  *) url=$1/fail ;;
esac
curl --fail --silent --show-error --max-time 10 --retry 3 --data-raw "$SMILEPILE_MESSAGE" "$url" >/dev/null
