// @ts-check
// The name of the cluster, the verdict, and how old the shown state is.

import { byId, create, renderList, setAttribute, setText } from "./dom.js";
import { count, duration, plural, time } from "./format.js";

/** @typedef {import("./cluster.js").Cluster} Cluster */

const STALE_AFTER_MILLIS = 8_000;
const SHOWN_SETTINGS = ["engine", "replication", "reads", "reply", "security"];

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

/** What is the case, with the number of regions. @param {Cluster} cluster */
function headline(cluster) {
  const { regions, metadata } = cluster;
  const { level, problems } = cluster.json.health;
  const all = plural(regions.length, "region");
  const known = metadata === null ? regions : [metadata, ...regions];
  const ailing = known.filter((region) => region.level === "warning").length;
  const failed = regions.filter((region) => region.level === "failed").length;
  switch (level) {
    case "healthy":
      return `Healthy: ${all} on ${plural(cluster.nodes.length, "node")}, and no replica is missing or behind.`;
    case "degraded":
      return ailing === 0
        ? `Degraded: every region accepts writes, but ${problems[0]}.`
        : `Degraded: every region accepts writes, but ${count(ailing)} of ${plural(known.length, "region")} ` +
            `${ailing === 1 ? "has a replica that is" : "have replicas that are"} missing or behind.`;
    default:
      if (known.length === 0) {
        return `Unavailable: ${problems[0]}.`;
      }
      return failed === 0
        ? "Unavailable: the regions of keys accept writes, and the cluster's metadata accepts no changes."
        : `Unavailable: ${count(failed)} of ${all} ${failed === 1 ? "accepts" : "accept"} no writes.`;
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
