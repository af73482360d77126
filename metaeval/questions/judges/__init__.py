"""May a person or a machine replace the assessors?"""
