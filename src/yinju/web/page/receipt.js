// What became of one file, as an account that can be added up, with what is odd and what to do about it.
import { get } from './api.js';
import { fill, make } from './dom.js';
import { closeSource, crossSign, openSource } from './source.js';
import { addWords, number, say } from './words.js';

addWords({
  indexed: ['indexed', '已收录'],
  skipped: ['skipped', '已跳过'],
  kept: ['old version kept', '保留旧版'],
  ignored: ['ignored', '已忽略'],
  renamed: ['renamed', '改名'],
  removedState: ['removed', '已移除'],
  unchanged: ['unchanged', '无变化'],
  receipt: ['Receipt', '收录凭据'],
  foundCharacters: ['characters found in the file', '文件中的字数'],
  keptCharacters: ['kept in the text', '保留为文本'],
  coveredCharacters: ['of these in passages', '其中在段落里'],
  leftOut: ['left out: {what}', '略去：{what}'],
  addedCharacters: ['added: {what}', '补充：{what}'],
  balanced: ['The account balances: nothing was lost.', '收支相符：没有遗漏。'],
  unbalanced: ['The account does not balance by {count}.', '收支相差 {count}。'],
  pagesOf: ['pages', '页数'],
  pagesState: ['pages, {state}', '页：{state}'],
  pageText: ['text', '有文字'],
  pageOcr: ['recognised (OCR)', '文字识别'],
  pageBlank: ['blank', '空白'],
  pageScanned: ['pictures only', '只有图片'],
  pageGarbled: ['cannot be decoded', '无法解码'],
  pageUnreadable: ['unreadable', '无法读取'],
  tablesOf: ['tables', '表格'],
  tablesHeader: ['{count}, {without} without a header', '{count}，其中 {without} 个没有表头'],
  picturesOf: ['pictures passed over', '略过的图片'],
  readBy: ['read by', '读取程序'],
  passagesOf: ['passages', '段落'],
  withVectors: ['{count}, {embedded} with a vector', '{count}，{embedded} 个有向量'],
  whySkipped: ['Why', '原因'],
  openText: ['Open', '打开'],
  backToReceipt: ['Receipt', '凭据'],
});

const PAGES = { text: 'pageText', ocr: 'pageOcr', blank: 'pageBlank', scanned: 'pageScanned', garbled: 'pageGarbled', unreadable: 'pageUnreadable' };
const STATES = { indexed: 'indexed', skipped: 'skipped', kept: 'kept', ignored: 'ignored', renamed: 'renamed', removed: 'removedState', unchanged: 'unchanged' };

/** What became of a file, in a word. */
export function stateName(state) {
  return STATES[state] ? say(STATES[state]) : state;
}

/** What a warning of a file means: the server's remark on it, else the code itself. */
export function remark(about, warning) {
  const [code, ...rest] = warning.split(': ');
  const known = (about.remarks || []).find((one) => one.code === code && (one.detail || '') === rest.join(': ')) || (about.remarks || []).find((one) => one.code === code);
  return known || { code, detail: rest.join(': '), meaning: code.replaceAll('-', ' '), hint: null };
}

/** Close the panel. */
export function closeReceipt(side) {
  closeSource(side);
}

/** Show the receipt of a file in the panel. */
export async function openReceipt(side, about) {
  const back = document.activeElement;
  closeSource(side);
  side.classList.remove('hidden');
  side.setAttribute('aria-label', say('receipt'));
  const close = make('button', {
    type: 'button', class: 'quiet', onclick: () => { closeSource(side); if (back?.isConnected) back.focus(); },
  }, crossSign(), ` ${say('close')}`);
  const body = make('div', { class: 'source-body account' }, make('p', { class: 'dim', text: say('working') }));
  fill(side, make('div', { class: 'source-head' }, make('div', { class: 'source-title' }, make('h2', { text: about.source }), close),
    about.title ? make('p', { class: 'dim small', text: about.title }) : null,
    about.state === 'skipped' ? null : make('div', { class: 'row' }, make('button', { type: 'button', text: say('openText'), onclick: () => openText(side, about) }))), body);
  side.onkeydown = (event) => { if (event.key === 'Escape') close.click(); };
  close.focus({ preventScroll: true });
  try {
    const found = await get('/api/receipt', { source: about.source });
    fill(body, account({ ...about, ...found, state: about.state }));
  } catch (error) {
    fill(body, make('p', { class: 'bad', role: 'alert', text: say('failed', { message: error.message, hint: error.hint || '' }) }));
  }
}

/** The source itself, in the same panel. */
export function openText(side, about) {
  return openSource(side, { source: about.source, headings: [], page: about.type === 'pdf' ? 1 : null, span: about.type === 'pdf' ? [0, 1] : [0, 0] }, true);
}

function account(about) {
  const parts = [make('p', {}, make('span', { class: `state ${about.state}`, text: stateName(about.state) }))];
  if (about.reason) parts.push(make('p', {}, make('strong', { text: `${say('whySkipped')}: ` }), about.why || about.reason));
  if (about.hint) parts.push(make('p', { class: 'hint', text: `→ ${about.hint}` }));
  if (about.state !== 'skipped') parts.push(sums(about), facts(about));
  if (about.warnings.length) {
    parts.push(make('h3', { text: say('warnings') }), make('ul', { class: 'remarks' }, about.warnings.map((warning) => {
      const said = remark(about, warning);
      return make('li', {}, make('span', { class: 'warn', text: said.meaning }), said.detail ? `: ${said.detail}` : '',
        said.hint ? make('p', { class: 'hint small', text: `→ ${said.hint}` }) : null);
    })));
  }
  return parts;
}

function sums(about) {
  const line = (name, count, kind = '') => make('tr', { class: kind || null }, make('th', { scope: 'row', text: name }), make('td', { class: 'number', text: number(count) }));
  const apart = about.found - about.characters - about.dropped.reduce((all, one) => all + one.characters, 0);
  const uncovered = about.characters - about.covered;
  const off = apart || uncovered;
  return [
    make('table', { class: 'sums' }, make('caption', { class: 'alone', text: say('receipt') }), make('tbody', {},
      line(say('foundCharacters'), about.found, 'whole'),
      about.dropped.map((one) => line(one.characters < 0 ? say('addedCharacters', { what: one.name || one.what }) : say('leftOut', { what: one.name || one.what }), -one.characters)),
      line(say('keptCharacters'), about.characters, 'whole'),
      line(say('coveredCharacters'), about.covered))),
    make('p', { class: `small ${off ? 'bad' : 'good'}`, text: off ? say('unbalanced', { count: number(Math.abs(off)) }) : say('balanced') }),
  ];
}

function facts(about) {
  const told = [];
  if (about.pages !== null && about.pages !== undefined) told.push([say('pagesOf'), number(about.pages)]);
  for (const [state, pages] of Object.entries(about.page_states || {})) told.push([say('pagesState', { state: PAGES[state] ? say(PAGES[state]) : state }), pages]);
  if (about.tables) told.push([say('tablesOf'), about.tables_without_header ? say('tablesHeader', { count: number(about.tables), without: number(about.tables_without_header) }) : number(about.tables)]);
  if (about.images) told.push([say('picturesOf'), number(about.images)]);
  told.push([say('passagesOf'), say('withVectors', { count: number(about.chunks), embedded: number(about.embedded) })]);
  if (about.parser) told.push([say('readBy'), about.parser]);
  return make('dl', { class: 'facts small' }, told.flatMap(([name, value]) => [make('dt', { text: name }), make('dd', { text: value })]));
}
