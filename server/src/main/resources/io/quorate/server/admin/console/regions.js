// @ts-check
// The map of regions: one cell for each, in key order, and the details of one of them.

import { ailmentOf } from "./cluster.js";
import { byId, colorClass, create, renderList, setAttribute, setText } from "./dom.js";
import { count, duration, plural, range, size } from "./format.js";

/** @typedef {import("./cluster.js").Cluster} Cluster */
/** @typedef {import("./cluster.js").RegionView} RegionView */
/** @typedef {import("./cluster.js").ReplicaJson} ReplicaJson */

/** The sizes of cells, by the most regions that are shown in them. @type {[number, string][]} */
const SIZES = [[48, "large"], [240, "medium"], [Infinity, "small"]];
const PLAN_SIGNS = new Map([["move", "⇄"], ["add", "+"], ["remove", "−"], ["split", "÷"], ["merge", "∪"]]);

export class RegionMap {
  /** @type {Cluster | null} */
  #cluster = null;
  /** @type {string | null} */
  #selected = null;
  /** The regions whose details are shown: under the pointer or focused, and clicked. */
  #pointed = /** @type {number | null} */ (null);
  #pinned = /** @type {number | null} */ (null);
  #map = byId("map");
  /** What the details were made of. */
  #detail = "";

  constructor() {
    this.#map.addEventListener("pointerover", (event) => this.#point(event.target));
    this.#map.addEventListener("focusin", (event) => this.#point(event.target));
    this.#map.addEventListener("focusout", () => this.#pointAt(null));
    this.#map.addEventListener("pointerleave", () => this.#pointAt(null));
    this.#map.addEventListener("click", (event) => this.#pin(event.target));
    this.#map.addEventListener("keydown", (event) => this.#key(event));
  }

  /** @param {Cluster} cluster @param {string | null} selected the name of a node */
  show(cluster, selected) {
    this.#cluster = cluster;
    this.#selected = selected;
    const cells = cluster.metadata === null ? cluster.regions : [cluster.metadata, ...cluster.regions];
    const [, sizeName] = SIZES.find(([most]) => cells.length <= most) ?? SIZES[SIZES.length - 1];
    setAttribute(this.#map, "class", `map ${sizeName}${selected === null ? "" : " has-selection"}`);
    renderList(
      this.#map,
      cells,
      (region) => String(region.id),
      makeCell,
      (cell, region) => updateCell(cell, region, cluster, selected),
    );
    this.#keepOneTabStop();
    showSummary(cluster, selected);
    showLegend(cluster);
    this.#showDetail();
  }

  /** @param {EventTarget | null} target */
  #point(target) {
    const cell = cellOf(target);
    if (cell !== null) {
      this.#pointAt(Number(cell.dataset.key));
    }
  }

  /** @param {number | null} region */
  #pointAt(region) {
    this.#pointed = region;
    this.#showDetail();
  }

  /** @param {EventTarget | null} target */
  #pin(target) {
    const cell = cellOf(target);
    if (cell !== null) {
      const region = Number(cell.dataset.key);
      this.#pinned = this.#pinned === region ? null : region;
      this.#showDetail();
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const cells = /** @type {HTMLElement[]} */ ([...this.#map.children]);
    const place = cells.findIndex((cell) => cell === document.activeElement);
    const columns = getComputedStyle(this.#map).gridTemplateColumns.split(" ").length;
    const steps = new Map([
      ["ArrowRight", 1], ["ArrowLeft", -1], ["ArrowDown", columns], ["ArrowUp", -columns],
      ["Home", -place], ["End", cells.length - 1 - place],
    ]);
    const next = cells[place + (steps.get(event.key) ?? NaN)];
    if (event.key === "Escape") {
      this.#pinned = null;
      this.#showDetail();
    } else if (next !== undefined) {
      event.preventDefault();
      cells.forEach((cell) => setAttribute(cell, "tabindex", cell === next ? "0" : "-1"));
      next.focus();
    }
  }

  #keepOneTabStop() {
    if (this.#map.querySelector('[tabindex="0"]') === null) {
      this.#map.firstElementChild?.setAttribute("tabindex", "0");
    }
  }

  #showDetail() {
    const shown = this.#pointed ?? this.#pinned;
    for (const cell of this.#map.querySelectorAll(".shown")) {
      cell.classList.remove("shown");
    }
    const cluster = this.#cluster;
    const all = cluster === null ? [] : [...cluster.regions, ...(cluster.metadata === null ? [] : [cluster.metadata])];
    const region = all.find((candidate) => candidate.id === shown);
    if (cluster === null || region === undefined) {
      this.#detail = "";
      byId("detail").replaceChildren(
        create("p", "hint", "Point at a region, or move to it with the keyboard, to see its keys and replicas. Click to keep it."),
      );
      return;
    }
    this.#map.querySelector(`[data-key="${region.id}"]`)?.classList.add("shown");
    const isPinned = this.#pointed === null;
    const content = JSON.stringify([region, isPinned]);
    // An unchanged text stays, so that it can be selected and copied.
    if (content !== this.#detail) {
      this.#detail = content;
      showRegion(region, cluster, isPinned);
    }
  }
}

