// The text of an answer as elements: paragraphs, headings, lists, code, tables, strong words and marks. Nothing in it ever becomes a link, a picture
// or markup: what is not one of these few forms stays the text that it is.
import { make } from './dom.js';
import { addWords, say } from './words.js';

addWords({
  doubted: ['No passage proves this sentence.', '没有段落能证实这句话。'],
});

const MARKER = /\[(\d{1,4})\]/g;
const INLINE = /(`[^`\n]+`|\*\*[^*\n]+\*\*)/;
const HEADING = /^\s{0,3}(#{1,6})\s+(.*)$/;
const ITEM = /^(\s*)(?:[-*•]|(\d{1,3})[.)、])\s+(.*)$/;
const INDENT = 4; // blanks for each level of a list
const DEEPEST = 3;
const FENCE = /^\s*```/;
const ROW = /^\s*\|.*\|\s*$/;
const RULE = /^[\s|:-]+$/;
const END = /[。！？；\n]|[.!?;]\s/;
const DISAGREE = /^(文档说法不一致|The documents disagree)/;

/** Return the elements of this text. `markOf(number, inDoubt, before)` returns the element of a marker behind
 * the words `before`, or null; `sentences` are those of the answer. */
export function written(text, markOf, sentences = []) {
  const lines = text.split('\n');
  const starts = [];
  let at = 0;
  for (const line of lines) {
    starts.push(at);
    at += line.length + 1;
  }
  const say1 = { markOf, doubts: doubts(text, sentences) };
  return blocks(lines).map(([kind, first, last]) => block(kind, lines, starts, first, last, say1));
}

/** Split lines into blocks: kind, first and last line. */
function blocks(lines) {
  const found = [];
  let number = 0;
  while (number < lines.length) {
    const kind = kindOf(lines[number]);
    let last = number;
    if (kind === 'code') {
      last += 1;
      while (last < lines.length - 1 && !FENCE.test(lines[last])) last += 1;
      last = Math.min(last, lines.length - 1);
    } else if (kind !== 'heading') {
      while (last + 1 < lines.length && kindOf(lines[last + 1]) === kind) last += 1;
    }
    if (kind !== 'none') found.push([kind, number, last]);
    number = last + 1;
  }
  return found;
}

function kindOf(line) {
  if (!line.trim()) return 'none';
  if (FENCE.test(line)) return 'code';
  if (HEADING.test(line)) return 'heading';
  if (ROW.test(line)) return 'table';
  const item = ITEM.exec(line);
  return item ? item[2] ? 'numbers' : 'points' : 'text';
}

function block(kind, lines, starts, first, last, how) {
  const numbers = Array.from({ length: last - first + 1 }, (_, count) => first + count);
  const rest = (number, part) => inline(part, starts[number] + lines[number].length - part.length, how);
  if (kind === 'code') {
    const inner = lines.slice(first + 1, FENCE.test(lines[last]) && last > first ? last : last + 1);
    return make('pre', { class: 'code', tabindex: '0' }, make('code', { text: inner.join('\n') }));
  }
  if (kind === 'heading') {
    const said = HEADING.exec(lines[first])[2];
    return make('h3', { class: DISAGREE.test(said) ? 'disagree' : null }, rest(first, said));
  }
  if (kind === 'points' || kind === 'numbers') {
    const items = numbers.map((number) => {
      const [, blanks, count, said] = ITEM.exec(lines[number]);
      const level = Math.min(Math.floor(blanks.length / INDENT), DEEPEST);
      return make('li', { value: count || null, class: level ? `level-${level}` : null }, rest(number, said));
    });
    return make(kind === 'points' ? 'ul' : 'ol', {}, items);
  }
  if (kind === 'table') return tableOf(numbers, lines, starts, how);
  const parts = numbers.flatMap((number) => [number > first ? '\n' : '', ...inline(lines[number], starts[number], how)]);
  return make('p', {}, parts);
}

