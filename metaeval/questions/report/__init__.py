"""Which systems differ under each metric, and how many topics does it need?"""
