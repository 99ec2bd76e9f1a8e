import { defineErrors } from "./errors.js";

/** Codes of the plugin host: loading, registration, hooks, locks and user files. */
export const pluginErrors = defineErrors({
  VERL_PLUGIN_BAD_SPECIFIER: {
    summary: "The name of a plugin cannot be read.",
    fix: "Write a package (`name`, `@scope/name@1.2.3/sub`), a path (`./plugin.js`), or a file: URL.",
  },
  VERL_PLUGIN_NOT_FOUND: {
    summary: "A plugin was asked for that is not installed where the run was started.",
    fix: "Install it in the folder from which you start verl, or correct its name.",
  },
  VERL_PLUGIN_VERSION: {
    summary: "The installed version of a plugin is not the one that was asked for.",
    fix: "Install the version that the specifier names, or change the specifier.",
  },
  VERL_PLUGIN_NOT_EXPORTED: {
    summary: 'A sub-path was asked for that the package does not export in its package.json "exports".',
    fix: "Use one of the exported sub-paths.",
  },
  VERL_PLUGIN_NOT_BUILT: {
    summary: "The plugin's package.json points to a file that does not exist.",
    fix: "Build the plugin (usually `npm run build` in its folder), or correct the path in its package.json.",
  },
  VERL_PLUGIN_NO_MANIFEST: {
    summary: 'A package was named as a plugin but its package.json has no "verl" section.',
    fix: 'Add the "verl" section to its package.json.',
  },
  VERL_PLUGIN_BAD_MANIFEST: {
    summary: 'The "verl" section of a plugin\'s package.json is malformed.',
    fix: "Correct the value at the place that the JSON pointer names.",
  },
  VERL_PLUGIN_API_VERSION: {
    summary: "A plugin was written for another version of the plugin API. Its code was not run.",
    fix: "Install a version of the plugin, or of verl-ts, that matches.",
  },
  VERL_PLUGIN_IMPORT_FAILED: {
    summary: "The plugin's module threw while it was imported.",
    fix: "The cause is in the plugin; report it to its author, or leave the plugin out of the list.",
  },
  VERL_PLUGIN_DEPENDENCY_MISSING: {
    summary: "A plugin is installed, but a module that it imports is not.",
    fix: "Install the missing package next to the plugin.",
  },
  VERL_PLUGIN_TYPESCRIPT: {
    summary: "A TypeScript file was named, and nothing here can load it.",
    fix: "Install the loader with `npm install --save-dev tsx`, or compile the file to JavaScript.",
  },
  VERL_PLUGIN_NO_REGISTER: {
    summary: "The plugin's module has nothing that the host can call.",
    fix: "Export `async function register(host)`, or the result of `definePlugin({ … })`.",
  },
  VERL_PLUGIN_REGISTER_FAILED: {
    summary: "The plugin's `register` threw or rejected. Nothing that it registered is kept.",
    fix: "The cause is in the plugin; report it to its author, or leave the plugin out of the list.",
  },
  VERL_PLUGIN_TIMEOUT: {
    summary:
      "Import and `register` of a plugin took longer than their shared deadline. Nothing that it registered is kept.",
    fix: "A plugin registers factories and does its slow work when they are called; look for an await that never settles. VERL_LOAD_DEADLINE_S=120 gives it more time.",
  },
  VERL_PLUGIN_BAD_SETTING: {
    summary: "An environment variable that says how code is loaded has a value that cannot be used.",
    fix: "Correct the variable, or unset it.",
  },
  VERL_PLUGIN_DUPLICATE: {
    summary: "Two plugins registered the same key.",
    fix: "Leave one of them out, or let the second register with `override: true`.",
  },
  VERL_PLUGIN_TWO_VERSIONS: {
    summary: "Two versions of one plugin were named.",
    fix: "Keep one of the two copies.",
  },
  VERL_PLUGIN_BAD_ITEM: {
    summary: "What a plugin registered lacks something that its kind needs.",
    fix: "Compare it with the interface of that kind in `verl-ts/plugin`.",
  },
  VERL_PLUGIN_UNDECLARED: {
    summary: "A plugin registered a kind of thing that it does not declare in `provides`.",
    fix: "Add the kind to `provides`.",
  },
  VERL_PLUGIN_LATE: {
    summary: "Something was registered after registration had ended.",
    fix: "Register everything before the promise that `register` returns settles.",
  },
  VERL_PLUGIN_CYCLE: {
    summary: "The `after` and `requires` lists of plugins form a cycle.",
    fix: "Remove one of the edges.",
  },
  VERL_PLUGIN_REQUIRES: {
    summary: "A plugin requires another one that is not loaded.",
    fix: "Name the required plugin in the list too.",
  },
  VERL_PLUGIN_UNKNOWN: {
    summary: "VERL_USE_EXTERNAL_PLUGINS names a package that is no plugin among the project's direct dependencies.",
    fix: "Run `verl plugins list` to see the names; they are case-exact.",
  },
  VERL_PLUGIN_UNHANDLED: {
    summary: "A plugin left an error unhandled in the background.",
    fix: "The cause is in the plugin; report it to its author, or leave the plugin out of the list.",
  },
  VERL_PLUGIN_LOCK_MISMATCH: {
    summary: "The plugins here are not the ones that the lock records.",
    fix: "Install the recorded versions, or record the lock again.",
  },
  VERL_PLUGIN_BAD_LOCK: {
    summary: "A plugin lock file cannot be read.",
    fix: "Record it again.",
  },
  VERL_PLUGIN_FINGERPRINT: {
    summary: "Two processes of one run loaded the same plugins but registered different things.",
    fix: "`register` must not depend on the machine: register always, and let probes say what is usable.",
  },
  VERL_PLUGIN_HANDSHAKE: {
    summary: "A worker process did not complete the exchange of plugin locks.",
    fix: "Look at the worker's own messages above this one.",
  },
  VERL_REGISTRY_UNKNOWN: {
    summary: "A name was used that nobody registered.",
    fix: "Use one of the known names, or load the plugin that provides it.",
  },
  VERL_HOOK_FAILED: {
    summary: "A lifecycle hook threw or rejected.",
    fix: "Correct the hook, or leave it out.",
  },
  VERL_HOOK_TIMEOUT: {
    summary: "A lifecycle hook did not finish before its deadline. The run ends, because it may still be running.",
    fix: "Make the hook faster, or give it a longer `deadlineMs`.",
  },
  VERL_USER_FILE_MISSING: {
    summary: "A file or module named in the configuration does not exist.",
    fix: "Paths start at the folder from which verl was started.",
  },
  VERL_USER_IMPORT_FAILED: {
    summary: "A file named in the configuration threw while it was imported.",
    fix: "Correct the file.",
  },
  VERL_USER_TIMEOUT: {
    summary:
      "A file named in the configuration did not finish its import, or the making of its part, before the deadline.",
    fix: "Do slow work when the function is called, not on import; VERL_LOAD_DEADLINE_S=120 gives the import more time.",
  },
  VERL_USER_HOOK_UNKNOWN: {
    summary: "A file of hooks exports a function under almost the name of a hook; it would never be called.",
    fix: "Correct the name; if the function is no hook, do not export it or name it otherwise.",
  },
  VERL_USER_BAD_OPTION: {
    summary:
      "Code of the user's calls a function of verl-ts with an option that it does not have, or with a value that it cannot be.",
    fix: "Correct the call at the line that the error names.",
  },
  VERL_USER_BLOCKED: {
    summary:
      "Code of a tool, a loop, a hook or another part of the user's holds the process's only thread and does not yield; the process was ended.",
    fix: "Look at the line for a loop that never ends. Work that takes minutes belongs into a thread (agent loops: `thread: true`, rewards: the manager remote) or a process; trainer.block_deadline_s is the bound.",
  },
  VERL_USER_UNHANDLED: {
    summary: "A file named in the configuration left an error unhandled in the background.",
    fix: "Await what the file starts, or catch its errors there.",
  },
  VERL_USER_EXPORT_MISSING: {
    summary: "A file named in the configuration does not export the name that was asked for.",
    fix: "Export it, or name another export.",
  },
});
