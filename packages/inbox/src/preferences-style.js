/** The look of the preferences, and which view is seen. */
export const PREFERENCES_CSS = `
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
