import { expect } from "chai";
import type { PluginSchema } from "../../../../core/config/index.js";
import { inspect } from "../support.js";

const kwargs = "actor_rollout_ref.rollout.engine_kwargs.fast";
const pluginSchemas: PluginSchema[] = [
  {
    plugin: "fast-server",
    schema: {
      properties: {
        fast: {
          type: "object",
          properties: { level: { enum: ["low", "high"] }, size: { type: "integer", default: 4 } },
        },
        actor_rollout_ref: {
          properties: {
            rollout: {
              properties: {
                engine_kwargs: {
                  properties: {
                    fast: { type: "object", additionalProperties: false, properties: { slots: { type: "integer" } } },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
];

describe("core/config/keys/plugin-schemas", () => {
  it("lets a plugin bring keys of its own and fills in its defaults", async () => {
    const { config, problems } = await inspect(["+fast.level=low"], { pluginSchemas });
    expect(problems).to.deep.equal([]);
    expect(config).to.have.property("fast").that.deep.equals({ level: "low", size: 4 });
  });

  it("refuses those keys when the plugin is not there", async () => {
    const { problems } = await inspect(["+fast.level=low"]);
    expect(problems.map(({ code, key }) => `${code} ${key}`)).to.deep.equal(["VERL_CONFIG_UNKNOWN_KEY fast"]);
  });

  it("checks open sections against the schema, with key and source", async () => {
    const { problems } = await inspect([`+${kwargs}.slots=many`, `+${kwargs}.slot=1`, "+fast.level=mid"], {
      pluginSchemas,
    });
    expect(problems.map(({ key }) => key)).to.have.members([`${kwargs}.slots`, `${kwargs}.slot`, "fast.level"]);
    for (const problem of problems) expect(problem.code).to.equal("VERL_CONFIG_PLUGIN_SECTION");
    expect(problems.find(({ key }) => key === `${kwargs}.slots`)?.where).to.equal(`override "+${kwargs}.slots=many"`);
    expect(problems.find(({ key }) => key === "fast.level")?.what).to.contain("low, high");
  });

  it("reports a schema that is none", async () => {
    const broken = [{ plugin: "p", schema: { type: "nonsense" } }];
    const { problems } = await inspect([], { pluginSchemas: broken });
    expect(problems[0].what).to.equal("The configSchema of p cannot be used.");
  });

  it("says what a plugin has deprecated, in its words, where somebody sets it", async () => {
    const schema = {
      properties: {
        fast: {
          properties: {
            level: { deprecated: true, deprecationMessage: "use size, gone with 2.0" },
            mode: { deprecated: true },
            size: { type: "integer" },
          },
        },
      },
    };
    const schemas = [{ plugin: "fast-server", schema }];
    const { notices } = await inspect(["+fast.level=low", "+fast.size=2"], { pluginSchemas: schemas });
    expect(notices.map(({ message, where, deprecation }) => ({ message, where, deprecation }))).to.deep.equal([
      {
        message: "fast.level is deprecated by fast-server: use size, gone with 2.0.",
        where: 'override "+fast.level=low"',
        deprecation: { kind: "deprecated", key: "fast.level" },
      },
    ]);
  });
});
