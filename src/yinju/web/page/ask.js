// Ask: a conversation whose every sentence can be followed to its source.
import { ApiError, events, post } from './api.js';
import { answerBox } from './answer.js';
import { fill, make, tell } from './dom.js';
import { closeSource, openSource } from './source.js';
import { addWords, say } from './words.js';

addWords({
  question: ['Question', '问题'],
  questionHint: ['Ask the documents …', '向文档提问……'],
  send: ['Ask', '提问'],
  stop: ['Stop', '停止'],
  fresh: ['New conversation', '新对话'],
  welcome: ['Ask your documents', '向你的文档提问'],
  welcomeMore: [
    'Every sentence of an answer is checked against the line that it cites. What the documents do not say is not answered.',
    '答案的每一句都与所引用的原文核对；文档没有写的，不作回答。',
  ],
  keys: ['Enter asks, Shift+Enter begins a new line.', '按 Enter 提问，Shift+Enter 换行。'],
  searching: ['Searching …', '正在检索……'],
  stopped: ['Stopped.', '已停止。'],
  conversation: ['Conversation', '对话'],
});

const turns = []; // {question, answer, text, error, stopped}: kept while other views are shown
let running = null; // what stops the answer that is being made

/** Show the view; return what leaves it. */
export function show(view) {
  const list = make('ol', { class: 'turns', 'aria-label': say('conversation') });
  const side = make('aside', { class: 'source hidden', 'aria-label': say('question') });
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
  const form = make('form', { class: 'asking', onsubmit: (event) => { event.preventDefault(); ask(); } },
    make('label', { for: 'question', class: 'alone', text: say('question') }), input,
    make('div', { class: 'row' }, go, halt,
      make('button', { type: 'button', class: 'quiet', text: say('fresh'), onclick: startAnew }),
      make('span', { id: 'keys', class: 'dim small', text: say('keys') })));
  const follow = (citation) => openSource(side, citation);
  fill(view, make('div', { class: 'columns' }, make('section', { class: 'talk' }, list, form), side));
  redraw();
  input.focus();

  function redraw() {
    if (turns.length === 0) {
      fill(list, make('li', { class: 'welcome' }, make('h1', { text: say('welcome') }), make('p', { class: 'dim', text: say('welcomeMore') })));
    } else {
      fill(list, turns.map((turn) => turnItem(turn)));
    }
    go.disabled = running !== null;
    halt.classList.toggle('hidden', running === null);
  }

  function turnItem(turn) {
    const item = make('li', { class: 'turn' }, make('h2', { class: 'asked', text: turn.question }));
    turn.place = make('div', { class: 'answer', 'aria-live': 'polite', 'aria-busy': String(!turn.answer && !turn.error) });
    item.append(turn.place);
    paint(turn);
    return item;
  }

  function paint(turn) {
    if (turn.answer) fill(turn.place, answerBox(turn.answer, turn.question, follow));
    else if (turn.error) fill(turn.place, make('p', { class: 'bad', role: 'alert', text: turn.error }), turn.text ? make('p', { text: turn.text }) : null);
    else fill(turn.place, make('p', { class: turn.text ? 'coming' : 'dim', text: turn.text || say('searching') }));
  }

  function startAnew() {
    running?.abort();
    turns.length = 0;
    closeSource(side);
    redraw();
    input.focus();
  }

  async function ask() {
    const question = input.value.trim();
    if (!question || running) return;
    const turn = { question, answer: null, text: '', error: '' };
    const history = turns.filter((one) => one.answer).flatMap((one) => [
      { role: 'user', content: one.question }, { role: 'assistant', content: one.answer.text },
    ]).slice(-20);
    turns.push(turn);
    input.value = '';
    running = new AbortController();
    redraw();
    turn.place.scrollIntoView({ block: 'nearest' });
    try {
      await events('/api/ask', { question, history, stream: true }, (name, data) => {
        if (name === 'text') turn.text += data.text;
        else if (name === 'answer') turn.answer = data;
        else if (name === 'error') throw new ApiError(data.error, 0);
        if (turn.place.isConnected) paint(turn);
      }, running.signal);
    } catch (error) {
      turn.error = error.name === 'AbortError' ? say('stopped') : say('failed', { message: error.message, hint: error.hint || '' });
    }
    running = null;
    if (turn.place.isConnected) {
      turn.place.setAttribute('aria-busy', 'false');
      paint(turn);
      redraw();
      input.focus();
    }
  }

  return () => closeSource(side);
}

/** Remember what somebody thought of an answer. */
export async function remember(feedback) {
  try {
    await post('/api/feedback', feedback);
    return true;
  } catch (error) {
    tell(say('failed', { message: error.message, hint: error.hint || '' }), 'bad');
    return false;
  }
}
