from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.event_cancel_one_answer import EventCancelOneAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def event_cancel_one(id: str, *, idempotency_key: Optional[str] = None) -> Call[EventCancelOneAnswer]:
    """Cancel what has not been sent yet of one event, by Belfry's id only

    It does not cancel events that have the same text as their eventId. Needs a key with the role manage
    or provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/events/{id}/cancel", id=id),
        lambda response: EventCancelOneAnswer.from_dict(response.json()),
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
