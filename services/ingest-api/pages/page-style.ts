/** The look of the pages that links in messages lead to: one card, on a phone first. */
export const PAGE_CSS = `
:root{color-scheme:light dark;--paper:#f3f4f6;--card:#ffffff;--ink:#1c1f23;--soft:#54595f;--line:#d5d8dc;
--edge:#7b8188;--brand:#1f2933;--on-brand:#ffffff;--good:#11603c;--good-wash:#e4f4ea}
@media (prefers-color-scheme:dark){:root{--paper:#111315;--card:#1b1e21;--ink:#eceef0;--soft:#aab0b6;--line:#33383d;
--edge:#7d858d;--brand:#e3e6e9;--on-brand:#15181b;--good:#8ddcb0;--good-wash:#17301f}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:34rem;margin:0 auto;padding:1.75rem 1.25rem 2rem;background:var(--card);min-height:100vh;
border-top:6px solid var(--brand);overflow-wrap:anywhere}
@media (min-width:38rem){main{margin:4rem auto;padding:2.25rem 2.5rem 2.5rem;min-height:0;border-radius:12px;
box-shadow:0 1px 3px rgb(0 0 0/12%)}}
.name{margin:0 0 1.5rem;font-weight:600;color:var(--soft)}
h1{margin:0 0 .75rem;font-size:1.6rem;line-height:1.25;letter-spacing:-.01em}
p{margin:0 0 1.25rem}
.soft{color:var(--soft);font-size:.9rem}
.done{padding:.6rem .9rem;border-radius:8px;background:var(--good-wash);color:var(--good)}
form{margin:0}
button{font:inherit;font-weight:600;padding:.7rem 1.4rem;border-radius:8px;border:1px solid var(--edge);cursor:pointer;
background:transparent;color:var(--ink)}
button.main{background:var(--brand);border-color:var(--edge);color:var(--on-brand)}
:focus-visible{outline:3px solid var(--ink);outline-offset:2px}
.buttons{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.5rem}
@media (max-width:26rem){button{width:100%}}
fieldset{margin:0;padding:1rem 0;border:0;border-top:1px solid var(--line)}
legend{float:left;width:100%;padding:0;font-weight:600}
fieldset p{clear:both;margin:0 0 .35rem}
.choices{clear:both;display:flex;flex-wrap:wrap;gap:.25rem 1.5rem}
label{display:flex;align-items:center;gap:.55rem;min-height:2.75rem}
input{flex:none;width:1.3rem;height:1.3rem;margin:0;accent-color:var(--brand)}
`;
