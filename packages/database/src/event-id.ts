import { uuidv7 } from "uuidv7";

/** Belfry's own id of an event: a fresh UUIDv7. */
export function newEventId(): string {
  return uuidv7();
}
