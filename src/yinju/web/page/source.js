// A source beside the answer: its lines with what is meant marked; a page of a PDF as a picture with the words marked on it.
import { get, picture } from './api.js';
import { draw, fill, make } from './dom.js';
import { linesOf } from './lines.js';
import { addWords, number, say } from './words.js';

addWords({
  sourceOf: ['Source', '原文'],
  asPage: ['Page', '原页'],
  asText: ['Text', '文字'],
  pageOf: ['Page {page} of {source}', '{source} 第 {page} 页'],
  pageMarked: ['Page {page} of {source}, with the cited words marked', '{source} 第 {page} 页，引用处已标出'],
  pageCount: ['Page {page} of {pages}', '第 {page} 页，共 {pages} 页'],
  previousPage: ['Previous page', '上一页'],
  nextPage: ['Next page', '下一页'],
  enlarge: ['Tap for full size, and again to fit', '点按以原始大小显示，再次点按恢复'],
  moreAbove: ['Read more above ({count} lines)', '向上继续阅读（{count} 行）'],
  moreBelow: ['Read more below ({count} lines)', '向下继续阅读（{count} 行）'],
  noPicture: ['The page cannot be shown: {why} Its text is shown instead.', '无法显示页面：{why}改为显示文字。'],
});

const WIDTH = 1100; // pixels of a page's picture
const NARROW = '(max-width: 56rem)'; // as in parts.css: the source covers the page
const UNDER = '.skip, .bar, .talk';
let opened = null; // {controller, address} of what is shown

/** Close the source and give its room back. */
export function closeSource(side) {
  opened?.controller.abort();
  if (opened?.address) URL.revokeObjectURL(opened.address);
  opened = null;
  for (const element of document.querySelectorAll(UNDER)) element.inert = false;
  side.classList.add('hidden');
  fill(side);
}

/** Show the source of a citation or passage at its place. `back` gets the focus when it is closed. */
export async function openSource(side, found, asText = false, back = document.activeElement) {
  closeSource(side);
  const mine = { controller: new AbortController(), address: null, back };
  opened = mine;
  const body = make('div', { class: 'source-body', tabindex: '0', role: 'region', 'aria-label': found.source }, make('p', { class: 'dim', text: say('working') }));
  const close = make('button', { type: 'button', class: 'quiet', onclick: () => { closeSource(side); if (back?.isConnected) returnTo(back); } }, crossSign(), ` ${say('close')}`);
  side.setAttribute('aria-label', say('sourceOf'));
  side.classList.remove('hidden');
  const switches = make('div', { class: 'row' });
  const headings = (found.headings || []).join(' › ');
  fill(side, make('div', { class: 'source-head' },
    make('div', { class: 'source-title' }, make('h2', { text: found.source }), close),
    headings ? make('p', { class: 'dim small', text: headings }) : null, switches), body);
  side.onkeydown = (event) => { if (event.key === 'Escape') close.click(); };
  close.focus({ preventScroll: true });
  if (window.matchMedia(NARROW).matches) for (const element of document.querySelectorAll(UNDER)) element.inert = true;
  try {
    await showIn(body, switches, side, found, asText, mine);
  } catch (error) {
    if (error.name === 'AbortError') return;
    fill(body, make('p', { class: 'bad pad', role: 'alert', text: say('failed', { message: error.message, hint: error.hint || '' }) }));
  }
}

/** Give the focus back; where the source covered the page, what a mark shows would now cover the answer. */
function returnTo(back) {
  if (window.matchMedia(NARROW).matches) back.dataset.returned = '';
  back.focus();
  delete back.dataset.returned;
}

async function showIn(body, switches, side, found, asText, mine) {
  const [start, end] = found.span;
  const signal = mine.controller.signal;
  if (found.page) {
    fill(switches, [['asPage', false], ['asText', true]].map(([key, text]) => make('button', {
      type: 'button', text: say(key), 'aria-pressed': String(asText === text), onclick: () => openSource(side, found, text, mine.back),
    })));
    if (!asText) {
      const [{ boxes }, seen] = await Promise.all([
        get('/api/boxes', { source: found.source, start, end }, signal),
        get('/api/view', { source: found.source, start, end, around: 0 }, signal),
      ]);
      if (boxes.length) {
        try {
          await showPages(body, switches, found, boxes, seen.pages || boxes[0].page, mine);
          return;
        } catch (error) {
          if (error.name === 'AbortError') throw error;
          switches.append(make('p', { class: 'warn small', role: 'status', text: say('noPicture', { why: `${error.message} ` }) }));
        }
      }
    }
  }
  showLines(body, await get('/api/view', { source: found.source, start, end }, signal), found, signal);
}

