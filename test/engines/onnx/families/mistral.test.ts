import { describeParity } from "./parity.js";

describeParity("mistral");
