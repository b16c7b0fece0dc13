// A job of the server that takes a while (a sync, an evaluation): follow it, show how far it is, cancel it.
import { ApiError, events, post } from './api.js';
import { fill, make } from './dom.js';
import { addWords, number, say } from './words.js';

addWords({
  stageScan: ['Looking for changes', '查找变化'],
  stageRead: ['Reading files', '读取文件'],
  stageOcr: ['Recognising text', '识别文字'],
  stageEmbed: ['Computing vectors', '计算向量'],
  stageAsk: ['Asking questions', '逐题提问'],
  stageWait: ['Waiting for its turn', '排队等待'],
  amount: ['{done} of {total}', '{done} / {total}'],
  amountOpen: ['{done} so far', '已有 {done}'],
  rate: ['{count} characters a second', '每秒 {count} 字'],
  leftSeconds: ['about {count} s left', '约剩 {count} 秒'],
  leftMinutes: ['about {count} min left', '约剩 {count} 分钟'],
  cancelling: ['Stopping …', '正在停止……'],
  cancelled: ['Stopped. What was done so far is kept.', '已停止，已完成的部分保留。'],
  progressOf: ['Progress', '进度'],
});

const STAGES = { scan: 'stageScan', read: 'stageRead', ocr: 'stageOcr', embed: 'stageEmbed', ask: 'stageAsk' };
const SAID_EVERY_MS = 5000; // what readers of the screen are told; the bar moves all the time

/** How a time left is said, nothing where nobody knows. */
export function timeLeft(seconds) {
  if (seconds === null || seconds === undefined) return '';
  return seconds < 90 ? say('leftSeconds', { count: Math.max(1, Math.round(seconds)) }) : say('leftMinutes', { count: Math.round(seconds / 60) });
}

/** How far a stage is, in words. */
export function progressText(progress) {
  const amount = progress.total
    ? say('amount', { done: number(progress.done), total: number(progress.total) })
    : say('amountOpen', { done: number(progress.done) });
  return [
    `${say(STAGES[progress.stage] || 'working')}: ${amount}`,
    progress.rate ? say('rate', { count: number(progress.rate) }) : '',
    timeLeft(progress.left_s),
  ].filter(Boolean).join(' · ');
}

/** Show a job in `place` until it ends; return its report, null where it was cancelled before there was one. Throws ApiError. */
export async function follow({ id: job }, place, signal) {
  const bar = make('progress', { class: 'progress', 'aria-label': say('progressOf') });
  const words = make('p', { class: 'small', text: say('stageWait') });
  const source = make('p', { class: 'dim small mono' });
  const aloud = make('p', { class: 'alone', role: 'status' });
  const halt = make('button', { type: 'button', text: say('cancel'), onclick: () => cancel(job, halt, words) });
  fill(place, make('div', { class: 'running' }, bar, words, source, aloud, make('div', { class: 'row' }, halt)));
  const state = { told: 0, report: null };
  await events(`/api/jobs/${encodeURIComponent(job)}/events`, null, (name, data) => {
    if (name === 'progress') advance(data, { bar, words, source, aloud, halt }, state);
    else if (name === 'report') state.report = data;
    else if (name === 'error' && data.error.code !== 'cancelled') throw new ApiError(data.error, 0);
  }, signal);
  return state.report;
}

function advance(data, shown, state) {
  if (data.total) {
    shown.bar.max = data.total;
    shown.bar.value = data.done;
  } else shown.bar.removeAttribute('value');
  if (shown.halt.disabled) return;
  shown.words.textContent = progressText(data);
  shown.source.textContent = data.source || '';
  if (Date.now() - state.told > SAID_EVERY_MS) {
    state.told = Date.now();
    shown.aloud.textContent = progressText(data);
  }
}

async function cancel(job, halt, words) {
  halt.disabled = true;
  words.textContent = say('cancelling');
  try {
    await post(`/api/jobs/${encodeURIComponent(job)}/cancel`);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error; // a job that ended meanwhile is told by its own events
  }
}
