"""Embeddings: transformers from a graph to one vector per node, and a classifier on the vectors."""

from .base import GraphEmbedding
from .classifier import EmbeddingClassifier
from .fairadj import FairAdj
from .fairwalk import FairWalk
from .residual2vec import Residual2Vec

__all__ = ["EmbeddingClassifier", "FairAdj", "FairWalk", "GraphEmbedding", "Residual2Vec"]
