import { COMMENT_DIGEST } from "./starters/comment-digest.ts";
import { ONE_TIME_CODE } from "./starters/one-time-code.ts";
import { ORDER_ON_ITS_WAY } from "./starters/order-on-its-way.ts";
import { PASSWORD_RESET } from "./starters/password-reset.ts";
import { PAYMENT_FAILED } from "./starters/payment-failed.ts";
import { RECEIPT } from "./starters/receipt.ts";
import type { Starter } from "./starters/starter.ts";
import { VERIFY_ADDRESS } from "./starters/verify-address.ts";
import { WELCOME } from "./starters/welcome.ts";

export type { Starter } from "./starters/starter.ts";

/** In the order in which they are offered. */
export const STARTERS: readonly Starter[] = [
  WELCOME,
  VERIFY_ADDRESS,
  ONE_TIME_CODE,
  PASSWORD_RESET,
  RECEIPT,
  ORDER_ON_ITS_WAY,
  PAYMENT_FAILED,
  COMMENT_DIGEST,
];
