import { CHART_SCRIPT } from "./chart-script.js";
import { SAMPLE_SCRIPT } from "./sample-script.js";

const MAKE = `const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};`;

/**
 * The script of a page: hover values on charts, and the sample browser. It builds elements and sets `textContent` only, so no
 * text of a model can become markup. Plain JavaScript for any current browser.
 */
export const SCRIPT = `"use strict";\n${[MAKE, CHART_SCRIPT, SAMPLE_SCRIPT].join("\n\n")}\n`;
