import os
from pathlib import Path

from flask import Flask, request
from standardwebhooks import Webhook, WebhookVerificationError

app = Flask(__name__)
app.config["MAX_CONTENT_LENGTH"] = 256 * 1024

webhook = Webhook(os.environ["BELFRY_SIGNING_SECRET"])
inbox = Path(os.environ.get("INBOX", "inbox"))
inbox.mkdir(exist_ok=True)


@app.post("/")
def receive():
    body = request.get_data()  # the bytes that were signed; never request.json
    try:
        webhook.verify(body, dict(request.headers))
    except (WebhookVerificationError, ValueError):
        return "", 400
    try:
        # In earnest: a row whose primary key is the id. Another process works on what is kept.
        with open(inbox / f"{request.headers['webhook-id']}.json", "xb") as file:
            file.write(body)
    except FileExistsError:
        pass  # sent a second time
    return "", 204
