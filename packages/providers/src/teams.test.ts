import { testNamedVendor } from "../test/chat-vendor.ts";
import { teams } from "./teams.ts";

const refused = (status: number, code: string) => ({
  status,
  body: { error: { code, message: "Why" } },
});

testNamedVendor({
  kind: teams,
  to: "teams:ops",
  accept: { status: 202, headers: {}, body: "" },
  messageId: null,
  path: "/hooks/T0/secret-0123456789",
  errors: [
    [
      "a disabled workflow",
      refused(400, "WorkflowTriggerIsNotEnabled"),
      {
        class: "permanent",
        reason: "address ops: Microsoft Teams refused the message (WorkflowTriggerIsNotEnabled)",
      },
    ],
    [
      "a wrong signature",
      refused(401, "DirectApiAuthorizationRequired"),
      { class: "permanent", vendorStatus: "DirectApiAuthorizationRequired" },
    ],
    [
      "too many requests",
      { ...refused(429, "TooManyRequests"), headers: { "retry-after": "9" } },
      { class: "deferred", retryAfterSeconds: 9 },
    ],
    ["a success that is not documented", { status: 200, body: "1" }, { class: "ambiguous" }],
  ],
});
