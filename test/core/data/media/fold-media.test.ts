import { expect } from "chai";
import { foldMedia } from "../../../../core/data/index.js";
import type { ChatMessage } from "../../../../core/plugin.js";

const COLUMNS = { image: "images", video: "videos", audio: "audios" };
const user = (content: ChatMessage["content"]): ChatMessage => ({ role: "user", content });
const fold = (messages: readonly ChatMessage[], row: Record<string, never[] | string[] | string>) =>
  foldMedia(messages, row, COLUMNS);

describe("core/data/media/fold-media", () => {
  it("puts the media of a column in the places of its marks, in order, and takes the column away", () => {
    const folded = fold([{ role: "system", content: "Look." }, user("<image>left <image>right"), user("<audio>")], {
      images: ["a.png", "b.png"],
      audios: ["c.wav"],
      data_source: "toy",
    });
    expect(folded).to.deep.equal({
      messages: [
        { role: "system", content: "Look." },
        user([
          { type: "image", image: "a.png" },
          { type: "text", text: "left " },
          { type: "image", image: "b.png" },
          { type: "text", text: "right" },
        ]),
        user([{ type: "audio", audio: "c.wav" }]),
      ],
      row: { data_source: "toy" },
    });
  });

  it("fills parts that hold no medium, and marks in text parts", () => {
    const content = [{ type: "image" }, { type: "text", text: "and <image>" }];
    expect(fold([user(content)], { images: ["a.png", "b.png"] })).to.deep.equal({
      messages: [
        user([
          { type: "image", image: "a.png" },
          { type: "text", text: "and " },
          { type: "image", image: "b.png" },
        ]),
      ],
      row: {},
    });
  });

  it("leaves parts alone that hold a medium", () => {
    const content = [{ type: "image_url", image_url: { url: "data:," } }, { type: "image" }];
    expect(fold([user(content)], { images: "a.png" })).to.deep.equal({
      messages: [user([content[0], { type: "image", image: "a.png" }])],
      row: {},
    });
  });

  it("leaves rows without media as they are, marks and empty columns included", () => {
    const messages = [user("what does <image> mean?")];
    const row = { images: [] };
    expect(fold(messages, row)).to.deep.equal({ messages, row });
  });

  it("names a column that is nearly called as the one that a mark asks for", () => {
    const folded = fold([user("<image>which?")], { image: ["a.png"] });
    expect(folded)
      .to.have.property("problem")
      .that.contains("<image>")
      .and.contains("a column image")
      .and.contains("data.image_key");
    const text = { image_note: "none", image: [] };
    expect(fold([user("<image>which?")], text)).to.have.property("messages");
  });

  it("names a mark too many, and a medium too many", () => {
    expect(fold([user("<image><image>")], { images: ["a.png"] }))
      .to.have.property("problem")
      .that.contains("more marks <image>");
    expect(fold([user("<image>")], { images: ["a.png", "b.png"] }))
      .to.have.property("problem")
      .that.contains("1 more media in the column images");
  });
});
