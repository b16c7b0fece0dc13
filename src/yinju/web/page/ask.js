// Ask: a conversation whose every sentence can be followed to its source.
import { ApiError, events, onNewToken } from './api.js';
import { answerBox, coming, looking } from './answer.js';
import { answered, history, keep, made, save, turns } from './conversation.js';
import { fill, make } from './dom.js';
import { standing } from './standing.js';
import { closeSource, openSource } from './source.js';
import { addWords, say } from './words.js';

addWords({
  askQuestion: ['Question', '问题'],
  questionHint: ['Ask the documents …', '向文档提问……'],
  send: ['Ask', '提问'],
  stop: ['Stop', '停止'],
  fresh: ['New conversation', '新对话'],
  saveAll: ['Save as text', '存为文本'],
  welcome: ['Ask your documents', '向你的文档提问'],
  welcomeMore: [
    'Every sentence of an answer is checked against the line that it cites. What the documents do not say is not answered.',
    '答案的每一句都与所引用的原文核对；文档没有写的，不作回答。',
  ],
  keys: ['Enter asks, Shift+Enter begins a new line.', '按 Enter 提问，Shift+Enter 换行。'],
  searching: ['Searching …', '正在检索……'],
  stopped: ['Stopped.', '已停止。'],
  again: ['Ask again', '重新提问'],
  cutOff: ['The answer ended early.', '回答中途结束。'],
  conversation: ['Conversation', '对话'],
  lookFurther: ['Look further (agent)', '深入查找（智能体）'],
  lookFurtherMore: [
    'The language model may search and read more before it answers. It takes longer.',
    '语言模型可以先多次检索和阅读，再作答，用时更长。',
  ],
});

const FURTHER = 'yinju-further';
let offer = () => {}; // shows whether a model may look further
let running = null; // what stops the answer that is being made, and its turn
let follow = () => {}; // opens a source in the view that is shown
let controls = () => {}; // shows which buttons can be used in it

/** Show the view; return what leaves it. */
export function show(view) {
  const list = make('ol', { class: 'turns', 'aria-label': say('conversation') });
  const side = make('aside', { class: 'source hidden', 'aria-label': say('conversation') });
  const input = make('textarea', {
    id: 'question', rows: '2', maxlength: '20000', placeholder: say('questionHint'), 'aria-describedby': 'keys',
    onkeydown: (event) => {
      if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        ask();
      }
    },
  });
  const go = make('button', { type: 'submit', class: 'main', text: say('send') });
  const halt = make('button', { type: 'button', text: say('stop'), class: 'hidden', onclick: () => running?.abort() });
  const others = [
    make('button', { type: 'button', class: 'quiet', text: say('fresh'), onclick: startAnew }),
    make('button', { type: 'button', class: 'quiet', text: say('saveAll'), onclick: save }),
  ];
  const box = make('input', { type: 'checkbox', id: 'further', checked: localStorage.getItem(FURTHER) === 'yes', onchange: () => localStorage.setItem(FURTHER, box.checked ? 'yes' : 'no') });
  const further = make('label', { class: 'check small hidden', title: say('lookFurtherMore') }, box, say('lookFurther'));
  offer = async () => further.classList.toggle('hidden', !(await standing()).agent);
  offer();
  const form = make('form', { class: 'asking', onsubmit: (event) => { event.preventDefault(); ask(); } },
    make('label', { for: 'question', class: 'alone', text: say('askQuestion') }), input,
    make('div', { class: 'row' }, go, halt, further, others, make('span', { id: 'keys', class: 'dim small', text: say('keys') })));
  follow = (citation) => openSource(side, citation);
  controls = () => {
    go.disabled = running !== null;
    halt.classList.toggle('hidden', running === null);
    for (const button of others) button.classList.toggle('hidden', turns.length === 0);
  };
  fill(view, make('div', { class: 'columns' }, make('section', { class: 'talk' }, list, form), side));
  redraw();
  list.lastElementChild?.scrollIntoView({ block: 'nearest' });
  input.focus({ preventScroll: turns.length > 0 });

  function redraw() {
    if (turns.length === 0) {
      fill(list, make('li', { class: 'welcome' }, make('h1', { text: say('welcome') }), make('p', { class: 'dim', text: say('welcomeMore') })));
    } else {
      fill(list, turns.map((turn) => turnItem(turn)));
    }
    controls();
  }

  function turnItem(turn) {
    turn.place = make('div', { class: 'answer', 'aria-live': 'polite' });
    paint(turn);
    return make('li', { class: 'turn' }, make('h2', { class: 'asked', text: turn.question }), turn.place);
  }

  /** Show a turn as it is now. */
  function paint(turn) {
    const over = turn !== running?.turn;
    turn.place.setAttribute('aria-busy', String(!over));
    if (turn.answer) fill(turn.place, answerBox(turn.answer, turn, follow));
    else if (turn.text) fill(turn.place, looking(turn.steps, false), coming(turn.text, turn.citations, follow), over ? ended(turn) : null);
    else fill(turn.place, looking(turn.steps, !over), over ? ended(turn) : turn.steps.length ? null : make('p', { class: 'dim', text: say('searching') }));
    turn.place.classList.toggle('whole', over);
  }

  function ended(turn) {
    const why = turn.error || say('cutOff');
    return make('div', { class: 'notice', role: 'alert' }, make('p', { text: why }),
      make('button', { type: 'button', text: say('again'), onclick: () => run(turn) }));
  }

  function startAnew() {
    running?.abort();
    turns.length = 0;
    keep();
    closeSource(side);
    redraw();
    input.focus();
  }

  function ask() {
    const question = input.value.trim();
    if (!question || running) return;
    const turn = made(question);
    turns.push(turn);
    input.value = '';
    if (turns.length === 1) fill(list);
    list.append(turnItem(turn));
    run(turn);
  }

  /** Ask the question of a turn, for the first time or again. */
  async function run(turn) {
    if (running) return;
    const mine = new AbortController();
    mine.turn = turn;
    running = mine;
    Object.assign(turn, { answer: null, text: '', citations: [], steps: [], error: '' });
    controls();
    paint(turn);
    turn.place.scrollIntoView({ block: 'nearest' });
    let waiting = 0;
    const soon = () => { waiting ||= requestAnimationFrame(() => { waiting = 0; if (running === mine) paint(turn); }); };
    try {
      const asked = { question: turn.question, history: history(turns.slice(0, turns.indexOf(turn))), stream: true };
      if (box.checked && !further.classList.contains('hidden')) asked.agent = true;
      await events('/api/ask', asked, (name, data) => {
        if (name === 'text') turn.text += data.text;
        else if (name === 'citation') turn.citations.push(data);
        else if (name === 'step') turn.steps.push(data);
        else if (name === 'answer') answered(turn, data);
        else if (name === 'error') throw new ApiError(data.error, 0);
        soon();
      }, mine.signal);
    } catch (error) {
      turn.error = error.name === 'AbortError' ? say('stopped') : say('failed', { message: error.message, hint: error.hint || '' });
    }
    running = null;
    if (turns.includes(turn)) keep();
    if (!turn.place.isConnected) return;
    paint(turn);
    controls();
    turn.place.scrollIntoView({ block: 'nearest' });
    if (document.activeElement === document.body) input.focus({ preventScroll: true });
  }

  return () => closeSource(side);
}

onNewToken(() => setTimeout(() => offer()));
