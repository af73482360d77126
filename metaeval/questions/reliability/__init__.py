"""Do measures of XML retrieval order six runs of known order?"""
