"""Do automatic metrics agree with human scores?"""
