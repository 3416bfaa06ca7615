from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.webhook_response import WebhookResponse
from typing import cast


def show_webhook(webhook_id: str, ) -> Call[WebhookResponse]:
    """Show an endpoint

    Shows the endpoint's settings, and whether it can be reached."""
    
    return Call(
        "GET",
        path_of("/api/v1/webhooks/{webhook_id}", webhook_id=webhook_id),
        lambda response: WebhookResponse.from_dict(response.json()),
    )
