// What the page says, in English and Chinese. The language follows the browser until somebody chooses one.

const LANGUAGE = 'yinju-language';
const texts = {};

/** Add texts: `{key: ['English {name}', '中文 {name}']}`. */
export function addWords(more) {
  Object.assign(texts, more);
}

export function language() {
  const chosen = localStorage.getItem(LANGUAGE);
  if (chosen === 'zh' || chosen === 'en') return chosen;
  return (navigator.language || 'en').toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

export function setLanguage(name) {
  localStorage.setItem(LANGUAGE, name);
}

/** Return the text of this key, with {names} filled. */
export function say(key, values = {}) {
  const pair = texts[key];
  if (!pair) throw new Error(`no text for ${key}`);
  return pair[language() === 'zh' ? 1 : 0].replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all));
}

export function number(value, digits = 0) {
  return new Intl.NumberFormat(language(), { maximumFractionDigits: digits }).format(value);
}

addWords({
  ask: ['Ask', '提问'],
  library: ['Library', '文档库'],
  inspect: ['Inspect', '检索过程'],
  quality: ['Quality', '质量'],
  skip: ['Skip to content', '跳到内容'],
  views: ['Views', '页面'],
  theme: ['Theme: {name}', '主题：{name}'],
  system: ['system', '跟随系统'],
  light: ['light', '浅色'],
  dark: ['dark', '深色'],
  otherLanguage: ['中文', 'English'],
  switchLanguage: ['中文 (switch to Chinese)', 'English（切换到英文）'],
  tokenTitle: ['This server asks for a token', '此服务器需要令牌'],
  tokenLabel: ['Token', '令牌'],
  tokenRefused: ['This token is not accepted.', '此令牌无效。'],
  tokenUnasked: ['The server does not answer.', '服务器没有响应。'],
  tokenGo: ['Go on', '继续'],
  cancel: ['Cancel', '取消'],
  close: ['Close', '关闭'],
  failed: ['{message} {hint}', '{message}{hint}'],
  notLoaded: ['This part of the page could not be loaded: the server does not answer.', '页面的这一部分无法加载：服务器没有响应。'],
  reload: ['Load again', '重新加载'],
  working: ['One moment …', '请稍候……'],
});
