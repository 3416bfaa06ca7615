from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.event_resend_answer import EventResendAnswer
from ...models.event_resend_body import EventResendBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def event_resend(id: str, body: Union[EventResendBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[EventResendAnswer]:
    """Send an event again, as a new one with the same content and today's templates; it counts towards the
    tenant's limits

    Needs a key with the role provision."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/events/{id}/resend", id=id),
        lambda response: EventResendAnswer.from_dict(response.json()),
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
        is_signed=True,
    )
