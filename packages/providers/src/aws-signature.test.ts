import assert from "node:assert/strict";
import test from "node:test";
import { signAwsRequest } from "./aws-signature.ts";

/** The account of AWS's published Signature Version 4 test suite. */
const ACCOUNT = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
};
const NOW_MS = Date.UTC(2015, 7, 30, 12, 36);
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

const SUITE = [
  {
    name: "get-vanilla",
    request: { method: "GET", path: "/", headers: {}, body: "" },
    signed: "host;x-amz-date",
    signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  },
  {
    name: "get-vanilla-query-order-key-case",
    request: { method: "GET", path: "/?Param2=value2&Param1=value1", headers: {}, body: "" },
    signed: "host;x-amz-date",
    signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  },
  {
    name: "post-vanilla",
    request: { method: "POST", path: "/", headers: {}, body: "" },
    signed: "host;x-amz-date",
    signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
  },
  {
    name: "post-x-www-form-urlencoded",
    request: { method: "POST", path: "/", headers: FORM, body: "Param1=value1" },
    signed: "content-type;host;x-amz-date",
    signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
  },
] as const;

for (const { name, request, signed, signature } of SUITE) {
  test(`the published example ${name} has the published signature`, () => {
    const { path, ...parts } = request;
    const url = `https://example.amazonaws.com${path}`;
    const headers = signAwsRequest({ ...parts, url }, "service", ACCOUNT, NOW_MS);
    assert.deepEqual(headers, {
      ...request.headers,
      "x-amz-date": "20150830T123600Z",
      authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${signed}, Signature=${signature}`,
    });
  });
}

test("every part of a request is signed", () => {
  const url = "https://email.eu-central-1.amazonaws.com/v2/email/outbound-emails";
  const request = { method: "POST", url, headers: { accept: "a" }, body: "{}" } as const;
  const signatureOf = (changes: object, service = "ses", account = {}, nowMs = NOW_MS) =>
    signAwsRequest({ ...request, ...changes }, service, { ...ACCOUNT, ...account }, nowMs)
      .authorization;
  const signatures = [
    signatureOf({}),
    signatureOf({ method: "GET" }),
    signatureOf({ url: `${url}x` }),
    signatureOf({ url: `${url}?a=b` }),
    signatureOf({ url: url.replace("eu-central-1", "eu-west-1") }),
    signatureOf({ headers: { accept: "b" } }),
    signatureOf({ body: "{ }" }),
    signatureOf({}, "sns"),
    signatureOf({}, "ses", { region: "eu-central-1" }),
    signatureOf({}, "ses", { secretAccessKey: "another" }),
    signatureOf({}, "ses", {}, NOW_MS + 1000),
  ].map((authorization) => authorization?.split("Signature=")[1]);
  assert.equal(new Set(signatures).size, signatures.length);
});
