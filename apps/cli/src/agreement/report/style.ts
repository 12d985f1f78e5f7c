export const STYLE = `
:root { color-scheme: light; --ink: #1d2733; --soft: #5b6878; --rule: #d9dfe6; --paper: #fff; --bad: #a3261b;
  --badpaper: #fbeae8; --good: #1c6b3a; --goodpaper: #e7f4ec; --open: #7a5a00; --openpaper: #fbf3dc; --blue: #2b5d9b; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 2rem 1.5rem 4rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; padding-top: .9rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
p { margin: .4rem 0; max-width: 46rem; }
.facts, .note, figcaption { color: var(--soft); font-size: .87rem; }
.verdict { border-left: 5px solid; border-radius: 3px; padding: .9rem 1.2rem; margin: 1.25rem 0; }
.verdict p:first-of-type { font-size: 1.1rem; font-weight: 600; }
.not-trusted { border-color: var(--bad); background: var(--badpaper); }
.trusted { border-color: var(--good); background: var(--goodpaper); }
.not-shown { border-color: var(--open); background: var(--openpaper); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: .6rem 0; width: 100%; font-size: .87rem; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .32rem .5rem; border-bottom: 1px solid var(--rule); vertical-align: top; }
th { font-weight: 600; color: var(--soft); vertical-align: bottom; line-height: 1.25; }
thead th { border-bottom: 2px solid var(--rule); }
th.text, td.text { text-align: left; }
tbody th { color: var(--ink); text-align: left; font-weight: 600; vertical-align: top; line-height: inherit; }
td { white-space: nowrap; } td.text { white-space: normal; }
td.text span { display: inline-block; margin-right: 1.1rem; }
tr.all td, tr.all th { border-bottom: 2px solid var(--rule); background: #f5f7fa; }
td small { display: block; color: var(--soft); font-size: .78rem; white-space: nowrap; }
td.crossed { background: var(--badpaper); color: var(--bad); font-weight: 600; }
td.crossed small { color: var(--bad); font-weight: 400; }
.tag { display: inline-block; border-radius: 3px; padding: 0 .45rem; font-size: .8rem; white-space: nowrap; }
.tag.trusted { color: var(--good); } .tag.not-trusted { color: var(--bad); } .tag.not-shown { color: var(--open); }
.plots { display: flex; flex-wrap: wrap; gap: 1rem 2rem; align-items: flex-start; }
.plots > div { flex: 1 1 20rem; }
figure { margin: .75rem 0; } figcaption { max-width: 27rem; }
svg { max-width: 100%; height: auto; display: block; }
svg text { font: 11px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: var(--soft); }
svg text.strong { fill: var(--ink); }
code { font-size: .85rem; background: #f1f4f7; padding: .1rem .35rem; border-radius: 3px; overflow-wrap: anywhere; }
dt { font-weight: 600; margin-top: .5rem; } dd { margin: 0 0 0 1.2rem; max-width: 46rem; }
@media print {
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  h2 { break-after: avoid; } tr, figure, .verdict { break-inside: avoid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
