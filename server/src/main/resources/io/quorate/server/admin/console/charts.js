// @ts-check
// The curves of throughput and latency, drawn by uPlot.

import { byId, create, setText } from "./dom.js";
import { latency, rate } from "./format.js";

/** @typedef {import("./traffic.js").Series} Series */
/** @typedef {{label: string, color: string, dash?: number[], of: (series: Series) => (number | null)[]}} Curve */

const HEIGHT = 200;
const uPlot = /** @type {any} */ (globalThis).uPlot;

/** @type {Curve[]} */
const THROUGHPUT = [
  { label: "reads", color: "--reads", of: (series) => series.reads },
  { label: "writes", color: "--writes", of: (series) => series.writes },
  { label: "failed", color: "--failures", dash: [2, 3], of: (series) => series.failures },
];

/** @type {Curve[]} */
const LATENCY = [
  { label: "read", color: "--reads", of: (series) => series.readMean },
  { label: "read, 99 %", color: "--reads", dash: [6, 4], of: (series) => series.readP99 },
  { label: "write", color: "--writes", of: (series) => series.writeMean },
  { label: "write, 99 %", color: "--writes", dash: [6, 4], of: (series) => series.writeP99 },
];

/** From 0 on. */
const LINEAR = {
  grid: (/** @type {any} */ _, /** @type {number[]} */ lines) => lines,
  range: (/** @type {any} */ _, /** @type {number | null} */ __, /** @type {number | null} */ high) => [0, Math.max(1, high ?? 0) * 1.1],
};

/** Powers of ten of microseconds: a slow moment does not hide the others. */
const LOGARITHMIC = {
  distr: 3,
  grid: (/** @type {any} */ _, /** @type {number[]} */ lines) => lines.map((line) => (isPowerOfTen(line) ? line : null)),
  range: (/** @type {any} */ _, /** @type {number | null} */ low, /** @type {number | null} */ high) => [
    10 ** Math.floor(Math.log10(low ?? 100)),
    10 ** Math.ceil(Math.log10((high ?? 10_000) + 1)),
  ],
};

/** @param {number} value */
function isPowerOfTen(value) {
  const power = Math.log10(value);
  return Math.abs(power - Math.round(power)) < 1e-9;
}

export class Charts {
  #charts = [
    new Chart(byId("throughput"), THROUGHPUT, LINEAR, (value) => `${rate(value)}/s`),
    new Chart(byId("latency"), LATENCY, LOGARITHMIC, latency),
  ];

  /** @param {Series} series */
  show(series) {
    this.#charts.forEach((chart) => chart.show(series));
  }
}

class Chart {
  #figure;
  #curves;
  #scale;
  #text;
  /** @type {HTMLElement} */
  #plot;
  /** @type {HTMLElement[]} */
  #values = [];
  /** @type {any} */
  #uplot = null;
  /** @type {(number | null)[][]} */
  #data;

  /**
   * @param {HTMLElement} figure
   * @param {Curve[]} curves
   * @param {{grid: Function, range: Function, distr?: number}} scale of the values, for uPlot
   * @param {(value: number) => string} text
   */
  constructor(figure, curves, scale, text) {
    this.#figure = figure;
    this.#curves = curves;
    this.#scale = scale;
    this.#text = text;
    this.#data = [[], ...curves.map(() => [])];
    this.#plot = /** @type {HTMLElement} */ (figure.querySelector(".plot"));
    this.#makeLegend();
    this.#draw();
    new ResizeObserver(() => this.#uplot.setSize(this.#size())).observe(this.#plot);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
  }

  /** @param {Series} series */
  show(series) {
    this.#data = [series.times, ...this.#curves.map((curve) => curve.of(series))];
    this.#uplot.setData(this.#data);
    this.#showValues(this.#uplot.cursor.idx ?? null);
  }

  #makeLegend() {
    const legend = /** @type {HTMLElement} */ (this.#figure.querySelector(".legend"));
    for (const curve of this.#curves) {
      const line = create("span", `line ${curve.dash === undefined ? "" : "dashed"}`);
      line.style.setProperty("--line", `var(${curve.color})`);
      const value = create("output", "value", "–");
      this.#values.push(value);
      legend.append(create("li", "", "", [line, create("span", "", curve.label), value]));
    }
  }

  #size() {
    return { width: Math.max(200, this.#plot.clientWidth), height: HEIGHT };
  }

  /** Draws from the beginning: uPlot reads its colours once. */
  #draw() {
    this.#uplot?.destroy();
    const style = getComputedStyle(document.documentElement);
    /** @param {string} name */
    const color = (name) => style.getPropertyValue(name).trim();
    const axis = { stroke: color("--quiet"), grid: { stroke: color("--grid"), width: 1 }, ticks: { show: false }, font: "12px system-ui" };
    const options = {
      ...this.#size(),
      legend: { show: false },
      padding: [null, 28, null, null],
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
      scales: { y: this.#scale },
      axes: [
        { ...axis, size: 28, space: 110, values: (/** @type {any} */ _, /** @type {number[]} */ times) => times.map(minute) },
        { ...axis, size: 64, grid: { ...axis.grid, filter: this.#scale.grid }, values: (/** @type {any} */ _, /** @type {number[]} */ ticks) => ticks.map((tick) => this.#tick(tick)) },
      ],
      series: [{}, ...this.#curves.map((curve) => ({
        label: curve.label, stroke: color(curve.color), width: curve.dash === undefined ? 2 : 1.5, dash: curve.dash, points: { show: false },
      }))],
      hooks: { setCursor: [(/** @type {any} */ plot) => this.#showValues(plot.cursor.idx ?? null)] },
    };
    this.#uplot = new uPlot(options, this.#data, this.#plot);
  }

  /** The text at a line of the grid; null at those that have none. @param {number | null} value */
  #tick(value) {
    return value === null ? "" : value === 0 ? "0" : this.#text(value);
  }

  /** The values at a place, or the latest. @param {number | null} place */
  #showValues(place) {
    this.#curves.forEach((_, i) => {
      const values = this.#data[i + 1];
      const value = values[place ?? values.length - 1];
      setText(this.#values[i], value === null || value === undefined ? "–" : this.#text(value));
    });
  }
}

/** @param {number} seconds since 1970 */
function minute(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}
