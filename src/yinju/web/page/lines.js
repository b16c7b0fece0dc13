// Lines of a document: their numbers, headings, code, and the rows of tables as real tables, with what is meant marked.
import { make } from './dom.js';
import { addWords, say } from './words.js';
import { cells } from './writing.js';

addWords({
  shorterLine: ['The line is longer; a part of it is shown.', '此行过长，只显示一部分。'],
  lineNumber: ['Line', '行'],
});

const KINDS = ['heading', 'table', 'code', 'list'];
const BARS = /^\s*\|/;
const RULE = /^[\s|:-]+$/;

/** Return the elements of these lines; `header` are those of the table that they begin in. */
export function linesOf(lines, header = []) {
  const found = [];
  let rows = [...header];
  for (const line of lines) {
    if (line.kind === 'table') {
      if (line.head && rows.some((one) => !one.head)) rows = flush(rows, found);
      rows.push(line);
    } else {
      rows = flush(rows, found);
      found.push(lineOf(line));
    }
  }
  flush(rows, found);
  return found;
}

function flush(rows, found) {
  if (rows.some((row) => row.kind === 'table')) found.push(tableOf(rows));
  return [];
}

function tableOf(rows) {
  const head = rows.filter((row) => row.head && !isRule(row));
  const body = rows.filter((row) => !row.head && !isRule(row));
  return make('table', { class: 'rows' },
    head.length ? make('thead', {}, head.map((row) => rowOf(row, 'th'))) : null, make('tbody', {}, body.map((row) => rowOf(row, 'td'))));
}

function isRule(row) {
  return BARS.test(row.text) && RULE.test(row.text);
}

function rowOf(row, name) {
  return make('tr', {}, make('td', { class: 'line-number', text: String(row.number) }),
    ranges(row.text).map(([from, to]) => make(name, name === 'th' ? { scope: 'col' } : {}, marked(row, from, to))));
}

/** Return the cells of a row as pairs of offsets: between tabs, or, in Markdown, between bars. */
function ranges(text) {
  if (BARS.test(text) && !text.includes('\t')) return cells(text);
  const found = [];
  let from = 0;
  for (const cell of text.split('\t')) {
    found.push([from, from + cell.length]);
    from += cell.length + 1;
  }
  return found;
}

function lineOf(line) {
  const kind = KINDS.includes(line.kind) ? line.kind : 'text';
  const sign = kind === 'heading' ? /^#{1,6}\s+/.exec(line.text)?.[0].length ?? 0 : 0;
  const said = make('span', { class: 'line-text', title: line.cut ? say('shorterLine') : null },
    sign ? make('span', { class: 'dim' }, marked(line, 0, sign)) : null, marked(line, sign, line.text.length));
  return make('div', { class: `line ${kind} level-${Math.min(Number(line.level) || 0, 6)}` },
    make('span', { class: 'line-number', text: String(line.number) }), said);
}

/** Return a part of a line (UTF-16 offsets); `line.at` counts code points, as everything in the library does. */
function marked(line, from, to) {
  const [start, end] = (line.at || [0, 0]).map((count) => units(line.text, count));
  const parts = [[from, Math.min(start, to), false], [Math.max(from, start), Math.min(end, to), true], [Math.max(from, end), to, false]];
  const found = [];
  let at = from;
  for (const [low, high, meant] of parts) {
    if (Math.max(low, at) >= high) continue;
    const text = line.text.slice(Math.max(low, at), high);
    found.push(meant ? make('mark', { text }) : text);
    at = high;
  }
  return found;
}

function units(text, count) {
  let at = 0;
  for (let points = 0; points < count && at < text.length; points += 1) at += text.codePointAt(at) > 0xffff ? 2 : 1;
  return at;
}
