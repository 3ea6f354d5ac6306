// @ts-check
// Helpers for the document. Text is set as text, never as markup.

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) {
    throw new Error(`The page has no element ${id}.`);
  }
  return element;
}

/**
 * @param {string} tag
 * @param {string} [className]
 * @param {string} [text]
 * @param {Node[]} [children]
 */
export function create(tag, className = "", text = "", children = []) {
  const element = document.createElement(tag);
  if (className !== "") {
    element.className = className;
  }
  if (text !== "") {
    element.textContent = text;
  }
  element.append(...children);
  return element;
}

/** Sets the text if it differs, so that a selection of text survives. @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** @param {Element} element @param {string} name @param {string} value */
export function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== value) {
    element.setAttribute(name, value);
  }
}

/** The colour of a node, by its place in the order of names. @param {number} place */
export function colorClass(place) {
  return place < 0 ? "node-none" : `node-${place % 8}`;
}

/**
 * Keeps the children of an element in the order of the items. An item with the same key keeps its
 * element, and with it the focus.
 *
 * @template T
 * @param {HTMLElement} parent
 * @param {T[]} items
 * @param {(item: T) => string} keyOf
 * @param {(item: T) => HTMLElement} make
 * @param {(element: HTMLElement, item: T) => void} update
 */
export function renderList(parent, items, keyOf, make, update) {
  const wanted = new Set(items.map(keyOf));
  /** @type {Map<string, HTMLElement>} */
  const former = new Map();
  for (const child of /** @type {HTMLElement[]} */ ([...parent.children])) {
    const key = child.dataset.key ?? "";
    if (wanted.has(key)) {
      former.set(key, child);
    } else {
      child.remove();
    }
  }
  let next = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    let element = former.get(key);
    if (element === undefined) {
      element = make(item);
      element.dataset.key = key;
    }
    update(element, item);
    if (element === next) {
      next = next.nextElementSibling;
    } else {
      parent.insertBefore(element, next);
    }
  }
}
