// @ts-check
// Requests the state and the traffic of the cluster every two seconds, and shows them.

import { showChanges } from "./changes.js";
import { Charts } from "./charts.js";
import { clusterOf } from "./cluster.js";
import { byId, create, renderList, setText } from "./dom.js";
import { showFreshness, showHeader } from "./header.js";
import { showNodes } from "./nodes.js";
import { RegionMap } from "./regions.js";
import { Traffic } from "./traffic.js";

const REFRESH_MILLIS = 2_000;
const RESPONSE_MILLIS_MAX = 10_000;

/** A large cluster costs its nodes and the browser more: they are idle for most of the time. */
const IDLE_FACTOR = 4;

/** @typedef {import("./cluster.js").Cluster} Cluster */

const map = new RegionMap();
const charts = new Charts();
const traffic = new Traffic();
const scope = /** @type {HTMLSelectElement} */ (byId("scope"));

/** @type {Cluster | null} */
let cluster = null;
/** The name of the node whose replicas are highlighted and whose traffic is shown. @type {string | null} */
let selected = null;
/** @type {Date | null} */
let received = null;
/** @type {string | null} */
let failure = null;

/** @param {string} path */
async function load(path) {
  const response = await fetch(path, { signal: AbortSignal.timeout(RESPONSE_MILLIS_MAX) });
  if (!response.ok) {
    throw new Error((await response.text()).trim());
  }
  return response.json();
}

async function refresh() {
  const started = performance.now();
  try {
    const [state, samples] = await Promise.all([load("api/cluster"), load("api/traffic")]);
    received = new Date();
    failure = null;
    cluster = clusterOf(state);
    selected = cluster.nodes.some((node) => node.name === selected) ? selected : null;
    traffic.add(samples);
    setText(byId("self"), `node ${samples.node}`);
    show();
  } catch (error) {
    failure = error instanceof TypeError ? "the node does not respond" : String(/** @type {Error} */ (error).message);
  }
  showFreshness(received, failure);
  const cost = performance.now() - started;
  setTimeout(whenVisible, Math.max(REFRESH_MILLIS, cost * IDLE_FACTOR));
}

/** A page that is not shown requests nothing. */
function whenVisible() {
  if (!document.hidden) {
    refresh();
  } else {
    document.addEventListener("visibilitychange", whenVisible, { once: true });
  }
}

function show() {
  if (cluster === null) {
    return;
  }
  showHeader(cluster);
  showNodes(cluster, selected, select);
  showScopes(cluster);
  charts.show(traffic.series(selected));
  map.show(cluster, selected);
  showChanges(cluster);
}

/** @param {Cluster} shown */
function showScopes(shown) {
  renderList(
    scope,
    ["", ...shown.nodes.map((node) => node.name)],
    (name) => name,
    (name) => {
      const option = create("option", "", name === "" ? "the whole cluster" : name);
      option.setAttribute("value", name);
      return option;
    },
    () => {},
  );
  scope.value = selected ?? "";
}

/** @param {string | null} node */
function select(node) {
  selected = node;
  show();
}

scope.addEventListener("change", () => select(scope.value === "" ? null : scope.value));
setInterval(() => showFreshness(received, failure), 1_000);
refresh();
