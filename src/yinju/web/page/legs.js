// What a query came through, shown: its filters and evidence, the hits with their votes, every leg's own list, the steps of an expected place.
import { make } from './dom.js';
import { share, strip } from './plots.js';
import { addWords, number, say } from './words.js';

addWords({
  evidenceIs: ['Evidence {value}: ', '证据 {value}：'],
  wouldAnswer: ['enough to answer (threshold {threshold})', '足以回答（阈值 {threshold}）'],
  wouldRefuse: ['too little, the question is refused (threshold {threshold})', '不足，将拒绝回答（阈值 {threshold}）'],
  allowed: ['{allowed} of {all} passages pass the filters', '{all} 个段落中有 {allowed} 个符合筛选'],
  noFilter: ['no filter', '无筛选'],
  filterIs: ['filter {key}: {pattern}', '筛选 {key}：{pattern}'],
  unknownWords: ['Words that stand nowhere in the library: {words}', '文档库中没有的词：{words}'],
  phraseIs: ['Word for word: {words}', '逐字包含：{words}'],
  leftOutIs: ['Left out: {words}', '排除：{words}'],
  took: ['{stage} {ms} ms', '{stage} {ms} 毫秒'],
  timeEmbed: ['vector of the question', '问题向量'],
  timeSearch: ['search', '检索'],
  timeRerank: ['reranking', '重排'],
  hits: ['Hits in their order', '命中结果'],
  noHits: ['Nothing was found.', '没有找到。'],
  rank: ['Rank', '名次'],
  passage: ['Passage', '段落'],
  votes: ['Votes', '票'],
  score: ['Score', '得分'],
  value: ['Own value', '自有分值'],
  given: ['Gives', '贡献'],
  legWords: ['Words', '词语'],
  legMeaning: ['Meaning', '语义'],
  legBigrams: ['Pairs of words', '词对'],
  legNeighbours: ['Neighbours', '相邻段落'],
  legReranker: ['Reranker', '重排模型'],
  legSecond: ['Second round', '第二轮检索'],
  legOther: ['Leg {name}', '检索路 {name}'],
  proposed: ['{count} proposed', '提出 {count} 个'],
  expectedMark: ['expected', '预期'],
  stepRead: ['Read', '读取'],
  stepCut: ['Cut', '切分'],
  stepEmbedded: ['Embedded', '向量'],
  stepFound: ['Searched', '检索'],
  stepRanked: ['Ranked', '排序'],
  stepAnswered: ['Answered', '回答'],
  stateOk: ['came through', '通过'],
  stateWeak: ['weakened', '变弱'],
  stateLost: ['lost here', '在此丢失'],
  stateUnknown: ['not tried', '未检查'],
  whereFell: ['Where {source} went', '{source} 的去向'],
  fellAt: ['Lost at: {step}', '丢失于：{step}'],
  cameThrough: ['It came through every step that was tried.', '它通过了所有检查过的步骤。'],
  before: ['First settings', '第一组设置'],
  after: ['Second settings', '第二组设置'],
  differences: ['What differs', '差异'],
  sameOrder: ['Both settings give the same passages in the same order.', '两组设置给出相同的段落和顺序。'],
  isNew: ['only here', '仅此处有'],
  isUp: ['up {count}', '升 {count}'],
  isDown: ['down {count}', '降 {count}'],
  onlyFirst: ['only in the first', '仅第一组有'],
  onlySecond: ['only in the second', '仅第二组有'],
  change: ['Change', '变化'],
  pageAt: ['{source} page {page}', '{source} 第 {page} 页'],
});

const LEGS = { lexical: 'legWords', words: 'legWords', dense: 'legMeaning', bigrams: 'legBigrams', neighbours: 'legNeighbours', rerank: 'legReranker', reranker: 'legReranker', 'second round': 'legSecond' };
const TIMES = { embed: 'timeEmbed', search: 'timeSearch', rerank: 'timeRerank' };
const STEPS = { read: 'stepRead', cut: 'stepCut', embedded: 'stepEmbedded', found: 'stepFound', ranked: 'stepRanked', answered: 'stepAnswered' };
const STATES = { ok: ['stateOk', '✓', 'good'], weak: ['stateWeak', '~', 'warn'], lost: ['stateLost', '✗', 'bad'], unknown: ['stateUnknown', '·', 'dim'] };

