import os
from pathlib import Path

from belfry import WebhookVerificationError, verify_webhook
from flask import Flask, request

app = Flask(__name__)
app.config["MAX_CONTENT_LENGTH"] = 256 * 1024

secret = os.environ["BELFRY_SIGNING_SECRET"]
if not secret:
    raise RuntimeError("no secret")
inbox = Path(os.environ.get("INBOX", "inbox"))
inbox.mkdir(exist_ok=True)


@app.post("/")
def receive():
    body = request.get_data()  # the bytes that were signed; never request.json
    try:
        verify_webhook(secret, body, dict(request.headers))
    except WebhookVerificationError:
        return "", 400
    try:
        # In earnest: a row whose primary key is the id. Another process works on what is kept.
        with open(inbox / f"{request.headers['webhook-id']}.json", "xb") as file:
            file.write(body)
    except FileExistsError:
        pass  # sent a second time
    return "", 204
