"""What is this file of an evaluation, and what can it answer?"""
