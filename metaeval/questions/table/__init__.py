"""What do systems score, with marks of significance, in a table for a paper?"""
