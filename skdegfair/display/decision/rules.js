"use strict";

// The rules of skdegfair.metrics. Like them, they return the position of a candidate, or null where they raise ValueError.

const ROUNDING = 1e-12;

function fairestWithin(candidates, gap, tolerance) {
  if (!haveScores(candidates, gap)) return null;
  const least = Math.max(...candidates.filter(each => each.eligible).map(accuracy)) - tolerance - ROUNDING;
  return best(candidates, fairness(gap), accuracy, each => accuracy(each) >= least);
}

function mostAccurateWithin(candidates, gap, maxGap) {
  if (!haveScores(candidates, gap)) return null;
  const isFair = each => meetsGap(each, gap, maxGap);
  return candidates.some(each => each.eligible && isFair(each))
    ? best(candidates, accuracy, fairness(gap), isFair)
    : best(candidates, fairness(gap), accuracy, () => true);
}

function meetsGap(candidate, gap, maxGap) {
  return fairness(gap)(candidate) >= -maxGap - ROUNDING;
}

/** Whether each score is defined for a candidate. */
function haveScores(candidates, gap) {
  return [accuracy, fairness(gap)].every(score => candidates.some(each => each.eligible && score(each) > -Infinity));
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
const accuracy = candidate => candidate.scores.accuracy ?? -Infinity;
const fairness = gap => candidate => isDefined(candidate.scores[gap]) ? -candidate.scores[gap] : -Infinity;
