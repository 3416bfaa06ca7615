import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Cleanup } from "@belfry/testing/cleanup";
import { eventually } from "@belfry/testing/eventually";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { connect, credsAuthenticator, nkeys } from "@nats-io/transport-node";
import { makeCertificates, startNatsOf } from "./tls-servers.ts";

/** The subjects that a user may publish to and subscribe to. */
export interface Permissions {
  publish: readonly string[];
  subscribe: readonly string[];
}

const EVERYTHING: Permissions = { publish: [">"], subscribe: [">"] };

interface AccountLimits {
  diskBytes: number;
  streams: number;
  consumers: number;
}

/** Starts a nats-server with TLS and client certificates whose operator, accounts and users are JWTs. */
export async function startNatsOfOperator(
  t: Cleanup,
  accounts: Readonly<Record<string, AccountLimits>>,
) {
  const directory = await temporaryFolder(t, "nats-operator");
  const { caFile, certFile, keyFile, client } = await makeCertificates(directory);
  const operator = nkeys.createOperator();
  const system = nkeys.createAccount();
  const keys = Object.fromEntries(
    Object.keys(accounts).map((name) => [name, nkeys.createAccount()]),
  );
  const issuer = operator.getPublicKey();
  const preloaded = [
    accountJwt(operator, system, "SYS", {}),
    ...Object.entries(accounts).map(([name, limits]) =>
      accountJwt(operator, keys[name]!, name, {
        mem_storage: 0,
        disk_storage: limits.diskBytes,
        streams: limits.streams,
        consumer: limits.consumers,
      }),
    ),
  ];
  const { port, lines } = await startNatsOf(
    t,
    directory,
    `tls { cert_file: "${certFile}", key_file: "${keyFile}", ca_file: "${caFile}", verify: true }
operator: ${signed(operator, { sub: issuer, name: "O", nats: { type: "operator", version: 2 } })}
system_account: ${system.getPublicKey()}
resolver: MEMORY
resolver_preload: { ${preloaded.map(([key, jwt]) => `${key}: ${jwt}`).join("\n")} }`,
  );
  const nats = {
    url: `tls://127.0.0.1:${port}`,
    caFile,
    client,
    /** The server's log. */
    lines,
    /** Writes the `.creds` file of a new user of the account. */
    async credentialsOf(account: string, { publish, subscribe }: Permissions): Promise<string> {
      const user = nkeys.createUser();
      const claims = {
        sub: user.getPublicKey(),
        name: "belfry",
        nats: {
          pub: { allow: publish },
          sub: { allow: subscribe },
          subs: -1,
          data: -1,
          payload: -1,
          type: "user",
          version: 2,
        },
      };
      const path = join(directory, `${randomUUID()}.creds`);
      await writeFile(
        path,
        `-----BEGIN NATS USER JWT-----
${signed(keys[account]!, claims)}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${Buffer.from(user.getSeed())}
------END USER NKEY SEED------
`,
      );
      return path;
    },
    /** Connects as a user of the account, who by default may do everything. */
    async connect(account: string, permissions = EVERYTHING) {
      const credentials = await nats.credentialsOf(account, permissions);
      const nc = await connect({
        servers: `127.0.0.1:${port}`,
        tls: { caFile, ...client },
        authenticator: credsAuthenticator(await readFile(credentials)),
      });
      t.after(() => nc.close());
      return nc;
    },
  };
  const [first = ""] = Object.keys(accounts);
  await eventually(() => nats.connect(first)).catch((cause) => {
    throw new Error(`nats-server did not start:\n${lines.join("\n")}`, { cause });
  });
  return nats;
}

function accountJwt(
  operator: nkeys.KeyPair,
  account: nkeys.KeyPair,
  name: string,
  jetstream: Record<string, number>,
): [key: string, jwt: string] {
  const unlimited = {
    subs: -1,
    data: -1,
    payload: -1,
    imports: -1,
    exports: -1,
    conn: -1,
    leaf: -1,
  };
  const limits = { ...unlimited, wildcards: true, ...jetstream };
  const nats = { limits, type: "account", version: 2 };
  const sub = account.getPublicKey();
  return [sub, signed(operator, { sub, name, nats })];
}

/** Returns a JWT as NATS signs it: by an Ed25519 key, over header and claims. */
function signed(issuer: nkeys.KeyPair, claims: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const issued = {
    jti: randomUUID(),
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
  };
  const text = `${encode({ typ: "JWT", alg: "ed25519-nkey" })}.${encode(Object.assign(issued, claims))}`;
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString("base64url")}`;
}
