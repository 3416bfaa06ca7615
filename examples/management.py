import os

from belfry import BelfryError
from belfry.manage import Management

management = Management(
    os.environ["BELFRY_MANAGE_URL"],
    os.environ["BELFRY_MANAGE_KEY"],
    webhook_secret=os.environ.get("BELFRY_WEBHOOK_SECRET"),  # only if your tenant has one
)
management.category_put("offers", {"label": {"": "Offers", "de": "Angebote"}})

files = management.bundle_pull().data.files.to_dict()
files["order.confirmed/EMAIL.md"] = "---\nsubject: Your order\n---\n# Thank you\n"
plan = management.bundle_apply({"files": files}, dry_run=True).data
print("added:", plan.added)
try:
    management.bundle_apply({"files": files, "plan": plan.plan})
except BelfryError as error:
    if error.status == 412:
        print("changed since: plan again")
    raise

for one in management.suppression_list(channel="EMAIL").data.items:
    print(one.channel, one.address)
