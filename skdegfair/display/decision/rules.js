"use strict";

// The rules of skdegfair.metrics. Like them, they return the position of a candidate.

const ROUNDING = 1e-12;

function fairestWithin(candidates, gap, tolerance) {
  const accuracies = eligible(candidates).map(each => each.scores.accuracy).filter(isDefined);
  const least = Math.max(...accuracies) - tolerance - ROUNDING;
  return best(candidates, fairness(gap), accuracy, each => accuracy(each) >= least);
}

function mostAccurateWithin(candidates, gap, maxGap) {
  const isFair = each => fairness(gap)(each) >= -maxGap - ROUNDING;
  return best(candidates, accuracy, fairness(gap), isFair) ?? best(candidates, fairness(gap), accuracy, () => true);
}

function meetsGap(candidate, gap, maxGap) {
  return fairness(gap)(candidate) >= -maxGap - ROUNDING;
}

/** The allowed candidate with the highest first score. The second score breaks ties, then the position. */
function best(candidates, first, second, isAllowed) {
  let found = null;
  candidates.forEach((each, position) => {
    if (!each.eligible || first(each) === -Infinity || !isAllowed(each)) return;
    const other = candidates[found];
    const isBetter = found === null || first(each) > first(other)
      || (first(each) === first(other) && second(each) > second(other));
    if (isBetter) found = position;
  });
  return found;
}

const isDefined = value => value !== null && value !== undefined;
const eligible = candidates => candidates.filter(each => each.eligible);
const accuracy = candidate => candidate.scores.accuracy ?? -Infinity;
const fairness = gap => candidate => isDefined(candidate.scores[gap]) ? -candidate.scores[gap] : -Infinity;
