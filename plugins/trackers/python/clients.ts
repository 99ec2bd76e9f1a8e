import { type PythonClient, pythonTracker } from "./python-tracker.js";

const wandb: PythonClient = {
  name: "wandb",
  help: "set WANDB_API_KEY, or run `wandb login` with that Python; WANDB_MODE=offline needs neither account nor network",
  later: "`wandb sync` uploads what is left in the run's folder",
  variables: [
    { name: "WANDB_API_KEY", form: "key" },
    { name: "WANDB_BASE_URL", form: "address" },
    { name: "WANDB_MODE", form: ["online", "offline", "disabled", "shared", "dryrun", "run"] },
  ],
};

const swanlab: PythonClient = {
  name: "swanlab",
  help: "set SWANLAB_API_KEY, or run `swanlab login` with that Python; SWANLAB_MODE=offline needs neither account nor network",
  later: "`swanlab sync` uploads what is left in the run's folder",
  variables: [{ name: "SWANLAB_API_KEY", form: "key" }],
};

const trackio: PythonClient = {
  name: "trackio",
  help: "unset TRACKIO_SPACE_ID to keep the run on this machine, or run `hf auth login` with that Python",
  variables: [{ name: "HF_TOKEN", form: "key" }],
};

const mlflow: PythonClient = {
  name: "mlflow",
  help: "see that MLFLOW_TRACKING_URI names a server that answers, or a database that can be written",
};

export const pythonTrackers = {
  wandb: pythonTracker(wandb),
  swanlab: pythonTracker(swanlab),
  trackio: pythonTracker(trackio),
  mlflow: pythonTracker(mlflow),
};
