#!/usr/bin/env bash
# Restores last night's backup beside the real database and counts what came back.
set -euo pipefail

snapshot="$(aws rds describe-db-snapshots --db-instance-identifier db-primary-production \
  --query 'reverse(sort_by(DBSnapshots, &SnapshotCreateTime))[0].DBSnapshotIdentifier' --output text)"
aws rds restore-db-instance-from-db-snapshot \
  --db-instance-identifier restore-check --db-snapshot-identifier "${snapshot}"
aws rds wait db-instance-available --db-instance-identifier restore-check

host="$(aws rds describe-db-instances --db-instance-identifier restore-check \
  --query 'DBInstances[0].Endpoint.Address' --output text)"
psql "host=${host} dbname=shop" --command "SELECT count(*) FROM ledger WHERE created_at > now() - interval '2 days'"
aws rds delete-db-instance --db-instance-identifier restore-check --skip-final-snapshot
