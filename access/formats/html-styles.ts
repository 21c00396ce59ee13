/** Styles of the page about a review. They follow the styles of the picture, and use the colors of the console. */
const DARK = `
  --text: #e4e8ee; --soft: #9ea9ba; --line: #303845; --back: #14181e; --surface: #1b2028; --raised: #252c37;
  --accent: #8db4f5; --good: #7fcfa3; --good-back: #1b3529; --bad: #f2949c; --bad-back: #43232a;
  --warn: #e3b765; --warn-back: #3b301b;`;

export const reportStyles = `
:root {
  color-scheme: light dark;
  --text: #1f2733; --soft: #566173; --line: #dfe3ea; --back: #f5f6f8; --surface: #ffffff; --raised: #eef1f5;
  --accent: #2f5fb3; --good: #1d6b45; --good-back: #e2f3ea; --bad: #a3303b; --bad-back: #fbe8e9;
  --warn: #85540b; --warn-back: #fbf0da;
  font: 400 1rem/1.5 system-ui, -apple-system, "Segoe UI", "Liberation Sans", Roboto, sans-serif;
}
@media screen and (prefers-color-scheme: dark) { :root {${DARK} } }
/* One scale of type: 12, 14, 16, 20 and 25 px. */
* { box-sizing: border-box; }
body { margin: 0; color: var(--text); background: var(--back); font-size: 0.875rem; }
main { max-width: 76rem; margin: 0 auto; padding: 32px 24px 64px; }
h1 { max-width: 54rem; margin: 4px 0 16px; font-size: 1.5625rem; line-height: 1.25; font-weight: 600; text-wrap: balance; }
h2 { margin: 0 0 4px; font-size: 1.25rem; line-height: 1.3; font-weight: 600; overflow-wrap: anywhere; }
p { margin: 0; }
code { font-family: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 0.75rem; overflow-wrap: anywhere; }
.kicker, .soft, .place { color: var(--soft); overflow-wrap: anywhere; }
.kicker strong { color: var(--text); font-weight: 600; }
.verdict { display: inline-block; padding: 6px 12px; border-radius: 6px; font-weight: 600; }
.verdict-good { color: var(--good); background: var(--good-back); }
.verdict-bad { color: var(--bad); background: var(--bad-back); }
.verdict-warn { color: var(--warn); background: var(--warn-back); }
.panel { margin: 24px 0 0; padding: 20px 24px 24px; background: var(--surface); border: 1px solid var(--line); border-radius: 8px; }
.panel > .place { margin-bottom: 16px; }
.panel > :last-child { margin-bottom: 0; }
.kind { margin-left: 4px; font-size: 0.875rem; font-weight: 400; color: var(--soft); }
.count { display: inline-block; min-width: 1.75rem; padding: 0 8px; border-radius: 10px; text-align: center; vertical-align: 2px; font-size: 0.75rem; line-height: 1.25rem; font-weight: 400; color: var(--soft); background: var(--raised); }
.entries { margin: 8px 0 0; padding: 0; list-style: none; overflow-wrap: anywhere; }
.entries > li { padding: 8px 0; border-top: 1px solid var(--line); }
.entries > li:first-child { border-top: 0; padding-top: 0; }
.entries > li:last-child { padding-bottom: 0; }
.unknown { margin-bottom: 12px; padding: 6px 12px; border-radius: 6px; color: var(--warn); background: var(--warn-back); overflow-wrap: anywhere; }
.table-scroll { position: relative; margin-bottom: 16px; overflow-x: auto; }
.changes { width: 100%; border-collapse: collapse; }
.changes th, .changes td { padding: 8px 16px 8px 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: 400; overflow-wrap: anywhere; }
.changes thead th { border-top: 0; padding-top: 0; font-size: 0.75rem; color: var(--soft); }
.changes td:first-child { width: 7.5rem; white-space: nowrap; font-weight: 600; }
.changes th[scope="row"] { width: 30%; }
.changes td:last-child { width: 26%; padding-right: 0; }
.changes th[scope="row"] .access-member { --access-soft: var(--soft); --access-warn: var(--warn); --access-warn-back: var(--warn-back); }
.change-lost { color: var(--bad); }
.change-gained { color: var(--good); }
.change-condition, .change-unknown { color: var(--warn); }
.others { margin-bottom: 16px; overflow-wrap: anywhere; }
.step { display: block; }
.badge { display: inline-block; margin-top: 4px; padding: 0 8px; border-radius: 4px; font-size: 0.75rem; line-height: 1.25rem; font-weight: 600; color: var(--bad); background: var(--bad-back); }
.legend { margin-top: 12px; font-size: 0.75rem; }
details { margin-top: 16px; }
summary { cursor: pointer; color: var(--soft); }
details details > :nth-child(2) { margin-top: 12px; }
.resource { padding: 0; }
.resource > :not(summary) { margin-inline: 24px; }
.resource:not([open]) { margin-top: 8px; }
.resource > summary { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 12px; padding: 12px 24px; color: var(--text); }
.resource[open] > summary { padding-bottom: 4px; }
.resource > summary h2 { flex: 1; margin: 0; }
.resource > summary h2::before { content: "▸"; display: inline-block; width: 1.25rem; color: var(--soft); font-size: 0.875rem; }
.resource[open] > summary h2::before { content: "▾"; }
.resource > summary::-webkit-details-marker { display: none; }
.resource:not([open]) > summary h2 { font-size: 1rem; }
.resource > .place { scroll-margin-top: 72px; }
.resource > :last-child { margin-bottom: 24px; }
.resource[open] .names { display: none; }
.names { flex-basis: 100%; padding-left: 1.25rem; font-size: 0.75rem; overflow-wrap: anywhere; }
.names > span { margin-right: 12px; }
.tallies { font-weight: 600; white-space: nowrap; }
.tallies > span { margin-left: 6px; }
.filter { flex-wrap: wrap; gap: 4px 20px; margin: 8px 0 0; padding: 0; border: 0; }
.filter legend { float: left; padding: 0; color: var(--soft); }
.filter label { display: inline-flex; align-items: center; gap: 6px; }
.filter input { margin: 0; accent-color: var(--accent); }
.index { margin: 12px 0 0; padding: 0; columns: 18rem; column-gap: 32px; list-style: none; overflow-wrap: anywhere; }
.index li { display: flex; justify-content: space-between; gap: 12px; padding: 3px 0; break-inside: avoid; position: relative; }
a { color: var(--accent); text-underline-offset: 3px; }
.access-scroll { max-height: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
@media (max-width: 48rem) {
  main { padding: 16px 12px 32px; }
  .panel { padding: 16px; }
  .resource { padding: 0; }
  .resource > :not(summary) { margin-inline: 16px; }
  .resource > summary { padding-inline: 16px; }
  .resource > summary h2 { flex-basis: 100%; }
  .tallies { padding-left: 1rem; white-space: normal; }
  .changes, .changes tbody, .changes tr, .changes :is(td, th) { display: block; }
  .changes thead { display: none; }
  .changes tr { padding: 8px 0; border-top: 1px solid var(--line); }
  .changes tbody tr:first-child { border-top: 0; }
  .changes tbody :is(td, th, th[scope="row"], td:last-child) { width: auto; padding: 0; border: 0; }
}
@media print {
  :root { --back: #ffffff; print-color-adjust: exact; -webkit-print-color-adjust: exact; font-size: 11pt; }
  main { max-width: none; padding: 0; }
  .panel { padding: 12px 0; border-width: 1px 0 0; border-radius: 0; }
  .changes tr, .access-matrix tr, .entries > li { break-inside: avoid; }
  h2, .place { break-after: avoid; }
  details::details-content { content-visibility: visible; height: auto; }
  .names { display: none; }
  .panel .access-scroll { overflow: visible; width: auto; }
  .panel .access-matrix th { position: static; }
}
`;
