// The frame: which view is shown, language, theme, and the token where the server asks for one.
import { onToken } from './api.js';
import { fill, make } from './dom.js';
import { language, say, setLanguage } from './words.js';

const THEME = 'yinju-theme';
const THEMES = ['system', 'light', 'dark'];
const VIEWS = ['ask', 'library', 'inspect', 'quality'];
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
      type: 'button', class: 'quiet', text: say('theme', { name: say(name) }),
      onclick: () => {
        localStorage.setItem(THEME, nextTheme);
        applyTheme();
        frame();
      },
    }),
    make('button', {
      type: 'button', class: 'quiet', lang: language() === 'zh' ? 'en' : 'zh', text: say('otherLanguage'),
      'aria-label': say('switchLanguage'),
      onclick: () => {
        setLanguage(language() === 'zh' ? 'en' : 'zh');
        frame();
        show();
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
  fill(nav, VIEWS.map((name) => make('a', {
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
  const module = await import(`./${name}.js`);
  if (name !== current()) return;
  document.title = `${say(name)} · Yinju 引据`;
  leave = module.show(view) || (() => {});
}

function tokenDialog() {
  return new Promise((resolve) => {
    const input = make('input', { type: 'password', id: 'token', autocomplete: 'off', required: true });
    const dialog = make('dialog', { 'aria-labelledby': 'token-title' },
      make('form', { method: 'dialog', onsubmit: () => dialog.close(input.value.trim()) },
        make('h2', { id: 'token-title', text: say('tokenTitle') }),
        make('label', { for: 'token', text: say('tokenLabel') }), input,
        make('div', { class: 'row end' },
          make('button', { type: 'button', class: 'quiet', text: say('cancel'), onclick: () => dialog.close('') }),
          make('button', { type: 'submit', class: 'main', text: say('tokenGo') }))));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue || null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

let asking = null;
onToken(() => {
  asking ??= tokenDialog().finally(() => { asking = null; });
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
applyTheme();
frame();
show();
