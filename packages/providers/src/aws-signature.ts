import { createHash, createHmac } from "node:crypto";
import { lineField, secretField } from "./settings.ts";

export interface AwsAccount {
  accessKeyId: string;
  secretAccessKey: string;
  /** Region such as `eu-central-1`. */
  region: string;
}

export interface AwsRequest {
  method: "GET" | "POST";
  url: string;
  /** All of them are signed, in addition to `host` and `x-amz-date`. */
  headers: Readonly<Record<string, string>>;
  body: string;
  /** SHA-256 of the whole body in hex, if `body` is only a part. */
  bodySha256?: string;
}

const ALGORITHM = "AWS4-HMAC-SHA256";

/**
 * Returns the headers of a request to an AWS service with Signature Version 4, including `x-amz-date` and
 * `authorization`. `service` is the service's name in a signature, such as `ses` or `sns`.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signAwsRequest(
  { method, url, headers, body, bodySha256 = sha256(body) }: AwsRequest,
  service: string,
  { accessKeyId, secretAccessKey, region }: AwsAccount,
  nowMs: number,
): Record<string, string> {
  const { host, pathname, searchParams } = new URL(url);
  const moment = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, "");
  const day = moment.slice(0, 8);
  const sent = { ...headers, "x-amz-date": moment };
  const signed = Object.entries({ ...sent, host })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ +/g, " ")] as const)
    .sort(([one], [other]) => compare(one, other));
  const names = signed.map(([name]) => name).join(";");
  const canonical = [
    method,
    // The path of a URL is encoded once; every service but S3 signs it encoded once more.
    pathname.split("/").map(encode).join("/"),
    [...searchParams]
      .map((pair) => pair.map(encode).join("="))
      .sort(compare)
      .join("&"),
    ...signed.map(([name, value]) => `${name}:${value}`),
    "",
    names,
    bodySha256,
  ].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const keyParts = [day, region, service, "aws4_request"];
  const key = keyParts.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, [ALGORITHM, moment, scope, sha256(canonical)].join("\n"));
  const proof = `Credential=${accessKeyId}/${scope}, SignedHeaders=${names}`;
  const authorization = `${ALGORITHM} ${proof}, Signature=${signature.toString("hex")}`;
  return { ...sent, authorization };
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Encodes everything but the unreserved characters of RFC 3986. */
function encode(text: string): string {
  const hex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, hex);
}

/** Compares by code units, not by a language's order. */
function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

export const AWS_CONSOLE = "https://console.aws.amazon.com";

/** Returns the settings for calling an AWS service. On the page `account`, an account leaves the service's sandbox. */
export function awsFields({ action, account }: { action: string; account: string }) {
  const link = `${AWS_CONSOLE}/iam/home#/users`;
  return {
    accessKeyId: lineField({
      title: "Access key id",
      description: `Of an IAM user that may call ${action}, and nothing else.`,
      link,
      pattern: "^[A-Z0-9]{16,128}$",
      fault: "must be an access key's id: 16 or more capital letters and digits",
    }),
    secretAccessKey: secretField({
      title: "Secret access key",
      description:
        "Shown once, when the access key is made. Requests are signed with it; it is never sent.",
      link,
    }),
    region: lineField({
      title: "Region",
      description:
        "A region such as eu-central-1. An account leaves the sandbox separately in each region.",
      link: account,
      pattern: "^[a-z]{2}(-[a-z]{2,12}){1,3}-[0-9]{1,2}$",
      fault: "must be a region, as eu-central-1",
    }),
  };
}
