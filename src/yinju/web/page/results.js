// One evaluation, or two beside each other: figures, plots by kind of question, calibration, failures, slowest questions.
import { make } from './dom.js';
import { calibrationPlot, figureOf, intervalPlot, range, share, table } from './plots.js';
import { addWords, number, say } from './words.js';

addWords({
  hit5: ['Found in the first 5', '前 5 名命中'],
  hit1: ['Found at rank 1', '第 1 名命中'],
  mrr: ['MRR at 10', 'MRR@10'],
  mrrAbout: ['1 / rank of the first expected passage, with 95 % intervals', '首个预期段落名次的倒数，附 95 % 区间'],
  hitAbout: ['share of questions with an expected passage among the first five, with 95 % intervals', '前五名里有预期段落的问题比例，附 95 % 区间'],
  refusalAbout: ['answered where there is an answer, refused where there is none', '该答则答、该拒则拒的比例'],
  overall: ['all questions', '全部问题'],
  noKind: ['without a kind', '未分类'],
  runNow: ['after: {label}', '之后：{label}'],
  runBefore: ['before: {label}', '之前：{label}'],
  calibration: ['Calibration', '校准'],
  calibrationAbout: ['of the questions to which the evidence gave so much, so many could be answered; off by {error} on average',
    '证据值为此数的问题中，实际可答的比例；平均偏差 {error}'],
  noCalibration: ['A calibration curve needs questions with and without an answer.', '校准曲线需要有答案和无答案的两类问题。'],
  slowest: ['Slowest questions', '最慢的问题'],
  question: ['Question', '问题'],
  searchTime: ['Search, ms', '检索（毫秒）'],
  answerTime: ['Answer, ms', '回答（毫秒）'],
  figures: ['All figures', '全部指标'],
  measure: ['Measure', '指标'],
  figureValue: ['Value', '数值'],
  changeOf: ['Change', '变化'],
  chance: ['p', 'p'],
  betterWorse: ['Better / worse', '变好 / 变差'],
  failures: ['Failures, worst first', '失败的问题（最差在前）'],
  noFailures: ['No question failed.', '没有失败的问题。'],
  lostAt: ['Lost at', '丢失于'],
  why: ['Why', '原因'],
  changedQuestions: ['Questions that changed', '有变化的问题'],
  rankOf: ['Rank', '名次'],
  gotBetter: ['better', '变好'],
  moreRows: ['{count} more', '另外 {count} 个'],
  gotWorse: ['worse', '变差'],
});

const FIRST = 10; // rows of a table of texts
const STEPS = { read: 'stepRead', cut: 'stepCut', embedded: 'stepEmbedded', found: 'stepFound', ranked: 'stepRanked', answered: 'stepAnswered' };
addWords({
  stepRead: ['Read', '读取'], stepCut: ['Cut', '切分'], stepEmbedded: ['Embedded', '向量'], stepFound: ['Searched', '检索'],
  stepRanked: ['Ranked', '排序'], stepAnswered: ['Answered', '回答'],
});

/** Everything about a run; `before` and `comparison` where there is an earlier one beside it. */
export function results(after, before, comparison) {
  const runs = before ? [before, after] : [after];
  const series = before ? [say('runBefore', { label: before.label || before.id }), say('runNow', { label: after.label || after.id })] : [after.label || after.id || say('overall')];
  return [
    comparison?.error ? make('p', { class: 'warn', role: 'status', text: say('failed', { message: comparison.error.message, hint: comparison.error.hint || '' }) }) : null,
    make('div', { class: 'plots' },
      byKind('hit@5', say('hit5'), say('hitAbout'), series, runs),
      byKind('mrr@10', say('mrr'), say('mrrAbout'), series, runs),
      byKind('refusal', say('rightly'), say('refusalAbout'), series, runs),
      calibration(series, runs)),
    comparison && !comparison.error ? [changes(comparison), changed(comparison)] : figures(after),
    failures(after), slowest(after),
  ];
}

function byKind(measure, title, about, series, runs) {
  const names = [...new Set(runs.flatMap((run) => run.kinds.map((one) => one.kind)))];
  const groups = names.map((name) => ({
    name: name || say('noKind'), points: runs.map((run) => run.kinds.find((one) => one.kind === name)?.[measure] ?? null),
  })).filter((group) => group.points.some(Boolean));
  const all = { name: say('overall'), points: runs.map((run) => run.report.measures[measure] ?? null) };
  const shown = groups.length === 1 ? [all] : [all, ...groups];
  return shown[0].points.some(Boolean) ? intervalPlot({ title, about, series, groups: shown }) : null;
}

