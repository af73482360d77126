"""How many topics does each metric need?"""
