"""May one stop, when one looks at results while they come in?"""
