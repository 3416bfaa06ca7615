from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.webhook_sent_response import WebhookSentResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def test_webhook(webhook_id: str, ) -> Call[WebhookSentResponse]:
    """Send a test message

    Sends a message of type webhook.test, whichever types the endpoint gets. A paused endpoint is called
    at once. Send no body; if a signature is needed, sign the empty text."""
    
    return Call(
        "POST",
        path_of("/api/v1/webhooks/{webhook_id}/test", webhook_id=webhook_id),
        lambda response: WebhookSentResponse.from_dict(response.json()),
        is_signed=True,
    )
