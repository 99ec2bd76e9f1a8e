import { shown } from "./shown.js";

/** Where an answer says that its service is to be found instead, for messages; null where it is no redirect. */
export function redirectOf({ status, headers }: Pick<Response, "status" | "headers">): string | null {
  const location = headers.get("location");
  if (status < 300 || status >= 400 || location === null) return null;
  if (!URL.canParse(location)) return shown(location);
  const url = new URL(location);
  url.username = url.password = url.search = "";
  return shown(url.href);
}
