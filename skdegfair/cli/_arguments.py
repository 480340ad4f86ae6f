"""The options of both commands."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from .._version import __version__
from ._errors import InputError

DESCRIPTION = "Assess and mitigate degree bias in node classification, from CSV or Parquet files."
REPORT = """\
Cross-validate a plain graph neural network and DegFairGNN, which mitigates degree bias, on a graph from two files.
Print how both compare, and what the numbers mean. With --output, also write a report page, plots, a fitted model, its
model card, and predictions for all nodes.

All columns of the table of nodes except the id and the target are features. Text is one-hot encoded, missing values
are imputed, numbers are scaled. Nodes without a target are unlabeled: the model sees and predicts them, but it is
neither trained nor assessed on them."""
REPORT_EXAMPLE = """\
example:
  python -m skdegfair report --edges edges.csv --nodes nodes.csv --target role --output report

  where edges.csv has the lines       and nodes.csv has the lines
    source,target                       id,age,country,role
    ann,bo                              ann,31,FR,editor
    bo,cy                               bo,45,,reader
                                        cy,28,US,

The exit status is 0 if all went well, and 2 if a file or an option is wrong; nothing is written then."""
ASSESS = """\
Assess predictions of any model: how they differ between nodes of low and of high degree, whether chance explains it,
and what to do. Degrees are counted in the edges, or read from a column of the table of predictions."""
ASSESS_EXAMPLE = """\
example:
  python -m skdegfair assess --edges edges.csv --predictions predictions.csv --target role --predicted model

  where edges.csv has the lines       and predictions.csv has the lines
    source,target                       id,role,model
    ann,bo                              ann,editor,editor
    bo,cy                               bo,reader,editor

The exit status is 0 if all went well, and 2 if a file or an option is wrong; nothing is written then."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are raised."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message}. See {self.prog} --help")


def parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the options. Raises InputError if they are wrong."""
    parser = Parser(prog="python -m skdegfair", description=DESCRIPTION, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"skdegfair {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="{report,assess}", required=True)
    how: dict[str, Any] = {"allow_abbrev": False, "formatter_class": argparse.RawDescriptionHelpFormatter}
    _report_options(
        commands.add_parser(
            "report", help="train a plain and a fair model and compare them", description=REPORT,
            epilog=REPORT_EXAMPLE, **how,
        )
    )  # fmt: skip
    _assess_options(
        commands.add_parser(
            "assess", help="assess predictions that you already have", description=ASSESS,
            epilog=ASSESS_EXAMPLE, **how,
        )
    )  # fmt: skip
    options, unknown = parser.parse_known_args(argv)
    if unknown:  # argparse would refer to the help of the program, which does not list the options of a command
        commands.choices[options.command].error(f"unrecognized arguments: {' '.join(unknown)}")
    return options


def _report_options(parser: Parser) -> None:
    files = parser.add_argument_group("files and columns")
    files.add_argument("--edges", required=True, metavar="FILE", help="table with one row per edge, CSV or Parquet")
    files.add_argument("--nodes", required=True, metavar="FILE", help="table with one row per node, CSV or Parquet")
    files.add_argument("--target", required=True, metavar="COLUMN", help="column of the nodes with the class")
    _node_options(files)
    _edge_options(files)
    files.add_argument(
        "--ignore", nargs="+", default=[], metavar="COLUMN", help="columns of the nodes that are not features"
    )
    models = parser.add_argument_group("models")
    models.add_argument("--folds", type=_integer(2), default=5, metavar="N", help="folds (default: 5)")
    models.add_argument("--epochs", type=_integer(1), default=200, metavar="N", help="epochs (default: 200)")
    models.add_argument("--backbone", choices=["gcn", "gat", "sage"], default="gcn", help="base network (default: gcn)")
    models.add_argument("--seed", type=_integer(0), default=0, metavar="N", help="random seed (default: 0)")
    models.add_argument(
        "--n-jobs", type=_jobs, default=1, metavar="N", help="folds at a time, -1 for all cores (default: 1)"
    )
    _group_options(parser)
    _output_options(parser)


def _assess_options(parser: Parser) -> None:
    files = parser.add_argument_group("files and columns")
    files.add_argument(
        "--predictions", required=True, metavar="FILE", help="table with one row per node, CSV or Parquet"
    )
    files.add_argument("--target", required=True, metavar="COLUMN", help="column with the true class")
    files.add_argument("--predicted", required=True, metavar="COLUMN", help="column with the predicted class")
    files.add_argument(
        "--reference", metavar="COLUMN", help="column with the predictions of another model to compare with"
    )
    degrees = files.add_mutually_exclusive_group(required=True)
    degrees.add_argument("--edges", metavar="FILE", help="table with one row per edge, to count degrees in")
    degrees.add_argument("--degree", metavar="COLUMN", help="column with the degree, instead of --edges")
    _node_options(files)
    _edge_options(files)
    _group_options(parser, seed=True)
    _output_options(parser)


def _node_options(files: Any) -> None:
    files.add_argument(
        "--id", metavar="COLUMN",
        help="column with the id of a node, to which edges refer (default: a column such as id, node or name, "
        "otherwise row numbers, counted from 0)",
    )  # fmt: skip


def _edge_options(files: Any) -> None:
    files.add_argument(
        "--source", metavar="COLUMN", help="column of the edges with the first end point (default: source)"
    )
    files.add_argument(
        "--destination", metavar="COLUMN",
        help="column of the edges with the second end point (default: target; without columns source and target, the "
        "first two columns)",
    )  # fmt: skip
    files.add_argument("--weight", metavar="COLUMN", help="column of the edges with weights (default: all 1)")
    files.add_argument(
        "--directed", action="store_true",
        help="only the second end point of an edge receives messages from the first, and degrees count such edges",
    )  # fmt: skip


def _group_options(parser: Parser, seed: bool = False) -> None:
    groups = parser.add_argument_group("groups by degree")
    groups.add_argument(
        "--share", type=_share, default=0.2, metavar="S",
        help="fraction of the nodes in the group of low and in that of high degree (default: 0.2)",
    )  # fmt: skip
    groups.add_argument(
        "--hops", type=_integer(1), default=1, metavar="N",
        help="hops of the degree: 1 counts neighbors, 2 counts walks of length 2 (default: 1)",
    )  # fmt: skip
    if seed:
        groups.add_argument(
            "--seed", type=_integer(0), default=0, metavar="N", help="random seed of the intervals (default: 0)"
        )


def _output_options(parser: Parser) -> None:
    output = parser.add_argument_group("output")
    output.add_argument("--output", metavar="FOLDER", help="folder for all files (default: nothing is written)")
    output.add_argument("--overwrite", action="store_true", help="replace files in an output folder that is not empty")
    output.add_argument("--quiet", action="store_true", help="no progress and no notes on stderr, only warnings")


def _integer(at_least: int) -> Callable[[str], int]:
    def integer(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = at_least - 1
        if value < at_least:
            raise argparse.ArgumentTypeError(f"must be an integer of at least {at_least}, got {text!r}")
        return value

    return integer


def _jobs(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value == 0:
        raise argparse.ArgumentTypeError(f"must be a positive integer, or -1 for all cores, got {text!r}")
    return value


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 0.5:
        raise argparse.ArgumentTypeError(f"must be a number above 0 and at most 0.5, got {text!r}")
    return value
