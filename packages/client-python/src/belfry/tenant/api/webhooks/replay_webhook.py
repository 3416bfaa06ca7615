from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.webhook_replay_request import WebhookReplayRequest
from ...models.webhook_replay_response import WebhookReplayResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def replay_webhook(webhook_id: str, body: Union[WebhookReplayRequest, Mapping[str, Any]], ) -> Call[WebhookReplayResponse]:
    """Send a window again

    Sends all messages of a time range that did not arrive, the oldest first, each with its webhook-id.
    It leaves out messages that are being sent, and sends at most 10,000 per call. A paused endpoint is
    called at once. Events from a time when the endpoint was not active have no messages, so they cannot
    be sent."""
    
    return Call(
        "POST",
        path_of("/api/v1/webhooks/{webhook_id}/replay", webhook_id=webhook_id),
        lambda response: WebhookReplayResponse.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
