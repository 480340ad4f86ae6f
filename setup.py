"""Packaging of skdegfair; settings of the tools are in pyproject.toml."""

import re
from pathlib import Path

from setuptools import find_packages, setup

here = Path(__file__).parent
version = re.search(r'__version__ = "(.+)"', (here / "skdegfair" / "_version.py").read_text())[1]

extras = {
    "plot": ["matplotlib>=3.8"],
    "save": ["safetensors>=0.4"],
    "convert": ["networkx>=3.1", "torch_geometric>=2.5"],
    "cluster": ["accelerate>=1.0", "dask>=2024.1", "distributed>=2024.1"],
    "test": [
        "accelerate>=1.0",
        "dask>=2024.1",
        "distributed>=2024.1",
        "fairlearn>=0.11",
        "hypothesis>=6.90",
        "matplotlib>=3.8",
        "mypy>=1.10",
        "networkx>=3.1",
        "optuna-integration>=4.0",
        "psycopg2-binary>=2.9",
        "pytest>=8.0",
        "pytest-xdist>=3.6",
        "ruff>=0.6",
        "safetensors>=0.4",
        "torch_geometric>=2.5",
    ],
    "docs": ["numpydoc>=1.6", "pydata-sphinx-theme>=0.15", "sphinx>=7.2", "sphinx-gallery>=0.15"],
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
    package_data={"skdegfair": ["py.typed"]},
    python_requires=">=3.11",
    install_requires=[
        "joblib>=1.3",
        "numpy>=1.26",
        "optuna>=5.0",
        "pandas>=2.1",
        "scikit-learn>=1.6",
        "scipy>=1.12",
        "skorch>=1.2",
        "sqlalchemy>=2.0",
        "torch>=2.6",
        "tqdm>=4.60",
    ],
    extras_require=extras,
)
