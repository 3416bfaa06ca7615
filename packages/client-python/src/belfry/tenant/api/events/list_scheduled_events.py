from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.scheduled_response import ScheduledResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def list_scheduled_events(*, limit: Union[Unset, int] = 50, after: Union[Unset, str] = UNSET, ) -> Call[ScheduledResponse]:
    """A tenant's scheduled events, the next one first

    The answer never contains the variables of an event."""
    params: dict[str, Any] = {}

    params["limit"] = limit

    params["after"] = after


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "GET",
        path_of("/api/v1/events/scheduled"),
        lambda response: ScheduledResponse.from_dict(response.json()),
        query=params,
    )
