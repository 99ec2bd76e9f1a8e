import { expect } from "chai";
import fc from "fast-check";
import { isSecretName, maskSecrets } from "../../../core/config/index.js";

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
});
