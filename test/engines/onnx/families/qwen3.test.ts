import { describeParity } from "./parity.js";

describeParity("qwen3");
