from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.list_webhook_attempts_status import check_list_webhook_attempts_status
from ...models.list_webhook_attempts_status import ListWebhookAttemptsStatus
from ...models.webhook_attempts_response import WebhookAttemptsResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def list_webhook_attempts(webhook_id: str, *, status: Union[Unset, ListWebhookAttemptsStatus] = UNSET, limit: Union[Unset, int] = 50, after: Union[Unset, str] = UNSET, ) -> Call[WebhookAttemptsResponse]:
    """List attempts

    Returns all calls of an endpoint with their answers."""
    params: dict[str, Any] = {}

    json_status: Union[Unset, str] = UNSET
    if not isinstance(status, Unset):
        json_status = status

    params["status"] = json_status

    params["limit"] = limit

    params["after"] = after


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "GET",
        path_of("/api/v1/webhooks/{webhook_id}/attempts", webhook_id=webhook_id),
        lambda response: WebhookAttemptsResponse.from_dict(response.json()),
        query=params,
    )
