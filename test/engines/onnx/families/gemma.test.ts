import { describeParity } from "./parity.js";

describeParity("gemma");
