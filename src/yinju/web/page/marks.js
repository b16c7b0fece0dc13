// Marks in an answer: the number of a citation, its passage on hovering or focus, and the way to its source.
import { make } from './dom.js';
import { addWords, number, say } from './words.js';

addWords({
  verified: ['verified', '已核实'],
  moved: ['moved to its source', '已改到正确出处'],
  translated: ['other language', '跨语言'],
  unsupported: ['not proved', '未得证实'],
  reworded: ['{status}, in other words', '{status}（换了说法）'],
  line: ['line {lines}', '第 {lines} 行'],
  page: ['page {page}', '第 {page} 页'],
  scoreOf: ['score {score}', '得分 {score}'],
  markOf: ['Source {number}: {place}, {status}', '出处 {number}：{place}，{status}'],
  markPending: ['Source {number}, being checked', '出处 {number}，正在核实'],
});

export const SIGNS = { verified: '✓', moved: '↷', translated: '≈', unsupported: '?' };
const GAP = 6; // pixels between a mark and what it shows, and to the edges of the window
let ids = 0;

/** Return where a citation or passage stands, for people. */
export function placeOf(found) {
  if (found.lines) {
    const [first, last] = found.lines;
    return `${found.source} · ${say('line', { lines: first === last ? first : `${first}–${last}` })}`;
  }
  return found.page ? `${found.source} · ${say('page', { page: found.page })}` : found.source;
}

/** Return the status of a citation in words: a sentence in words of its own was compared less surely than one that is quoted. */
export function wordsOf(citation) {
  const status = SIGNS[citation.status] ? citation.status : 'unsupported';
  const reworded = !citation.exact && ['verified', 'moved'].includes(status);
  return reworded ? say('reworded', { status: say(status) }) : say(status);
}

/** Return the status of a citation in words, with its sign. */
export function statusOf(citation) {
  const status = SIGNS[citation.status] ? citation.status : 'unsupported';
  return make('span', { class: `status ${status}`, text: `${SIGNS[status]} ${wordsOf(citation)}` });
}

/** Return the mark of a citation; hovering or focusing shows the passage, a click opens its source. */
export function mark(citation, follow) {
  const id = `tip-${ids += 1}`;
  const status = SIGNS[citation.status] ? citation.status : 'unsupported';
  const tip = make('span', { class: 'tip', role: 'tooltip', id },
    make('span', { class: 'tip-place', text: placeOf(citation) }),
    citation.headings.length ? make('span', { class: 'dim', text: citation.headings.join(' › ') }) : null,
    make('span', { class: 'tip-quote', text: citation.quote }),
    make('span', { class: 'row' }, statusOf(citation),
      typeof citation.score === 'number' ? make('span', { class: 'dim', text: say('scoreOf', { score: number(citation.score, 3) }) }) : null));
  const button = make('button', {
    type: 'button', class: `mark ${status}`, text: String(citation.marker), 'aria-describedby': id,
    'aria-label': say('markOf', { number: citation.marker, place: placeOf(citation), status: wordsOf(citation) }),
    onclick: () => { hide(); follow(citation); },
  });
  const show = () => {
    if ('returned' in button.dataset) return;
    tip.classList.add('shown');
    place(tip, button);
  };
  const hide = () => tip.classList.remove('shown');
  return make('span', {
    class: 'marking', onmouseenter: show, onmouseleave: hide, onfocusin: show, onfocusout: hide,
    onkeydown: (event) => { if (event.key === 'Escape') hide(); },
  }, button, tip);
}

/** Put what a mark shows above it, or below where there is no room, and always inside the window. */
function place(tip, button) {
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = tip;
  const left = Math.min(Math.max(GAP, at.left - GAP), Math.max(GAP, document.documentElement.clientWidth - width - GAP));
  const above = at.top - height - GAP;
  const top = above >= GAP ? above : Math.min(at.bottom + GAP, window.innerHeight - height - GAP);
  tip.style.left = `${left}px`;
  tip.style.top = `${Math.max(GAP, top)}px`;
}

/** Return the mark of a passage that is being checked while the answer is written. */
export function pending(marker) {
  return make('span', { class: 'mark pending', role: 'img', text: String(marker), 'aria-label': say('markPending', { number: marker }) });
}
