"""The version of skdegfair, for the package and for what it writes to files."""

__version__ = "0.1.0"
