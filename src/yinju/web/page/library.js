// Library: what was read, what was not and why; bring it up to date, add files, remove some.
import { get, post, upload } from './api.js';
import { fill, make, tell } from './dom.js';
import { follow } from './jobs.js';
import { closeReceipt, openReceipt, remark, stateName } from './receipt.js';
import { reportBox, syncBox } from './syncing.js';
import { changesBox, heldBadge } from './undo.js';
import { addWords, number, say } from './words.js';

addWords({
  libraryLead: ['{documents} documents, {chunks} passages', '{documents} 个文档，{chunks} 个段落'],
  vectorsMissing: ['; {count} passages without a vector are found by their words only', '；{count} 个段落还没有向量，只能按词找到'],
  readOnly: ['This server is read-only: nothing can be changed here.', '此服务器为只读：不能在这里修改。'],
  notOwner: ['With your token you can search, read and ask; what you see here is what you may see.', '您的令牌可用于检索、阅读和提问；这里只列出您可以看到的内容。'],
  addFiles: ['Add files', '添加文件'],
  dropHere: ['or drop them here', '或拖放到这里'],
  uploading: ['Sending {count} file(s) …', '正在上传 {count} 个文件……'],
  find: ['Find', '查找'],
  findHint: ['name or title', '文件名或标题'],
  state: ['State', '状态'],
  type: ['Type', '类型'],
  anyState: ['any state', '全部状态'],
  anyType: ['any type', '全部类型'],
  withWarnings: ['with warnings', '有警告'],
  file: ['File', '文件'],
  passages: ['Passages', '段落'],
  size: ['Characters', '字数'],
  warnings: ['Warnings', '警告'],
  files: ['Files', '文件'],
  shown: ['{count} of {all} files', '{all} 个文件中的 {count} 个'],
  sorted: ['Sort by {name}', '按{name}排序'],
  nothingYet: ['Nothing is in the library yet.', '文档库还是空的。'],
  nothingFits: ['No file fits these filters.', '没有符合条件的文件。'],
  moreFiles: ['Show {count} more', '再显示 {count} 个'],
  choose: ['Choose {name}', '选择 {name}'],
  removeChosen: ['Remove {count} …', '移除 {count} 个……'],
  removeTitle: ['Remove from the library?', '从文档库移除？'],
  removeMore: [
    'They are no longer found or cited. What was uploaded is deleted; files in a folder stay on the disk, and the next sync adds them again.',
    '移除后将不再被检索或引用。上传的文件会被删除；文件夹里的文件仍在磁盘上，下次同步时会重新加入。',
  ],
  andMore: ['and {count} more', '以及另外 {count} 个'],
  remove: ['Remove', '移除'],
  removed: ['{count} removed.', '已移除 {count} 个。'],
});

const AT_ONCE = 200; // rows; more on demand, so that a library of many thousand files stays light
const CHANGING = ['sync', 'upload', 'remove', 'undo']; // kinds of jobs
const COLUMNS = [['file', 'source'], ['state', 'state'], ['type', 'type'], ['passages', 'chunks'], ['size', 'characters'], ['warnings', 'warnings']];
const wanted = { text: '', state: '', type: '', warned: false, by: 'source', down: false };

/** Show the view; return what leaves it. */
export function show(view) {
  const here = { view, sources: [], status: {}, chosen: new Set(), most: AT_ONCE, leaving: new AbortController(), changes: false, undoable: { steps: [], held: [] } };
  here.reload = () => reload(here);
  here.known = () => known(here);
  here.lead = make('p', { class: 'dim' });
  here.work = make('div', { class: 'work' });
  here.changing = make('div', { class: 'changing' });
  here.count = make('p', { class: 'dim small', role: 'status' });
  here.filters = make('div', { class: 'row filters' });
  here.table = make('div', { class: 'files' });
  here.side = make('aside', { class: 'source receipt hidden' });
  fill(view, make('h1', { text: say('library') }), here.lead, here.changing, here.work,
    make('div', { class: 'columns' }, make('div', {}, here.filters, here.count, here.table), here.side));
  reload(here).then(() => watch(here)).catch((error) => failed(here.work, error));
  return () => {
    here.leaving.abort();
    closeReceipt(here.side);
  };
}

async function reload(here) {
  try {
    const signal = here.leaving.signal;
    const [found, status] = await Promise.all([get('/api/sources', {}, signal), get('/api/status', {}, signal)]);
    here.sources = found.sources;
    here.remarks = found.remarks;
    here.status = status;
    here.chosen.clear();
    here.changes = status.asker.owner && status.asker.may_change;
    if (here.changes) here.undoable = await get('/api/steps', {}, signal);
    redraw(here);
  } catch (error) {
    failed(here.table, error);
  }
}

