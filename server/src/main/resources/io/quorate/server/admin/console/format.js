// @ts-check
// Numbers, times and keys as text for people.

const SIZE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];
const KEY_LENGTH_MAX = 24;

/** @param {number} bytes */
export function size(bytes) {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < SIZE_UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${SIZE_UNITS[unit]}`;
}

/** @param {number} value */
export function count(value) {
  return Math.round(value).toLocaleString("en-US");
}

/** A rate such as 950, 12.3k or 1.2M. @param {number} value */
export function rate(value) {
  if (value >= 999_950) {
    return `${(value / 1e6).toFixed(1)}M`;
  }
  if (value >= 9_995) {
    return `${(value / 1e3).toFixed(1)}k`;
  }
  return value < 10 ? short(value) : count(value);
}

/** @param {number} micros */
export function latency(micros) {
  if (micros < 1000) {
    return `${Math.round(micros)} µs`;
  }
  const millis = micros / 1000;
  return millis < 1000 ? `${short(millis)} ms` : `${short(millis / 1000)} s`;
}

/** With one decimal below ten, unless that is 0. @param {number} value */
function short(value) {
  return value < 10 ? value.toFixed(1).replace(/\.0$/, "") : String(Math.round(value));
}

/** A duration in its largest unit. @param {number} millis */
export function duration(millis) {
  const seconds = Math.floor(millis / 1000);
  if (seconds < 120) {
    return `${seconds} s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) {
    return `${minutes} min`;
  }
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}

/** The time of day. @param {Date} date */
export function time(date) {
  return date.toLocaleTimeString("en-GB");
}

/** "1 region", "3 regions". @param {number} number @param {string} noun */
export function plural(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** A key, shortened in its middle. @param {string} text */
export function key(text) {
  const half = KEY_LENGTH_MAX / 2 - 1;
  return text.length <= KEY_LENGTH_MAX ? text : `${text.slice(0, half)}…${text.slice(-half)}`;
}

/** The key range of a region. @param {{id: number, start: string, end: string | null}} region */
export function range(region) {
  if (region.id === 0) {
    return "the cluster's metadata";
  }
  const start = region.start === "" ? "first key" : key(region.start);
  return `${start} … ${region.end === null ? "last key" : key(region.end)}`;
}
