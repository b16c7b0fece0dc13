// Plots, drawn here as SVG. Each is a figure with its numbers as a table, so nothing can be learned from the picture alone.
import { draw, fill, make } from './dom.js';
import { addWords, say } from './words.js';

addWords({
  asTable: ['Numbers', '数据'],
  kindOf: ['Kind of question', '问题类别'],
  countOf: ['Questions', '题数'],
  interval: ['95 % interval', '95 % 区间'],
  evidenceRange: ['Evidence said', '给出的证据值'],
  answerableShare: ['Answerable indeed', '实际可答的比例'],
  evidenceAxis: ['evidence said', '给出的证据值'],
  answerableAxis: ['answerable indeed', '实际可答比例'],
  perfect: ['perfect', '理想'],
});

const TICKS = [0, 0.25, 0.5, 0.75, 1];
const ROW = 18; // height of one series in a group
const GAP = 14; // between groups

/** A share with two digits, a dash where there is none. */
export function share(value) {
  return value === null || value === undefined ? '–' : value.toFixed(2);
}

/** A figure with three digits. */
export function figureOf(value) {
  return value === null || value === undefined ? '–' : value.toFixed(3);
}

/** `0.61–0.83`, empty where there is no interval. */
export function range(point) {
  return point && point.low !== null && point.low !== undefined ? `${share(point.low)}–${share(point.high)}` : '';
}

/**
 * Points with intervals from 0 to 1, a row for each group and series.
 * `groups`: [{name, points: [{value, low, high, n} or null, one for each series]}]; `series`: their names.
 */
export function intervalPlot({ title, about, series, groups }) {
  const head = [say('kindOf'), ...series.flatMap((name) => [series.length > 1 ? `${title}, ${name}` : title, say('interval'), say('countOf')])];
  const rows = groups.map((group) => [group.name, ...group.points.flatMap((point) => [share(point?.value), range(point), point ? String(point.n) : ''])]);
  return figure({ title, about, series, head, rows }, (width) => intervals(width, title, series, groups));
}

/**
 * How often questions were answerable of which the evidence said so much, against the diagonal.
 * `series`: [{name, bins: [{mean, share, low, high, n, from, to}]}].
 */
export function calibrationPlot({ title, about, series }) {
  const head = [say('evidenceRange'), say('answerableShare'), say('interval'), say('countOf')];
  const rows = series.flatMap((one) => one.bins.map((bin) => [
    `${series.length > 1 ? `${one.name}: ` : ''}${share(bin.from)}–${share(bin.to)}`, share(bin.share), range(bin), String(bin.n),
  ]));
  const names = series.map((one) => one.name);
  return figure({ title, about, series: names, head, rows }, (width) => curve(width, title, series));
}

/** Bars that sum to a whole: one strip, a part for each `{name, value}`; `whole` is the longest strip's sum. */
export function strip(parts, whole) {
  let left = 0;
  const pieces = parts.map((part, index) => {
    const width = whole > 0 ? Math.max(0, part.value) / whole : 0;
    const piece = draw('rect', { class: `part part-${(part.index ?? index) % 6}`, x: left, y: 0, width, height: 1 }, draw('title', { text: `${part.name} ${share(part.value)}` }));
    left += width;
    return piece;
  });
  return draw('svg', { class: 'strip', viewBox: '0 0 1 1', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    draw('rect', { class: 'ground', x: 0, y: 0, width: 1, height: 1 }), ...pieces);
}

function figure({ title, about, series, head, rows }, picture) {
  const place = make('div', { class: 'plot' });
  const watcher = new ResizeObserver(([entry]) => {
    const width = Math.round(entry.contentRect.width);
    if (width > 0 && width !== Number(place.dataset.width)) {
      place.dataset.width = String(width);
      fill(place, picture(width));
    }
  });
  watcher.observe(place);
  return make('figure', { class: series.length > 1 ? 'figure compared' : 'figure' },
    make('figcaption', {}, make('strong', { text: title }), about ? make('span', { class: 'dim small', text: ` ${about}` }) : null),
    series.length > 1 ? legend(series) : null,
    place,
    make('details', {}, make('summary', { text: say('asTable') }), table(title, head, rows)));
}

function legend(series) {
  return make('ul', { class: 'legend small', 'aria-hidden': 'true' }, series.map((name, index) => make('li', {},
    draw('svg', { width: 14, height: 14, viewBox: '-7 -7 14 14' }, draw('circle', { class: `dot series-${index}`, r: 4.5 })), name)));
}

/** A table that scrolls on its own where it is too wide; all columns after the first are numbers. */
export function table(caption, head, rows) {
  return make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    make('table', { class: 'numbers' }, make('caption', { class: 'alone', text: caption }),
      make('thead', {}, make('tr', {}, head.map((name, index) => make('th', { scope: 'col', class: index ? 'number' : null, text: name })))),
      make('tbody', {}, rows.map((row) => make('tr', {}, row.map((cell, index) => (index
        ? make('td', { class: 'number', text: cell }) : make('th', { scope: 'row', text: cell }))))))));
}

