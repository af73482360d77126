"""Should a new metric replace the one in use?"""
