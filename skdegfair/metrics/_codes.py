"""The codes of findings: what each means, how it is found, why it matters and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

MIN_CELL = 30
"""Number of nodes of a class in a group below which its recall is considered noisy."""
SMALL_GAP = 0.05
"""The gap that groups should be large enough to detect."""
SHARE_TOLERANCE = 0.25
"""Largest accepted relative difference between the size of a group and its share."""


@dataclass(frozen=True)
class FindingCode:
    """What all findings of one code have in common.

    Parameters
    ----------
    code : str
        As in "DF01".
    severity : {"warning", "note"}
        A warning calls for a decision. A note helps to read the numbers.
    title : str
    how : str
        How it was found.
    why : str
        Why it matters.
    advice : str
        What to do.

    Examples
    --------
    >>> from skdegfair.metrics import FINDING_CODES
    >>> FINDING_CODES["DF01"].title
    'The gap is larger than chance explains'
    """

    code: str
    severity: str
    title: str
    how: str
    why: str
    advice: str


_CODES = (
    FindingCode(
        "DF01",
        "warning",
        "The gap is larger than chance explains",
        how="Nodes are assigned to the groups at random, for delta DEO within each class. The p-value is how often "
        "this gives a gap at least as large. Here it is below 1 - confidence_level. With clusters, the p-value is how "
        "often the noise of the cluster bootstrap alone gives such a gap.",
        why="Some classes are predicted, or recognized, more often in one group than in another. Chance alone does not "
        "explain this.",
        advice="Read the gaps by class to see which nodes are affected. Compare mitigations on validation nodes, and "
        "repeat the assessment with other splits and seeds.",
    ),
    FindingCode(
        "DF02",
        "note",
        "The gap is within chance",
        how="The p-value of DF01 is not below 1 - confidence_level.",
        why="A gap is a mean of absolute differences, so it is above 0 even if degree plays no role. This gap is not "
        "evidence of bias. It is not evidence of fairness either, because a small gap may go unseen.",
        advice="Do not rank models by this gap. Assess more nodes, or average over several splits and seeds.",
    ),
    FindingCode(
        "DF03",
        "warning",
        "Leveling down: the better-off group lost, the worse-off group did not gain",
        how="Predictions and reference are compared on the same nodes, as by compare_models. Delta DSP or delta DEO is "
        "smaller (the interval of the difference is below 0), the accuracy of the better-off group is lower (exact "
        "McNemar test; with clusters, the models are swapped at random in whole clusters), and the accuracy of the "
        "worse-off group is not higher. The better-off group is the one with the highest accuracy, averaged over both "
        "models.",
        why="The gap narrowed because the model is worse for one group, not because it is better for the other.",
        advice="Report the accuracy of each group next to the gap. Try a smaller fairness weight or another "
        "mitigation, and decide whether parity is worth this price.",
    ),
    FindingCode(
        "DF04",
        "note",
        "The true labels have a gap of their own",
        how="The true labels are assessed like predictions. The p-value of their delta DSP is below "
        "1 - confidence_level.",
        why="The classes are not equally frequent in the groups, so correct predictions have this delta DSP, too. "
        "Predictions with a delta DSP of 0 contain errors, in different classes in each group, which tends to "
        "widen delta DEO.",
        advice="Decide which gap to close. If you trust the labels, use delta DEO. If the labels may favor "
        "well-connected nodes, use delta DSP and expect a lower accuracy.",
    ),
    FindingCode(
        "DF05",
        "warning",
        "The predictions are not clearly more accurate than a majority vote",
        how="The vote is for the most frequent class of the assessed nodes. The p-value of an exact McNemar test "
        "(one-sided) is not below 1 - confidence_level. It treats nodes as independent, also with clusters.",
        why="A majority vote predicts the same class for every node, so both of its gaps are 0. A small gap means "
        "little if the model is no more accurate than that.",
        advice='Compare with a model without edges. Try backbone="sage" if the features of the node itself matter '
        "most. Train longer, tune the model, or use a smaller fairness weight. If rare classes matter, compare the "
        "balanced accuracy.",
    ),
    FindingCode(
        "DF06",
        "warning",
        "A class is missing from a group",
        how="The nodes of each true class in each group are counted.",
        why="The recall of a class without nodes is not defined. Delta DEO leaves the class out, so it is not "
        "comparable with the delta DEO of other nodes. If a group has no nodes at all, its gaps are not defined.",
        advice="Assess more nodes, enlarge the groups (share=0.5), or stratify the split by class.",
    ),
    FindingCode(
        "DF07",
        "note",
        f"There are too few nodes to see a gap of {100 * SMALL_GAP:g} points",
        how="The gap is within chance (DF02), and the smallest gap that would be beyond chance in 80 % of samples of "
        f"this size is above {100 * SMALL_GAP:g} points. It is simulated with the noise of the bootstrap and the same "
        "gap in every class. The number of nodes assumes that noise decreases with its square root.",
        why="A test that is unlikely to find a gap says little when it finds none.",
        advice="Assess more nodes, enlarge the groups (share=0.5), or average over several splits and seeds.",
    ),
    FindingCode(
        "DF08",
        "note",
        f"A class has fewer than {MIN_CELL} nodes in a group",
        how="The nodes of each true class in each group are counted. Classes without any node are left to DF06.",
        why=f"Delta DEO compares recalls. With {MIN_CELL} nodes, the standard error of a recall is up to 9 points.",
        advice="Rely on the p-value and the interval of delta DEO, not on its size alone. Assess more nodes, or "
        "enlarge the groups (share=0.5).",
    ),
    FindingCode(
        "DF09",
        "note",
        "A group is much larger or smaller than its share",
        how=f"The number of nodes differs from the share by more than {100 * SHARE_TOLERANCE:g} % and by more than "
        "one node. This happens only if several nodes have the same degree.",
        why="Nodes of equal degree stay in the same group. The groups then differ in size, and a small group makes the "
        "gaps noisy.",
        advice="Choose the boundary with groups=degree_groups(test.degree(), threshold=...), or change share.",
    ),
    FindingCode(
        "DF10",
        "warning",
        "Nodes between the two groups are treated differently",
        how="The nodes are divided into fifths by degree. The largest delta DSP of any two fifths is beyond chance "
        "(nodes are assigned to the fifths at random), and without the part that chance adds it is more than twice "
        f"the delta DSP of the two groups and {100 * SMALL_GAP:g} points.",
        why="The two groups leave out most nodes. A model can treat them alike and the nodes in between quite "
        "differently, especially a model that was trained to treat exactly these two groups alike.",
        advice="Assess more groups, as in groups=degree_groups(test.degree(), n_groups=5). For DegFair, set "
        "fairness_groups=5, so that the fairness loss compares all nodes.",
    ),
)
FINDING_CODES: Mapping[str, FindingCode] = {each.code: each for each in _CODES}
"""All codes, the most important first."""


def check_codes(mute: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return the codes to mute, in order. Raises ValueError if one does not exist."""
    if mute is not None and not isinstance(mute, Iterable):
        raise TypeError(f"mute must contain codes of findings, such as 'DF08', got {mute!r}.")
    codes = {mute} if isinstance(mute, str) else set(mute or ())
    unknown = codes - set(FINDING_CODES)
    if unknown:
        names = ", ".join(map(repr, sorted(map(str, unknown))))
        raise ValueError(f"mute contains {names}. The codes of findings are {', '.join(FINDING_CODES)}.")
    return tuple(sorted(codes))