/** @param {EventTarget | null} target @returns {HTMLElement | null} */
function cellOf(target) {
  return target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest(".cell")) : null;
}

/** @param {RegionView} region */
function makeCell(region) {
  const cell = create("button", "cell", "", [
    create("span", "cell-name", region.id === 0 ? "meta" : String(region.id)),
    create("span", "cell-sign"),
    create("span", "dots"),
  ]);
  cell.setAttribute("type", "button");
  cell.setAttribute("tabindex", "-1");
  return cell;
}

/** @param {HTMLElement} cell @param {RegionView} region @param {Cluster} cluster @param {string | null} selected */
function updateCell(cell, region, cluster, selected) {
  const replicas = shownReplicas(region);
  const classes = [
    "cell",
    `level-${region.level}`,
    fillOf(region, cluster),
    selected === null ? "" : selectionOf(region, selected),
    cell.classList.contains("shown") ? "shown" : "",
  ];
  setAttribute(cell, "class", classes.filter((name) => name !== "").join(" "));
  setAttribute(cell, "aria-label", labelOf(region));
  const [, sign, dots] = /** @type {HTMLElement[]} */ ([...cell.children]);
  const plan = region.plan === null ? "" : PLAN_SIGNS.get(region.plan.kind) ?? "•";
  setText(sign, region.level === "failed" ? "!" : plan);
  renderList(
    dots,
    replicas,
    (replica) => replica.node,
    () => create("i", "dot"),
    (dot, replica) => {
      const state = replica === region.incoming ? "incoming" : ailmentOf(region, replica) === null ? "there" : "missing";
      setAttribute(dot, "class", `dot ${state} ${colorClass(cluster.places.get(replica.node) ?? -1)}`);
    },
  );
}

/** @param {RegionView} region */
function shownReplicas(region) {
  return region.incoming === null ? region.replicas : [...region.replicas, region.incoming];
}

/** @param {RegionView} region @param {Cluster} cluster */
function fillOf(region, cluster) {
  if (region.level === "failed") {
    return "no-leader";
  }
  if (isAsleep(region)) {
    return "asleep";
  }
  return region.leader === null ? "leaderless" : colorClass(cluster.places.get(region.leader) ?? -1);
}

/** @param {RegionView} region */
function isAsleep(region) {
  return region.replicas.every((replica) => replica.role === "hibernating");
}

/** @param {RegionView} region @param {string} selected */
function selectionOf(region, selected) {
  const replica = shownReplicas(region).find((candidate) => candidate.node === selected);
  return replica === undefined ? "elsewhere" : replica.role === "leader" ? "leads-here" : "follows-here";
}

/** @param {RegionView} region */
function labelOf(region) {
  const name = region.id === 0 ? "Region 0, the cluster's metadata" : `Region ${region.id}`;
  const leader = region.leader === null ? "" : `, leader ${region.leader}`;
  const plan = region.plan === null ? "" : `, ${region.plan.kind} under way`;
  return `${name}${leader}, ${region.state}${plan}`;
}

