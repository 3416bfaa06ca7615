import { channelMask } from "@belfry/contracts/channels";
import { Problem } from "@belfry/contracts/problems";
import { HEADERS, TRIGGER_PATH, triggerMessage } from "@belfry/contracts/trigger";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { uuidv7 } from "uuidv7";
import type { Acceptor } from "./accept.ts";
import type { Authentication } from "./authenticate.ts";
import { headerText } from "./header-text.ts";
import { countTrigger } from "./ingest-metrics.ts";
import { parseJson, readText } from "./read-body.ts";
import { automaticKey, explicitKey, readTrigger } from "./read-trigger.ts";
import { verifySignature } from "./signature.ts";
import { type KnownRefusals, limitHeaders, limitProblem } from "./tenant-limits.ts";
import { writeVariables } from "./write-variables.ts";

export interface TriggerDeps {
  authentication: Authentication;
  /** None while no id could be published: known before anything is claimed. */
  acceptor(): Acceptor | undefined;
  refusals: KnownRefusals;
}

/**
 * `POST /api/v1/events/trigger`. The order is part of the contract: key, signature, body, limits,
 * acceptance; what fails before the limits costs the tenant nothing.
 */
export function triggerRoute(app: FastifyInstance, deps: TriggerDeps): void {
  const trigger = async (request: FastifyRequest, reply: FastifyReply) => {
    const { tenant } = request;
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    if (tenant.webhookSecrets.length > 0) {
      const signature = request.headers[HEADERS.signature];
      verifySignature(tenant.webhookSecrets, body, signature, new Date());
    }
    const text = readText(request);
    const trigger = readTrigger(parseJson(text));
    const variables = writeVariables(trigger, text);
    const given = request.headers[HEADERS.idempotencyKey];
    const dedupKey =
      given === undefined
        ? automaticKey(tenant.id, trigger, tenant.dedupIncludesVariables)
        : explicitKey(tenant.id, headerText(String(given)));

    const known = deps.refusals.find(tenant.id);
    if (known !== undefined) {
      request.logFields = { tenantId: tenant.id, outcome: "minute" };
      throw limitProblem("minute", tenant.name, known);
    }
    const acceptor = deps.acceptor();
    if (acceptor === undefined) {
      throw new Problem("internal", { cause: new Error("NATS is not connected") });
    }
    const channels = channelMask(trigger.channels);
    const result = await acceptor.accept({
      tenantId: tenant.id,
      dedupKey,
      id: uuidv7(),
      eventType: trigger.eventType,
      userId: trigger.userId,
      reference: trigger.reference,
      recipientEmail: trigger.recipientEmail,
      recipientPhone: trigger.recipientPhone,
      variables,
      traceId: request.id,
      options: channels === null ? null : { channels },
    });
    const { limits, outcome } = result;
    if (limits === null || outcome === "inactive") {
      throw new Problem("unauthorized", { cause: new Error("inactive tenant") });
    }
    if (outcome === "minute" || outcome === "day") {
      request.logFields = { tenantId: tenant.id, outcome };
      // Over the day a replay is still answered, so only the window is refused from memory.
      if (outcome === "minute") deps.refusals.note(tenant.id, limits);
      throw limitProblem(outcome, result.tenantName ?? tenant.name, limits);
    }
    const headers = limitHeaders(limits);
    reply.header("ratelimit-policy", headers.policy).header("ratelimit", headers.left);
    reply.header(HEADERS.eventId, result.eventId);
    request.logFields = { tenantId: tenant.id, eventId: result.eventId, outcome };
    if (outcome === "replayed") reply.header(HEADERS.replayed, "true");
    const message = triggerMessage(result.eventType!, result.tenantName!);
    return { success: true, message };
  };
  const onResponse = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    countTrigger(reply.statusCode, request.logFields?.outcome);
    done();
  };
  app.post(TRIGGER_PATH, { onRequest: deps.authentication.trigger, onResponse }, trigger);
}
