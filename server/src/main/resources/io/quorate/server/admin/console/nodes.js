// @ts-check
// The table of nodes.

import { byId, colorClass, create, renderList, setAttribute, setText } from "./dom.js";
import { count, duration, size } from "./format.js";

/** @typedef {import("./cluster.js").Cluster} Cluster */
/** @typedef {import("./cluster.js").NodeView} NodeView */

const CELLS = [
  "state", "leads number", "replicas number", "metadata", "space", "device",
  "address", "labels", "version",
];
const USED_MUCH = 0.85;

/**
 * @param {Cluster} cluster
 * @param {string | null} selected the name of a node
 * @param {(node: string | null) => void} select
 */
export function showNodes(cluster, selected, select) {
  renderList(
    byId("nodes"),
    cluster.nodes,
    (node) => node.name,
    (node) => makeRow(node.name, select),
    (row, node) => updateRow(row, node, node.name === selected, cluster.json.leaderless === true),
  );
}

/** @param {string} name @param {(node: string | null) => void} select */
function makeRow(name, select) {
  const button = create("button", "node-button");
  button.title = `Highlight the replicas of ${name}, and show its traffic`;
  button.append(create("span", "swatch"), create("span", "", name));
  const first = create("th", "", "", [button]);
  first.setAttribute("scope", "row");
  const row = create("tr", "", "", [first, ...CELLS.map((name) => create("td", name))]);
  row.addEventListener("click", () => {
    const isSelected = button.getAttribute("aria-pressed") === "true";
    select(isSelected ? null : name);
  });
  return row;
}

/** @param {HTMLElement} row @param {NodeView} node @param {boolean} isSelected @param {boolean} isLeaderless */
function updateRow(row, node, isSelected, isLeaderless) {
  row.classList.toggle("selected", isSelected);
  const button = /** @type {HTMLElement} */ (row.querySelector("button"));
  setAttribute(button, "aria-pressed", String(isSelected));
  setAttribute(/** @type {Element} */ (row.querySelector(".swatch")), "class", `swatch ${colorClass(node.place)}`);
  const [level, state] = stateOf(node);
  /** @param {string} name */
  const cell = (name) => /** @type {HTMLElement} */ (row.querySelector(`td.${name}`));
  setAttribute(cell("state"), "data-level", level);
  setText(cell("state"), state);
  setText(cell("leads"), isLeaderless ? "–" : count(node.leads));
  setText(cell("replicas"), count(node.replicas));
  setText(cell("metadata"), node.hasMetadata ? "replica" : "–");
  showSpace(cell("space"), node);
  showDevice(cell("device"), node);
  setText(cell("address"), node.address);
  setText(cell("labels"), node.labels.join(", ") || "–");
  setText(cell("version"), node.version ?? "–");
}

/** @param {NodeView} node @returns {[import("./cluster.js").Level, string]} */
function stateOf(node) {
  if (!node.up) {
    return ["failed", `down: ${node.problem ?? "it does not respond"}`];
  }
  if (node.refusal !== null) {
    return ["failed", `refuses writes: ${node.refusal}`];
  }
  if (node.storageFailures.length > 0) {
    return ["failed", `cannot store: ${node.storageFailures[0]}`];
  }
  if (node.behindMs !== null) {
    return ["warning", `behind for ${duration(node.behindMs)}`];
  }
  if (node.joinState === "new" || node.joinState === "founding") {
    return ["warning", "up, not in the cluster yet"];
  }
  const since = `up ${duration(node.uptimeMs ?? 0)}`;
  return node.draining ? ["warning", `${since}, draining`] : ["ok", since];
}

/** @param {HTMLElement} cell @param {NodeView} node */
function showSpace(cell, node) {
  const capacity = node.device?.capacityBytes ?? 0;
  const used = node.device?.usedBytes ?? node.rowBytes;
  const fraction = capacity > 0 ? Math.min(1, used / capacity) : null;
  showWithBar(
    cell,
    fraction,
    spaceText(node, fraction === null ? null : `${size(used)} of ${size(capacity)}`),
    fraction !== null && fraction > USED_MUCH,
  );
}

/** @param {NodeView} node @param {string | null} ofDevice */
function spaceText(node, ofDevice) {
  return !node.up ? "–" : ofDevice ?? `${size(node.rowBytes)} of rows`;
}

/** @param {HTMLElement} cell @param {number | null} fraction @param {string} text @param {boolean} [isMuch] */
export function showWithBar(cell, fraction, text, isMuch = false) {
  if (cell.childElementCount === 0) {
    const bar = create("span", "bar", "", [create("span", "fill")]);
    bar.setAttribute("aria-hidden", "true");
    cell.replaceChildren(bar, create("span", "bar-text"));
  }
  const [bar, label] = /** @type {HTMLElement[]} */ ([...cell.children]);
  bar.hidden = fraction === null;
  bar.classList.toggle("much", isMuch);
  const fill = /** @type {HTMLElement} */ (bar.firstElementChild);
  fill.style.width = `${Math.round((fraction ?? 0) * 1000) / 10}%`;
  setText(label, text);
}

/** @param {HTMLElement} cell @param {NodeView} node */
function showDevice(cell, node) {
  const device = node.device ?? {};
  const parts = [];
  if ((device.writeBytesPerSecond ?? null) !== null) {
    parts.push(`writes ${size(Number(device.writeBytesPerSecond))}/s`);
  }
  if ((device.kvSpeed ?? null) !== null) {
    parts.push(`rows ${size(Number(device.kvSpeed))}/s`);
  }
  if (device.slow === true) {
    parts.push("slow");
  }
  setAttribute(cell, "data-level", device.slow === true ? "warning" : parts.length === 0 ? "none" : "ok");
  setText(cell, parts.length === 0 ? "not measured" : parts.join(", "));
}
