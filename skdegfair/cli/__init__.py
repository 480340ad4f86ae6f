"""The command line: reports on a graph, or on predictions, that are given as CSV or Parquet files."""

from ._main import main

__all__ = ["main"]
