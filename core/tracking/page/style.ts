const each = (rule: (colour: number) => string): string => [0, 1, 2, 3, 4, 5].map(rule).join("");

/** The page's style sheet. Two palettes over the same names; the reader's system chooses. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#f7f7f5;--card:#fff;--text:#1d2025;--soft:#666d78;--line:#e3e4e1;--grid:#ececea;
--c0:#2f66d0;--c1:#c8701a;--c2:#2a8f62;--c3:#a1459b;--c4:#8a6d1d;--c5:#4b8fa8;--band:#2f66d022;--good:#1f7a4d;--bad:#b3342c;--heat:214,121,28;--chip:#eef0f2}
@media(prefers-color-scheme:dark){:root{--bg:#121417;--card:#1a1d22;--text:#e7e9ec;--soft:#98a0ab;--line:#2b3038;--grid:#252a31;
--c0:#7aa5f5;--c1:#eba85c;--c2:#63c795;--c3:#dc8fd6;--c4:#d3bd63;--c5:#7fc7de;--band:#7aa5f52b;--good:#63c795;--bad:#f08a80;--heat:235,150,62;--chip:#262b32}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;-webkit-text-size-adjust:100%}
main{max-width:1180px;margin:0 auto;padding:28px 20px 60px}
h1{font-size:26px;line-height:1.2;margin:0;font-weight:650;overflow-wrap:anywhere}
h2{font-size:18px;margin:36px 0 12px;font-weight:620}
h4{font-size:13px;font-weight:600;margin:0;overflow-wrap:anywhere}
small,figcaption,.soft{color:var(--soft);font-size:12.5px}
.top{display:flex;flex-wrap:wrap;gap:6px 16px;align-items:baseline;justify-content:space-between;margin-bottom:18px}
.top p{margin:2px 0 0;color:var(--soft)}
.state{font-weight:600;padding:2px 11px;border-radius:99px;background:var(--chip);white-space:nowrap}
.state.completed{color:var(--good)}.state.failed{color:var(--bad)}
.error{border-left:3px solid var(--bad);background:var(--card);padding:10px 14px;margin:0 0 18px;white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.5 ui-monospace,Menlo,Consolas,monospace}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(138px,1fr));gap:10px;margin-bottom:14px}
.tile,.chart,.card,.panel{background:var(--card);border:1px solid var(--line);border-radius:10px}
.tile{padding:12px 14px;display:flex;flex-direction:column}
.tile span{color:var(--soft);font-size:13px}.tile strong em{font-style:normal;font-size:13px;font-weight:500;color:var(--soft)}.tile strong{font-size:22px;font-weight:640;line-height:1.3;font-variant-numeric:tabular-nums}
.main{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,340px),1fr));gap:10px}
.grid-charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,300px),1fr));gap:10px;margin-top:10px}
.chart{margin:0;padding:10px 12px 8px;min-width:0;position:relative}
.chart header{display:flex;gap:10px;align-items:baseline;margin-bottom:4px}
.chart header h4{flex:1;min-width:0}.chart header b{font-size:14px;font-variant-numeric:tabular-nums;font-weight:600}
.chart svg{display:block;width:100%;height:auto;overflow:visible;touch-action:pan-y}
.chart figcaption{line-height:1.35;margin-top:2px}.empty{color:var(--soft);margin:20px 0;text-align:center}
.legend{font-size:12px;color:var(--soft);white-space:nowrap}.legend i{display:inline-block;width:10px;height:3px;border-radius:2px;margin:0 5px 3px 8px}
${each((i) => `i.l${i}{background:var(--c${i})}`)}
.grid{stroke:var(--grid);stroke-width:1}.tick{fill:var(--soft);font-size:10.5px;font-variant-numeric:tabular-nums}
.large .tick{font-size:12.5px}
.line{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}${each((i) => `.line.l${i}{stroke:var(--c${i})}`)}
${each((i) => `.dot.l${i}{fill:var(--c${i})}`)}.band{fill:var(--band)}
.cross{stroke:var(--soft);stroke-width:1;stroke-dasharray:3 3}
.tip{position:absolute;pointer-events:none;background:var(--text);color:var(--bg);font-size:12px;line-height:1.4;padding:3px 8px;border-radius:6px;white-space:pre;z-index:2;font-variant-numeric:tabular-nums}
details>summary{cursor:pointer;font-weight:600;padding:8px 0;list-style-position:outside}
.group{border-top:1px solid var(--line)}.group summary small{font-weight:400;margin-left:8px}
.group[open]{padding-bottom:16px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;background:var(--card);border:1px solid var(--line);border-radius:10px;font-variant-numeric:tabular-nums}
th,td{padding:6px 12px;text-align:right;border-bottom:1px solid var(--line);font-weight:400;white-space:nowrap}
th[scope=row],thead th:first-child{text-align:left;min-width:150px;white-space:normal;overflow-wrap:anywhere}
thead th{color:var(--soft);font-size:13px}tbody tr:last-child>*{border-bottom:0}
.up{color:var(--good)}.down{color:var(--bad)}
.bar{display:flex;flex-wrap:wrap;gap:6px;align-items:center;margin:0 0 10px}
.bar button{font:inherit;font-size:13px;color:inherit;border:1px solid var(--line);background:var(--card);border-radius:99px;padding:3px 12px;cursor:pointer}
.bar button[aria-pressed=true]{background:var(--text);color:var(--bg);border-color:var(--text)}
.bar .gap{width:14px}
.card{margin:0 0 10px;padding:10px 14px}
.card summary{padding:0;font-weight:400;display:flex;gap:10px;align-items:baseline;list-style:none}
.card summary::-webkit-details-marker{display:none}
.card summary:before{content:"▸";color:var(--soft);flex:none}.card[open] summary:before{content:"▾"}
.card .first{flex:1;min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.65 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.pictures{display:flex;flex-wrap:wrap;gap:6px;margin:6px 0}
.pictures img{max-width:240px;max-height:160px;min-width:24px;min-height:24px;object-fit:contain}
.prompt{color:var(--soft);margin:10px 0 4px;max-height:220px;overflow:auto}
.answer{border-top:1px solid var(--line);padding:6px 0;display:grid;grid-template-columns:118px minmax(0,1fr) minmax(0,240px);gap:4px 14px;align-items:baseline}
.answer .meta{font-size:12.5px;color:var(--soft)}.answer .more{overflow-wrap:anywhere}
.score{display:inline-block;font-variant-numeric:tabular-nums;font-weight:600;color:var(--text);background:var(--chip);border-radius:6px;padding:0 7px}
.score.one{color:var(--good)}.score.zero{color:var(--bad)}
.t{border-radius:3px}.t:hover{outline:1px solid var(--soft)}.given{color:var(--soft);border-bottom:1px dashed var(--soft)}
.key{display:inline-flex;gap:8px;align-items:center;font-size:12.5px;color:var(--soft);flex-wrap:wrap;margin-left:auto}
.key .t{padding:0 5px;color:var(--text)}
.panel{padding:12px 16px;max-height:520px;overflow:auto;margin:6px 0}
footer{margin-top:40px;color:var(--soft);font-size:12.5px}
@media(max-width:700px){.answer{grid-template-columns:1fr}}
@media print{.bar{display:none}.tile,.chart,.card{break-inside:avoid}}
`;