function tableOf(numbers, lines, starts, how) {
  const headed = numbers.length > 1 && RULE.test(lines[numbers[1]]);
  const rows = numbers.filter((number) => !RULE.test(lines[number]));
  return make('div', { class: 'scroll', tabindex: '0' }, make('table', {}, rows.map((number, count) => make('tr', {},
    cells(lines[number]).map(([from, to]) => make(headed && count === 0 ? 'th' : 'td', headed && count === 0 ? { scope: 'col' } : {},
      inline(lines[number].slice(from, to), starts[number] + from, how)))))));
}

/** Return the cells of a row between bars as pairs of offsets, without the space around them. */
export function cells(line) {
  const found = [];
  const bars = [...line.matchAll(/(?<!\\)\|/g)].map((match) => match.index);
  const edges = [...(line.slice(0, bars[0]).trim() ? [-1] : []), ...bars, ...(line.slice(bars.at(-1) + 1).trim() ? [line.length] : [])];
  for (let count = 0; count + 1 < edges.length; count += 1) {
    const cell = line.slice(edges[count] + 1, edges[count + 1]);
    const from = edges[count] + 1 + cell.length - cell.trimStart().length;
    found.push([from, Math.max(from, from + cell.trim().length)]);
  }
  return found;
}

/** Return text, strong words, code and marks of a part of the text that begins at `start`; words that nothing proves are underlined. */
function inline(text, start, how) {
  const found = [];
  let at = start;
  for (const piece of text.split(INLINE)) {
    if (piece.length > 2 && piece[0] === '`') found.push(make('code', { text: piece.slice(1, -1) }));
    else if (piece.length > 4 && piece.startsWith('**')) found.push(make('strong', {}, doubted(piece.slice(2, -2), at + 2, how)));
    else found.push(...doubted(piece, at, how));
    at += piece.length;
  }
  return found;
}

function doubted(text, start, how) {
  const found = [];
  let from = 0;
  for (const [first, last] of how.doubts) {
    const [low, high] = [Math.max(first - start, from), Math.min(last - start, text.length)];
    if (low >= high) continue;
    found.push(...marked(text.slice(from, low), how));
    found.push(make('span', { class: 'doubted', title: say('doubted') }, marked(text.slice(low, high), how, true)));
    from = high;
  }
  return [...found, ...marked(text.slice(from), how)];
}

function marked(text, how, inDoubt = false) {
  const found = [];
  let from = 0;
  for (const match of text.matchAll(MARKER)) {
    const element = how.markOf(Number(match[1]), inDoubt, text.slice(0, match.index).replace(MARKER, '').trim().split(END).at(-1));
    if (!element) continue;
    found.push(text.slice(from, match.index), element);
    from = match.index + match[0].length;
  }
  found.push(text.slice(from));
  return found.filter((part) => part !== '');
}

/** Return where sentences that nothing proves stand in the text: pairs of offsets in rising order. Markers may stand inside them. */
function doubts(text, sentences) {
  if (!sentences.some((one) => one.status === 'unsupported')) return [];
  const [bare, places] = without(text);
  const found = [];
  let from = 0;
  for (const sentence of sentences) {
    const [wanted] = without(sentence.text);
    const at = wanted ? bare.indexOf(wanted, from) : -1;
    if (at < 0) continue;
    if (sentence.status === 'unsupported') found.push([places[at], places[at + wanted.length - 1] + 1]);
    from = at + wanted.length;
  }
  return found;
}

/** Return a text without markers, space and signs of form, and where each of its characters stood. */
function without(text) {
  const kept = [];
  const places = [];
  for (let at = 0; at < text.length; at += 1) {
    const marker = text[at] === '[' ? /^\[\d{1,4}\]/.exec(text.slice(at, at + 6)) : null;
    if (marker) at += marker[0].length - 1;
    else if (!/[\s*`#|]/.test(text[at])) {
      kept.push(text[at]);
      places.push(at);
    }
  }
  return [kept.join(''), places];
}
