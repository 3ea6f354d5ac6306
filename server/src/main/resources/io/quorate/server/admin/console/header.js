// @ts-check
// The name of the cluster, the verdict, and how old the shown state is.

import { byId, create, renderList, setAttribute, setText } from "./dom.js";
import { duration, plural, time } from "./format.js";

/** @typedef {import("./cluster.js").Cluster} Cluster */

const STALE_AFTER_MILLIS = 8_000;
const SHOWN_SETTINGS = ["engine", "replication", "reads", "reply"];

/** @param {Cluster} cluster */
export function showHeader(cluster) {
  const { json } = cluster;
  setText(byId("cluster"), json.cluster ?? "");
  document.title = `${json.cluster ?? "Quorate"} – ${json.health.level}`;
  const settings = SHOWN_SETTINGS.filter((name) => json.settings?.[name] !== undefined).map(
    (name) => `${name} ${json.settings?.[name]}`,
  );
  setText(byId("settings"), [`preset ${json.preset ?? "not known"}`, ...settings].join(" · "));
  showVerdict(cluster);
}

/** @param {Cluster} cluster */
function showVerdict(cluster) {
  const { health } = cluster.json;
  setAttribute(byId("verdict"), "class", `verdict level-${health.level}`);
  setText(byId("headline"), headline(cluster));
  renderList(
    byId("problems"),
    health.problems,
    (problem) => problem,
    (problem) => create("li", "", problem),
    () => {},
  );
}

/** @param {Cluster} cluster */
function headline(cluster) {
  const all = plural(cluster.regions.length, "region");
  switch (cluster.json.health.level) {
    case "healthy":
      return `Healthy: ${all} on ${plural(cluster.nodes.length, "node")}, every replica serves.`;
    case "degraded":
      return `Degraded: every region accepts writes, and something is wrong.`;
    default:
      return `Unavailable: some or all of ${all} accept no writes.`;
  }
}

/**
 * @param {Date | null} latest when the state was received
 * @param {string | null} failure why there is none since
 */
export function showFreshness(latest, failure) {
  const age = latest === null ? Infinity : Date.now() - latest.getTime();
  const isStale = age > STALE_AFTER_MILLIS || (latest === null && failure !== null);
  document.body.classList.toggle("stale", isStale);
  document.body.classList.toggle("waiting", latest === null);
  const shown = latest === null ? "nothing received yet" : `as of ${time(latest)}`;
  setText(
    byId("freshness-text"),
    isStale
      ? `${shown}${latest === null ? "" : `, ${duration(age)} ago`}: ${failure ?? "the node does not respond"}`
      : shown,
  );
}
