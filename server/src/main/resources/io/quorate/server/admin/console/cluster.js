// @ts-check
// What the page shows, derived from the JSON of /api/cluster. Without side effects.

import { duration } from "./format.js";

/**
 * @typedef {{id: string | null, address: string, labels: string[], up: boolean,
 *   joinState: string | null, draining: boolean, problem: string | null, version: string | null,
 *   uptimeMs: number | null, acceptsWrites: boolean | null, refusal: string | null,
 *   storageFailures: string[], device?: Device | null}} NodeJson
 * @typedef {{writeBytesPerSecond?: number | null, kvSpeed?: number | null,
 *   capacityBytes?: number | null, usedBytes?: number | null, slow?: boolean}} Device
 * @typedef {{node: string, role: string, committed: number | null, applied: number | null,
 *   durable: number | null, rowBytes: number | null, leader: string | null,
 *   problem: string | null, behindMs: number | null}} ReplicaJson
 * @typedef {{kind: string, from?: string | null, to?: string | null, at?: string,
 *   child?: number, absorbed?: number, into?: number}} Plan
 * @typedef {{id: number, epoch: number, start: string, end: string | null, leader: string | null,
 *   noWrites: string | null, members: string[], plan: Plan | null, incoming: ReplicaJson | null,
 *   replicas: ReplicaJson[]}} RegionJson
 * @typedef {{time: number | string, kind: string, region: number | null, from?: string | null,
 *   to?: string | null, reason: string, outcome?: string | null}} Decision
 * @typedef {{health: {level: string, problems: string[]}, cluster: string | null,
 *   preset: string | null, settings: Record<string, string> | null, leaderless: boolean | null,
 *   nodes: NodeJson[], regions: RegionJson[], decisions?: Decision[]}} ClusterJson
 *
 * @typedef {NodeJson & {name: string, place: number, leads: number, replicas: number,
 *   hasMetadata: boolean, rowBytes: number, behindMs: number | null}} NodeView
 * @typedef {"ok" | "warning" | "failed"} Level
 * @typedef {RegionJson & {state: string, level: Level, rowBytes: number | null}} RegionView
 * @typedef {{json: ClusterJson, nodes: NodeView[], places: Map<string, number>,
 *   regions: RegionView[], metadata: RegionView | null, changes: RegionView[]}} Cluster
 */

const METADATA_REGION = 0;
const WELL_ROLES = new Set(["leader", "follower", "ready", "hibernating"]);
const ENCODER = new TextEncoder();

/** @param {ClusterJson} json @returns {Cluster} */
export function clusterOf(json) {
  const names = json.nodes.map(nameOf);
  const places = new Map(names.map((name, place) => [name, place]));
  const all = json.regions.map(regionOf);
  return {
    json,
    places,
    nodes: json.nodes.map((node, place) => nodeOf(node, place, all)),
    regions: inKeyOrder(all.filter((region) => region.id !== METADATA_REGION)),
    metadata: all.find((region) => region.id === METADATA_REGION) ?? null,
    changes: all.filter((region) => region.plan !== null),
  };
}

/** @param {NodeJson} node */
function nameOf(node) {
  return node.id ?? node.address;
}

/** @param {NodeJson} node @param {number} place @param {RegionView[]} regions @returns {NodeView} */
function nodeOf(node, place, regions) {
  const name = nameOf(node);
  const view = { ...node, name, place, leads: 0, replicas: 0, hasMetadata: false, rowBytes: 0, behindMs: null };
  for (const region of regions) {
    const replica = region.replicas.find((candidate) => candidate.node === name);
    if (replica === undefined) {
      continue;
    }
    view.rowBytes += replica.rowBytes ?? 0;
    if (replica.behindMs !== null) {
      view.behindMs = Math.max(view.behindMs ?? 0, replica.behindMs);
    }
    if (region.id === METADATA_REGION) {
      view.hasMetadata = true;
    } else {
      view.replicas++;
      view.leads += replica.role === "leader" ? 1 : 0;
    }
  }
  return view;
}

/** @param {RegionJson} region @returns {RegionView} */
function regionOf(region) {
  const sizes = region.replicas.flatMap((replica) => replica.rowBytes ?? []);
  const [level, state] = stateOf(region);
  return { ...region, level, state, rowBytes: sizes.length === 0 ? null : Math.max(...sizes) };
}

/** Whether it accepts writes is what the status says. @param {RegionJson} region @returns {[Level, string]} */
function stateOf(region) {
  if (region.noWrites !== null) {
    return ["failed", `no writes: ${region.noWrites}`];
  }
  const ailing = region.replicas.flatMap((replica) => {
    const ailment = ailmentOf(region, replica);
    return ailment === null ? [] : [`${replica.node} ${ailment}`];
  });
  if (ailing.length > 0) {
    return ["warning", `serving; the replica on ${ailing.join(", the one on ")}`];
  }
  const isAsleep = region.replicas.every((replica) => replica.role === "hibernating");
  return ["ok", isAsleep ? "hibernating until its next use" : "serving"];
}

/** What is wrong with a replica, after its name; null if nothing is. @param {RegionJson} region @param {ReplicaJson} replica */
export function ailmentOf(region, replica) {
  if (!WELL_ROLES.has(replica.role)) {
    return `is ${replica.role}`;
  }
  if (replica.problem !== null) {
    return replica.problem;
  }
  if (region.noWrites === null && replica.role === "follower" && replica.leader === null) {
    return "knows no leader";
  }
  return replica.behindMs === null ? null : `is behind for ${duration(replica.behindMs)}`;
}

/** @param {RegionView[]} regions */
function inKeyOrder(regions) {
  return regions
    .map((region) => ({ region, start: keyBytes(region.start) }))
    .sort((one, other) => compareBytes(one.start, other.start))
    .map((entry) => entry.region);
}

/** The bytes of a key, in which \xNN is a byte that is not text, and \\ a backslash. @param {string} text */
export function keyBytes(text) {
  /** @type {number[]} */
  const bytes = [];
  const parts = text.matchAll(/\\x([0-9a-f]{2})|\\\\|[^\\]+/g);
  for (const [part, hex] of parts) {
    if (hex !== undefined) {
      bytes.push(parseInt(hex, 16));
    } else {
      bytes.push(...ENCODER.encode(part === "\\\\" ? "\\" : part));
    }
  }
  return bytes;
}

/** @param {number[]} one @param {number[]} other */
function compareBytes(one, other) {
  for (let i = 0; i < Math.min(one.length, other.length); i++) {
    if (one[i] !== other[i]) {
      return one[i] - other[i];
    }
  }
  return one.length - other.length;
}

/** The latest decision that explains what is planned for a region; those with an outcome do not. @param {Cluster} cluster @param {RegionView} region */
export function reasonOf(cluster, region) {
  const decisions = cluster.json.decisions ?? [];
  const fitting = decisions.filter(
    (decision) =>
      decision.region === region.id &&
      (decision.to ?? null) === (region.plan?.to ?? null) &&
      (decision.outcome ?? null) === null,
  );
  return fitting.at(-1)?.reason ?? null;
}

/** How much of a new replica is there, 0 to 1; null if that is not known. @param {RegionView} region */
export function progressOf(region) {
  const target = Math.max(-1, ...region.replicas.map((replica) => replica.committed ?? -1));
  if (region.incoming === null || target < 0) {
    return null;
  }
  return Math.min(1, Math.max(0, ((region.incoming.applied ?? -1) + 1) / (target + 1)));
}