function calibration(series, runs) {
  const lines = runs.map((run, index) => ({
    name: series[index],
    bins: run.calibration.bins.filter((bin) => bin.n > 0).map((bin) => ({
      mean: bin.evidence, share: bin.answerable, n: bin.n, from: bin.low, to: bin.high, ...named(wilson(bin.answerable * bin.n, bin.n)),
    })),
  }));
  if (!lines.some((line) => line.bins.length)) return make('p', { class: 'dim', text: say('noCalibration') });
  const error = runs.at(-1).calibration.error;
  return calibrationPlot({ title: say('calibration'), about: say('calibrationAbout', { error: share(error) }), series: lines });
}

function named([low, high]) {
  return { low, high };
}

/** Wilson's 95 % interval of a share of `n`. */
export function wilson(right, n) {
  const z = 1.959964;
  const middle = (right + (z * z) / 2) / (n + z * z);
  const half = (z / (n + z * z)) * Math.sqrt((right * (n - right)) / n + (z * z) / 4);
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

function section(title, ...content) {
  return make('section', { class: 'figures' }, make('h2', { text: title }), ...content);
}

function figures(run) {
  const rows = Object.entries(run.report.measures).map(([name, one]) => [name, figureOf(one.value), range(one), String(one.n)]);
  return section(say('figures'), table(say('figures'), [say('measure'), say('figureValue'), say('interval'), say('countOf')], rows));
}

function changes(comparison) {
  const rows = Object.entries(comparison.measures).map(([name, one]) => [
    name, figureOf(one.before), figureOf(one.after), signed(one.difference), one.low === null ? '' : `${signed(one.low)} … ${signed(one.high)}`, figureOf(one.p), `${one.better} / ${one.worse}`,
  ]);
  const head = [say('measure'), say('beforeWord'), say('afterWord'), say('changeOf'), say('interval'), say('chance'), say('betterWorse')];
  return section(say('figures'), table(say('figures'), head, rows));
}

addWords({ beforeWord: ['Before', '之前'], afterWord: ['After', '之后'] });

function signed(value) {
  return `${value > 0 ? '+' : value < 0 ? '−' : ''}${figureOf(Math.abs(value))}`;
}

function changed(comparison) {
  if (!comparison.changed.length) return null;
  const rank = (value) => (value === null || value === undefined ? '–' : String(value));
  const rows = comparison.changed.map((one) => [
    one.question, `${rank(one.ranks[0])} → ${rank(one.ranks[1])}`, say(one.better ? 'gotBetter' : 'gotWorse'),
  ]);
  return section(say('changedQuestions'), words(say('changedQuestions'), [say('question'), say('rankOf'), say('changeOf')], rows));
}

function failures(run) {
  const rows = run.report.failures.map((one) => [one.question, STEPS[one.lost] ? say(STEPS[one.lost]) : '–', one.why]);
  return section(say('failures'), rows.length ? words(say('failures'), [say('question'), say('lostAt'), say('why')], rows) : make('p', { class: 'good', text: say('noFailures') }));
}

/** A table of texts: the first rows, the others on demand. */
function words(caption, head, rows) {
  const rest = rows.slice(FIRST);
  return [texts(caption, head, rows.slice(0, FIRST)), rest.length ? make('details', {}, make('summary', { text: say('moreRows', { count: rest.length }) }), texts(caption, head, rest)) : null];
}

function texts(caption, head, rows) {
  return make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption }, make('table', { class: 'worded' }, make('caption', { class: 'alone', text: caption }),
    make('thead', {}, make('tr', {}, head.map((text) => make('th', { scope: 'col', text })))),
    make('tbody', {}, rows.map((row) => make('tr', {}, row.map((text, index) => (index ? make('td', { text }) : make('th', { scope: 'row', text }))))))));
}

function slowest(run) {
  const rows = run.slowest.map((one) => [one.question, number(one.search_ms, 1), one.answer_ms === null ? '–' : number(one.answer_ms, 1)]);
  return rows.length ? section(say('slowest'), table(say('slowest'), [say('question'), say('searchTime'), say('answerTime')], rows)) : null;
}