/** Show the job that changes the library now, whoever started it. */
async function watch(here) {
  if (!here.changes) return;
  const { jobs } = await get('/api/jobs', {}, here.leaving.signal);
  const running = jobs.find((job) => CHANGING.includes(job.kind) && job.state === 'running');
  if (!running || here.work.childElementCount) return;
  const over = follow(running, here.work, here.leaving.signal);
  const box = here.work.firstElementChild;
  const report = await over;
  if (!box.isConnected) return; // something else was begun meanwhile
  fill(here.work, report ? reportBox(report, known(here), () => fill(here.work)) : null);
  await reload(here);
}

function failed(place, error) {
  if (error.name === 'AbortError') return;
  fill(place, make('p', { class: 'bad', role: 'alert', text: say('failed', { message: error.message, hint: error.hint || '' }) }));
}

function redraw(here) {
  const { documents = 0, chunks = 0, embedded = 0, embedder } = here.status;
  const missing = embedder ? chunks - embedded : 0;
  here.lead.textContent = say('libraryLead', { documents: number(documents), chunks: number(chunks) })
    + (missing > 0 ? say('vectorsMissing', { count: number(missing) }) : '');
  fill(here.changing, here.changes ? [changing(here), changesBox(here, here.undoable)] : make('p', { class: 'small', text: say(here.status.asker.owner ? 'readOnly' : 'notOwner') }));
  drawFilters(here);
  drawTable(here);
}

function changing(here) {
  const input = make('input', { type: 'file', multiple: true, class: 'alone', id: 'add', tabindex: '-1', 'aria-hidden': 'true', onchange: () => send(here, [...input.files]) });
  const zone = make('div', {
    class: 'drop row',
    ondragover: (event) => { event.preventDefault(); zone.classList.add('over'); },
    ondragleave: () => zone.classList.remove('over'),
    ondrop: (event) => { event.preventDefault(); zone.classList.remove('over'); send(here, [...event.dataTransfer.files]); },
  }, make('button', { type: 'button', text: say('addFiles'), onclick: () => input.click() }), input,
  make('span', { class: 'dim small', text: say('dropHere') }), syncBox(here.work, here.leaving.signal, known(here), here.reload));
  return zone;
}

async function send(here, files) {
  if (files.length === 0) return;
  fill(here.work, make('p', { role: 'status', text: say('uploading', { count: files.length }) }));
  try {
    const made = await upload('/api/upload', files);
    const before = known(here);
    const report = made.job ? await follow(made.job, here.work, here.leaving.signal) : null;
    fill(here.work, refusals(made.refused), report ? reportBox(ofThese(report, made.stored), before, () => fill(here.work)) : null);
    await reload(here);
  } catch (error) {
    failed(here.work, error);
  }
}

/** Return the report without older files that could not be read either: that was said when they came. */
function ofThese(report, stored) {
  const mine = (file) => stored.some((one) => file.source.includes(one.stored_as));
  const older = report.files.filter((file) => file.outcome === 'skipped' && !mine(file));
  return { ...report, skipped: report.skipped - older.length, files: report.files.filter((file) => !older.includes(file)) };
}

function refusals(refused) {
  return refused.map((one) => make('p', { class: 'bad', role: 'alert' }, make('span', { class: 'mono', text: one.name }), ` ${one.message} ${one.hint || ''}`));
}

/** Whether a source was in the library when this was called. */
function known(here) {
  const there = new Set(here.sources.filter((one) => one.state !== 'skipped').map((one) => one.source));
  return (source) => there.has(source);
}

function drawFilters(here) {
  const types = [...new Set(here.sources.map((one) => one.type).filter(Boolean))].sort();
  const states = [...new Set(here.sources.map((one) => one.state))].sort();
  const set = (key, value) => { wanted[key] = value; here.most = AT_ONCE; drawTable(here); };
  fill(here.filters,
    make('label', { for: 'find', class: 'alone', text: say('find') }),
    Object.assign(make('input', { id: 'find', type: 'search', placeholder: say('findHint'), oninput: (event) => set('text', event.target.value) }), { value: wanted.text }),
    select('state', say('anyState'), states.map((one) => [one, stateName(one)]), (value) => set('state', value)),
    select('type', say('anyType'), types.map((one) => [one, one]), (value) => set('type', value)),
    make('label', { class: 'check' }, Object.assign(make('input', { type: 'checkbox', onchange: (event) => set('warned', event.target.checked) }), { checked: wanted.warned }), say('withWarnings')),
    here.changes ? here.removing = make('button', { type: 'button', class: 'hidden', onclick: () => remove(here) }) : null);
}

function select(key, any, options, chosen) {
  if (wanted[key] && !options.some(([value]) => value === wanted[key])) wanted[key] = '';
  return make('select', { 'aria-label': say(key), onchange: (event) => chosen(event.target.value) },
    [['', any], ...options].map(([value, text]) => make('option', { value, text, selected: value === wanted[key] })));
}

