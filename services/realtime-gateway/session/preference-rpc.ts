import { PreferenceCell, type PreferenceChange } from "@belfry/contracts/preferences";
import { faultsOf, faultText } from "@belfry/contracts/schema-faults";
import type { ShownPreferences } from "@belfry/database/shown-preferences";
import { type Static, Type } from "@sinclair/typebox";
import { MAX_PREFERENCES_OF_CALL } from "../protocol/limits.ts";
import { ERRORS } from "../protocol/protocol-codes.ts";
import type { InboxOwner, RpcAnswer } from "./rpc.ts";

/** As HTTP answers them, with the channels that there is a switch for. */
export type OwnShownPreferences = ShownPreferences & { channels: string[] };

export interface OwnPreferences {
  show(owner: InboxOwner): Promise<OwnShownPreferences>;
  /** Writes all or nothing; the fault names its field. */
  change(owner: InboxOwner, changes: PreferenceChange[]): Promise<{ fault?: string }>;
}

const ChangeRequest = Type.Object({
  preferences: Type.Array(PreferenceCell, { maxItems: MAX_PREFERENCES_OF_CALL }),
});
type ChangeRequest = Static<typeof ChangeRequest>;

/**
 * What a user wants, over the socket:
 * - `preferences.show` → `{preferences, categories, channels}`;
 * - `preferences.change` `{preferences: [{category, channel, enabled}]}` → the same, as it is then.
 */
export function preferenceMethods(own: OwnPreferences) {
  return {
    async "preferences.show"(owner: InboxOwner): Promise<RpcAnswer> {
      return { ok: true, data: await own.show(owner) };
    },
    async "preferences.change"(owner: InboxOwner, data: unknown): Promise<RpcAnswer> {
      const [wrong] = faultsOf(ChangeRequest, data, "data", "");
      if (wrong !== undefined) return refused(faultText(wrong));
      const { fault } = await own.change(owner, (data as ChangeRequest).preferences);
      if (fault !== undefined) return refused(fault);
      return { ok: true, data: await own.show(owner) };
    },
  };
}

function refused(message: string): RpcAnswer {
  return { ok: false, error: { code: ERRORS.badRequest.code, message } };
}
