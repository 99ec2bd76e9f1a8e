import { openModel, writeHfFolder } from "../../core/formats/index.js";

/** `MODEL FOLDER`: write a model of any format as a Hugging Face folder, in float32. */
const [path, folder] = process.argv.slice(2);
const model = await openModel(path);
const tensors = (async function* () {
  for (const { name } of model.tensors) yield model.readTensor(name);
})();
await writeHfFolder(folder, {
  config: model.config,
  tensors,
  tokenizerFiles: await model.tokenizerFiles(),
  dtype: "f32",
});
await model.close();
