import { createNaiveRewardManager } from "../../../core/reward/index.js";
import { rewardManagerConformance, runConformance } from "../../../testing/index.js";

runConformance("naive reward manager", rewardManagerConformance({ make: createNaiveRewardManager }), { describe, it });
