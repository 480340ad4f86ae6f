"""Packaging of skdegfair; settings of the tools are in pyproject.toml."""

import re
from pathlib import Path

from setuptools import find_packages, setup

here = Path(__file__).parent
version = re.search(r'__version__ = "(.+)"', (here / "skdegfair" / "_version.py").read_text())[1]

extras = {
    "plot": ["matplotlib>=3.9"],
    "save": ["safetensors>=0.5"],
    "convert": ["networkx>=3.3", "torch_geometric>=2.6"],
    "cluster": ["accelerate>=1.1", "dask>=2025.1", "distributed>=2025.1"],
    "test": [
        "accelerate>=1.1",
        "dask>=2025.1",
        "distributed>=2025.1",
        "fairlearn>=0.12",
        "hypothesis>=6.100",
        "matplotlib>=3.9",
        "mypy>=2.4",
        "networkx>=3.3",
        "optuna-integration>=5.0",
        "psycopg2-binary>=2.9.5",
        "pyarrow>=18.0",
        "pytest>=8.2",
        "pytest-xdist>=3.6.1",
        "ruff>=0.17",
        "safetensors>=0.5",
        "setuptools>=77.0.3",
        "torch_geometric>=2.6",
    ],
    "docs": [
        "matplotlib>=3.9",
        "networkx>=3.3",
        "numpydoc>=1.11",
        "pydata-sphinx-theme>=0.24",
        "safetensors>=0.5",
        "sphinx>=9.0",
        "sphinx-design>=0.8",
        "sphinx-gallery>=0.22",
        "torch_geometric>=2.6",
    ],
}

setup(
    name="skdegfair",
    version=version,
    description="Graph node classifiers that mitigate degree bias, compatible with scikit-learn",
    long_description=(here / "README.rst").read_text(encoding="utf-8"),
    long_description_content_type="text/x-rst",
    license="BSD-3-Clause",
    license_files=["LICENSE"],
    author="The skdegfair developers",
    keywords=["graph neural network", "fairness", "degree bias", "node classification", "scikit-learn", "skorch"],
    classifiers=[
        "Development Status :: 3 - Alpha",
        "Intended Audience :: Developers",
        "Intended Audience :: Science/Research",
        "Programming Language :: Python :: 3",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Programming Language :: Python :: 3.13",
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
        "Typing :: Typed",
    ],
    packages=find_packages(include=["skdegfair", "skdegfair.*"]),
    package_data={"skdegfair": ["py.typed"], "skdegfair.display": ["decision/*"]},
    python_requires=">=3.11",
    # These lower bounds and those of the extra "test" are what "make test-oldest" installs, see constraints-oldest.txt.
    install_requires=[
        "joblib>=1.4",
        "numpy>=2.0",
        "optuna>=5.0",
        "pandas>=2.3",
        "scikit-learn>=1.8",
        "scipy>=1.14",
        "skorch>=1.3",
        "sqlalchemy>=2.0",
        "torch>=2.13",  # the only one tested; older ones may work
        "tqdm>=4.60",
    ],
    extras_require=extras,
    entry_points={"console_scripts": ["skdegfair = skdegfair.cli:main"]},
)
