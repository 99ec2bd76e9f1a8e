import { defineErrors } from "../../core/host/basics.js";

/** Codes of `verl dashboard`: of its start, and of what its HTTP interface answers. */
export const dashboardErrors = defineErrors({
  VERL_DASHBOARD_LISTEN: {
    summary: "The dashboard cannot listen on its address.",
    fix: "Choose another --port, or leave it out: then a free one is taken.",
  },
  VERL_DASHBOARD_NO_FOLDER: {
    summary: "A folder that the dashboard is to show cannot be read.",
    fix: "Name folders of runs, or folders above them.",
  },
  VERL_DASHBOARD_OUTSIDE: {
    summary: "A file of a run leads out of the folders that the dashboard shows.",
    fix: "Name the folder in which it lies as well.",
  },
  VERL_DASHBOARD_BAD_REQUEST: {
    summary: "A request to the dashboard cannot be understood.",
    fix: "The guide's page on the dashboard lists paths and parameters.",
  },
  VERL_DASHBOARD_KEY: {
    summary: "A request to the dashboard lacks the key.",
    fix: "Open the address that was printed at the start, with its key, or send `Authorization: Bearer KEY`.",
  },
  VERL_DASHBOARD_HOST: {
    summary: "A request names another host than the dashboard's.",
    fix: "Open the address that was printed at the start. Behind a proxy or another name, start with --host: then a key protects it.",
  },
  VERL_DASHBOARD_NOT_FOUND: {
    summary: "The dashboard has nothing under this address.",
    fix: "/api/runs lists the runs.",
  },
  VERL_DASHBOARD_METHOD: {
    summary: "The dashboard only reads.",
    fix: "Use GET.",
  },
});
