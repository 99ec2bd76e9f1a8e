import type { JsonValue } from "../../../core/plugin.js";
import { fieldsOf, Message } from "./protobuf.js";

/**
 * The messages of TensorBoard's event files (event.proto, summary.proto, tensor.proto and the plugin "hparams" of TensorBoard),
 * in the forms that its own writers use.
 */

const EVENT = { wallTime: 1, step: 2, fileVersion: 3, summary: 5 };
const SUMMARY = { value: 1 };
const VALUE = { tag: 1, simpleValue: 2, tensor: 8, metadata: 9 };
const METADATA = { pluginData: 1, dataClass: 4 };
const PLUGIN_DATA = { name: 1, content: 2 };
const TENSOR = { dtype: 1, shape: 2, strings: 8 };
const DT = { float: 1, string: 7 };
const CLASS = { tensor: 2 };
const HPARAMS = { start: 3, end: 4 };
const START = { hparams: 1, group: 4, seconds: 5 };
const END = { status: 1, seconds: 2 };
const STATUS = { success: 1, failure: 2 };

/** The tag that says how a run ended: of a run that goes on again it must go. */
const END_TAG = "_hparams_/session_end_info";
const START_TAG = "_hparams_/session_start_info";

/** When an event happened. */
export interface Moment {
  readonly step: number;
  readonly time: Date;
}

const seconds = (time: Date): number => time.getTime() / 1000;

const event = ({ step, time }: Moment): Message => {
  const message = new Message().double(EVENT.wallTime, seconds(time));
  return step === 0 ? message : message.int(EVENT.step, step);
};

const summary = (at: Moment, values: readonly Message[]): Buffer => {
  const body = new Message();
  for (const value of values) body.message(SUMMARY.value, value);
  return event(at).message(EVENT.summary, body).encode();
};

/** The first event of every file. */
export function versionEvent(time: Date): Buffer {
  return event({ step: 0, time }).text(EVENT.fileVersion, "brain.Event:2").encode();
}

/** Numbers of one step; they are kept with 24 bits of precision. */
export function scalarsEvent(at: Moment, scalars: Readonly<Record<string, number>>): Buffer {
  const values = Object.entries(scalars).map(([tag, number]) =>
    new Message().text(VALUE.tag, tag).float(VALUE.simpleValue, number),
  );
  return summary(at, values);
}

/** Texts, each of which is shown as Markdown; rows of several are shown as a table. */
export function textEvent(at: Moment, tag: string, rows: readonly (readonly string[])[]): Buffer {
  const shape = dimensions(rows.length, rows[0]?.length ?? 0);
  const tensor = new Message().int(TENSOR.dtype, DT.string).message(TENSOR.shape, shape);
  for (const text of rows.flat()) tensor.text(TENSOR.strings, text);
  return summary(at, [tensorValue(tag, "text", null, tensor)]);
}

/** Settings of the run for the page "HParams". */
export function sessionStartEvent(at: Moment, group: string, settings: ReadonlyMap<string, JsonValue>): Buffer {
  const start = new Message();
  for (const [key, value] of settings) {
    start.message(START.hparams, new Message().text(1, key).message(2, protobufValue(value)));
  }
  start.text(START.group, group).double(START.seconds, seconds(at.time));
  return hparamsEvent(at, START_TAG, new Message().message(HPARAMS.start, start));
}

export function sessionEndEvent(at: Moment, ok: boolean): Buffer {
  const end = new Message().int(END.status, ok ? STATUS.success : STATUS.failure).double(END.seconds, seconds(at.time));
  return hparamsEvent(at, END_TAG, new Message().message(HPARAMS.end, end));
}

/** What decides whether an event stays when a run goes on from an earlier step. */
export function stepAndEnd(bytes: Buffer): { readonly step: number; readonly isEnd: boolean } {
  let step = 0;
  let isEnd = false;
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === EVENT.step && typeof value === "number") step = value;
    if (number === EVENT.summary && typeof value !== "number") isEnd ||= tagsOf(value).includes(END_TAG);
  }
  return { step, isEnd };
}

function tagsOf(encodedSummary: Buffer): string[] {
  const tags: string[] = [];
  for (const value of fieldsOf(encodedSummary)) {
    if (value.number !== SUMMARY.value || typeof value.value === "number") continue;
    for (const { number, value: tag } of fieldsOf(value.value)) {
      if (number === VALUE.tag && typeof tag !== "number") tags.push(tag.toString());
    }
  }
  return tags;
}

function hparamsEvent(at: Moment, tag: string, content: Message): Buffer {
  // Readers want a tensor, and the plugin looks at the metadata alone.
  const empty = new Message().int(TENSOR.dtype, DT.float).message(TENSOR.shape, dimensions(0));
  return summary(at, [tensorValue(tag, "hparams", content, empty)]);
}

function tensorValue(tag: string, plugin: string, content: Message | null, tensor: Message): Message {
  const data = new Message().text(PLUGIN_DATA.name, plugin);
  if (content) data.message(PLUGIN_DATA.content, content);
  const metadata = new Message().message(METADATA.pluginData, data).int(METADATA.dataClass, CLASS.tensor);
  return new Message().text(VALUE.tag, tag).message(VALUE.tensor, tensor).message(VALUE.metadata, metadata);
}

function dimensions(...sizes: readonly number[]): Message {
  const shape = new Message();
  for (const size of sizes) shape.message(2, size === 0 ? new Message() : new Message().int(1, size));
  return shape;
}

/** google.protobuf.Value. */
function protobufValue(value: JsonValue): Message {
  if (typeof value === "number") return new Message().double(2, value);
  if (typeof value === "boolean") return new Message().int(4, value ? 1 : 0);
  return new Message().text(3, typeof value === "string" ? value : JSON.stringify(value));
}
