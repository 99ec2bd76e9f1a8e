import { describeParity } from "./parity.js";

describeParity("llama");