/** Where a row stands, in words. */
export function placeOf(row) {
  if (row.lines) return `${row.source}:${row.lines[0]}${row.lines[1] === row.lines[0] ? '' : `-${row.lines[1]}`}`;
  return row.page ? say('pageAt', { source: row.source, page: row.page }) : row.source;
}

/** What the source viewer needs of a row. */
export function asPassage(row) {
  return { source: row.source, headings: row.headings || [], page: row.page, span: row.span || [0, 1] };
}

export function legName(leg) {
  return LEGS[leg] ? say(LEGS[leg]) : say('legOther', { name: leg });
}

/** Everything about one query. */
export function explaining(found, open) {
  return [summary(found), make('div', { class: 'steps-place' }, expected(found)), hitsTable(found, open), make('div', { class: 'legs' }, found.legs.map((leg) => legTable(leg, open)))];
}

/** Two settings side by side, with what differs first. */
export function comparing(found, open) {
  const moved = found.moved.filter((one) => one.before !== one.after);
  const marks = (side) => new Map(moved.map((one) => [one.id, moveMark(one, side)]));
  return [
    make('section', { class: 'card' }, make('h2', { text: say('differences') }), moved.length ? movedTable(moved) : make('p', { role: 'status', text: say('sameOrder') })),
    make('div', { class: 'two' }, [['before', 'before'], ['after', 'after']].map(([side, key]) => make('section', { 'aria-label': say(key) },
      make('h2', { text: say(key) }), summary(found[side]), expected(found[side]), hitsTable(found[side], open, marks(side), say(key))))),
  ];
}

function summary(found) {
  const took = Object.entries(found.took_ms || {}).map(([stage, ms]) => say('took', { stage: TIMES[stage] ? say(TIMES[stage]) : stage, ms: number(ms, 1) })).join(' · ');
  const filters = found.filters.length ? found.filters.map((one) => say('filterIs', one)).join(' · ') : say('noFilter');
  return make('div', { class: 'summary' },
    make('p', {}, make('strong', { text: say('evidenceIs', { value: share(found.evidence) }) }),
      make('span', { class: found.refused ? 'warn' : 'good', text: say(found.refused ? 'wouldRefuse' : 'wouldAnswer', { threshold: share(found.refuse_below) }) })),
    make('p', { class: 'dim small', text: [filters, say('allowed', { allowed: number(found.passages.allowed), all: number(found.passages.all) }), took].filter(Boolean).join(' · ') }),
    [['unknownWords', found.unknown], ['phraseIs', found.phrases], ['leftOutIs', found.without]].filter(([, words]) => words && words.length)
      .map(([key, words]) => make('p', { class: 'small', text: say(key, { words: words.join(', ') }) })),
    (found.notices || []).map((text) => make('p', { class: 'small warn', text })));
}

/** The steps of each expected place. */
export function expected(found) {
  return (found.expected || []).map((one) => make('section', { class: 'card steps' },
    make('h2', { text: say('whereFell', { source: one.source }) }),
    make('p', { class: one.lost ? 'bad' : 'good', role: 'status', text: one.lost ? say('fellAt', { step: say(STEPS[one.lost]) }) : say('cameThrough') }),
    make('ol', {}, one.steps.map((step) => {
      const [key, sign, kind] = STATES[step.state];
      return make('li', { class: `step ${step.state}` }, make('span', { class: `sign ${kind}`, 'aria-hidden': 'true', text: sign }),
        make('strong', { text: say(STEPS[step.name]) }), ' ', make('span', { class: `${kind} small`, text: say(key) }), make('span', { class: 'why small', text: step.text }));
    })),
    one.ranks ? make('p', { class: 'dim small', text: Object.entries(one.ranks).map(([leg, rank]) => `${legName(leg)}: ${rank ?? '–'}`).join(' · ') }) : null));
}

