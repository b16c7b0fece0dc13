// The HTTP API of the server that this page came from. Errors are `ApiError` with code, message and hint.
import { language } from './words.js';

const TOKEN = 'yinju-token';
let askForToken = async () => null;
const newToken = [];

export class ApiError extends Error {
  constructor(error, status) {
    super(error.message);
    this.code = error.code;
    this.hint = error.hint || '';
    this.status = status;
  }
}

/** Set what asks the user for a token: a function that is told whether one was refused, and returns a promise of one, or of null. */
export function onToken(ask) {
  askForToken = ask;
}

/** Call this when a token was given. */
export function onNewToken(act) {
  newToken.push(act);
}

/** Return whether the server takes this token. */
export async function accepts(token) {
  if (!/^[\x21-\x7e]+$/.test(token)) return false;
  const response = await fetch('/api/status', { headers: { Authorization: `Bearer ${token}` } });
  return response.status !== 401;
}

async function send(path, options, again = true) {
  const headers = { 'Accept-Language': language(), ...(options.headers || {}) };
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.Authorization = `Bearer ${token}`;
  let response;
  try {
    response = await fetch(path, { ...options, headers });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError({ code: 'unreachable', message: 'The server does not answer. 服务器没有响应。', hint: '' }, 0);
  }
  if (response.status === 401 && again) {
    const given = await askForToken(Boolean(token));
    if (given) {
      sessionStorage.setItem(TOKEN, given);
      for (const act of newToken) act();
      return send(path, options, false);
    }
  }
  if (!response.ok) throw new ApiError(await errorOf(response), response.status);
  return response;
}

async function errorOf(response) {
  try {
    return (await response.json()).error;
  } catch {
    return { code: 'http', message: `HTTP ${response.status}`, hint: '' };
  }
}

/** GET JSON; `asked` becomes the query. */
export async function get(path, asked = {}, signal = undefined) {
  const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== null && value !== undefined));
  const response = await send(query.size ? `${path}?${query}` : path, { signal });
  return response.json();
}

/** GET a picture as the address of a blob; whoever shows it revokes it. */
export async function picture(path, asked = {}, signal = undefined) {
  const response = await send(`${path}?${new URLSearchParams(asked)}`, { signal });
  return URL.createObjectURL(await response.blob());
}

/** POST JSON, get JSON. */
export async function post(path, body = {}, signal = undefined) {
  const options = { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' }, signal };
  return (await send(path, options)).json();
}

/** POST files. */
export async function upload(path, files) {
  const body = new FormData();
  for (const file of files) body.append('files', file, file.name);
  return (await send(path, { method: 'POST', body })).json();
}

/** Read server-sent events of a request: `each(name, data)` for every one, until they end. */
export async function events(path, body, each, signal) {
  const options = body === null
    ? { signal }
    : { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' }, signal };
  const response = await send(path, options);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    let end;
    while ((end = rest.indexOf('\n\n')) >= 0) {
      one(rest.slice(0, end), each);
      rest = rest.slice(end + 2);
    }
  }
}

function one(block, each) {
  let name = 'message';
  let data = '';
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) name = line.slice(7);
    else if (line.startsWith('data: ')) data += line.slice(6);
  }
  if (data) each(name, JSON.parse(data));
}
