import { type Static, Type } from "@sinclair/typebox";
import { open, text } from "./fields.ts";

/** `POST /api/v1/auth/realtime-token` (specification, 2.3 and 4.2). */
export const REALTIME_TOKEN_PATH = "/api/v1/auth/realtime-token";

export const RealtimeTokenRequest = open(
  Type.Object(
    {
      userId: text({
        description: "The logged-in user's id in your own system",
        examples: ["user-1"],
      }),
    },
    { title: "RealtimeTokenRequest" },
  ),
);
export type RealtimeTokenRequest = Static<typeof RealtimeTokenRequest>;

export const RealtimeTokenResponse = Type.Object(
  {
    token: Type.String({ description: "Connection token, valid for 2 hours" }),
    channels: Type.Array(Type.String({ description: "<channel_name>#<userId>" })),
  },
  { title: "RealtimeTokenResponse" },
);
export type RealtimeTokenResponse = Static<typeof RealtimeTokenResponse>;

/** Claims of a connection token. `sub` is the user id; the header's `kid` names the key. */
export interface RealtimeTokenClaims {
  sub: string;
  tenant: string;
  /** In seconds since 1970. */
  iat: number;
  exp: number;
  /**
   * Set for a person who views the user's items in the Admin UI: items that only the user may see are left out. The
   * header marks the claim as critical, so that a gateway that does not know it rejects the token.
   */
  concealed?: true;
}
