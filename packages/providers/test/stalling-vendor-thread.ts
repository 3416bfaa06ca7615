import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import { SMTPServer } from "smtp-server";
import { STAGE, type VendorScript } from "./stalling-vendor.ts";

const { cell, step, http } = workerData as VendorScript;
const [stage, requests] = [new Int32Array(cell, 0, 1), new Int32Array(cell, 4, 1)];

function waitUntilTheyStandStill() {
  Atomics.store(stage, 0, STAGE.holdsWork);
  Atomics.wait(stage, 0, STAGE.holdsWork);
}

function answered() {
  Atomics.store(stage, 0, STAGE.answered);
  Atomics.notify(stage, 0);
}

const httpServer = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    Atomics.add(requests, 0, 1);
    waitUntilTheyStandStill();
    response.writeHead(http!.status, http!.headers).end(http!.body, answered);
  });
});

const smtpServer = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  onConnect(_session, done) {
    if (step === "greeting") waitUntilTheyStandStill();
    done();
    if (step === "greeting") setImmediate(answered);
  },
  onAuth: (auth, _session, done) => done(null, { user: auth.username! }),
  onData(stream, _session, done) {
    stream.resume();
    stream.on("end", () => {
      Atomics.add(requests, 0, 1);
      if (step === "message") waitUntilTheyStandStill();
      done(null, "2.0.0 queued");
      if (step === "message") setImmediate(answered);
    });
  },
});
smtpServer.on("error", () => {});

const server = step === "http" ? httpServer : smtpServer.server;
server.listen(0, "127.0.0.1", () =>
  parentPort!.postMessage((server.address() as AddressInfo).port),
);
