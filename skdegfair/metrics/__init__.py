"""How fair predictions are to nodes of different degree: numpy only, any classifier."""

from ._gaps import delta_deo, delta_dsp, group_counts, mean_gap, prediction_rates, recalls

__all__ = ["delta_deo", "delta_dsp", "group_counts", "mean_gap", "prediction_rates", "recalls"]
