from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.cancel_request import CancelRequest
from ...models.cancel_response import CancelResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def cancel_events(body: Union[CancelRequest, Mapping[str, Any]], ) -> Call[CancelResponse]:
    """Cancel what has not been sent yet of a tenant's events; at most 1,000 events per call

    Stops deliveries that have reached nobody, and returns for each event what was stopped. Nothing that
    the answer names as cancelled or stopped is sent later. An event in a digest is removed from the
    digest. An event with an attempt in progress is pending: if that attempt fails, there is no other;
    repeat the call to learn the result. If an attempt got no answer, the provider may have the message,
    so it counts as sent and is not retried. If an event had no X-Idempotency-Key, the same trigger
    afterwards is a new event. Cancelled events still count towards the daily cap. For all other events
    a repeated call returns the same result."""
    
    return Call(
        "POST",
        path_of("/api/v1/events/cancel"),
        lambda response: CancelResponse.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
