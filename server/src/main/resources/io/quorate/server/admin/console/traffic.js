// @ts-check
// The traffic of the last minutes. A node that stops responding keeps the past that was received.

/**
 * @typedef {{reads: number, writes: number, failures: number, readMeanMicros: number | null,
 *   readP99Micros: number | null, writeMeanMicros: number | null,
 *   writeP99Micros: number | null}} Point
 * @typedef {{node: string, times: number[],
 *   nodes: ({id: string} & Record<keyof Point, (number | null)[]>)[]}} TrafficJson
 * @typedef {{times: number[], reads: Values, writes: Values, failures: Values,
 *   readMean: Values, readP99: Values, writeMean: Values, writeP99: Values}} Series
 * @typedef {(number | null)[]} Values
 */

export class Traffic {
  /** @type {number[]} */
  #times = [];
  /** @type {Map<string, Map<number, Point>>} */
  #nodes = new Map();

  /** @param {TrafficJson} json */
  add(json) {
    this.#times = json.times;
    for (const node of json.nodes) {
      const points = this.#nodes.get(node.id) ?? new Map();
      this.#nodes.set(node.id, points);
      json.times.forEach((time, i) => {
        if (node.reads[i] !== null) {
          points.set(time, pointOf(node, i));
        }
      });
    }
    this.#forget(json.times[0]);
  }

  /** @param {number} before */
  #forget(before) {
    for (const [name, points] of this.#nodes) {
      for (const time of [...points.keys()].filter((time) => time < before)) {
        points.delete(time);
      }
      if (points.size === 0) {
        this.#nodes.delete(name);
      }
    }
  }

  /** The values of one node, or of all. @param {string | null} node @returns {Series} */
  series(node) {
    const shown = node === null ? [...this.#nodes.values()] : [this.#nodes.get(node) ?? new Map()];
    const points = this.#times.map((time) => shown.flatMap((one) => one.get(time) ?? []));
    return {
      times: this.#times.map((time) => time / 1000),
      reads: points.map((at) => sum(at, "reads")),
      writes: points.map((at) => sum(at, "writes")),
      failures: points.map((at) => sum(at, "failures")),
      readMean: points.map((at) => mean(at, "readMeanMicros", "reads")),
      readP99: points.map((at) => greatest(at, "readP99Micros")),
      writeMean: points.map((at) => mean(at, "writeMeanMicros", "writes")),
      writeP99: points.map((at) => greatest(at, "writeP99Micros")),
    };
  }
}

/** @param {TrafficJson["nodes"][0]} node @param {number} i @returns {Point} */
function pointOf(node, i) {
  return {
    reads: node.reads[i] ?? 0,
    writes: node.writes[i] ?? 0,
    failures: node.failures[i] ?? 0,
    readMeanMicros: node.readMeanMicros[i],
    readP99Micros: node.readP99Micros[i],
    writeMeanMicros: node.writeMeanMicros[i],
    writeP99Micros: node.writeP99Micros[i],
  };
}

/** @param {Point[]} points @param {"reads" | "writes" | "failures"} name */
function sum(points, name) {
  return points.length === 0 ? null : points.reduce((total, point) => total + point[name], 0);
}

/** @param {Point[]} points @param {"readMeanMicros" | "writeMeanMicros"} name @param {"reads" | "writes"} weight */
function mean(points, name, weight) {
  let total = 0;
  let weights = 0;
  for (const point of points) {
    total += (point[name] ?? 0) * point[weight];
    weights += point[name] === null ? 0 : point[weight];
  }
  return weights === 0 ? null : total / weights;
}

/** The 99th percentile of all is at most the greatest of those of the nodes. @param {Point[]} points @param {"readP99Micros" | "writeP99Micros"} name */
function greatest(points, name) {
  const values = points.flatMap((point) => point[name] ?? []);
  return values.length === 0 ? null : Math.max(...values);
}
