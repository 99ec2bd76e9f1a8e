export { TOY_BACKENDS, TOY_STEPS, writeToyRun } from "./toy-run.js";
export { type TrainerUnderTest, trainerConformance } from "./trainer-conformance.js";
