// A source beside the answer: its lines with what is meant marked; a page of a PDF as a picture with the words marked on it.
import { get, picture } from './api.js';
import { fill, make } from './dom.js';
import { addWords, say } from './words.js';

addWords({
  sourceOf: ['Source', '原文'],
  asPage: ['Page', '原页'],
  asText: ['Text', '文字'],
  pageOf: ['Page {page} of {source}, with the cited words marked', '{source} 第 {page} 页，引用处已标出'],
  more: ['{count} more lines', '还有 {count} 行'],
  shorter: ['The line is longer; a part of it is shown.', '此行过长，只显示一部分。'],
});

let opened = null; // {signal, address} of what is shown

/** Close the source and give its room back. */
export function closeSource(side) {
  opened?.controller.abort();
  if (opened?.address) URL.revokeObjectURL(opened.address);
  opened = null;
  side.classList.add('hidden');
  fill(side);
}

/** Show the source of a citation or passage at its place. */
export async function openSource(side, found, asText = false) {
  const back = document.activeElement;
  closeSource(side);
  const mine = { controller: new AbortController(), address: null };
  opened = mine;
  const body = make('div', { class: 'source-body' }, make('p', { class: 'dim', text: say('working') }));
  const close = make('button', {
    type: 'button', class: 'quiet', text: `✕ ${say('close')}`,
    onclick: () => { closeSource(side); if (back?.isConnected) back.focus(); },
  });
  side.setAttribute('aria-label', say('sourceOf'));
  side.classList.remove('hidden');
  const switches = make('div', { class: 'row' });
  fill(side, make('div', { class: 'source-head' },
    make('h2', { text: found.source }), make('p', { class: 'dim small', text: (found.headings || []).join(' › ') }),
    make('div', { class: 'row' }, switches, close)), body);
  side.onkeydown = (event) => { if (event.key === 'Escape') close.click(); };
  close.focus({ preventScroll: true });
  try {
    const [start, end] = found.span;
    const signal = mine.controller.signal;
    const boxes = found.page && !asText
      ? (await get('/api/boxes', { source: found.source, start, end }, signal)).boxes : [];
    if (found.page) {
      fill(switches, [['asPage', false], ['asText', true]].map(([key, text]) => make('button', {
        type: 'button', text: say(key), 'aria-pressed': String(asText === text), onclick: () => openSource(side, found, text),
      })));
    }
    if (boxes.length) await showPage(body, found, boxes, mine);
    else showLines(body, await get('/api/view', { source: found.source, start, end }, signal));
  } catch (error) {
    if (error.name === 'AbortError') return;
    fill(body, make('p', { class: 'bad', role: 'alert', text: say('failed', { message: error.message, hint: error.hint || '' }) }));
  }
}

async function showPage(body, found, boxes, mine) {
  const page = boxes[0].page;
  mine.address = await picture('/api/page', { source: found.source, page, width: 1100 }, mine.controller.signal);
  const image = make('img', { src: mine.address, alt: say('pageOf', { page, source: found.source }) });
  await image.decode();
  const sheet = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  sheet.setAttribute('viewBox', '0 0 1 1');
  sheet.setAttribute('preserveAspectRatio', 'none');
  sheet.setAttribute('aria-hidden', 'true');
  for (const { page: of, box: [left, top, right, bottom] } of boxes) {
    if (of !== page) continue;
    const word = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    for (const [key, value] of Object.entries({ x: left, y: top, width: right - left, height: bottom - top })) word.setAttribute(key, value);
    sheet.append(word);
  }
  const figure = make('div', { class: 'page' }, image, sheet);
  fill(body, figure);
  const top = Math.min(...boxes.filter((one) => one.page === page).map((one) => one.box[1]));
  body.scrollTop = Math.max(0, top * figure.offsetHeight - body.clientHeight / 3);
}

function showLines(body, view) {
  const lines = make('div', { class: `lines type-${/^[a-z]+$/.test(view.type) ? view.type : 'other'}`, tabindex: '0', role: 'region', 'aria-label': view.source });
  if (view.before) lines.append(make('p', { class: 'dim small', text: say('more', { count: view.before }) }));
  for (const line of view.lines) lines.append(lineOf(line));
  if (view.after) lines.append(make('p', { class: 'dim small', text: say('more', { count: view.after }) }));
  fill(body, lines);
  const first = lines.querySelector('mark');
  if (first) body.scrollTop = first.offsetTop - body.clientHeight / 3;
}

function lineOf(line) {
  const kind = ['heading', 'table', 'code', 'list'].includes(line.kind) ? line.kind : 'text';
  const said = make('span', { class: 'line-text', title: line.cut ? say('shorter') : null });
  const characters = Array.from(line.text);
  const [from, to] = line.at || [0, 0];
  const parts = [[0, from, false], [from, to, true], [to, characters.length, false]];
  for (const [start, end, meant] of parts) {
    if (start >= end) continue;
    const text = characters.slice(start, end).join('');
    said.append(meant ? make('mark', { text }) : text);
  }
  return make('div', { class: `line ${kind} level-${Math.min(line.level, 6)}` },
    make('span', { class: 'line-number', 'aria-hidden': 'true', text: String(line.number) }), said);
}