/** Show the page of the first box, and the way to the pages before and after it. */
async function showPages(body, switches, found, boxes, pages, mine) {
  let page = boxes[0].page;
  const where = make('span', { class: 'small dim', role: 'status' });
  const turnTo = [['previousPage', -1, 'M10 2L4 8l6 6'], ['nextPage', 1, 'M6 2l6 6-6 6']].map(([key, step, path]) => make('button', {
    type: 'button', class: 'quiet', 'aria-label': say(key), title: say(key), onclick: () => turn(step),
  }, draw('svg', { viewBox: '0 0 16 16', class: 'sign', 'aria-hidden': 'true' }, draw('path', { d: path }))));

  async function show() {
    where.textContent = say('pageCount', { page: number(page), pages: number(pages) });
    turnTo[0].disabled = page <= 1;
    turnTo[1].disabled = page >= pages;
    await showPage(body, found, page, boxes.filter((one) => one.page === page).map((one) => one.box), mine);
  }

  async function turn(step) {
    page = Math.min(Math.max(page + step, 1), pages);
    try {
      await show();
    } catch (error) {
      if (error.name !== 'AbortError') fill(body, make('p', { class: 'bad pad', role: 'alert', text: say('failed', { message: error.message, hint: error.hint || '' }) }));
    }
  }

  await show();
  if (pages > 1) switches.append(make('span', { class: 'turning' }, turnTo[0], where, turnTo[1]));
}

async function showPage(body, found, page, boxes, mine) {
  const address = await picture('/api/page', { source: found.source, page, width: WIDTH }, mine.controller.signal);
  if (mine.controller.signal.aborted) {
    URL.revokeObjectURL(address);
    return;
  }
  if (mine.address) URL.revokeObjectURL(mine.address);
  mine.address = address;
  const image = make('img', { src: address, alt: say(boxes.length ? 'pageMarked' : 'pageOf', { page, source: found.source }) });
  await image.decode();
  const sheet = draw('svg', { viewBox: '0 0 1 1', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    boxes.map(([left, top, right, bottom]) => draw('rect', { x: left, y: top, width: right - left, height: bottom - top })));
  const figure = make('div', { class: 'page', title: say('enlarge'), onclick: () => enlarge(body, figure) }, image, sheet);
  fill(body, figure);
  const top = Math.min(...boxes.map((box) => box[1]));
  body.scrollTop = boxes.length ? Math.max(0, top * figure.offsetHeight - body.clientHeight / 3) : 0;
}

/** Show a page at full size around the place that was tapped, or as wide as its room again. */
function enlarge(body, figure) {
  const { width, height } = figure.getBoundingClientRect();
  const [across, down] = [body.scrollLeft / width, body.scrollTop / height];
  figure.classList.toggle('full');
  body.scrollLeft = across * figure.offsetWidth;
  body.scrollTop = down * figure.offsetHeight;
}

/** Show lines, with buttons for those before and after them. */
function showLines(body, view, found, signal) {
  const kind = /^[a-z]+$/.test(view.type) ? view.type : 'other';
  const lines = make('div', { class: `lines type-${kind}` });
  const more = (key, count, at, edge) => make('button', {
    type: 'button', class: 'more', text: say(key, { count: number(count) }), onclick: () => read(at, edge),
  });

  function paint() {
    const { lines: all } = view;
    fill(lines, view.before ? more('moreAbove', view.before, all[0].span[0] - 1, 'above') : null, linesOf(all, view.header),
      view.after ? more('moreBelow', view.after, all.at(-1).span[1] + 1, 'below') : null);
  }

  async function read(at, edge) {
    let next;
    try {
      next = await get('/api/view', { source: found.source, start: Math.max(at, 0), end: Math.max(at, 0) + 1 }, signal);
    } catch (error) {
      if (error.name !== 'AbortError') body.prepend(make('p', { class: 'bad pad', role: 'alert', text: say('failed', { message: error.message, hint: error.hint || '' }) }));
      return;
    }
    const bare = next.lines.map((line) => ({ ...line, at: null }));
    const { lines: all } = view;
    const height = body.scrollHeight;
    if (edge === 'above') {
      view = { ...view, before: next.before, header: next.header, lines: [...bare.filter((line) => line.span[0] < all[0].span[0]), ...all] };
    } else {
      view = { ...view, after: next.after, lines: [...all, ...bare.filter((line) => line.span[0] > all.at(-1).span[0])] };
    }
    paint();
    if (edge === 'above') body.scrollTop += body.scrollHeight - height;
    body.focus({ preventScroll: true });
  }

  paint();
  fill(body, lines);
  const first = lines.querySelector('mark');
  if (first) body.scrollTop += first.getBoundingClientRect().top - body.getBoundingClientRect().top - body.clientHeight / 3;
}

/** The sign of closing. */
export function crossSign() {
  return draw('svg', { viewBox: '0 0 16 16', class: 'sign', 'aria-hidden': 'true' }, draw('path', { d: 'M3 3l10 10M13 3L3 13' }));
}
