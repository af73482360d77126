#!/bin/sh
# Make scores.csv.gz anew; the same seed gives the same scores.
set -eu
cd "$(dirname "$0")"
metaeval simulate scores scores.csv.gz --systems 24 --topics 50 --groups 8 --metrics AP,nDCG@10,P@10,RR --seed 8
