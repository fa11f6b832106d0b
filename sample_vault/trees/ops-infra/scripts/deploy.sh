#!/usr/bin/env bash
# Deploys one image: migrations first, then the new pods, then the old ones go.
set -euo pipefail

environment="${1:?staging or production}"
image="${2:?image with its digest}"
context="shop-${environment}"

if [[ "${environment}" == production && "${CI:-}" != true ]]; then
  echo "production is deployed by the pipeline alone" >&2
  exit 1
fi

kubectl --context "${context}" create job "migrate-$(date -u +%Y%m%d%H%M%S)" --image "${image}" -- migrate up
kubectl --context "${context}" set image deployment/payments-api app="${image}"
kubectl --context "${context}" rollout status deployment/payments-api --timeout 300s
