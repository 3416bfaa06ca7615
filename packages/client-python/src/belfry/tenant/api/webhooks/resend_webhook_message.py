from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.webhook_sent_response import WebhookSentResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def resend_webhook_message(webhook_id: str, message_id: str, ) -> Call[WebhookSentResponse]:
    """Send a message again

    Sends the message again with the same webhook-id, whatever its result was. A paused endpoint is
    called at once. The answer is 409 while a message with this webhook-id is being sent. Send no body;
    if a signature is needed, sign the empty text."""
    
    return Call(
        "POST",
        path_of("/api/v1/webhooks/{webhook_id}/messages/{message_id}/resend", webhook_id=webhook_id, message_id=message_id),
        lambda response: WebhookSentResponse.from_dict(response.json()),
        is_signed=True,
    )