function fitting(here) {
  const text = wanted.text.trim().toLowerCase();
  const found = here.sources.filter((one) => (!text || `${one.source}\n${one.title || ''}`.toLowerCase().includes(text))
    && (!wanted.state || one.state === wanted.state) && (!wanted.type || one.type === wanted.type)
    && (!wanted.warned || one.warnings.length > 0 || one.state !== 'indexed'));
  const key = (one) => (wanted.by === 'warnings' ? one.warnings.length : one[wanted.by] ?? '');
  const order = (a, b) => (typeof key(a) === 'number' ? key(a) - key(b) : String(key(a)).localeCompare(String(key(b))));
  return found.sort((a, b) => (wanted.down ? order(b, a) : order(a, b)));
}

function drawTable(here) {
  const found = fitting(here);
  here.count.textContent = say('shown', { count: number(found.length), all: number(here.sources.length) });
  if (found.length === 0) {
    fill(here.table, make('p', { class: 'dim', text: say(here.sources.length ? 'nothingFits' : 'nothingYet') }));
    return;
  }
  const more = found.length - here.most;
  fill(here.table,
    make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': say('files') },
      make('table', {}, make('caption', { class: 'alone', text: say('files') }), make('thead', {}, make('tr', {}, here.changes ? make('td') : null, COLUMNS.map(([key, by]) => header(here, key, by)))),
        make('tbody', {}, found.slice(0, here.most).map((one) => row(here, one))))),
    more > 0 ? make('button', { type: 'button', text: say('moreFiles', { count: number(Math.min(more, AT_ONCE)) }), onclick: () => { here.most += AT_ONCE; drawTable(here); } }) : null);
  drawRemoving(here);
}

function header(here, key, by) {
  const sorted = wanted.by === by;
  const arrow = sorted ? (wanted.down ? ' ↓' : ' ↑') : '';
  return make('th', { scope: 'col', class: ['chunks', 'characters'].includes(by) ? 'number' : null, 'aria-sort': sorted ? (wanted.down ? 'descending' : 'ascending') : null },
    make('button', {
      type: 'button', class: 'sort', 'data-by': by, 'aria-label': say('sorted', { name: say(key) }), text: say(key) + arrow,
      onclick: () => {
        wanted.down = sorted ? !wanted.down : false;
        wanted.by = by;
        drawTable(here);
        here.table.querySelector(`[data-by="${by}"]`)?.focus();
      },
    }));
}

function row(here, one) {
  const box = here.changes ? Object.assign(make('input', {
    type: 'checkbox', 'aria-label': say('choose', { name: one.source }),
    onchange: (event) => { here.chosen[event.target.checked ? 'add' : 'delete'](one.source); drawRemoving(here); },
  }), { checked: here.chosen.has(one.source) }) : null;
  return make('tr', {}, box ? make('td', {}, box) : null,
    make('th', { scope: 'row', class: 'name-cell' },
      make('button', { type: 'button', class: 'link', text: one.source, onclick: () => openReceipt(here.side, one) }),
      one.title ? make('span', { class: 'dim small title', text: one.title }) : null),
    make('td', {}, make('span', { class: `state ${one.state}`, text: stateName(one.state) }), here.undoable.held.includes(one.source) ? heldBadge() : null),
    make('td', { text: one.type || '–' }),
    make('td', { class: 'number', text: number(one.chunks) }),
    make('td', { class: 'number', text: number(one.characters) }),
    make('td', { class: 'warned small' }, one.warnings.slice(0, 2).map((warning) => make('span', { class: 'warn', text: remark(here, warning).meaning })),
      one.warnings.length > 2 ? make('span', { class: 'dim', text: say('andMore', { count: one.warnings.length - 2 }) }) : null));
}

function drawRemoving(here) {
  if (!here.removing) return;
  here.removing.textContent = say('removeChosen', { count: here.chosen.size });
  here.removing.classList.toggle('hidden', here.chosen.size === 0);
}

async function remove(here) {
  const sources = [...here.chosen];
  if (!(await confirmed(sources))) return;
  try {
    const made = await post('/api/remove', { sources });
    const report = await follow(made.job, here.work, here.leaving.signal);
    fill(here.work, report ? reportBox(report, known(here), () => fill(here.work)) : null);
    tell(say('removed', { count: report ? report.removed : 0 }));
    closeReceipt(here.side);
    await reload(here);
  } catch (error) {
    failed(here.work, error);
  }
}

function confirmed(sources) {
  return new Promise((resolve) => {
    const listed = sources.slice(0, 8);
    const dialog = make('dialog', { 'aria-labelledby': 'remove-title' },
      make('form', { method: 'dialog' },
        make('h2', { id: 'remove-title', text: say('removeTitle') }),
        make('ul', { class: 'names mono' }, listed.map((source) => make('li', { text: source })),
          sources.length > listed.length ? make('li', { class: 'dim', text: say('andMore', { count: sources.length - listed.length }) }) : null),
        make('p', { text: say('removeMore') }),
        make('div', { class: 'row end' },
          make('button', { type: 'submit', value: '', text: say('cancel'), autofocus: true }),
          make('button', { type: 'submit', value: 'remove', class: 'danger', text: say('remove') }))));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'remove');
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
