// Inspect: one query through every leg, where an expected passage fell out, and two settings beside each other.
import { post } from './api.js';
import { fill, make } from './dom.js';
import { asPassage, comparing, expected, explaining } from './legs.js';
import { closeSource, openSource } from './source.js';
import { addWords, say } from './words.js';

addWords({
  inspectLead: ['See what each way of searching proposes for a question, how their votes make the order, and where a passage is lost.',
    '查看每种检索方式为问题找到了什么、它们的票如何决定顺序，以及段落在哪一步丢失。'],
  query: ['Question or words', '问题或词语'],
  expect: ['Expected place (optional)', '预期出处（可选）'],
  expectHint: ['plans.md or plans.md:9', 'plans.md 或 plans.md:9'],
  settings: ['Settings', '设置'],
  settingsFirst: ['First settings', '第一组设置'],
  settingsSecond: ['Second settings', '第二组设置'],
  mode: ['Search', '检索方式'],
  modeHybrid: ['words and meaning', '词语与语义'],
  modeLexical: ['words only', '仅词语'],
  modeDense: ['meaning only', '仅语义'],
  limit: ['Passages', '段落数'],
  perDocument: ['Of one document at most', '每个文档最多'],
  perDocumentHint: ['empty: two; 0: all', '留空：两个；0：不限'],
  where: ['Filter', '筛选'],
  whereHint: ['source=faq/* language=zh', 'source=faq/* language=zh'],
  compareTwo: ['Compare with other settings', '与另一组设置比较'],
  look: ['Look', '查看'],
  badFilter: ['{text} is no filter: write KEY=PATTERN, several with a space between.', '“{text}”不是筛选条件：请写成 键=模式，多个以空格分隔。'],
});

const MODES = [['hybrid', 'modeHybrid'], ['lexical', 'modeLexical'], ['dense', 'modeDense']];
const kept = { query: '', expect: '', two: false, first: blank('hybrid'), second: blank('lexical'), result: null };

function blank(mode) {
  return { mode, limit: '10', per_document: '', where: '' };
}

/** Show the view; return what leaves it. */
export function show(view) {
  const here = { running: null, result: make('div', { class: 'result' }), side: make('aside', { class: 'source hidden' }), settings: make('div', { class: 'two-settings' }) };
  const go = make('button', { type: 'submit', class: 'main', text: say('look') });
  const form = make('form', { class: 'card inspect-form', onsubmit: (event) => { event.preventDefault(); look(here, go); } },
    field('query', say('query'), { required: true, maxlength: '20000' }, kept, 'query'),
    field('expect', say('expect'), { placeholder: say('expectHint'), maxlength: '4000' }, kept, 'expect'),
    here.settings,
    make('div', { class: 'row' }, go, make('label', { class: 'check' }, Object.assign(make('input', {
      type: 'checkbox', onchange: (event) => { kept.two = event.target.checked; drawSettings(here); },
    }), { checked: kept.two }), say('compareTwo'))));
  drawSettings(here);
  fill(view, make('h1', { text: say('inspect') }), make('p', { class: 'dim', text: say('inspectLead') }),
    make('div', { class: 'columns' }, make('section', {}, form, here.result), here.side));
  if (kept.result) paint(here);
  return () => {
    here.running?.abort();
    closeSource(here.side);
  };
}

function field(id, label, about, store, key) {
  const input = Object.assign(make('input', { id, ...about, oninput: (event) => { store[key] = event.target.value; } }), { value: store[key] });
  return make('div', { class: 'field' }, make('label', { for: id, text: label }), input);
}

function drawSettings(here) {
  const sets = kept.two ? [['first', say('settingsFirst')], ['second', say('settingsSecond')]] : [['first', say('settings')]];
  fill(here.settings, sets.map(([name, title]) => make('fieldset', { class: 'settings' }, make('legend', { text: title }), controls(name, kept[name]))));
}

function controls(name, set) {
  const mode = make('select', { id: `${name}-mode`, onchange: (event) => { set.mode = event.target.value; } },
    MODES.map(([value, key]) => make('option', { value, text: say(key), selected: value === set.mode })));
  return [
    make('div', { class: 'field' }, make('label', { for: `${name}-mode`, text: say('mode') }), mode),
    field(`${name}-limit`, say('limit'), { type: 'number', min: '1', max: '100' }, set, 'limit'),
    field(`${name}-per`, say('perDocument'), { type: 'number', min: '0', max: '100', placeholder: say('perDocumentHint') }, set, 'per_document'),
    field(`${name}-where`, say('where'), { placeholder: say('whereHint') }, set, 'where'),
  ];
}

/** Return the settings as the API takes them. Throws Error for a filter that is none. */
export function asked(set) {
  const where = {};
  for (const text of set.where.split(/\s+/).filter(Boolean)) {
    const at = text.indexOf('=');
    if (at < 1 || at === text.length - 1) throw new Error(say('badFilter', { text }));
    where[text.slice(0, at)] = text.slice(at + 1);
  }
  const wish = { mode: set.mode, where };
  if (set.limit !== '') wish.limit = Number(set.limit);
  if (set.per_document !== '') wish.per_document = Number(set.per_document);
  return wish;
}

async function look(here, go) {
  here.running?.abort();
  const mine = new AbortController();
  here.running = mine;
  go.disabled = true;
  fill(here.result, make('p', { class: 'dim', role: 'status', text: say('working') }));
  try {
    const query = kept.query.trim();
    const expect = kept.expect.trim() ? { expect: kept.expect.trim() } : {};
    kept.result = kept.two
      ? { two: await post('/api/compare', { query, ...expect, before: asked(kept.first), after: asked(kept.second) }, mine.signal) }
      : { one: await post('/api/explain', { query, ...expect, ...asked(kept.first) }, mine.signal) };
    if (here.result.isConnected) paint(here);
    if (kept.result.one && expect.expect) await answered(here, { question: query, ...expect, ...asked(kept.first) }, mine.signal);
  } catch (error) {
    if (error.name !== 'AbortError') fill(here.result, make('p', { class: 'bad', role: 'alert', text: say('failed', { message: error.message, hint: error.hint || '' }) }));
  } finally {
    if (here.running === mine) go.disabled = false;
  }
}

/** The last step takes an answer, which a model may need a while for: it is asked for once the rest is shown. */
async function answered(here, { question, expect, mode, where }, signal) {
  const shown = kept.result;
  const told = await post('/api/why', { question, expect, mode, where, answers: true }, signal);
  shown.one.expected = shown.one.expected.map((one, index) => ({ ...one, ...told.expected[index] }));
  if (kept.result === shown && here.result.isConnected) {
    const place = here.result.querySelector('.steps-place');
    if (place) fill(place, expected(shown.one));
  }
}

function paint(here) {
  const open = (row) => openSource(here.side, asPassage(row));
  fill(here.result, kept.result.two ? comparing(kept.result.two, open) : explaining(kept.result.one, open));
}
