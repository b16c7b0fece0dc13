// What a reader thinks of an answer becomes a test case: the question, and the source that answers it, where the reader knows it.
import { get, post } from './api.js';
import { draw, fill, make, tell } from './dom.js';
import { standing } from './standing.js';
import { addWords, say } from './words.js';

addWords({
  right: ['Helpful', '有帮助'],
  wrong: ['Wrong', '有错误'],
  thanks: ['Kept as a test case.', '已存为测试用例。'],
  rightSource: ['Which document has the right answer? (optional)', '正确答案在哪个文档？（可不填）'],
  whatIsWrong: ['What is wrong? (optional)', '错在哪里？（可不填）'],
  keep: ['Keep', '保存'],
});

const UP = 'M5 7l3-5.5c1.4 0 2 .9 1.7 2.2L9.3 6H13c1 0 1.6.8 1.4 1.7l-1.1 5c-.2.8-.8 1.3-1.6 1.3H5zM1.5 7H5v7H1.5z';
let lists = 0;

function sign(down) {
  return draw('svg', { viewBox: '0 0 16 16', class: 'sign', 'aria-hidden': 'true' },
    draw('path', { d: UP, transform: down ? 'rotate(180 8 8)' : null }));
}

/** Return the two buttons, and the form that opens below the second. `turn.verdict` keeps what was pressed. */
export function verdicts(answer, turn) {
  const first = answer.citations[0];
  const question = turn.followUp && answer.searched_as ? answer.searched_as : turn.question; // a case must stand alone
  const below = make('div', { class: 'judging' });
  const buttons = ['up', 'down'].map((verdict) => make('button', {
    type: 'button', class: 'quiet', 'aria-pressed': String(turn.verdict === verdict), 'aria-expanded': verdict === 'down' ? 'false' : null,
    onclick: () => (verdict === 'up' ? send({ verdict, source: first?.source ?? null, lines: first?.lines ?? null }) : toggle()),
  }, sign(verdict === 'down'), ` ${say(verdict === 'up' ? 'right' : 'wrong')}`));

  function toggle() {
    const open = below.childElementCount > 0;
    buttons[1].setAttribute('aria-expanded', String(!open));
    if (open) fill(below);
    else fill(below, askForSource(send, toggle));
    below.querySelector('input')?.focus();
  }

  async function send(said) {
    try {
      await post('/api/feedback', Object.fromEntries(Object.entries({ question, ...said }).filter(([, value]) => value !== null && value !== '')));
    } catch (error) {
      tell(say('failed', { message: error.message, hint: error.hint || '' }), 'bad');
      return;
    }
    turn.verdict = said.verdict;
    turn.keep?.();
    buttons.forEach((button, count) => button.setAttribute('aria-pressed', String((count === 0) === (said.verdict === 'up'))));
    if (below.childElementCount) toggle();
    tell(say('thanks'));
  }
  standing().then(({ owner }) => { if (!owner) for (const button of buttons) button.remove(); });
  return [buttons, below];
}

function askForSource(send, cancel) {
  const list = `sources-${lists += 1}`;
  const known = make('datalist', { id: list });
  const source = make('input', { id: `${list}-source`, list, autocomplete: 'off', maxlength: '4096' });
  const note = make('input', { id: `${list}-note`, autocomplete: 'off', maxlength: '1000' });
  get('/api/sources').then(({ sources }) => fill(known, sources.slice(0, 1000).map((one) => make('option', { value: one.source })))).catch(() => {});
  return make('form', {
    class: 'card', onsubmit: (event) => { event.preventDefault(); send({ verdict: 'down', source: source.value.trim(), note: note.value.trim() }); },
  },
  make('p', {}, make('label', { for: source.id, text: say('rightSource') }), source, known),
  make('p', {}, make('label', { for: note.id, text: say('whatIsWrong') }), note),
  make('div', { class: 'row' }, make('button', { type: 'submit', class: 'main', text: say('keep') }),
    make('button', { type: 'button', class: 'quiet', text: say('cancel'), onclick: cancel })));
}
