from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.webhook_message_response import WebhookMessageResponse
from typing import cast


def show_webhook_message(webhook_id: str, message_id: str, ) -> Call[WebhookMessageResponse]:
    """Show a message

    Returns the posted body and all attempts."""
    
    return Call(
        "GET",
        path_of("/api/v1/webhooks/{webhook_id}/messages/{message_id}", webhook_id=webhook_id, message_id=message_id),
        lambda response: WebhookMessageResponse.from_dict(response.json()),
    )
