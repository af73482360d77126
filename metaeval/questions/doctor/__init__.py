"""Is the installation sound?"""
