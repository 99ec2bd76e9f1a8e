import { selfTestMain } from "./self-test.js";

await selfTestMain(process.argv[2]);
