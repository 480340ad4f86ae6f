// The chosen candidate: measures, groups, parameters, code, findings.

function showDetails(state) {
  const candidate = page.candidates[state.chosen];
  const isOnFront = page.fronts[state.gap].includes(state.chosen);
  byId("chosen-kind").textContent = `Chosen ${page.texts.candidate}`;
  byId("chosen-name").textContent = candidate.name;
  const tags = [isOnFront ? "on the front" : "not on the front"];
  if (state.chosen === page.own && page.texts.own) tags.push(page.texts.own);
  if (!candidate.eligible) tags.push("not eligible");
  show("chosen-tags", ...tags.map(text => element("span", {}, text)));
  show("measures", ...Object.keys(NAMES).map(measure => measureCard(candidate, measure)));
  byId("measures-text").textContent = candidate.details ? page.texts.details : page.texts.undetailed;
  byId("groups").hidden = byId("findings").hidden = candidate.details === null;
  if (candidate.details) {
    showGroups(candidate.details);
    show("findings-body", ...candidate.details.findings.map(finding));
  }
  show("params", candidate.params.length ? parameters(candidate.params) : element("p", {}, "Defaults only."));
  byId("code-part").hidden = candidate.code === null;
  byId("code").textContent = candidate.code ?? "";
  byId("copied").textContent = "";
  if (candidate.code === null) show("params", element("p", {}, "Predictions only: there is no code for a model."));
}

function measureCard(candidate, measure) {
  const found = candidate.details?.measures[measure];
  const { scores, spread } = candidate;
  const value = found ? found.value : scores[measure];
  const rows = [];
  if (found) {
    if (measure !== "accuracy") rows.push(["corrected for noise", inUnit(measure, found.corrected)]);
    rows.push([`${page.level} interval`, interval(found) ?? "–"]);
    if (measure !== "accuracy") rows.push(["by chance", isDefined(found.chance) ? `${percent(found.chance)}, ${pValue(found.p_value)}` : "–"]);
    if (page.texts.folds) rows.push([page.texts.folds, foldMean(scores[measure], spread[measure])]);
  }
  rows.push(["majority vote", percent(page.baseline[measure])]);
  const { difference } = found ?? {};
  if (difference && isDefined(difference.value)) {
    rows.push([`minus ${page.reference}`, `${signed(difference.value)} (${interval(difference)})`]);
  }
  const heading = element("h3", {}, NAMES[measure]);
  if (LONG_NAMES[measure]) heading.append(element("small", {}, LONG_NAMES[measure]));
  return element("div", { class: "measure", "data-measure": measure },
    heading,
    element("p", { class: "value" }, percent(value), element("span", {}, isDefined(value) ? unit(measure) : "")),
    found ? null : element("p", { class: "small" }, `${page.texts.folds}: ${foldMean(value, spread[measure])}`),
    found ? strip(found, page.baseline[measure]) : null,
    element("dl", {}, ...rows.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)])),
  );
}

function foldMean(mean, ends) {
  const sd = ends && isDefined(ends[0]) ? ` ± ${percent((ends[1] - ends[0]) / 2)}` : "";
  return percent(mean) + sd;
}

/** A line from 0 to 100 with the interval, the value and the majority vote. */
function strip({ value, low, high }, baseline) {
  const line = element("div", { class: "strip", "aria-hidden": "true" });
  const mark = (kind, left, width) => {
    const node = element("span", { class: kind });
    node.style.left = `${100 * left}%`;
    if (isDefined(width)) node.style.width = `${100 * width}%`;
    line.append(node);
  };
  if (isDefined(low)) mark("range", low, high - low);
  if (isDefined(baseline)) mark("tick", baseline);
  if (isDefined(value)) mark("dot", value);
  return line;
}

function showGroups({ groups, rates }) {
  const facts = groups.map((group, number) => element("li", {},
    swatch(number, groups.length), element("strong", {}, named("Group", group.name)),
    ` ${group.n} nodes${group.degrees ? `, degree ${group.degrees}` : ""}, accuracy ${percent(group.accuracy)}\u00a0%`));
  const head = element("thead", {}, element("tr", {},
    ...["Class and group", "Predicted", "Recall"].map(text => element("th", { scope: "col" }, text))));
  const bodies = rates.map(each => element("tbody", {},
    element("tr", {}, element("th", { scope: "rowgroup", colspan: 3, class: "class" }, named("Class", each.class))),
    ...each.groups.map((cells, number) => element("tr", {},
      element("th", { scope: "row" }, swatch(number, groups.length), named("Group", groups[number].name)),
      rateCell(cells.predicted, number, groups.length), rateCell(cells.recall, number, groups.length)))));
  show("groups-body",
    element("ul", { class: "legend" }, ...facts),
    element("p", { class: "small" }, "Predicted: the share of the group's nodes for which the class is "
      + "predicted. Recall: the share of the group's nodes of this class that are recognized. "
      + `Thin lines are ${page.level} intervals.`),
    element("table", { class: "rates" }, head, ...bodies));
}

function rateCell({ rate, low, high, count, n }, number, nGroups) {
  const bar = element("div", { class: "bar", "aria-hidden": "true" });
  if (isDefined(rate)) {
    const fill = element("span", { class: "fill" }), whisker = element("span", { class: "whisker" });
    fill.style.width = `${100 * rate}%`;
    fill.style.background = groupColor(number, nGroups);
    whisker.style.left = `${100 * low}%`;
    whisker.style.width = `${100 * (high - low)}%`;
    bar.append(fill, whisker);
  }
  const title = isDefined(low) ? `${page.level} interval ${percent(low)} to ${percent(high)} %` : null;
  return element("td", { title },
    element("span", { class: "number" }, isDefined(rate) ? `${percent(rate)}\u00a0%` : "–"),
    " ", element("span", { class: "count" }, `${count} of ${n}`), bar);
}

function swatch(number, n) {
  const node = element("span", { class: "swatch", "aria-hidden": "true" });
  node.style.background = groupColor(number, n);
  return node;
}

function parameters(params) {
  return element("dl", { class: "params" }, ...params.flatMap(([name, text]) =>
    [element("dt", {}, name), element("dd", {}, text)]));
}

function finding({ severity, title, statements, advice }) {
  return element("div", { class: `finding ${severity}` },
    element("h3", {}, title, element("small", {}, severity)),
    ...statements.map(text => element("p", {}, unbroken(text))),
    element("p", { class: "small" }, `What to do: ${unbroken(advice)}`));
}
