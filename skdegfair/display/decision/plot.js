// The plot of accuracy against a gap.

const MARGIN = { top: 14, right: 18, bottom: 46, left: 52 };

function drawPlot(state, choose) {
  const box = byId("plot");
  const width = Math.max(box.clientWidth, 260);
  const height = Math.round(Math.min(Math.max(width * 0.66, 270), 430));
  const points = page.candidates.map((each, position) => ({ position, x: each.scores[state.gap], y: each.scores.accuracy }))
    .filter(point => isDefined(point.x) && isDefined(point.y));
  if (!points.length) {
    show("plot", element("p", {}, `${NAMES[state.gap]} is not defined for any ${page.texts.candidate}.`));
    return;
  }
  const front = page.fronts[state.gap];
  const scale = scales(points, state, width, height);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height });
  picture.append(axes(scale, state, width, height), frontLine(front, scale, state));
  const others = svg("g", { "aria-hidden": "true" });  // the table of all candidates has them, too
  for (const { position } of points.filter(point => !front.includes(point.position))) {
    others.append(point(position, scale, state, choose, { r: 4, class: "off" }));
  }
  picture.append(others, ...majority(scale), cross(scale, state));
  const radios = svg("g", { role: "radiogroup", "aria-label": "The front, from fairest to most accurate" });
  const isOnFront = front.includes(state.chosen);
  front.forEach((position, place) => {
    const isChosen = position === state.chosen;
    const focusable = isOnFront ? isChosen : place === 0;
    radios.append(point(position, scale, state, choose, {
      r: 6.5, class: isChosen ? "on chosen" : "on", role: "radio", "aria-checked": isChosen,
      tabindex: focusable ? 0 : -1, "aria-label": spoken(page.candidates[position], state.gap),
    }));
  });
  radios.addEventListener("keydown", event => moveByKey(event, state, choose));
  picture.append(radios);
  const hadFocus = box.contains(document.activeElement);
  show("plot", picture);
  if (hadFocus) picture.querySelector('[tabindex="0"]').focus({ preventScroll: true });
}

function moveByKey(event, state, choose) {
  const front = page.fronts[state.gap];
  const now = Math.max(front.indexOf(state.chosen), 0);
  const last = front.length - 1;
  const to = {
    ArrowRight: now + 1, ArrowUp: now + 1, ArrowLeft: now - 1, ArrowDown: now - 1, Home: 0, End: last,
    " ": now, Enter: now,
  }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  choose(front[Math.min(Math.max(to, 0), last)]);
}

function point(position, scale, state, choose, attributes) {
  const candidate = page.candidates[position];
  const center = { cx: scale.x(candidate.scores[state.gap]), cy: scale.y(candidate.scores.accuracy) };
  const mark = svg("g", { "data-position": position });
  const { r, class: kind, ...others } = attributes;
  mark.append(
    svg("title", {}, spoken(candidate, state.gap)),
    svg("circle", { ...center, r: 15, class: "target" }),
    svg("circle", { ...center, r: r + 6, class: "ring" }),
    svg("circle", { ...center, r, class: "dot" }),
  );
  mark.classList.add(...kind.split(" "), ...(position === state.chosen ? ["chosen"] : []));
  for (const [name, value] of Object.entries(others)) mark.setAttribute(name, value);
  mark.addEventListener("click", () => choose(position));
  return mark;
}

function scales(points, state, width, height) {
  const { spread } = page.candidates[state.chosen];
  const isShown = points.some(each => each.position === state.chosen);
  const ends = measure => isShown && spread[measure] ? spread[measure].filter(isDefined) : [];
  const high = Math.max(...points.map(each => each.x), ...ends(state.gap));
  const ys = points.map(each => each.y);
  const lowest = Math.min(...ys, ...ends("accuracy")), highest = Math.max(...ys, ...ends("accuracy"));
  const pad = Math.max((highest - lowest) * 0.08, 0.01);
  const yRange = [Math.max(lowest - pad, 0), Math.min(highest + pad, 1.005)], xRange = [0, Math.max(high * 1.06, 0.02)];
  const right = width - MARGIN.right, bottom = height - MARGIN.bottom;
  return {
    xRange, yRange, right, bottom,
    x: value => MARGIN.left + (value - xRange[0]) / (xRange[1] - xRange[0]) * (right - MARGIN.left),
    y: value => bottom - (value - yRange[0]) / (yRange[1] - yRange[0]) * (bottom - MARGIN.top),
  };
}

