"""Do boards, votes, judges and metrics find the same significant pairs? Asked by the commands of other questions."""
