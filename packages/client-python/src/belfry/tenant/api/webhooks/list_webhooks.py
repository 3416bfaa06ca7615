from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.webhooks_response import WebhooksResponse
from typing import cast


def list_webhooks() -> Call[WebhooksResponse]:
    """List endpoints

    Endpoints that get webhooks about your events. Never shows their secrets."""
    
    return Call(
        "GET",
        path_of("/api/v1/webhooks"),
        lambda response: WebhooksResponse.from_dict(response.json()),
    )