function intervals(width, title, series, groups) {
  const label = Math.min(170, Math.max(92, width * 0.26));
  const right = 48;
  const span = Math.max(60, width - label - right);
  const at = (value) => label + value * span;
  const each = ROW * series.length + GAP;
  const height = groups.length * each + 26;
  const grid = TICKS.map((tick) => [
    draw('line', { class: 'grid', x1: at(tick), x2: at(tick), y1: 0, y2: height - 22 }),
    draw('text', { class: 'tick', x: at(tick), y: height - 6, 'text-anchor': 'middle', text: String(tick) }),
  ]);
  const rows = groups.map((group, index) => {
    const top = index * each + GAP / 2;
    return [
      draw('text', { class: 'label', x: label - 10, y: top + (ROW * series.length) / 2 + 4, 'text-anchor': 'end', text: shortened(group.name, label - 12) },
        draw('title', { text: group.name })),
      group.points.map((point, number) => (point ? whisker(point, at, top + ROW * number + ROW / 2, number, width - right + 10) : [])),
    ];
  });
  return svg(width, height, title, grid, rows);
}

function whisker(point, at, y, number, textAt) {
  const parts = [];
  if (point.low !== null && point.low !== undefined) {
    parts.push(draw('line', { class: `whisker series-${number}`, x1: at(point.low), x2: at(point.high), y1: y, y2: y }));
  }
  parts.push(draw('circle', { class: `dot series-${number}`, cx: at(point.value), cy: y, r: 4.5 }));
  parts.push(draw('text', { class: 'tick', x: textAt, y: y + 4, text: share(point.value) }));
  return parts;
}

function curve(width, title, series) {
  const size = Math.min(width, 420);
  const [left, bottom, top, right] = [46, 40, 10, 12];
  const x = (value) => left + value * (size - left - right);
  const y = (value) => size - bottom - value * (size - bottom - top);
  const grid = TICKS.map((tick) => [
    draw('line', { class: 'grid', x1: x(0), x2: x(1), y1: y(tick), y2: y(tick) }),
    draw('text', { class: 'tick', x: left - 6, y: y(tick) + 4, 'text-anchor': 'end', text: String(tick) }),
    draw('text', { class: 'tick', x: x(tick), y: size - bottom + 16, 'text-anchor': 'middle', text: String(tick) }),
  ]);
  const names = [
    draw('text', { class: 'label', x: x(0.5), y: size - 6, 'text-anchor': 'middle', text: say('evidenceAxis') }),
    draw('text', { class: 'label', transform: `translate(12 ${y(0.5)}) rotate(-90)`, 'text-anchor': 'middle', text: say('answerableAxis') }),
    draw('text', { class: 'tick', x: x(0.72), y: y(0.62), 'text-anchor': 'start', text: say('perfect') }),
  ];
  const lines = series.map((one, number) => [
    one.bins.map((bin) => (bin.low === null || bin.low === undefined ? []
      : draw('line', { class: `whisker series-${number}`, x1: x(bin.mean), x2: x(bin.mean), y1: y(bin.low), y2: y(bin.high) }))),
    draw('polyline', { class: `path series-${number}`, points: one.bins.map((bin) => `${x(bin.mean).toFixed(1)},${y(bin.share).toFixed(1)}`).join(' ') }),
    one.bins.map((bin) => draw('circle', { class: `dot series-${number}`, cx: x(bin.mean), cy: y(bin.share), r: 4.5 })),
  ]);
  return svg(size, size, title, grid, draw('line', { class: 'diagonal', x1: x(0), y1: y(0), x2: x(1), y2: y(1) }), names, lines);
}

function svg(width, height, title, ...parts) {
  return draw('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': title }, ...parts);
}

/** Cut a name to about so many pixels of the plot's small type; CJK characters take the room of two. */
function shortened(name, room) {
  let left = room / 7.2;
  let kept = '';
  for (const character of name) {
    left -= character > '\u2e7f' ? 2 : 1;
    if (left < 1) return `${kept}…`;
    kept += character;
  }
  return kept;
}
