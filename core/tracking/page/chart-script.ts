/** Hover values on charts. */
export const CHART_SCRIPT = `const number = (value) => value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential(2) : String(value);

for (const svg of document.querySelectorAll("svg[data-lines]")) {
  const lines = JSON.parse(svg.dataset.lines);
  const figure = svg.parentElement;
  const box = svg.viewBox.baseVal;
  let cross, tip;
  const leave = () => { cross?.remove(); tip?.remove(); cross = tip = undefined; };
  svg.addEventListener("pointerleave", leave);
  svg.addEventListener("pointermove", (event) => {
    const area = svg.getBoundingClientRect();
    const x = (event.clientX - area.left) / area.width * box.width;
    const nearest = lines[0].p.reduce((best, p) => Math.abs(p[2] - x) < Math.abs(best[2] - x) ? p : best);
    if (!cross) {
      cross = svg.querySelector("line").cloneNode();
      cross.setAttribute("class", "cross");
      cross.setAttribute("y1", 0);
      cross.setAttribute("y2", box.height - 20);
      svg.append(cross);
      tip = make("div", "tip");
      figure.append(tip);
    }
    cross.setAttribute("x1", nearest[2]);
    cross.setAttribute("x2", nearest[2]);
    const values = lines.map((line) => {
      const point = line.p.find((p) => p[0] === nearest[0]);
      return point && (lines.length > 1 ? line.n + " " : "") + number(point[1]);
    });
    tip.textContent = "step " + nearest[0] + "\\n" + values.filter(Boolean).join("\\n");
    const scale = area.width / box.width;
    const outer = figure.getBoundingClientRect();
    const left = area.left - outer.left + nearest[2] * scale + 10;
    tip.style.left = Math.min(left, outer.width - tip.offsetWidth - 6) + "px";
    tip.style.top = area.top - outer.top + nearest[3] * scale - tip.offsetHeight - 8 + "px";
  });
}`;
