import { describeParity } from "./parity.js";

describeParity("gemma3_text");
