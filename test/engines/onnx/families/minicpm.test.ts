import { describeParity } from "./parity.js";

describeParity("minicpm");
