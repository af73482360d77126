"""One folder a question: its command, its study, its page and the words of the page."""
