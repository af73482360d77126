"""How many pairs of systems differ significantly under each metric?"""
