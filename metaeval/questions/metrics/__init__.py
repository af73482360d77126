"""Which metrics are there?"""
