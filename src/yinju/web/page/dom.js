// Elements are built, never parsed: text of documents, models and users only ever becomes text.

/** Return a new element. `about`: class, text, attributes, on* handlers; children: nodes, strings, null (left out). */
export function make(name, about = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(about)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === 'text') element.textContent = value;
    else if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

/** Return a new element of a drawing. */
export function draw(name, about = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(about)) {
    if (key === 'text') element.textContent = value;
    else if (value !== null && value !== undefined) element.setAttribute(key, String(value));
  }
  element.append(...children.flat(9).filter(Boolean));
  return element;
}

/** Put these children into the element in place of what is there. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Tell readers of the screen, and show for a moment, what happened. */
export function tell(text, kind = '') {
  const place = document.getElementById('told');
  const note = make('p', { class: `note ${kind}`, text });
  place.append(note);
  setTimeout(() => note.remove(), kind === 'bad' ? 9000 : 4000);
}