function ticks([low, high], about) {
  const raw = (high - low) / about, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(each => each * power).find(each => each >= raw);
  const found = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + 1e-9; n += 1) found.push(n * step);
  return found;
}

function axes(scale, state, width, height) {
  const group = svg("g", { class: "axes", "aria-hidden": "true" });
  const label = value => String(Number((100 * value).toFixed(3)));
  for (const value of ticks(scale.yRange, 5)) {
    const y = scale.y(value);
    group.append(svg("line", { x1: MARGIN.left, x2: scale.right, y1: y, y2: y }));
    group.append(svg("text", { x: MARGIN.left - 8, y: y + 4, "text-anchor": "end" }, label(value)));
  }
  for (const value of ticks(scale.xRange, width < 480 ? 4 : 6)) {
    const x = scale.x(value);
    group.append(svg("line", { x1: x, x2: x, y1: MARGIN.top, y2: scale.bottom }));
    group.append(svg("text", { x, y: scale.bottom + 18, "text-anchor": "middle" }, label(value)));
  }
  const middle = (MARGIN.top + scale.bottom) / 2;
  group.append(
    svg("text", { x: scale.right, y: height - 6, "text-anchor": "end", class: "name" }, `${NAMES[state.gap]}, points (lower is fairer)`),
    svg("text", { x: -middle, y: 13, transform: "rotate(-90)", "text-anchor": "middle", class: "name" }, "Accuracy, %"),
  );
  return group;
}

function frontLine(front, scale, state) {
  const at = position => page.candidates[position].scores;
  const corners = front.map(position => `${scale.x(at(position)[state.gap])},${scale.y(at(position).accuracy)}`);
  return svg("polyline", { points: corners.join(" "), class: "front", "aria-hidden": "true" });
}

function cross(scale, state) {
  const { spread, scores } = page.candidates[state.chosen];
  const group = svg("g", { class: "cross", "aria-hidden": "true" });
  const horizontal = spread[state.gap], vertical = spread.accuracy;
  if (!isDefined(scores[state.gap]) || !isDefined(scores.accuracy)) return group;
  const within = (value, [low, high]) => Math.min(Math.max(value, low), high);
  if (horizontal && isDefined(horizontal[0])) {
    const [x1, x2] = horizontal.map(value => scale.x(within(value, scale.xRange)));
    const y = scale.y(scores.accuracy);
    group.append(svg("line", { x1, x2, y1: y, y2: y }));
  }
  if (vertical && isDefined(vertical[0])) {
    const [y1, y2] = vertical.map(value => scale.y(within(value, scale.yRange)));
    const x = scale.x(scores[state.gap]);
    group.append(svg("line", { x1: x, x2: x, y1, y2 }));
  }
  return group;
}

/** A majority vote has no gap. Its accuracy is often far below the others; then an arrow points to it. */
function majority(scale) {
  const value = page.baseline.accuracy, x = scale.x(0);
  const isInside = value >= scale.yRange[0] && value <= scale.yRange[1];
  const y = isInside ? scale.y(value) : scale.bottom - 8;
  const size = 6, corners = isInside
    ? `${x},${y - size} ${x + size},${y} ${x},${y + size} ${x - size},${y}`
    : `${x - size + 2},${y - 6} ${x + size - 2},${y - 6} ${x},${y + 4}`;
  return [
    svg("polygon", { points: corners, class: "majority", "aria-hidden": "true" }),
    svg("text", { x: x + 11, y: y + 4, class: "majority" }, `majority vote: ${percent(value)} %`),
  ];
}

function spoken(candidate, gap) {
  const { scores } = candidate;
  return `${candidate.name}: accuracy ${inUnit("accuracy", scores.accuracy)}, ${lower(NAMES[gap])} ${inUnit(gap, scores[gap])}`;
}
