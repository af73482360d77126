"""Made populations with known truth, for examples, tests and calibration."""
