"""Which systems win pairwise votes?"""
