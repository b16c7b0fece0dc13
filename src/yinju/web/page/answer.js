// One answer: what it says with its marks, its citations, the evidence, what was searched, and what a reader can do with it.
import { draw, make, tell } from './dom.js';
import { verdicts } from './feedback.js';
import { mark, pending, placeOf, statusOf, wordsOf } from './marks.js';
import { addWords, number, say } from './words.js';
import { written } from './writing.js';

addWords({
  citations: ['Sources of this answer', '本回答的出处'],
  moreCitations: ['{count} more sources', '另有 {count} 处出处'],
  evidence: ['Evidence {share}', '证据 {share}'],
  searchedAs: ['Searched as: {text}', '检索为：{text}'],
  refusedTitle: ['The documents do not say', '文档中没有说明'],
  nearest: ['Nearest passages', '最接近的段落'],
  incomplete: ['This answer was cut off.', '此回答不完整。'],
  copyAnswer: ['Copy with citations', '复制（含出处）'],
  copied: ['Copied.', '已复制。'],
  notCopied: ['The browser does not allow copying here.', '浏览器不允许在此复制。'],
  byExtract: ['quoted from the documents', '直接引自文档'],
  byScan: ['counted over the whole library', '在整个文档库中统计'],
  byModel: ['written by {name}', '由 {name} 撰写'],
  lookingFurther: ['Looking further …', '正在深入查找……'],
  toolSearch: ['searched', '检索'],
  toolContext: ['searched', '检索'],
  toolRead: ['read', '阅读'],
  toolOutline: ['looked at the outline', '查看目录'],
  toolGrep: ['looked for words', '查找词句'],
  toolSources: ['listed the sources', '列出来源'],
  toolVerify: ['checked a quotation', '核对引文'],
  toolAnswer: ['came to an end', '收尾'],
  stepsTaken: ['How this was looked up: {count} steps', '查找过程：{count} 步'],
});

const TOOLS = {
  search: 'toolSearch', context: 'toolContext', read: 'toolRead', outline: 'toolOutline', grep: 'toolGrep', list_sources: 'toolSources',
  verify_quote: 'toolVerify', answer: 'toolAnswer',
};
const SHOWN = 5; // citations that are seen at once

/** Return an answer as the page keeps it: with the scores of its passages beside its citations, and without their texts. */
export function slim(answer) {
  const scores = new Map((answer.context?.passages || []).map((passage) => [passage.marker, passage.hit.score]));
  const citations = answer.citations.map((one) => ({ ...one, score: scores.get(one.marker) ?? null }));
  const nearest = (answer.nearest || []).slice(0, SHOWN).map(({ source, headings, lines, page, span, text }) => ({
    source, headings, lines, page, span, text: shortened(text),
  }));
  return { ...answer, citations, nearest, context: null };
}

function shortened(text) {
  const letters = Array.from(text);
  return letters.length > 200 ? `${letters.slice(0, 200).join('')}…` : text;
}

/** Return the parts of an answer; `follow` opens a citation's source; `turn` is the question with what was thought of its answer. */
export function answerBox(answer, turn, follow) {
  const markOf = (count, inDoubt = false, before = '') => {
    const citation = citationOf(answer.citations, count, inDoubt, before);
    return citation ? mark(citation, follow) : null;
  };
  const doubted = answer.sentences.some((one) => one.status === 'unsupported');
  const plain = answer.refused && bare(answer.text) === say('refusedTitle');
  return [
    answer.refused ? make('h3', { class: 'refused', text: say('refusedTitle') }) : null,
    answer.failure ? noticeList(answer.notices, 'warn') : null,
    plain ? null : make('div', { class: answer.refused ? 'said refused' : 'said' }, written(answer.text, markOf, answer.sentences)),
    answer.complete ? null : make('p', { class: 'warn', text: say('incomplete') }),
    answer.reason && answer.reason !== answer.text ? make('p', { class: 'dim', text: answer.reason }) : null,
    answer.citations.length ? citationLists(answer.citations, follow) : null,
    answer.refused && answer.nearest.length ? nearestList(answer.nearest, follow) : null,
    answer.steps?.length ? stepList(answer.steps, markOf) : null,
    answer.model === 'small-talk' ? null : meter(answer),
    answer.searched_beside || (answer.searched_as && answer.searched_as !== turn.question)
      ? make('p', { class: 'dim small', text: say('searchedAs', { text: [answer.searched_as, answer.searched_beside].filter(Boolean).join(' + ') }) }) : null,
    answer.failure ? null : noticeList(answer.notices, doubted ? 'doubt' : 'dim'),
    make('div', { class: 'row actions' },
      make('button', { type: 'button', class: 'quiet', onclick: () => copy(answer) }, copySign(), ` ${say('copyAnswer')}`),
      verdicts(answer, turn)),
  ];
}