function passageCell(row, open, mark) {
  return make('th', { scope: 'row', class: 'passage-cell' },
    make('button', { type: 'button', class: 'link', text: placeOf(row), onclick: () => open(row) }),
    row.expected ? make('span', { class: 'badge expected', text: say('expectedMark') }) : null,
    mark ? make('span', { class: `badge ${mark.kind}`, text: mark.text }) : null,
    row.headings && row.headings.length ? make('span', { class: 'dim small under', text: row.headings.join(' › ') }) : null,
    make('span', { class: 'small under cut', text: row.text }));
}

function hitsTable(found, open, marks = new Map(), of = '') {
  if (found.hits.length === 0) return make('p', { role: 'status', text: say('noHits') });
  const whole = Math.max(...found.hits.map((row) => row.score ?? row.value ?? 0), 0.0001);
  const legs = [...new Set(found.hits.flatMap((row) => (row.votes || []).map((vote) => vote.leg)))];
  return make('section', {}, make('h2', { text: say('hits') }), legend(legs),
    scrolled(of ? `${say('hits')}: ${of}` : say('hits'), [say('rank'), say('passage'), say('votes'), say('score')], found.hits.map((row) => make('tr', { class: row.expected ? 'is-expected' : null },
      make('td', { class: 'number', text: String(row.rank) }), passageCell(row, open, marks.get(row.id)),
      make('td', { class: 'votes-cell' }, strip((row.votes || []).map((vote) => ({ name: legName(vote.leg), value: vote.share, index: legs.indexOf(vote.leg) })), whole),
        make('span', { class: 'small dim', text: (row.votes || []).map((vote) => `${legName(vote.leg)} ${vote.rank ? `#${vote.rank} ` : ''}${share(vote.share)}`).join(' + ') })),
      make('td', { class: 'number', text: share(row.score ?? row.value) })))));
}

function legend(legs) {
  return make('ul', { class: 'legend small', 'aria-hidden': 'true' }, legs.map((leg, index) => make('li', {}, make('span', { class: `swatch part-${index % 6}` }), legName(leg))));
}

function legTable(leg, open) {
  const name = legName(leg.leg);
  return make('section', { class: 'leg' }, make('h2', {}, name, ' ', make('span', { class: 'dim small', text: say('proposed', { count: number(leg.proposed) }) })),
    leg.passages.length === 0 ? make('p', { class: 'dim', text: say('noHits') })
      : scrolled(name, [say('rank'), say('passage'), say('value'), say('given')], leg.passages.map((row) => make('tr', { class: row.expected ? 'is-expected' : null },
        make('td', { class: 'number', text: String(row.rank ?? '–') }), passageCell(row, open),
        make('td', { class: 'number', text: number(row.value, 3) }), make('td', { class: 'number', text: share(row.share) })))));
}

function scrolled(caption, head, rows) {
  const numbers = new Set([say('rank'), say('score'), say('value'), say('given')]);
  return make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption }, make('table', { class: 'ranked' },
    make('caption', { class: 'alone', text: caption }),
    make('thead', {}, make('tr', {}, head.map((name) => make('th', { scope: 'col', class: numbers.has(name) ? 'number' : null, text: name })))), make('tbody', {}, rows)));
}

function moveMark(one, side) {
  if (one.before === null || one.after === null) return { kind: 'new', text: say('isNew') };
  if (side === 'before') return null;
  const by = one.before - one.after;
  return by > 0 ? { kind: 'up', text: `↑ ${say('isUp', { count: by })}` } : { kind: 'down', text: `↓ ${say('isDown', { count: -by })}` };
}

function movedTable(moved) {
  const told = (one) => {
    if (one.before === null) return say('onlySecond');
    if (one.after === null) return say('onlyFirst');
    return moveMark(one, 'after').text;
  };
  const caption = say('differences');
  return make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption }, make('table', {}, make('caption', { class: 'alone', text: caption }),
    make('thead', {}, make('tr', {}, [['passage'], ['before', 'number'], ['after', 'number'], ['change']].map(([key, kind]) => make('th', { scope: 'col', class: kind || null, text: say(key) })))),
    make('tbody', {}, moved.map((one) => make('tr', {}, make('th', { scope: 'row', class: 'mono', text: placeOf(one) }),
      make('td', { class: 'number', text: String(one.before ?? '–') }), make('td', { class: 'number', text: String(one.after ?? '–') }), make('td', { text: told(one) }))))));
}
