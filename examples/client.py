import os
import sys

from belfry import Belfry, BelfryError

belfry = Belfry(
    os.environ["BELFRY_URL"],
    os.environ["BELFRY_API_KEY"],
    webhook_secret=os.environ.get("BELFRY_WEBHOOK_SECRET"),  # only if your tenant has one
)
tenant_id = os.environ["BELFRY_TENANT_ID"]

try:
    triggered = belfry.trigger(
        {
            "eventType": "global.success",
            "payload": {"userId": "user-1"},
            "variables": {"title": "Paid", "message": "Thank you."},
        },
        idempotency_key="payment-4711",
    )
    print(belfry.show_event(triggered.id).status)
    for item in belfry.list_notifications(tenant_id, "user-1", limit=5).data:
        print(item.title)
        if item.status == "UNREAD":
            belfry.mark_notification_read(tenant_id, "user-1", item.id)
except BelfryError as error:
    if error.status == 422:
        print(error.messages, file=sys.stderr)
    raise