/** Return the text of an answer that is still being written, with the marks that are known already. */
export function coming(text, citations, follow) {
  const known = new Map(citations.map((citation) => [citation.marker, citation]));
  const shown = text.replace(/\[\d{0,4}$/, ''); // half a mark is no text
  return make('div', { class: 'said coming' }, written(shown, (count) => (known.has(count) ? mark(known.get(count), follow) : pending(count))));
}

/** Return an answer with its citations as plain text. */
export function asText(answer) {
  const lines = answer.citations.map((one) => `[${one.marker}] ${placeOf(one)}${one.headings.length ? ` (${one.headings.join(' › ')})` : ''} — ${one.quote.replace(/\s+/g, ' ')} (${wordsOf(one)})`);
  return [answer.text, answer.reason && answer.reason !== answer.text ? answer.reason : '', '', ...lines].join('\n').replace(/\n{3,}/g, '\n\n').trim();
}

/** Return the citation that a marker stands for: one passage may prove one sentence, and be cited in vain for another. */
function citationOf(citations, marker, inDoubt, before) {
  const all = citations.filter((one) => one.marker === marker);
  const fitting = all.filter((one) => (one.status === 'unsupported') === inDoubt);
  const words = pairs(before);
  const near = (one) => [...pairs(one.quote)].filter((pair) => words.has(pair)).length;
  return (fitting.length ? fitting : all).reduce((best, one) => (best === null || near(one) > near(best) ? one : best), null);
}

function pairs(text) {
  const letters = Array.from(text.toLowerCase().replace(/[\s\p{P}]/gu, ''));
  return new Set(letters.map((letter, at) => letter + (letters[at + 1] ?? '')));
}

function bare(text) {
  return text.trim().replace(/[.。]$/, '');
}

function noticeList(notices, kind) {
  if (!notices?.length) return null;
  if (kind !== 'warn') return notices.map((text) => make('p', { class: kind === 'doubt' ? 'warn small' : 'dim small', text }));
  return make('div', { class: 'notice', role: 'note' }, notices.map((text) => make('p', { text })));
}

function citationLists(citations, follow) {
  const rest = citations.slice(SHOWN);
  const all = [citationList(rest.length > 1 ? citations.slice(0, SHOWN) : citations, follow)];
  if (rest.length > 1) all.push(make('details', { class: 'folded' }, make('summary', { text: say('moreCitations', { count: rest.length }) }), citationList(rest, follow)));
  return all;
}

function citationList(citations, follow) {
  const first = citations.filter((one, at) => citations.findIndex((other) => other.marker === one.marker) === at);
  const ordered = first.flatMap((one) => citations.filter((other) => other.marker === one.marker));
  return make('ol', { class: 'citations', 'aria-label': say('citations') }, ordered.map((citation) => make('li', { class: first.includes(citation) ? null : 'further' },
    first.includes(citation) ? make('span', { class: 'dim', text: `[${citation.marker}]` }) : null,
    make('button', { type: 'button', class: 'link', text: placeOf(citation), onclick: () => follow(citation) }),
    citation.headings.length ? make('span', { class: 'dim small', text: citation.headings.join(' › ') }) : null,
    statusOf(citation))));
}

function nearestList(hits, follow) {
  return make('section', {}, make('h4', { text: say('nearest') }), make('ul', { class: 'nearest' }, hits.map((hit) => make('li', {},
    make('button', { type: 'button', class: 'link', text: placeOf(hit), onclick: () => follow(hit) }),
    make('span', { class: 'dim small beginning', text: hit.text })))));
}

function stepList(steps, markOf) {
  return make('details', { class: 'folded' }, make('summary', { text: say('stepsTaken', { count: steps.length }) }),
    make('ol', { class: 'looked' }, steps.map((step) => stepItem(step, markOf))));
}

function stepItem(step, markOf = () => null) {
  return make('li', {}, make('strong', { text: TOOLS[step.tool] ? say(TOOLS[step.tool]) : step.tool }), ' ',
    step.arguments ? make('code', { text: step.arguments }) : null,
    make('span', { class: 'dim small' }, ` ${step.outcome} `, step.markers.map((count) => markOf(count))));
}

/** Return what an agent has done so far, and whether it goes on. */
export function looking(steps, goesOn) {
  if (!steps?.length) return null;
  return make('div', { class: 'looking' }, make('ol', { class: 'looked' }, steps.map((step) => stepItem(step))),
    goesOn ? make('p', { class: 'dim', text: say('lookingFurther') }) : null);
}

function meter(answer) {
  const share = number(answer.evidence, 2);
  const by = answer.model === 'extractive' ? say('byExtract') : answer.model === 'scan' ? say('byScan') : say('byModel', { name: answer.model });
  return make('p', { class: 'row small dim' }, make('meter', {
    min: '0', max: '1', low: '0.25', high: '0.6', optimum: '1', value: String(answer.evidence), 'aria-label': say('evidence', { share }),
  }), make('span', { text: say('evidence', { share }) }), answer.refused ? null : make('span', { text: by }));
}

function copySign() {
  return draw('svg', { viewBox: '0 0 16 16', class: 'sign', 'aria-hidden': 'true' },
    draw('rect', { x: 5.5, y: 5.5, width: 8, height: 9, rx: 1.5 }), draw('path', { d: 'M3 11.5H2.5v-10h8V2' }));
}

async function copy(answer) {
  try {
    await navigator.clipboard.writeText(asText(answer));
    tell(say('copied'));
  } catch {
    tell(say('notCopied'), 'bad'); // over http, other than on this machine, browsers keep the clipboard to themselves
  }
}
