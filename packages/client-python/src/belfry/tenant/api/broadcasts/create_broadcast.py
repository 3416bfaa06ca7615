from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.broadcast_request import BroadcastRequest
from ...models.broadcast_response import BroadcastResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def create_broadcast(body: Union[BroadcastRequest, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[BroadcastResponse]:
    """Send one event to the members of topics, or to a list of users

    Users are reached at their stored addresses. Each user gets the message once, as a separate event,
    with the current templates and the user's preferences. The tenant's other messages are sent before
    it. It uses at most a part of the tenant's daily cap."""
    
    return Call(
        "POST",
        path_of("/api/v1/broadcasts"),
        lambda response: BroadcastResponse.from_dict(response.json()),
        body=body,
        is_signed=True,
        key_header="X-Idempotency-Key",
        key=idempotency_key,
    )
