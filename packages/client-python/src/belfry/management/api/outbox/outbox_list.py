from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.outbox_list_answer import OutboxListAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def outbox_list(*, event_id: Union[Unset, str] = UNSET, limit: Union[Unset, int] = UNSET, after: Union[Unset, str] = UNSET, ) -> Call[OutboxListAnswer]:
    """A tenant's sandbox messages, newest first

    Needs a key with the role manage or provision."""
    params: dict[str, Any] = {}

    params["eventId"] = event_id

    params["limit"] = limit

    params["after"] = after


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "GET",
        path_of("/api/v1/manage/outbox"),
        lambda response: OutboxListAnswer.from_dict(response.json()),
        query=params,
        is_signed=True,
    )
