"""What are the scores of runs?"""
