import { expect } from "chai";
import fc from "fast-check";
import { isSecretName, MASK, maskSecrets, shownVariable } from "../../../core/config/index.js";
import { codedError, inspect } from "./support.js";

describe("core/config/secrets", () => {
  it("tells names of secrets from names that only sound like them", () => {
    for (const name of ["api_key", "WANDB_API_KEY", "HF_TOKEN", "token", "db.password", "client_secret", "apiKey"]) {
      expect(isSecretName(name), name).to.equal(true);
    }
    for (const name of [
      "prompt_key",
      "tokenizer_path",
      "max_token_len",
      "loss_agg_mode",
      "token-mean",
      "teacher_key",
    ]) {
      expect(isSecretName(name), name).to.equal(false);
    }
  });

  it("masks values under secret names at any depth, and leaves numbers and empty texts", () => {
    const value = { a: { api_key: "abc", keys: [1] }, token: ["x", { y: "z" }], password: "", max_tokens: 5 };
    expect(maskSecrets(value)).to.deep.equal({
      a: { api_key: "********", keys: [1] },
      token: ["********", { y: "********" }],
      password: "",
      max_tokens: 5,
    });
  });

  it("masks credentials in URLs", () => {
    expect(maskSecrets("redis://user:pw@host:1/0 http://host/a@b")).to.equal(
      "redis://********@host:1/0 http://host/a@b",
    );
  });

  it("never lets a secret of the environment through, wherever it was copied to", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9]{8,20}$/), fc.string(), fc.string(), (secret, before, after) => {
        const masked = maskSecrets({ note: `${before}${secret}${after}`, list: [secret] }, { SOME_API_KEY: secret });
        expect(JSON.stringify(masked)).not.to.contain(secret);
      }),
    );
  });

  it("does not repeat a key that was typed where the name of its variable belongs", async () => {
    const { problems } = await inspect(["reward.reward_model.api_key_env=sk-abc-123456"]);
    expect(problems).to.have.length(1);
    expect(JSON.stringify(problems)).not.to.contain("abc-123456");
  });

  it("does not repeat a key of an override that is refused", async () => {
    for (const override of ["reward.reward_model.api_key=sk-abc-123456", "trainer.token='abc-123456"]) {
      const error = await codedError(() => inspect([override]));
      expect(JSON.stringify([String(error), error.message, error.data]), override).not.to.contain("abc-123456");
    }
  });

  it("shows names of variables, and nothing that looks like a key itself", () => {
    for (const name of ["OPENAI_API_KEY", "my_key", "K2"]) expect(shownVariable(name)).to.equal(name);
    for (const key of ["sk-proj-1", "AKiaX91bbQ", "c2VjcmV0c2VjcmV0c2VjcmV0"])
      expect(shownVariable(key)).to.equal(MASK);
  });
});
