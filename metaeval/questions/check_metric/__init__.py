"""Does a metric keep the laws of its kind?"""
