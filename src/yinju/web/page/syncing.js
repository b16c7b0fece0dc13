// Bring the library up to date: first what would change, then the change itself with its progress.
import { post } from './api.js';
import { fill, make } from './dom.js';
import { follow } from './jobs.js';
import { remark } from './receipt.js';
import { addWords, number, say } from './words.js';

addWords({
  plan: ['Look for changes', '检查变化'],
  planTitle: ['What a sync would do', '同步将要做的事'],
  planNothing: ['Nothing has changed: the library is up to date.', '没有变化：文档库已是最新。'],
  planAdded: ['Added', '新增'],
  planUpdated: ['Updated', '更新'],
  planRenamed: ['Renamed', '改名'],
  planRemoved: ['Removed', '删除'],
  planSkipped: ['Skipped', '跳过'],
  planKept: ['Cannot be read now, old version kept', '暂时无法读取，保留旧版'],
  filesMore: ['and {count} more', '以及另外 {count} 个'],
  renamedFrom: ['was {name}', '原名 {name}'],
  syncNow: ['Sync now', '开始同步'],
  massDelete: [
    'This sync would remove {count} files from the library, an unusual share. Is a folder missing or not mounted?',
    '这次同步会从文档库删除 {count} 个文件，比例异常。是否有文件夹缺失或未挂载？',
  ],
  massDeleteYes: ['Yes, remove them', '是的，删除它们'],
  syncDone: [
    '{added} added, {updated} updated, {renamed} renamed, {removed} removed, {skipped} skipped; {unchanged} unchanged. {seconds} s.',
    '新增 {added}，更新 {updated}，改名 {renamed}，删除 {removed}，跳过 {skipped}；{unchanged} 个无变化。用时 {seconds} 秒。',
  ],
  dismiss: ['Dismiss', '收起'],
});

const LISTED = 30;
const OF_SOME_SIZE = 20; // documents

/** The button that begins it; what follows is shown in `place`, `changed` is called when the library has changed, `known` tells what it holds. */
export function syncBox(place, signal, known, changed) {
  const state = { place, signal, known, changed };
  state.button = make('button', { type: 'button', text: say('plan'), onclick: () => showPlan(state) });
  return state.button;
}

async function run(state, wish) {
  const made = await post('/api/sync', wish, state.signal);
  return follow(made.job, state.place, state.signal);
}

async function showPlan(state) {
  await tried(state, async () => {
    fill(state.place, make('p', { role: 'status', class: 'dim', text: say('working') }));
    const plan = await run(state, { plan: true });
    fill(state.place, plan ? planBox(state, plan) : null);
    state.place.querySelector('button.main')?.focus();
  }, { plan: true });
}

async function tried(state, act, wish) {
  state.button.disabled = true;
  try {
    await act();
  } catch (error) {
    if (error.name === 'AbortError') return;
    fill(state.place, make('div', { class: 'card', role: 'alert' },
      make('p', { class: 'bad', text: say('failed', { message: error.message, hint: error.hint || '' }) }),
      error.code === 'mass-delete' ? make('button', { type: 'button', class: 'danger', text: say('massDeleteYes'), onclick: () => go(state, { ...wish, plan: false, allow_mass_delete: true }) }) : null));
  } finally {
    state.button.disabled = false;
  }
}

function planBox(state, plan) {
  const changes = plan.added + plan.updated + plan.renamed + plan.removed;
  const mass = unusual(plan);
  const dismiss = make('button', { type: 'button', class: 'quiet', text: say('dismiss'), onclick: () => { fill(state.place); state.button.focus(); } });
  return make('section', { class: 'card', 'aria-labelledby': 'plan-title' },
    make('h2', { id: 'plan-title', text: say('planTitle') }),
    changes ? null : make('p', { role: 'status', text: say('planNothing') }),
    lists(plan, state.known),
    mass ? make('p', { class: 'warn', role: 'alert', text: say('massDelete', { count: number(plan.removed) }) }) : null,
    make('div', { class: 'row' },
      changes && !mass ? make('button', { type: 'button', class: 'main', text: say('syncNow'), onclick: () => go(state, {}) }) : null,
      changes && mass ? make('button', { type: 'button', class: 'danger', text: say('massDeleteYes'), onclick: () => go(state, { allow_mass_delete: true }) }) : null,
      dismiss));
}

/** Whether the sync would be refused without a word from its user (deleting needs evidence); the server has the last word. */
function unusual(plan) {
  const size = plan.removed + plan.unchanged + plan.updated + plan.renamed;
  return size >= OF_SOME_SIZE && plan.removed * 3 > size;
}

/** The files of a plan or a report by what became of them. */
function lists(report, known) {
  const groups = new Map();
  for (const file of report.files) {
    const key = groupOf(file, known);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(file);
  }
  const order = ['planRemoved', 'planAdded', 'planUpdated', 'planRenamed', 'planKept', 'planSkipped'];
  return order.filter((key) => groups.has(key)).map((key) => fileList(say(key), groups.get(key)));
}

function groupOf(file, known) {
  if (file.outcome === 'removed') return 'planRemoved';
  if (file.outcome === 'renamed') return 'planRenamed';
  if (file.outcome === 'kept') return 'planKept';
  if (file.outcome === 'skipped' || file.outcome === 'ignored') return 'planSkipped';
  return known(file.source) ? 'planUpdated' : 'planAdded';
}

function fileList(name, files) {
  return make('details', { class: 'file-list', open: files.length <= 8 },
    make('summary', { text: `${name}: ${number(files.length)}` }),
    make('ul', { class: 'names small' }, files.slice(0, LISTED).map((file) => make('li', {},
      make('span', { class: 'mono', text: file.source }), reasonOf(file) ? make('span', { class: 'dim', text: ` ${reasonOf(file)}` }) : null,
      file.hint ? make('span', { class: 'hint', text: ` → ${file.hint}` }) : null,
      (file.warnings || []).map((warning) => make('span', { class: 'warn', text: ` ${remark(file, warning).meaning}` })))),
    files.length > LISTED ? make('li', { class: 'dim', text: say('filesMore', { count: number(files.length - LISTED) }) }) : null));
}

function reasonOf(file) {
  if (file.outcome === 'renamed') return say('renamedFrom', { name: (file.reason || '').replace(/^renamed: /, '') });
  return file.outcome === 'indexed' ? '' : file.why || file.reason || '';
}

async function go(state, wish) {
  await tried(state, async () => {
    const report = await run(state, wish);
    fill(state.place, report ? reportBox(report, state.known, () => { fill(state.place); state.button.focus(); }) : make('p', { role: 'status', text: say('cancelled') }));
    await state.changed();
  }, wish);
}

/** What a sync did. */
export function reportBox(report, known, dismissed) {
  const said = { ...report, seconds: number(report.took_s, 1) };
  return make('section', { class: 'card', role: 'status' },
    make('p', { text: say('syncDone', said) }),
    (report.notices || []).map((text) => make('p', { class: 'small warn', text })),
    lists({ files: report.files.filter((file) => file.outcome !== 'unchanged') }, known),
    make('button', { type: 'button', class: 'quiet', text: say('dismiss'), onclick: dismissed }));
}
