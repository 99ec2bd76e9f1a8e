import { singleTurnAgent } from "../../../../core/agent/index.js";
import { agentLoopConformance, runConformance } from "../../../../testing/index.js";

runConformance("single_turn_agent", agentLoopConformance({ factory: singleTurnAgent }), { describe, it });
