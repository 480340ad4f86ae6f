// Elements and numbers. All text goes through textContent, so no text can become markup.

const NAMES = { accuracy: "Accuracy", delta_dsp: "Delta DSP", delta_deo: "Delta DEO" };
const LONG_NAMES = { delta_dsp: "degree statistical parity", delta_deo: "degree equal opportunity" };
const byId = id => document.getElementById(id);

function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (isDefined(value)) node.setAttribute(name, value);
  }
  node.append(...children.filter(isDefined));
  return node;
}

function show(id, ...children) {
  byId(id).replaceChildren(...children.filter(isDefined));
}

function percent(value) {
  return isDefined(value) ? (100 * value).toFixed(1).replace(/^-(0\.0)$/, "$1").replace("-", "−") : "–";
}

function signed(value) {
  const text = percent(value);
  return value > 0 && text !== "0.0" ? `+${text}` : text;
}

const unit = measure => measure === "accuracy" ? " %" : " points";
const inUnit = (measure, value) => isDefined(value) ? percent(value) + unit(measure) : "not defined";
const interval = ({ low, high }) => isDefined(low) ? `${percent(low)} to ${percent(high)}` : null;
const pValue = p => p < 0.0005 ? "p < 0.001" : `p = ${p.toFixed(3)}`;
const unbroken = text => text.replace(/ (%|[=<] )/g, "\u00a0$1").replace(/([=<]) /g, "$1\u00a0");
/** A class or a group that is a number needs the word. */
const named = (word, name) => /^-?[\d.]+$/.test(name) ? `${word} ${name}` : name;
const lower = text => text[0].toLowerCase() + text.slice(1);

/** Two contrasting colors, or a scale between them. */
function groupColor(number, n) {
  const share = n < 2 ? 0 : (100 * number) / (n - 1);
  return `color-mix(in oklab, var(--high) ${share}%, var(--low))`;
}
