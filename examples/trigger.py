import hashlib
import hmac
import json
import os
import urllib.request

body = json.dumps({
    "eventType": "global.info",
    "payload": {"userId": "user-1"},
    "variables": {"title": "Grüße", "message": "From Python"},
}).encode("utf-8")
secret = os.environ["BELFRY_WEBHOOK_SECRET"].encode("utf-8")

request = urllib.request.Request(
    os.environ["BELFRY_URL"] + "/api/v1/events/trigger",
    data=body,
    headers={
        "Content-Type": "application/json",
        "X-Api-Key": os.environ["BELFRY_API_KEY"],
        "X-Idempotency-Key": "sample-python-1",
        "X-Service-Signature": hmac.new(secret, body, hashlib.sha256).hexdigest(),
    },
)
with urllib.request.urlopen(request, timeout=10) as response:
    print(response.status, response.read().decode("utf-8"))
