"""Which ranks of a board are reliable?"""
