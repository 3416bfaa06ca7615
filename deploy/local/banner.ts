import { styleText } from "node:util";
import { curlLine } from "./addresses.ts";
import type { LocalJson } from "./home-folder.ts";

/** What a newcomer reads when everything is up. */
export function banner(
  local: LocalJson,
  home: string,
  seconds: number,
  /** Makes whoever opens it the first operator; undefined: there is one. */
  operatorLink: string | undefined,
): string {
  const bold = (text: string) => styleText("bold", text);
  const dim = (text: string) => styleText("dim", text);
  return `
${bold("Belfry is up")} ${dim(`(${seconds.toFixed(1)} s)`)}

  demo page   ${bold(local.demoUrl)}
  Admin UI    ${bold(operatorLink ?? local.adminUrl)}${operatorLink === undefined ? "" : dim("  once, for you")}
  API         ${local.apiUrl}
  WebSocket   ${local.wsUrl}
  tenant      ${local.tenant.id}  ${dim(local.tenant.name)}
  API key     ${local.tenant.apiKey}
  data, logs  ${home}

Open the demo page, then send an event; paste this as often as you like:

${curlLine(local.apiUrl, local.tenant.apiKey)}

Ctrl-C stops everything (from elsewhere: npx --yes pnpm@12 belfry stop).
`;
}
