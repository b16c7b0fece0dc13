// One answer: its sentences with their marks, its citations, the evidence, what was searched, and what a reader can do with it.
import { make, tell } from './dom.js';
import { remember } from './ask.js';
import { addWords, number, say } from './words.js';

addWords({
  verified: ['verified', '已核实'],
  moved: ['moved to its source', '已改到正确出处'],
  translated: ['other language', '跨语言'],
  unsupported: ['not proved', '未得证实'],
  citations: ['Sources of this answer', '本回答的出处'],
  evidence: ['Evidence {share}', '证据 {share}'],
  searchedAs: ['Searched as: {text}', '检索为：{text}'],
  refusedTitle: ['The documents do not say', '文档中没有说明'],
  nearest: ['Nearest passages', '最接近的段落'],
  incomplete: ['This answer was cut off.', '此回答不完整。'],
  copy: ['Copy with citations', '复制（含出处）'],
  copied: ['Copied.', '已复制。'],
  right: ['Helpful', '有帮助'],
  wrong: ['Wrong', '有错误'],
  thanks: ['Kept as a test case.', '已存为测试用例。'],
  line: ['line {lines}', '第 {lines} 行'],
  page: ['page {page}', '第 {page} 页'],
  openAt: ['Open {place}', '打开 {place}'],
  markOf: ['Source {number}: {place}, {status}', '出处 {number}：{place}，{status}'],
});

const SIGNS = { verified: '✓', moved: '↷', translated: '≈', unsupported: '✗' };
const MARKER = /\[(\d{1,4})\]/g;

/** Return where a citation or passage stands, for people. */
export function placeOf(found) {
  if (found.lines) {
    const [first, last] = found.lines;
    return `${found.source} · ${say('line', { lines: first === last ? first : `${first}–${last}` })}`;
  }
  return found.page ? `${found.source} · ${say('page', { page: found.page })}` : found.source;
}

/** Return the parts of an answer; `follow` opens a citation's source. */
export function answerBox(answer, question, follow) {
  const known = new Map(answer.citations.map((citation) => [citation.marker, citation]));
  return [
    answer.refused ? make('h3', { class: 'refused', text: say('refusedTitle') }) : null,
    make('div', { class: answer.refused ? 'said refused' : 'said' }, paragraphs(answer, known, follow)),
    answer.complete ? null : make('p', { class: 'warn', text: say('incomplete') }),
    answer.reason ? make('p', { class: 'dim', text: answer.reason }) : null,
    answer.citations.length ? citationList(answer.citations, follow) : null,
    answer.refused && answer.nearest?.length ? nearestList(answer.nearest, follow) : null,
    meter(answer),
    answer.searched_as && answer.searched_as !== question
      ? make('p', { class: 'dim small', text: say('searchedAs', { text: answer.searched_as }) }) : null,
    (answer.notices || []).map((notice) => make('p', { class: 'dim small', text: notice })),
    actions(answer, question),
  ];
}

/** Split the text into paragraphs, and each into words and marks. Sentences that are not proved are underlined. */
function paragraphs(answer, known, follow) {
  const doubted = answer.sentences.filter((one) => one.status === 'unsupported').map((one) => one.text);
  return answer.text.split(/\n{2,}/).map((text) => {
    const paragraph = make('p');
    let from = 0;
    for (const sentence of [...doubted, null]) {
      const at = sentence === null ? text.length : text.indexOf(sentence, from);
      if (at < 0) continue;
      paragraph.append(...marked(text.slice(from, at), known, follow));
      if (sentence === null) break;
      paragraph.append(make('span', { class: 'doubted', title: say('unsupported') }, marked(sentence, known, follow)));
      from = at + sentence.length;
    }
    return paragraph;
  });
}

function marked(text, known, follow) {
  const found = [];
  let from = 0;
  for (const match of text.matchAll(MARKER)) {
    const citation = known.get(Number(match[1]));
    if (!citation) continue;
    found.push(text.slice(from, match.index), mark(citation, follow));
    from = match.index + match[0].length;
  }
  found.push(text.slice(from));
  return found;
}

/** Return the mark of a citation: its number; hovering or focusing shows the passage, a click opens it. */
function mark(citation, follow) {
  const id = `tip-${Math.random().toString(36).slice(2)}`;
  const tip = make('span', { class: 'tip', role: 'tooltip', id },
    make('span', { class: 'tip-place', text: placeOf(citation) }),
    citation.headings.length ? make('span', { class: 'dim', text: citation.headings.join(' › ') }) : null,
    make('span', { class: 'tip-quote', text: citation.quote }),
    make('span', { class: `status ${citation.status}`, text: `${SIGNS[citation.status]} ${say(citation.status)}` }));
  const button = make('button', {
    type: 'button', class: `mark ${citation.status}`, text: String(citation.marker), 'aria-describedby': id,
    'aria-label': say('markOf', { number: citation.marker, place: placeOf(citation), status: say(citation.status) }),
    onclick: () => follow(citation),
    onkeydown: (event) => { if (event.key === 'Escape') event.target.blur(); },
  });
  return make('span', { class: 'marking' }, button, tip);
}

function citationList(citations, follow) {
  return make('ol', { class: 'citations', 'aria-label': say('citations') }, citations.map((citation) => make('li', {},
    make('span', { class: 'dim', text: `[${citation.marker}]` }),
    make('button', { type: 'button', class: 'link', text: placeOf(citation), onclick: () => follow(citation) }),
    make('span', { class: 'dim small', text: citation.headings.join(' › ') }),
    make('span', { class: `status ${citation.status}`, text: `${SIGNS[citation.status]} ${say(citation.status)}` }))));
}

function nearestList(hits, follow) {
  return make('div', {}, make('h3', { text: say('nearest') }), make('ul', { class: 'nearest' }, hits.map((hit) => make('li', {},
    make('button', { type: 'button', class: 'link', text: placeOf(hit), onclick: () => follow(hit) }),
    make('span', { class: 'dim small', text: hit.text.slice(0, 160) })))));
}

function meter(answer) {
  const share = number(answer.evidence, 2);
  return make('p', { class: 'row small dim' }, make('meter', {
    min: '0', max: '1', low: '0.25', high: '0.6', optimum: '1', value: String(answer.evidence), 'aria-label': say('evidence', { share }),
  }), make('span', { text: say('evidence', { share }) }));
}

function actions(answer, question) {
  const first = answer.citations[0];
  const judge = async (verdict, pressed) => {
    const about = { question, verdict };
    if (verdict === 'up' && first) Object.assign(about, { source: first.source, lines: first.lines });
    if (await remember(about)) {
      pressed.setAttribute('aria-pressed', 'true');
      tell(say('thanks'));
    }
  };
  return make('div', { class: 'row actions' },
    make('button', { type: 'button', class: 'quiet', text: say('copy'), onclick: () => copy(answer) }),
    make('button', { type: 'button', class: 'quiet', 'aria-pressed': 'false', text: `👍 ${say('right')}`, onclick: (event) => judge('up', event.currentTarget) }),
    make('button', { type: 'button', class: 'quiet', 'aria-pressed': 'false', text: `👎 ${say('wrong')}`, onclick: (event) => judge('down', event.currentTarget) }));
}

async function copy(answer) {
  const lines = answer.citations.map((one) => `[${one.marker}] ${placeOf(one)} — ${one.quote}`);
  await navigator.clipboard.writeText([answer.text, '', ...lines].join('\n').trim());
  tell(say('copied'));
}
