from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.event_search_answer import EventSearchAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def event_search(*, search: str, limit: Union[Unset, int] = UNSET, ) -> Call[EventSearchAnswer]:
    """Events and users by what a customer gives: an address, a phone number, an id of the user, the event,
    a message or a trace

    Users are found by the beginning of their id or address as well, such as `ann` or `ann@exa`. Events
    need the whole value, since the search stores keyed hashes instead of values. Needs a key with the
    role manage or provision."""
    params: dict[str, Any] = {}

    params["search"] = search

    params["limit"] = limit


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "GET",
        path_of("/api/v1/manage/search"),
        lambda response: EventSearchAnswer.from_dict(response.json()),
        query=params,
        is_signed=True,
    )
