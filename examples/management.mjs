import { BelfryError, createManagementClient } from "@belfry/client";

const management = createManagementClient({
  baseUrl: process.env.BELFRY_MANAGE_URL,
  apiKey: process.env.BELFRY_MANAGE_KEY,
  webhookSecret: process.env.BELFRY_WEBHOOK_SECRET, // only if your tenant has one
});

await management.call("categoryPut", { key: "offers", label: { "": "Offers", de: "Angebote" } });

const { files } = await management.call("bundlePull");
files["order.confirmed/EMAIL.md"] = "---\nsubject: Your order\n---\n# Thank you\n";
const { plan, added, changed } = await management.call("bundleApply", { files, dryRun: true });
console.log({ added, changed });
try {
  await management.call("bundleApply", { files, plan });
} catch (error) {
  if (error instanceof BelfryError && error.status === 412)
    console.error("changed since: plan again");
  if (error instanceof BelfryError && error.status === 422) console.error(error.messages);
  throw error;
}

for await (const { channel, address } of management.each("suppressionList")) {
  console.log(channel, address);
}
