import os

from belfry import Belfry

belfry = Belfry(
    os.environ["BELFRY_URL"],
    os.environ["BELFRY_API_KEY"],
    webhook_secret=os.environ["BELFRY_WEBHOOK_SECRET"],  # signs every call that needs it
)
event = belfry.trigger(
    {
        "eventType": "global.info",
        "payload": {"userId": "user-1"},
        "variables": {"title": "Grüße", "message": "From Python"},
    },
    idempotency_key="sample-python-1",
)
print(event.message)
