from metaeval.tests_stat import *  # noqa: F403 - all of it
