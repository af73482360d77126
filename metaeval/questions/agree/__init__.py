"""Do two metrics, boards or quantisations lead to the same conclusions?"""
