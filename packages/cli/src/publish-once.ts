import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ConnectionOptions } from "@nats-io/transport-node";
import { CommandError } from "./command-error.ts";
import { type Environment, findNatsUrl, readEnvironment } from "./environment.ts";

const CONNECT_TIMEOUT_MS = 5_000;
/** The same default as in the services. */
const DEFAULT_PREFIX = "belfry";
const PREFIX = /^[A-Za-z0-9_-]{1,32}$/;

/** Publishes one message and waits until the server has received it. Throws `CommandError` if NATS is not reachable. */
export async function publishOnce(
  make: (prefix: string) => Promise<{ subject: string; message: string }>,
): Promise<void> {
  const environment = readEnvironment();
  const { nats } = environment;
  const prefix = nats.prefix ?? DEFAULT_PREFIX;
  if (!PREFIX.test(prefix)) {
    throw new CommandError("NATS_PREFIX: must be 1-32 letters, digits, _ or -");
  }
  const url = nats.url ?? (await findNatsUrl(environment.home));
  if (url === undefined) {
    throw new CommandError(
      `no NATS: set NATS_URL, or start the local stack (there is no ${join(environment.home, "local.json")})`,
    );
  }
  const { subject, message } = await make(prefix);
  const { connect, credsAuthenticator } = await import("@nats-io/transport-node");
  const options = serverOptions(url, nats.tls);
  if (nats.credentialsFile !== undefined) {
    options.authenticator = credsAuthenticator(await readFile(nats.credentialsFile));
  }
  const nc = await connect(options).catch((cause) => {
    // The address may hold a password.
    throw new CommandError("NATS is not reachable at the address in NATS_URL", { cause });
  });
  try {
    nc.publish(subject, message);
    await nc.flush();
  } finally {
    await nc.close();
  }
}

/** Like `publishOnce`, for a message that only speeds something up. Ignores all errors, as when NATS is not set. */
export async function publishIfPossible(make: Parameters<typeof publishOnce>[0]): Promise<void> {
  await publishOnce(make).catch(() => undefined);
}

/**
 * Returns the connection options. Reads the same variables as the services. Credentials in the address become options.
 */
function serverOptions(url: string, tls: Environment["nats"]["tls"]): ConnectionOptions {
  let parsed: URL[];
  try {
    parsed = url.split(",").map((one) => new URL(one.trim()));
  } catch {
    throw new CommandError("NATS_URL: must be an address such as nats://127.0.0.1:4222");
  }
  const user = decodeURIComponent(parsed[0]?.username ?? "");
  const password = decodeURIComponent(parsed[0]?.password ?? "");
  const isTls =
    parsed.some(({ protocol }) => protocol === "tls:") ||
    tls.caFile !== undefined ||
    tls.certFile !== undefined;
  return {
    servers: parsed.map(({ hostname, port }) => `${hostname}:${port || 4222}`),
    name: "belfry-cli",
    timeout: CONNECT_TIMEOUT_MS,
    reconnect: false,
    ...(user !== "" && (password === "" ? { token: user } : { user, pass: password })),
    ...(isTls && { tls }),
  };
}
