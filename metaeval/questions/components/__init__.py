"""Where does the noise of scores come from, and what design is cheapest?"""
