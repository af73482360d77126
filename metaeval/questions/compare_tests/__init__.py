"""Which significance test decides as the other half of the topics does?"""
