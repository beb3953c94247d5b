#!/bin/sh
# on-failure: /etc/smilepile/on-failure-mail.sh admin@example.org
# The environment variables of hooks contain the details; docs/reference/hooks.md lists them.
mail -s "SmilePile $SMILEPILE_TASK of $SMILEPILE_JOB: $SMILEPILE_OUTCOME" "$1" <<END
$SMILEPILE_MESSAGE

The job $SMILEPILE_JOB of $SMILEPILE_LIBRARY ended with exit code $SMILEPILE_EXIT_CODE
after $SMILEPILE_SECONDS seconds; $SMILEPILE_MISSING photos are missing.
Its status: $SMILEPILE_STATUS_FILE
END