/** @param {Cluster} cluster @param {string | null} selected */
function showSummary(cluster, selected) {
  const failed = cluster.regions.filter((region) => region.level === "failed").length;
  const bytes = cluster.regions.reduce((sum, region) => sum + (region.rowBytes ?? 0), 0);
  const parts = [plural(cluster.regions.length, "region"), `${size(bytes)} of rows`];
  if (failed > 0) {
    parts.push(`${count(failed)} without writes`);
  }
  const asleep = cluster.regions.filter(isAsleep).length;
  if (asleep > 0) {
    parts.push(`${count(asleep)} hibernating, which no node leads`);
  }
  const node = cluster.nodes.find((candidate) => candidate.name === selected);
  if (node !== undefined) {
    parts.push(`${node.name}: ${plural(node.replicas, "replica")}, leads ${count(node.leads)}`);
  }
  setText(byId("regions-summary"), parts.join(" · "));
}

/** @param {Cluster} cluster */
function showLegend(cluster) {
  const isLeaderless = cluster.json.leaderless === true;
  const nodes = cluster.nodes.map((node) => ({ className: `swatch ${colorClass(node.place)}`, text: node.name }));
  const marks = [
    { className: "swatch no-leader", text: "accepts no writes" },
    { className: "swatch asleep", text: "hibernates until its next use" },
    { className: "dot missing", text: "replica missing, not ready or behind" },
    { className: "dot incoming", text: "new replica" },
    { className: "sign", sign: "⇄ + − ÷ ∪", text: "move, add, remove, split, merge under way" },
  ];
  const intro = { className: "", text: isLeaderless ? "dots: replicas" : "fill: leader, dots: replicas" };
  renderList(
    byId("region-legend"),
    [intro, ...nodes, ...marks],
    (entry) => entry.text,
    (entry) => create("li", "", "", [create("span", entry.className, "sign" in entry ? String(entry.sign) : ""), create("span", "", entry.text)]),
    () => {},
  );
}

/** @param {RegionView} region @param {Cluster} cluster @param {boolean} isPinned */
function showRegion(region, cluster, isPinned) {
  const rows = shownReplicas(region).map((replica) => replicaRow(region, replica, cluster));
  const head = ["replica", "role", "applied", "durable", "rows"].map((text, column) =>
    create("th", column >= 2 ? "number" : "", text),
  );
  byId("detail").replaceChildren(
    create("h3", "", `Region ${region.id}${isPinned ? " (kept)" : ""}`),
    create("p", "keys", range(region)),
    create("p", `state level-${region.level}`, region.state),
    create("table", "", "", [
      create("thead", "", "", [create("tr", "", "", head)]),
      create("tbody", "", "", rows),
    ]),
    create("p", "note", `epoch ${region.epoch}${committedOf(region)}`),
  );
}

/** @param {RegionView} region */
function committedOf(region) {
  const committed = Math.max(-1, ...region.replicas.map((replica) => replica.committed ?? -1));
  return committed < 0 ? "" : `, committed ${count(committed)}`;
}

/** @param {RegionView} region @param {ReplicaJson} replica @param {Cluster} cluster */
function replicaRow(region, replica, cluster) {
  const name = create("td", "", "", [
    create("span", `swatch ${colorClass(cluster.places.get(replica.node) ?? -1)}`),
    create("span", "", replica.node),
  ]);
  const late = replica.behindMs === null ? "" : `, behind for ${duration(replica.behindMs)}`;
  const role = (replica === region.incoming ? `new, ${replica.role}` : replica.role) + late;
  const texts = [position(replica.applied), position(replica.durable), replica.rowBytes === null ? "–" : size(replica.rowBytes)];
  return create("tr", "", "", [name, create("td", "", role), ...texts.map((text) => create("td", "number", text))]);
}

/** @param {number | null} index */
function position(index) {
  return index === null || index < 0 ? "–" : count(index);
}
