import { describeParity } from "./parity.js";

describeParity("gpt2");
