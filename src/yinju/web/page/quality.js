// Quality: ask a file of questions, keep what came of it, and look at one run or at two beside each other.
import { get, post } from './api.js';
import { fill, make, tell } from './dom.js';
import { follow } from './jobs.js';
import { figureOf } from './plots.js';
import { results } from './results.js';
import { addWords, number, say } from './words.js';

addWords({
  qualityLead: ['Measure on your own questions: how often the right passage is found, and how far the evidence can be trusted.',
    '用自己的问题来测量：正确段落有多常被找到，证据值有多可信。'],
  newRun: ['New run', '新的评测'],
  questionsFrom: ['Questions', '问题'],
  pasted: ['pasted or from a file of mine', '粘贴或选择文件'],
  keptFile: ['{name} ({count} questions)', '{name}（{count} 题）'],
  jsonl: ['One JSON object a line', '每行一个 JSON 对象'],
  jsonlFile: ['Take a file …', '选择文件……'],
  withAnswers: ['answer too (slower)', '同时生成答案（较慢）'],
  labelOf: ['Name of the run (optional)', '评测名称（可选）'],
  runIt: ['Run', '开始评测'],
  badLine: ['Line {line} is no JSON object.', '第 {line} 行不是 JSON 对象。'],
  noQuestions: ['There are no questions yet.', '还没有问题。'],
  runs: ['Kept runs', '已保存的评测'],
  noRuns: ['No run is kept yet.', '还没有保存的评测。'],
  made: ['Made', '时间'],
  name: ['Name', '名称'],
  questions: ['Questions', '题数'],
  rightly: ['Rightly answered or refused', '作答或拒答正确'],
  showRun: ['Show', '查看'],
  asBefore: ['Compare with', '对比'],
  shownNow: ['shown', '已显示'],
  beforeNow: ['before', '对比基准'],
  stopComparing: ['Stop comparing', '停止对比'],
  notKept: ['This server is read-only: the run is shown, but not kept.', '此服务器为只读：结果只显示，不保存。'],
});

const state = { text: '', from: '', mode: 'hybrid', answers: false, label: '', after: null, before: null };
const MODES = [['hybrid', 'modeHybrid'], ['lexical', 'modeLexical'], ['dense', 'modeDense']];
addWords({ searchMode: ['Search', '检索方式'], modeHybrid: ['words and meaning', '词语与语义'], modeLexical: ['words only', '仅词语'], modeDense: ['meaning only', '仅语义'] });

/** Show the view; return what leaves it. */
export function show(view) {
  const here = {
    leaving: new AbortController(), files: [], runs: [], form: make('div'), work: make('div', { class: 'work' }), list: make('div'),
    result: make('div', { class: 'result' }),
  };
  fill(view, make('h1', { text: say('quality') }), make('p', { class: 'dim', text: say('qualityLead') }), here.form, here.work, here.list, here.result);
  start(here);
  return () => here.leaving.abort();
}

async function start(here) {
  await tried(here.work, async () => {
    const signal = here.leaving.signal;
    const [cases, kept, roots] = await Promise.all([get('/api/cases', {}, signal), get('/api/evaluations', {}, signal), get('/api/roots', {}, signal)]);
    here.files = cases.files;
    here.runs = kept.evaluations;
    here.readOnly = roots.read_only;
    drawForm(here);
    drawRuns(here);
    await drawResult(here);
  });
}

async function tried(place, act) {
  try {
    await act();
  } catch (error) {
    if (error.name === 'AbortError') return;
    fill(place, make('p', { class: 'bad', role: 'alert', text: say('failed', { message: error.message, hint: error.hint || '' }) }));
  }
}

function drawForm(here) {
  const go = make('button', { type: 'submit', class: 'main', text: say('runIt') });
  const text = Object.assign(make('textarea', {
    id: 'cases', rows: '5', class: 'mono', spellcheck: 'false', oninput: (event) => { state.text = event.target.value; },
    placeholder: '{"question": "…", "source": "plans.md", "line": 9}',
  }), { value: state.text });
  const input = make('input', { type: 'file', accept: '.jsonl,.json,.txt', class: 'alone', tabindex: '-1', 'aria-hidden': 'true', onchange: async () => { text.value = state.text = await input.files[0].text(); } });
  const paste = make('div', { class: state.from ? 'hidden' : '' }, make('label', { for: 'cases', text: say('jsonl') }), text,
    make('button', { type: 'button', class: 'quiet', text: say('jsonlFile'), onclick: () => input.click() }), input);
  const from = make('select', { id: 'from', onchange: (event) => { state.from = event.target.value; paste.classList.toggle('hidden', state.from !== ''); } },
    make('option', { value: '', text: say('pasted') }),
    here.files.map((file) => make('option', { value: file.name, text: say('keptFile', { name: file.name, count: file.questions }), selected: state.from === file.name })));
  const mode = make('select', { id: 'mode', onchange: (event) => { state.mode = event.target.value; } },
    MODES.map(([value, key]) => make('option', { value, text: say(key), selected: value === state.mode })));
  const label = Object.assign(make('input', { id: 'label', maxlength: '100', oninput: (event) => { state.label = event.target.value; } }), { value: state.label });
  const answers = Object.assign(make('input', { type: 'checkbox', onchange: (event) => { state.answers = event.target.checked; } }), { checked: state.answers });
  fill(here.form, make('details', { class: 'card', open: here.runs.length === 0 }, make('summary', {}, make('strong', { text: say('newRun') })),
    make('form', { onsubmit: (event) => { event.preventDefault(); run(here, go); } },
      make('div', { class: 'field' }, make('label', { for: 'from', text: say('questionsFrom') }), from), paste,
      make('div', { class: 'fields' },
        make('div', { class: 'field' }, make('label', { for: 'mode', text: say('searchMode') }), mode),
        make('div', { class: 'field' }, make('label', { for: 'label', text: say('labelOf') }), label)),
      make('div', { class: 'row' }, go, make('label', { class: 'check' }, answers, say('withAnswers'))),
      here.readOnly ? make('p', { class: 'small dim', text: say('notKept') }) : null)));
}

