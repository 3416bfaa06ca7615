from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.trigger_request import TriggerRequest
from ...models.trigger_response import TriggerResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def trigger_event(body: Union[TriggerRequest, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[TriggerResponse]:
    """Trigger an event

    Accepts an event for dispatch over EMAIL, SMS, PUSH, DEVICE and CHAT. 200 means that the event is
    stored and will be dispatched, at once or at its time. Belfry checks the key, the signature, the
    body and the limits, in this order. Without X-Idempotency-Key, an event of the same type with the
    same payload within 24 hours is a replay of the first, even with other variables."""
    
    return Call(
        "POST",
        path_of("/api/v1/events/trigger"),
        lambda response: TriggerResponse.from_dict(response.json()),
        body=body,
        is_signed=True,
        key_header="X-Idempotency-Key",
        key=idempotency_key,
    )
