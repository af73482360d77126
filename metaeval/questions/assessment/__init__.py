"""What do assessments of elements and passages cost, and can they be trusted?"""