/** Return the objects of a text with one a line. Throws Error naming the first line that is none. */
export function casesOf(text) {
  const found = [];
  text.replace(/^\ufeff/, '').split('\n').forEach((line, index) => {
    if (!line.trim()) return;
    let one = null;
    try {
      one = JSON.parse(line);
    } catch { /* told below, with its number */ }
    if (one === null || typeof one !== 'object' || Array.isArray(one)) throw new Error(say('badLine', { line: index + 1 }));
    found.push(one);
  });
  if (found.length === 0) throw new Error(say('noQuestions'));
  return found;
}

async function run(here, go) {
  go.disabled = true;
  await tried(here.work, async () => {
    const wish = { mode: state.mode, answers: state.answers, ...(state.label.trim() ? { label: state.label.trim() } : {}) };
    const made = await post('/api/eval', { ...wish, ...(state.from ? { file: state.from } : { cases: casesOf(state.text) }) }, here.leaving.signal);
    const found = await follow(made.job, here.work, here.leaving.signal);
    fill(here.work, found ? null : make('p', { role: 'status', text: say('cancelled') }));
    if (!found) return;
    here.runs = (await get('/api/evaluations', {}, here.leaving.signal)).evaluations;
    const kept = here.runs.some((one) => one.id === found.id);
    if (kept) [state.before, state.after] = [state.after && here.runs.some((one) => one.id === state.after) ? state.after : null, found.id];
    drawRuns(here);
    if (kept) await drawResult(here);
    else fill(here.result, results(found, null, null));
    tell(say('runs'));
  });
  go.disabled = false;
}

function drawRuns(here) {
  const known = new Set(here.runs.map((one) => one.id));
  if (!known.has(state.after)) state.after = here.runs[0]?.id ?? null;
  if (!known.has(state.before) || state.before === state.after) state.before = null;
  const choose = (key, id) => {
    state[key] = id;
    if (state.before === state.after) state.before = null;
    drawRuns(here);
    here.list.querySelector(`[data-run="${key}-${id}"]`)?.focus();
    tried(here.result, () => drawResult(here));
  };
  fill(here.list, make('h2', { text: say('runs') }), here.runs.length === 0 ? make('p', { class: 'dim', text: say('noRuns') })
    : make('div', { class: 'scroll runs', tabindex: '0', role: 'region', 'aria-label': say('runs') }, make('table', {}, make('caption', { class: 'alone', text: say('runs') }),
      make('thead', {}, make('tr', {}, [['name'], ['made'], ['searchMode'], ['questions', 1], ['hit5', 1], ['mrr', 1], ['rightly', 1]].map(([key, right]) => make('th', { scope: 'col', class: right ? 'number' : null, text: say(key) })), make('td'))),
      make('tbody', {}, here.runs.map((one) => runRow(one, choose))))),
  state.before ? make('button', { type: 'button', class: 'quiet', text: say('stopComparing'), onclick: () => choose('before', null) }) : null);
}

function runRow(one, choose) {
  const figure = (value) => make('td', { class: 'number', text: figureOf(value) });
  const button = (key, word, now, held) => make('button', { type: 'button', 'data-run': `${key}-${one.id}`, 'aria-pressed': String(held), text: say(held ? now : word), onclick: () => choose(key, one.id) });
  return make('tr', { class: one.id === state.after ? 'is-shown' : null },
    make('th', { scope: 'row', text: one.label || one.id }), make('td', { class: 'moment', text: time(one.made) }),
    make('td', { text: say((MODES.find(([mode]) => mode === one.mode) || [null, 'modeHybrid'])[1]) }),
    make('td', { class: 'number', text: number(one.questions) }), figure(one['hit@5']), figure(one['mrr@10']), figure(one.refusal),
    make('td', { class: 'choose-run' }, button('after', 'showRun', 'shownNow', one.id === state.after),
      one.id === state.after ? null : button('before', 'asBefore', 'beforeNow', one.id === state.before)));
}

/** A moment for people: seconds since 1970, or an ISO text. */
function time(value) {
  const moment = new Date(typeof value === 'number' ? value * 1000 : value);
  if (Number.isNaN(moment.getTime())) return String(value);
  return new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' }).format(moment);
}

async function drawResult(here) {
  if (!state.after) {
    fill(here.result);
    return;
  }
  const [wantedAfter, wantedBefore] = [state.after, state.before];
  here.result.setAttribute('aria-busy', 'true');
  const signal = here.leaving.signal;
  const [after, before, comparison] = await Promise.all([
    get(`/api/evaluations/${encodeURIComponent(wantedAfter)}`, {}, signal),
    wantedBefore ? get(`/api/evaluations/${encodeURIComponent(wantedBefore)}`, {}, signal) : null,
    wantedBefore ? get('/api/comparison', { before: wantedBefore, after: wantedAfter }, signal).catch((error) => { if (error.name === 'AbortError') throw error; return { error }; }) : null,
  ]);
  if (state.after !== wantedAfter || state.before !== wantedBefore) return; // another was chosen meanwhile
  here.result.setAttribute('aria-busy', 'false');
  fill(here.result, results(after, before, comparison));
}
