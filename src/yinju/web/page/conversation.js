// The conversation of this tab: kept in its session, so that a reload loses nothing and another tab sees nothing; and written out as plain text,
// which no program that opens it takes for markup.
import { slim, asText } from './answer.js';
import { addWords, say } from './words.js';

addWords({
  exportedFrom: ['Conversation with Yinju, {date}', '与引据的对话，{date}'],
});

const KEY = 'yinju-conversation';
const MOST = 50; // turns

/** The turns: {question, answer, text, error, verdict, followUp}. */
export const turns = [];
load();

function load() {
  let kept;
  try {
    kept = JSON.parse(sessionStorage.getItem(KEY) || '[]');
  } catch {
    return;
  }
  if (!Array.isArray(kept)) return;
  for (const one of kept) {
    if (typeof one?.question !== 'string') continue;
    const { question, answer, text, error, verdict, followUp } = one;
    const whole = answer && [answer.citations, answer.sentences, answer.nearest].every(Array.isArray) && typeof answer.text === 'string';
    turns.push(made(question, { answer: whole ? answer : null, text: String(text ?? ''), error: String(error ?? ''), verdict, followUp }));
  }
}

/** Return a new turn. */
export function made(question, more = {}) {
  return { question, answer: null, text: '', citations: [], steps: [], error: '', verdict: '', followUp: turns.length > 0, ...more, keep };
}

/** Keep the turns; where the session has no more room the oldest are left out. */
export function keep() {
  let kept = turns.slice(-MOST).map(({ question, answer, text, error, verdict, followUp }) => ({ question, answer, text, error, verdict, followUp, citations: [] }));
  for (;;) {
    try {
      sessionStorage.setItem(KEY, JSON.stringify(kept));
      return;
    } catch {
      if (!kept.length) return;
      kept = kept.slice(Math.ceil(kept.length / 2));
    }
  }
}

/** Take an answer into its turn. */
export function answered(turn, answer) {
  turn.answer = slim(answer);
}

/** Return what was said before, as the API takes it. */
export function history(before) {
  return before.filter((one) => one.answer).flatMap((one) => [
    { role: 'user', content: one.question }, { role: 'assistant', content: one.answer.text || one.answer.reason || '…' },
  ]).slice(-20);
}

/** Offer the whole conversation as a file. */
export function save() {
  const parts = turns.map((turn) => `> ${turn.question}\n\n${turn.answer ? asText(turn.answer) : turn.text || turn.error}`);
  const date = new Date().toLocaleString();
  const address = URL.createObjectURL(new Blob([`${say('exportedFrom', { date })}\n\n${parts.join('\n\n\n')}\n`], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = 'yinju.txt';
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
