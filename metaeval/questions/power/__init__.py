"""How many pairs of systems does a metric tell apart?"""
