/** Version of the plugin API, semver. Plugins state the range they were written for. */
export const PLUGIN_API_VERSION = "1.0.0";
