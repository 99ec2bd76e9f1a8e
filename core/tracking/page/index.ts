/** Building blocks of self-contained pages: escaped HTML, charts, the sample browser. */

export { BoundedSeries, type Point } from "./bounded-series.js";
export { type Chart, type ChartLine, renderChart } from "./chart.js";
export { type PageDocument, renderDocument, SAMPLE_BROWSER } from "./document.js";
export { Html, html } from "./html.js";
export { type Sample, type SampleLimits, type SamplePicture, sampleOf } from "./sample.js";
export { SampleStore, type StoreLimits } from "./sample-store.js";
export { SeriesStore } from "./series-store.js";
export { STYLE } from "./style.js";
