// @ts-check
// What is under way, and what the placement has decided of late.

import { progressOf, reasonOf } from "./cluster.js";
import { byId, create, renderList, setText } from "./dom.js";
import { count, key, range, time } from "./format.js";
import { showWithBar } from "./nodes.js";

/** @typedef {import("./cluster.js").Cluster} Cluster */
/** @typedef {import("./cluster.js").RegionView} RegionView */

const SHOWN_MAX = 50;
const DECISIONS_MAX = 20;

/** @param {Cluster} cluster */
export function showChanges(cluster) {
  const changes = cluster.changes.slice(0, SHOWN_MAX);
  renderList(
    byId("changes"),
    changes.length === 0 ? [null] : changes,
    (region) => (region === null ? "none" : String(region.id)),
    makeRow,
    (row, region) => {
      if (region !== null) {
        updateRow(row, region, cluster);
      }
    },
  );
  showDecisions(cluster);
}

/** @param {RegionView | null} region */
function makeRow(region) {
  if (region !== null) {
    return create("tr", "change", "", ["region", "kind", "progress", "reason"].map((name) => create("td", name)));
  }
  const cell = create("td", "note", "No replica moves, and no region splits or is merged.");
  cell.setAttribute("colspan", "4");
  return create("tr", "", "", [cell]);
}

/** @param {HTMLElement} row @param {RegionView} region @param {Cluster} cluster */
function updateRow(row, region, cluster) {
  const [name, kind, progress, reason] = /** @type {HTMLElement[]} */ ([...row.children]);
  setText(name, `${region.id} (${range(region)})`);
  setText(kind, textOf(region));
  showWithBar(progress, progressOf(region), progressText(region));
  setText(reason, reasonOf(cluster, region) ?? "not recorded");
}

/** @param {RegionView} region */
function textOf(region) {
  const { kind, from, to, at, child, absorbed, into } = region.plan ?? { kind: "" };
  switch (kind) {
    case "move":
      return `replica moves from ${from} to ${to}`;
    case "add":
      return `new replica on ${to}`;
    case "remove":
      return `replica leaves ${from}`;
    case "split":
      return `splits at ${key(at ?? "")}, new region ${child}`;
    case "merge":
      return region.id === absorbed
        ? `ends, region ${into} receives its keys`
        : `receives the keys of region ${absorbed}`;
    default:
      return kind;
  }
}

/** @param {RegionView} region */
function progressText(region) {
  if (["split", "merge", "remove"].includes(region.plan?.kind ?? "")) {
    return "planned";
  }
  if (region.incoming === null) {
    return "members change";
  }
  const target = Math.max(0, ...region.replicas.map((replica) => replica.committed ?? 0));
  return region.incoming.applied === null
    ? "planned; there is no new replica yet"
    : `applied ${count(Math.max(0, region.incoming.applied))} of ${count(target)}`;
}

/** @param {Cluster} cluster */
function showDecisions(cluster) {
  const decisions = (cluster.json.decisions ?? []).slice(-DECISIONS_MAX).reverse();
  byId("decisions-part").hidden = decisions.length === 0;
  renderList(
    byId("decisions"),
    decisions,
    (decision) => JSON.stringify(decision),
    (decision) => {
      const where = [decision.from, decision.to].filter((node) => node).join(" → ");
      const what = `${decision.kind}${decision.region === null ? "" : ` of region ${decision.region}`}`;
      return create("li", "", "", [
        create("time", "", time(new Date(decision.time))),
        create("span", "what", `${what} ${where}`.trim()),
        create("span", "reason", decision.reason),
      ]);
    },
    () => {},
  );
}
