// What this server can do, and what this reader may do here: asked once, and again when a token was given. Where the server wants a token, this is what asks for it when the page opens.
import { get, onNewToken } from './api.js';

const UNKNOWN = { owner: true, changes: false, agent: false, known: false };
let asked = null;

/** Return {owner, changes, agent, known}: whether the reader owns the library, may change it, and has a model that may look further. */
export function standing() {
  asked ??= ask();
  return asked;
}

async function ask() {
  try {
    const { asker, agent } = await get('/api/status');
    return { owner: asker.owner, changes: asker.owner && asker.may_change, agent, known: true };
  } catch {
    asked = null;
    return UNKNOWN;
  }
}

onNewToken(() => { asked = null; });
