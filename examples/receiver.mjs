import { mkdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const { BELFRY_SIGNING_SECRET, INBOX = "inbox", PORT = "8080" } = process.env;
const MAX_BYTES = 256 * 1024;

const webhook = new Webhook(BELFRY_SIGNING_SECRET); // throws without a secret
mkdirSync(INBOX, { recursive: true });

createServer(async (request, response) => {
  try {
    response.statusCode = await receive(request);
  } catch (error) {
    console.error(error);
    response.statusCode = 500; // not kept: Belfry sends it again
  }
  response.end();
}).listen(Number(PORT), "127.0.0.1");

async function receive(request) {
  if (request.method !== "POST") return 405;
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= MAX_BYTES) chunks.push(chunk);
  }
  if (bytes > MAX_BYTES) return 413;
  const body = Buffer.concat(chunks); // the bytes that were signed

  try {
    webhook.verify(body, request.headers);
  } catch {
    return 400;
  }
  try {
    // In earnest: a row whose primary key is the id. Another process works on what is kept.
    await writeFile(`${INBOX}/${request.headers["webhook-id"]}.json`, body, { flag: "wx" });
  } catch (error) {
    if (error.code !== "EEXIST") throw error; // there already: sent a second time
  }
  return 204;
}
