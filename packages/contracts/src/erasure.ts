import { type Static, Type } from "@sinclair/typebox";
import { oneOf, success } from "./fields.ts";

/** `GET /api/v1/erasures/{erasureId}`: how far the erasure of a user is. */
export const ERASURE_PATH = "/api/v1/erasures/:erasureId";

/** The table of erasures says the same. */
export const ERASURE_STATES = ["waiting", "running", "done"] as const;
export type ErasureState = (typeof ERASURE_STATES)[number];

/** Erasures of a tenant that are not done. */
export const MAX_OPEN_ERASURES = 10_000;

const moment = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description: `${description}; ISO 8601, UTC` });

export const ErasureResponse = Type.Object(
  {
    success,
    data: Type.Object({
      id: Type.String(),
      status: oneOf(ERASURE_STATES, { description: "One of a tenant runs at a time" }),
      requestedAt: Type.String({ description: "ISO 8601, UTC" }),
      startedAt: moment("null while it waits"),
      endedAt: moment("null until it is done"),
      deleted: Type.Union([Type.Record(Type.String(), Type.Integer()), Type.Null()], {
        description: "Rows that went, by kind; null until it is done",
      }),
    }),
  },
  { title: "ErasureResponse" },
);
export type ErasureResponse = Static<typeof ErasureResponse>;
