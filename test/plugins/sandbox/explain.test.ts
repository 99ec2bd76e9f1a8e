import { expect } from "chai";
import { explainFailure, type MachineFacts } from "../../../plugins/sandbox/namespaces/explain.js";

const FACTS: MachineFacts = {
  root: false,
  usernsClone: null,
  maxUserNamespaces: "90000",
  apparmorRestricts: null,
  filtered: false,
};
const refused = { step: "clone", errno: 1, text: "Operation not permitted" };

describe("plugins/sandbox/namespaces where it cannot be used", () => {
  const cases: [string, Partial<MachineFacts>, Partial<typeof refused>, RegExp, RegExp | null][] = [
    ["no user namespaces at all", { maxUserNamespaces: "0" }, { errno: 28 }, /user\.max_user_namespaces = 0/, /sysctl/],
    ["Debian's switch", { usernsClone: "0" }, {}, /kernel\.unprivileged_userns_clone = 0/, /userns_clone=1/],
    ["Ubuntu's AppArmor", { apparmorRestricts: "1" }, { step: "mount the root", errno: 13 }, /AppArmor/, /userns,/],
    [
      "a container's filter",
      { filtered: true, root: true },
      {},
      /the container forbids namespaces/,
      /seccomp=unconfined/,
    ],
    ["a container's masks", { root: true }, { step: "mount /proc" }, /\/proc are masked/, /systempaths=unconfined/],
    ["a container without nobody", { root: true }, { step: "write /proc/7/uid_map" }, /user 65534/, null],
    [
      "anything else, as it is",
      {},
      { step: "pivot_root", errno: 22, text: "Invalid argument" },
      /^pivot_root: Invalid argument$/,
      null,
    ],
  ];
  for (const [what, facts, failure, reason, fix] of cases) {
    it(`tells ${what}`, () => {
      const refusal = explainFailure({ ...refused, ...failure }, { ...FACTS, ...facts });
      expect(refusal.reason).to.match(reason);
      if (fix) expect(refusal.fix).to.match(fix);
      else expect(refusal.fix).to.equal(undefined);
    });
  }

  it("does not blame switches that bind ordinary users alone when root is refused", () => {
    const facts = { ...FACTS, root: true, usernsClone: "0", apparmorRestricts: "1" };
    expect(explainFailure(refused, facts).reason).to.equal("clone: Operation not permitted");
  });
});
