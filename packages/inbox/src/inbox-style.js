/**
 * The styles of the inbox. A page changes them by the variables below, or by `belfry-inbox::part(…)`. Colours follow
 * the page's `color-scheme`, or the attribute `theme` (light, dark).
 */
const CSS = `
:host {
  --_accent: var(--belfry-inbox-accent, light-dark(#1f5c4d, #6fcdb2));
  --_on-accent: var(--belfry-inbox-on-accent, light-dark(#ffffff, #0d2019));
  --_surface: var(--belfry-inbox-surface, light-dark(#ffffff, #1c2024));
  --_text: var(--belfry-inbox-text, light-dark(#23262a, #e8eaec));
  --_muted: var(--belfry-inbox-muted, light-dark(#5c6065, #a3abb3));
  --_border: var(--belfry-inbox-border, light-dark(#e4e1d9, #2e343a));
  --_wash: var(--belfry-inbox-wash, light-dark(#eef4f1, #1f2c29));
  --_warning: var(--belfry-inbox-warning, light-dark(#7a4f00, #f0c674));
  --_warning-wash: var(--belfry-inbox-warning-wash, light-dark(#fcf1d9, #33290f));
  --_radius: var(--belfry-inbox-radius, 14px);
  --_width: var(--belfry-inbox-width, 400px);
  --_max-height: var(--belfry-inbox-max-height, 620px);
  position: relative;
  display: inline-block;
  color: var(--_text);
  font: var(--belfry-inbox-font, 15px/1.5 system-ui, sans-serif);
  text-align: start;
  -webkit-text-size-adjust: 100%;
}
:host([inline]) { display: block; }
:host([hidden]), [hidden] { display: none !important; }
:host([theme="light"]) { color-scheme: light; }
:host([theme="dark"]) { color-scheme: dark; }
* { box-sizing: border-box; }
h2, p { margin: 0; }

button {
  border: 0;
  border-radius: 9px;
  background: none;
  color: inherit;
  font: inherit;
  cursor: pointer;
}
button:disabled { opacity: 0.45; cursor: default; }
:focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }

.bell {
  position: relative;
  display: grid;
  place-items: center;
  width: 40px;
  height: 40px;
  padding: 0;
  border-radius: 50%;
}
.bell:hover, .bell[aria-expanded="true"] { background: var(--_wash); }
svg { display: block; width: 22px; height: 22px; fill: none; stroke: currentcolor; stroke-width: 1.75;
  stroke-linecap: round; stroke-linejoin: round; }
.badge {
  min-width: 20px;
  padding: 0 6px;
  border-radius: 99px;
  background: var(--_accent);
  color: var(--_on-accent);
  font-size: 12px;
  font-weight: 700;
  line-height: 20px;
  text-align: center;
  font-variant-numeric: tabular-nums;
}
.bell .badge { position: absolute; top: 0; inset-inline-start: 23px; min-width: 17px; padding: 0 4px; font-size: 11px;
  line-height: 17px; box-shadow: 0 0 0 2px var(--_surface); }
.bell .away {
  position: absolute;
  bottom: 5px;
  inset-inline-end: 6px;
  width: 9px;
  height: 9px;
  border-radius: 50%;
  background: var(--_warning);
  box-shadow: 0 0 0 2px var(--_surface);
}

.panel {
  display: flex;
  flex-direction: column;
  overflow: hidden;
  background: var(--_surface);
  border: 1px solid var(--_border);
  border-radius: var(--_radius);
}
:host(:not([inline])) .panel {
  position: absolute;
  z-index: 1000;
  top: calc(100% + 8px);
  inset-inline-end: 0;
  width: min(var(--_width), 100vw - 24px);
  max-height: min(var(--_max-height), 100dvh - 96px);
  box-shadow: 0 18px 50px -12px rgb(0 0 0 / 32%), 0 2px 8px rgb(0 0 0 / 8%);
}
:host([align="start"]:not([inline])) .panel { inset-inline: 0 auto; }

.head {
  display: flex;
  flex: none;
  flex-wrap: wrap;
  align-items: center;
  gap: 10px;
  min-height: 54px;
  padding-block: 8px;
  padding-inline: 18px 10px;
  border-bottom: 1px solid var(--_border);
}
:host(:not([inline])) .mark { display: none; }
.mark svg { width: 20px; height: 20px; color: var(--_muted); }
h2 { flex: none; max-width: 60%; font-size: 15px; font-weight: 650; overflow-wrap: break-word; }
.quiet {
  min-height: 32px;
  padding: 0 10px;
  color: var(--_accent);
  font-size: 13px;
  font-weight: 600;
  white-space: nowrap;
}
.quiet:hover:enabled { background: var(--_wash); }
.head > :nth-child(1 of button.of-list:not([hidden])) { margin-inline-start: auto; }
.head .icon + .icon { margin-inline-start: -8px; }
.head .quiet { flex: 1 1 min-content; min-width: 0; max-width: max-content; padding: 0 6px; }
.icon { flex: none; display: grid; place-items: center; width: 36px; height: 36px; padding: 0; color: var(--_muted); }
.icon:hover { background: var(--_wash); }
.icon svg { width: 20px; height: 20px; }

.status {
  display: flex;
  flex: none;
  align-items: center;
  gap: 9px;
  padding: 8px 18px;
  background: var(--_warning-wash);
  color: var(--_warning);
  font-size: 13px;
  font-weight: 600;
}
.status::before { content: ""; flex: none; width: 8px; height: 8px; border-radius: 50%; background: currentcolor; }
.status button { flex: none; max-width: 50%; margin-inline-start: auto; text-decoration: underline; text-underline-offset: 3px; }

.list { overflow-y: auto; overscroll-behavior: contain; }
:host([inline]) .list { max-height: var(--_max-height); }
.item {
  position: relative;
  display: grid;
  grid-template-columns: minmax(0, 1fr) auto;
  gap: 2px 12px;
  align-items: baseline;
  padding-block: 12px;
  padding-inline: 34px 18px;
}
.item + .item { border-top: 1px solid var(--_border); }
.item:hover { background: color-mix(in srgb, var(--_wash) 55%, transparent); }
.item:focus-visible { outline-offset: -3px; border-radius: 6px; }
[part="dot"] {
  position: absolute;
  top: 20px;
  inset-inline-start: 16px;
  width: 8px;
  height: 8px;
  border-radius: 50%;
  background: var(--_accent);
}
strong { font-weight: 650; overflow-wrap: anywhere; }
.item p { grid-column: 1 / -1; overflow-wrap: anywhere; white-space: pre-line; }
[part="item-link"] { color: inherit; text-decoration: none; }
.item:hover [part="item-link"] { text-decoration: underline; text-underline-offset: 3px; }
.item:has([part="item-link"]) { cursor: pointer; }
.actions { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: 8px; margin: 6px 0 4px; }
.actions a {
  display: inline-flex;
  align-items: center;
  border: 1px solid var(--_border);
  border-radius: 9px;
  overflow-wrap: anywhere;
  text-decoration: none;
  white-space: normal;
}
.actions a:hover { background: var(--_wash); }
[data-state="read"] strong { font-weight: 500; }
[data-state="read"] :is(strong, p) { color: var(--_muted); }
time { justify-self: end; color: var(--_muted); font-size: 12.5px; font-variant-numeric: tabular-nums; white-space: nowrap; }
code {
  max-width: 100%;
  padding: 0 8px;
  border-radius: 6px;
  background: var(--_wash);
  color: var(--_muted);
  font: 12px/20px ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  overflow-wrap: anywhere;
}
.foot { grid-column: 1 / -1; display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; min-width: 0; }
.foot { margin-block: 2px -4px; gap: 4px; justify-content: flex-end; }
.foot code { margin-inline-end: auto; }
.foot .quiet { min-height: 32px; }
.foot .icon { width: 32px; height: 32px; }
.foot button:last-child { margin-inline-end: -8px; }
.foot [data-sure] { color: var(--_warning); }
.choices { grid-column: 1 / -1; display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 4px; margin-inline-end: -8px; }
.tabs { display: flex; flex: none; gap: 4px; overflow-x: auto; padding: 6px 12px; border-bottom: 1px solid var(--_border); }
.tab { position: relative; display: inline-flex; flex: none; align-items: center; gap: 6px; max-width: 100%; min-height: 32px; padding: 0 10px; color: var(--_muted); font-size: 13px; font-weight: 600; }
.tab bdi { min-width: 0; overflow-wrap: anywhere; }
.tab .badge { flex: none; }
.tab:hover { background: var(--_wash); }
.tab[aria-selected="true"] { background: var(--_wash); color: var(--_accent); }
.tab:focus-visible { outline-offset: -2px; }
.undone { display: flex; flex: none; align-items: center; gap: 9px; padding: 6px 10px 6px 18px; border-top: 1px solid var(--_border); font-size: 13px; }
.undone .quiet { margin-inline-start: auto; }
.foot .quiet, .head .quiet { overflow-wrap: anywhere; text-align: end; white-space: normal; }
.head .quiet { overflow-wrap: break-word; }
.empty { padding: 40px 28px; color: var(--_muted); font-size: 14px; text-align: center; }
.more { flex: none; width: 100%; min-height: 44px; border-top: 1px solid var(--_border); border-radius: 0; }
.more:focus-visible { outline-offset: -3px; }
.heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

@keyframes arrive { from { background: var(--_wash); transform: translateY(-6px); } }
@keyframes blink { to { opacity: 0.25; } }
@media (prefers-reduced-motion: no-preference) {
  .arrived { animation: arrive 1.4s ease-out; }
  .status[data-state="connecting"]::before { animation: blink 1s ease-in-out infinite alternate; }
}
@media (max-width: 480px) {
  :host(:not([inline])) .panel { position: fixed; top: var(--belfry-inbox-top, 64px); inset-inline: 12px; width: auto; }
}
@media (forced-colors: active) {
  [part="dot"], .status::before, .bell .away { background: CanvasText; }
  .badge { border: 1px solid; }
}

/* The preferences, and which view is seen. */
[data-view="list"] .of-preferences, [data-view="preferences"] .of-list { display: none !important; }
.back { margin-inline: -10px -4px; }
:dir(rtl).back svg { transform: scaleX(-1); }
.preferences { overflow-y: auto; overscroll-behavior: contain; }
.preferences:focus-visible { outline-offset: -3px; }
:host([inline]) .preferences { max-height: var(--_max-height); }
.preference { padding: 12px 18px; }
.preference + .preference { border-top: 1px solid var(--_border); }
.preference strong { display: block; }
.hint { color: var(--_muted); font-size: 13px; overflow-wrap: anywhere; }
.switches { display: flex; flex-wrap: wrap; gap: 4px 18px; margin-block-start: 6px; }
.switch {
  display: inline-flex;
  align-items: center;
  gap: 8px;
  max-width: 100%;
  min-height: 32px;
  padding: 0 4px;
  margin-inline-start: -4px;
  overflow-wrap: anywhere;
  text-align: start;
}
.track {
  position: relative;
  flex: none;
  width: 34px;
  height: 20px;
  border: 2px solid var(--_muted);
  border-radius: 99px;
}
.track::after {
  content: "";
  position: absolute;
  inset-block-start: 3px;
  inset-inline-start: 3px;
  width: 10px;
  height: 10px;
  border-radius: 50%;
  background: var(--_muted);
}
.switch[aria-checked="true"] .track { border-color: var(--_accent); background: var(--_accent); }
.switch[aria-checked="true"] .track::after { inset-inline-start: 17px; background: var(--_on-accent); }
.switch[aria-disabled="true"] { opacity: 0.45; cursor: default; }
.switch[data-overruled] { color: var(--_muted); }
.switch[data-overruled][aria-checked="true"] .track { border-color: var(--_muted); background: none; }
.switch[data-overruled][aria-checked="true"] .track::after { background: var(--_muted); }

@media (prefers-reduced-motion: no-preference) {
  .track::after { transition: inset-inline-start 120ms ease-out; }
}
@media (max-width: 400px) {
  .mark { display: none; }
  .head { gap: 6px; }
  .head .quiet { white-space: normal; text-align: end; }
}
@media (forced-colors: active) {
  .switch .track, .switch[aria-checked="true"] .track { border-color: ButtonText; background: ButtonFace; }
  .switch .track::after, .switch[aria-checked="true"] .track::after { background: ButtonText; }
}
`;

let sheet;
/** Returns one sheet for all elements. It is created by script, which a strict Content-Security-Policy allows. */
export function inboxSheet() {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
  }
  return sheet;
}
