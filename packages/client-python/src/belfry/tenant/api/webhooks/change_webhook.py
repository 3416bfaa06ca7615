from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.webhook_change_request import WebhookChangeRequest
from ...models.webhook_response import WebhookResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def change_webhook(webhook_id: str, body: Union[WebhookChangeRequest, Mapping[str, Any]], ) -> Call[WebhookResponse]:
    """Change an endpoint

    Changes its URL, types and description. `active: false` stops it, and `active: true` starts it
    again. A replay sends the messages that it missed."""
    
    return Call(
        "PATCH",
        path_of("/api/v1/webhooks/{webhook_id}", webhook_id=webhook_id),
        lambda response: WebhookResponse.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
