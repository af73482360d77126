"""What would data with known true values look like?"""
