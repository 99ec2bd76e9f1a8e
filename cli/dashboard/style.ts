import { STYLE as PAGE_STYLE } from "../../core/tracking/index.js";

const each = (rule: (colour: number) => string): string => [0, 1, 2, 3, 4, 5].map(rule).join("");

/** What the dashboard adds to the style of reports. */
export const STYLE = `${PAGE_STYLE}
body{font-size:14px}
main{max-width:none;margin:0;padding:0}
h1{font-size:18px}h2{font-size:16px;margin:22px 0 8px}h2:first-child{margin-top:0}h5{font-size:12.5px;color:var(--soft);font-weight:600;margin:12px 0 4px}
:focus-visible{outline:2px solid var(--c0);outline-offset:2px;border-radius:4px}
.head{display:flex;flex-wrap:wrap;align-items:center;gap:6px 10px;padding:10px 18px;border-bottom:1px solid var(--line);background:var(--card)}
.tabs{display:flex;flex-wrap:wrap;gap:2px;margin-left:auto}
.tabs button{font:inherit;color:var(--soft);background:none;border:0;border-radius:7px;padding:5px 11px;cursor:pointer}
.tabs button:hover{color:var(--text)}.tabs button[aria-current]{color:var(--text);background:var(--chip);font-weight:600}
.layout{display:grid;grid-template-columns:290px minmax(0,1fr);align-items:start}
.side{position:sticky;top:0;max-height:100vh;overflow:auto;padding:12px 10px 40px 18px;border-right:1px solid var(--line);min-height:calc(100vh - 52px)}
.side>summary{padding:0 0 8px;list-style-position:inside}
.side>input{width:100%}
.content{padding:16px 18px 60px;min-width:0}
input,select{font:inherit;font-size:13px;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:7px;padding:4px 8px;max-width:100%}
input:not([type=checkbox]),select,.toggles{height:30px}.toggles button{height:100%}
input[type=range]{padding:0;margin:0;width:110px;accent-color:var(--c0)}input[type=number]{width:86px}input[type=checkbox]{accent-color:var(--c0);margin:3px 0 0}
.runs{list-style:none;margin:8px 0 0;padding:0}
.runs li{display:flex;align-items:flex-start;gap:8px;padding:8px 6px;border-radius:8px}.runs li:hover{background:var(--chip)}
.runs label{display:flex;flex-direction:column;min-width:0;flex:1;cursor:pointer;gap:1px}
.runs .name{font-weight:600;overflow-wrap:anywhere;line-height:1.3}
.runs .facts{font-size:12px;color:var(--soft)}.status.running{color:var(--good);font-weight:600}
.runs .value{display:flex;gap:7px;align-items:center;min-width:0;font-variant-numeric:tabular-nums}
.runs .value small{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.problem{font-size:12px;color:var(--bad);overflow-wrap:anywhere}
.spark{width:80px;height:22px;flex:none}.spark .line{stroke-width:1.5}.line.plain{stroke:var(--soft)}.dot.plain{fill:var(--soft)}
i[class^=l]{display:inline-block;width:10px;height:10px;border-radius:3px;margin-right:6px}
.field{display:inline-flex;flex-direction:column;gap:1px;font-size:12px;color:var(--soft);min-width:0}.field select{max-width:210px}
.pair{display:inline-flex;gap:8px}.tools{align-items:flex-end;gap:8px 12px}
.toggles{display:inline-flex;border:1px solid var(--line);border-radius:7px;overflow:hidden;background:var(--card)}
.bar .toggles button{border:0;border-radius:0;padding:4px 10px;background:none}
.bar .toggles button[aria-pressed=true]{background:var(--text);color:var(--bg)}
.bar button:disabled{opacity:.45;cursor:default}
.content .group summary{list-style-position:inside}
.runs-legend{display:none}
.notice{color:var(--soft);margin:8px 0}
.grid-charts{grid-template-columns:repeat(auto-fill,minmax(min(100%,330px),1fr));margin:0 0 12px}
.chart .tick{font-size:12px}
.line.faint{opacity:.28;stroke-width:1.2}
${each((i) => `.band.l${i}{fill:var(--c${i});opacity:.15}`)}
.tip{white-space:nowrap;max-width:calc(100% - 8px);overflow:hidden}.tip div{overflow:hidden;text-overflow:ellipsis}
.card summary{flex-wrap:wrap}.card summary .first{min-width:40%}
.response.mask .t:not(.given),.key .sampled{background:color-mix(in srgb,var(--c0) 18%,transparent)}
.response{max-height:70vh;overflow:auto}
dl{margin:10px 0 2px;display:flex;flex-wrap:wrap;gap:4px 18px;font-size:12.5px}dl div{display:flex;gap:6px;min-width:0}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere;min-width:0}
th[scope=rowgroup]{text-align:left;vertical-align:top;min-width:130px;white-space:normal;overflow-wrap:anywhere}td.run,thead th:nth-child(2){text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:110px}tbody+tbody{border-top:1px solid var(--line)}tbody tr:last-child>td{border-bottom:1px solid var(--line)}
.texts td,.texts th[scope=col]{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:120px;vertical-align:top}
.texts td{font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.tree,.tree ul{list-style:none;margin:0;padding:0}.tree ul{margin:0 0 6px 18px;border-left:1px solid var(--line);padding-left:12px}
.tree summary{padding:4px 0;font-weight:400;list-style-position:inside}.tree summary small{margin-left:8px}.tree li{overflow-wrap:anywhere}
.tree .kind{color:var(--soft);display:inline-block;min-width:130px;margin-right:8px}
@media(max-width:900px){.runs-legend{display:flex;flex-wrap:wrap;gap:2px 14px;margin:0 0 8px;font-size:12.5px}.runs-legend span{overflow-wrap:anywhere}.layout{grid-template-columns:minmax(0,1fr)}.side{position:static;max-height:45vh;min-height:0;border-right:0;border-bottom:1px solid var(--line);padding:10px 14px}
.side>summary{padding:0}.side[open]>summary{padding-bottom:8px}.content{padding:14px 14px 50px}.tabs{margin:0 -6px;width:calc(100% + 12px);flex-wrap:nowrap;overflow-x:auto}.tabs{gap:0}.tabs button{padding:5px 7px;white-space:nowrap;font-size:13px}th,td{padding:5px 8px}.head{padding:10px 14px}}
`;
