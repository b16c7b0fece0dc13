// The last changes of the library, and how to take them back: a list with what each did, and a question before anything happens.
import { get, post } from './api.js';
import { fill, make } from './dom.js';
import { follow } from './jobs.js';
import { reportBox } from './syncing.js';
import { addWords, language, number, say } from './words.js';

addWords({
  lastChanges: ['Last changes ({count}), which can be undone', '最近的更改（{count}），可以撤销'],
  ofKind: ['{kind}, {time}', '{kind}，{time}'],
  kindSync: ['Sync', '同步'],
  kindAdd: ['Addition', '添加'],
  kindRemove: ['Removal', '移除'],
  countAdded: ['{count} added', '新增 {count}'],
  countUpdated: ['{count} updated', '更新 {count}'],
  countRenamed: ['{count} renamed', '改名 {count}'],
  countRemoved: ['{count} removed', '删除 {count}'],
  undoOne: ['Undo …', '撤销……'],
  undoTo: ['Undo back to before this …', '撤销到此之前……'],
  undoTitle: ['Undo the last change?', '撤销最近一次更改？'],
  undoTitleMany: ['Undo the last {count} changes?', '撤销最近 {count} 次更改？'],
  undoMore: [
    'The documents become what they were. Files on the disk stay as they are; where they differ, later syncs hold them back until they change. This cannot itself be undone.',
    '文档将恢复为之前的样子。磁盘上的文件保持不变；内容不同的文件，之后的同步会先搁置，直到它们再次改变。此操作本身不能撤销。',
  ],
  undo: ['Undo', '撤销'],
  undone: ['Undone.', '已撤销。'],
  held: ['held back', '已搁置'],
  heldMore: [
    'Held back until they change ({count}): what these files on the disk say is not what was restored.',
    '磁盘上有 {count} 个文件与恢复的内容不同，在它们改变之前不再同步：',
  ],
  release: ['Take what the files say', '以文件内容为准'],
  moreHeld: ['and {count} more', '以及另外 {count} 个'],
});

const KINDS = { sync: 'kindSync', add: 'kindAdd', remove: 'kindRemove' };
const COUNTS = { added: 'countAdded', updated: 'countUpdated', renamed: 'countRenamed', removed: 'countRemoved' };
const NAMED = 8;

/** Return the list of what can be undone, null where there is nothing; `here` is the view: {work, leaving, reload, known}. */
export function changesBox(here, { steps, held }) {
  const parts = [];
  if (held.length) parts.push(heldBox(here, held));
  if (steps.length) {
    parts.push(make('details', { class: 'changes' }, make('summary', { text: say('lastChanges', { count: number(steps.length) }) }),
      make('ol', {}, steps.map((step, place) => stepItem(here, step, place)))));
  }
  return parts.length ? parts : null;
}

/** Return the mark of a source whose file is held back. */
export function heldBadge() {
  return make('span', { class: 'badge held', text: say('held') });
}

function stepItem(here, step, place) {
  const time = new Date(step.time).toLocaleString(language() === 'zh' ? 'zh-CN' : 'en', { dateStyle: 'medium', timeStyle: 'short' });
  const what = say('ofKind', { kind: KINDS[step.kind] ? say(KINDS[step.kind]) : step.kind, time });
  const counts = Object.entries(COUNTS).filter(([name]) => step[name]).map(([name, key]) => say(key, { count: number(step[name]) })).join(' · ');
  return make('li', {}, make('span', { class: 'what' }, make('time', { datetime: step.time, text: what }), make('span', { class: 'dim small', text: counts })),
    make('button', { type: 'button', 'aria-label': `${say(place ? 'undoTo' : 'undoOne')} ${what}`, text: say(place ? 'undoTo' : 'undoOne'), onclick: (event) => undo(here, place + 1, event.target) }));
}

function heldBox(here, held) {
  return make('div', { class: 'notice held-back', role: 'note' }, make('p', { text: say('heldMore', { count: number(held.length) }) }),
    make('ul', { class: 'names small mono' }, held.slice(0, NAMED).map((source) => make('li', { text: source })),
      held.length > NAMED ? make('li', { class: 'dim', text: say('moreHeld', { count: number(held.length - NAMED) }) }) : null),
    make('button', { type: 'button', text: say('release'), onclick: () => carryOut(here, '/api/sync', { release: true }) }));
}

async function undo(here, steps, button) {
  if (await confirmed(steps)) await carryOut(here, '/api/undo', { steps });
  else button.focus();
}

async function carryOut(here, route, wish) {
  try {
    const before = here.known();
    const { job } = await post(route, wish, here.leaving.signal);
    const report = await follow(job, here.work, here.leaving.signal);
    fill(here.work, report ? reportBox(report, before, () => fill(here.work)) : null);
    here.work.querySelector('button')?.focus();
    await here.reload();
  } catch (error) {
    if (error.name === 'AbortError') return;
    fill(here.work, make('p', { class: 'bad', role: 'alert', text: say('failed', { message: error.message, hint: error.hint || '' }) }));
  }
}

function confirmed(steps) {
  return new Promise((resolve) => {
    const dialog = make('dialog', { 'aria-labelledby': 'undo-title' },
      make('form', { method: 'dialog' },
        make('h2', { id: 'undo-title', text: steps > 1 ? say('undoTitleMany', { count: number(steps) }) : say('undoTitle') }),
        make('p', { text: say('undoMore') }),
        make('div', { class: 'row end' },
          make('button', { type: 'submit', value: '', text: say('cancel'), autofocus: true }),
          make('button', { type: 'submit', value: 'undo', class: 'danger', text: say('undo') }))));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'undo');
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
