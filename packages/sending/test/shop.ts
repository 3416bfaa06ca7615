import type { TestContext } from "node:test";
import { createFixture } from "./sending-fixture.ts";
import { type Answer, startVendor } from "./vendor.ts";

/** The usual beginning of a test: a tenant whose emails go to a vendor, and a template for them. */
export async function createShop(t: TestContext, answer?: Answer) {
  const fixture = await createFixture(t);
  const vendor = await startVendor(t, answer);
  const tenant = await fixture.tenant();
  await fixture.sendgrid(tenant, vendor.url);
  return { fixture, vendor, tenant, version: await fixture.template(tenant) };
}
