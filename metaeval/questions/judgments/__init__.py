"""What would fewer judgments change?"""
