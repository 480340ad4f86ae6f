// What the user does: choose a candidate by a point, the slider, a key, a rule or the table.

const page = JSON.parse(byId("data").textContent);
const state = { gap: page.gaps[0], chosen: page.chosen };

function choose(position, ruleText = "") {
  state.chosen = position;
  byId("rule-text").textContent = ruleText;
  refresh();
  const candidate = page.candidates[position];
  byId("announcement").textContent = `${ruleText} Chosen: ${spoken(candidate, state.gap)}.`.trim();
}

function refresh() {
  drawPlot(state, choose);
  showSlider();
  showDetails(state);
  showAll();
}

function showSlider() {
  const front = page.fronts[state.gap], slider = byId("front"), place = front.indexOf(state.chosen);
  byId("slider").hidden = front.length === 0;
  slider.max = Math.max(front.length - 1, 0);
  if (place >= 0) slider.value = place;
  const text = spoken(page.candidates[state.chosen], state.gap);
  slider.setAttribute("aria-valuetext", place >= 0 ? text : `${text}, not on the front`);
}

function showAll() {
  const front = page.fronts[state.gap];
  const head = ["", "", NAMES.accuracy, NAMES.delta_dsp, NAMES.delta_deo, "Front"];
  const rows = page.candidates.map((each, position) => {
    const id = `candidate-${position}`;
    const radio = element("input", { type: "radio", name: "candidate", id });
    radio.checked = position === state.chosen;
    radio.addEventListener("change", () => choose(position));
    return element("tr", { class: position === state.chosen ? "chosen" : null },
      element("td", {}, radio), element("th", { scope: "row" }, element("label", { for: id }, each.name)),
      ...Object.keys(NAMES).map(measure => element("td", {}, percent(each.scores[measure]))),
      element("td", {}, front.includes(position) ? "yes" : ""));
  });
  const focused = document.activeElement?.id;
  show("all-body",
    element("p", { class: "small" }, page.texts.scores),
    element("table", { class: "all" },
      element("thead", {}, element("tr", {}, ...head.map(text => element(text ? "th" : "td", text ? { scope: "col" } : {}, text)))),
      element("tbody", {}, ...rows)));
  if (focused?.startsWith("candidate-")) byId(focused).focus({ preventScroll: true });
}

function showGaps() {
  byId("gaps").hidden = page.gaps.length < 2;
  for (const gap of page.gaps) {
    const radio = element("input", { type: "radio", name: "gap", id: `gap-${gap}` });
    radio.checked = gap === state.gap;
    radio.addEventListener("change", () => {
      state.gap = gap;
      choose(state.chosen);
    });
    byId("gaps").append(radio, element("label", { for: radio.id, title: LONG_NAMES[gap] }, NAMES[gap]));
  }
}

/** Points become a fraction as if it were written in Python: 2.3 becomes 0.023. */
const fraction = input => Number((Number(input.value) / 100).toFixed(12));

function connectRule(formId, inputId, value, apply) {
  const form = byId(formId), input = byId(inputId);
  input.value = Number((100 * value).toFixed(9));
  const run = () => {
    if (!input.validity.valid) {
      byId("rule-text").textContent = byId("announcement").textContent = `Enter a number from ${input.min} to ${input.max}.`;
      return;
    }
    const { position, text } = apply(fraction(input));
    if (position === null) {
      byId("rule-text").textContent = byId("announcement").textContent = `No ${page.texts.candidate} has both scores.`;
    } else {
      choose(position, text);
    }
  };
  input.addEventListener("input", run);
  form.addEventListener("submit", event => {
    event.preventDefault();
    run();
  });
  form.noValidate = true;
}

function ruleCall(name, threshold) {
  return `${name}(${threshold}${state.gap === "delta_dsp" ? "" : `, fairness="neg_${state.gap}"`})`;
}

function connectRules() {
  connectRule("fairest-within", "tolerance", page.rules.tolerance, tolerance => ({
    position: fairestWithin(page.candidates, state.gap, tolerance),
    text: `Chosen by ${ruleCall("FairestWithin", tolerance)}.`,
  }));
  connectRule("most-accurate-within", "max-gap", page.rules.max_gap, maxGap => {
    const position = mostAccurateWithin(page.candidates, state.gap, maxGap);
    const isMet = position !== null && meetsGap(page.candidates[position], state.gap, maxGap);
    const missed = isMet ? "" : " No gap is this small: this is the fairest.";
    return { position, text: `Chosen by ${ruleCall("MostAccurateWithin", maxGap)}.${missed}` };
  });
}

/** The browser may not let a page from a file use the clipboard. Then the text is selected, and a key copies it. */
async function copyCode() {
  const code = byId("code");
  try {
    await navigator.clipboard.writeText(code.textContent);
    byId("copied").textContent = "Copied.";
  } catch {
    getSelection().selectAllChildren(code);
    const isCopied = document.execCommand("copy");
    byId("copied").textContent = isCopied ? "Copied." : "Selected: press Ctrl+C or ⌘C.";
  }
}

function start() {
  byId("lede").textContent = page.texts.lede;
  byId("plot-text").textContent = page.texts.plot;
  show("notes", ...page.texts.notes.map(text => element("p", {}, text)));
  byId("all-title").textContent = `All ${page.candidates.length} ${page.texts.candidate}s`;
  showGaps();
  connectRules();
  if (page.own === null) byId("rule-text").textContent = `Chosen by ${ruleCall("FairestWithin", page.rules.tolerance)}.`;
  byId("front").addEventListener("input", event => choose(page.fronts[state.gap][Number(event.target.value)]));
  byId("copy").addEventListener("click", copyCode);
  refresh();
  let width = byId("plot").clientWidth;
  new ResizeObserver(([{ contentRect }]) => {
    if (Math.abs(contentRect.width - width) < 1) return;
    width = contentRect.width;
    drawPlot(state, choose);
  }).observe(byId("plot"));
}

start();
