// The frame: which view is shown, language, theme, and the token where the server asks for one.
import { accepts, onNewToken, onToken } from './api.js';
import { draw, fill, make } from './dom.js';
import { standing } from './standing.js';
import { language, say, setLanguage } from './words.js';

const THEME = 'yinju-theme';
const THEMES = ['system', 'light', 'dark'];
const THEME_SIGNS = { system: 'M8 2a6 6 0 100 12zM8 2a6 6 0 010 12', light: 'M8 5a3 3 0 100 6 3 3 0 000-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1', dark: 'M13.5 9.5A6 6 0 016.5 2.5a6 6 0 107 7z' };
const VIEWS = ['ask', 'library', 'inspect', 'quality'];
const OWNERS = ['quality']; // views that work for nobody else
let owner = true;
let leave = () => {};

function theme() {
  const chosen = localStorage.getItem(THEME);
  return THEMES.includes(chosen) ? chosen : 'system';
}

function applyTheme() {
  const chosen = theme();
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}

function tools() {
  const name = theme();
  const nextTheme = THEMES[(THEMES.indexOf(name) + 1) % THEMES.length];
  return [
    make('button', {
      type: 'button', class: 'quiet', title: say('theme', { name: say(name) }), 'aria-label': say('theme', { name: say(name) }),
      onclick: () => {
        localStorage.setItem(THEME, nextTheme);
        applyTheme();
        frame();
        document.querySelector('#tools button').focus();
      },
    }, draw('svg', { viewBox: '0 0 16 16', class: 'sign', 'aria-hidden': 'true' }, draw('path', { d: THEME_SIGNS[name] }))),
    make('button', {
      type: 'button', class: 'quiet', lang: language() === 'zh' ? 'en' : 'zh', text: say('otherLanguage'),
      'aria-label': say('switchLanguage'),
      onclick: () => {
        setLanguage(language() === 'zh' ? 'en' : 'zh');
        frame();
        show().then(() => document.querySelector('#tools button:last-child').focus());
      },
    }),
  ];
}

function current() {
  const name = location.hash.slice(1).split('?')[0];
  return VIEWS.includes(name) ? name : 'ask';
}

/** Draw what surrounds the views. */
function frame() {
  document.documentElement.lang = language() === 'zh' ? 'zh-CN' : 'en';
  document.getElementById('skip').textContent = say('skip');
  const here = current();
  const nav = document.getElementById('views');
  nav.setAttribute('aria-label', say('views'));
  fill(nav, VIEWS.filter((name) => owner || !OWNERS.includes(name)).map((name) => make('a', {
    href: `#${name}`, text: say(name), 'aria-current': name === here ? 'page' : null,
  })));
  fill(document.getElementById('tools'), tools());
}

/** Show the view that the address names. */
async function show() {
  const name = current();
  const view = document.getElementById('view');
  leave();
  leave = () => {};
  view.className = `view-${name}`;
  fill(view, make('p', { class: 'dim', text: say('working') }));
  let module;
  try {
    module = await import(`./${name}.js`);
  } catch {
    fill(view, make('div', { class: 'notice', role: 'alert' }, make('p', { text: say('notLoaded') }),
      make('button', { type: 'button', text: say('reload'), onclick: () => location.reload() })));
    return;
  }
  if (name !== current()) return;
  document.title = `${say(name)} · Yinju 引据`;
  leave = module.show(view) || (() => {});
}

/** Ask for a token until the server takes one, or the user gives up: a promise of it, or of null. */
function tokenDialog(refused) {
  return new Promise((resolve) => {
    let given = null;
    const input = make('input', { type: 'password', id: 'token', autocomplete: 'off', required: true, 'aria-describedby': 'token-said' });
    const said = make('p', { id: 'token-said', class: 'failed', role: 'alert', text: refused ? say('tokenRefused') : '' });
    const go = make('button', { type: 'submit', class: 'main', text: say('tokenGo') });
    async function tried(event) {
      event.preventDefault();
      const token = input.value.trim();
      go.disabled = true;
      said.textContent = '';
      try {
        if (await accepts(token)) {
          given = token;
          dialog.close();
          return;
        }
        said.textContent = say('tokenRefused');
      } catch {
        said.textContent = say('tokenUnasked');
      }
      go.disabled = false;
      input.select();
      input.focus();
    }
    const dialog = make('dialog', { 'aria-labelledby': 'token-title' },
      make('form', { method: 'dialog', onsubmit: tried },
        make('h2', { id: 'token-title', text: say('tokenTitle') }),
        make('label', { for: 'token', text: say('tokenLabel') }), input, said,
        make('div', { class: 'row end' },
          make('button', { type: 'button', class: 'quiet', text: say('cancel'), onclick: () => dialog.close() }), go)));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(given);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

let asking = null;
onToken((refused) => {
  asking ??= tokenDialog(refused).finally(() => { asking = null; });
  return asking;
});

document.getElementById('skip').addEventListener('click', (event) => {
  event.preventDefault();
  document.getElementById('view').focus();
});
window.addEventListener('hashchange', () => {
  frame();
  show();
});
async function look() {
  const before = owner;
  ({ owner } = await standing());
  if (owner !== before) frame();
}

onNewToken(() => setTimeout(look));
applyTheme();
frame();
show();
look();
