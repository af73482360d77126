#!/bin/sh
# Make the examples anew; the same seed gives the same bytes.
set -eu
cd "$(dirname "$0")"
metaeval simulate scores scores.csv.gz --systems 24 --topics 50 --groups 8 --metrics AP,nDCG@10,P@10,RR --seed 8
rm -rf collection
metaeval simulate collection collection --groups 7 --runs-per-group 3 --topics 50 --depth 100 --pool-depth 20 \
    --compress --seed 3
