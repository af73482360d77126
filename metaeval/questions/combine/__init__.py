"""Does it hold on all my collections, and on a new one?"""
