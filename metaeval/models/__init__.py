"""Exponential and Bayesian accounts of error rates, and the design of topic sets."""
