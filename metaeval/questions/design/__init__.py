"""How many topics does a new collection need?"""
