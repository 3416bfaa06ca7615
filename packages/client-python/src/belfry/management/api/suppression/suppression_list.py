from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.suppression_list_answer import SuppressionListAnswer
from ...models.suppression_list_channel import check_suppression_list_channel
from ...models.suppression_list_channel import SuppressionListChannel
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def suppression_list(*, channel: Union[Unset, SuppressionListChannel] = UNSET, search: Union[Unset, str] = UNSET, limit: Union[Unset, int] = UNSET, after: Union[Unset, str] = UNSET, ) -> Call[SuppressionListAnswer]:
    """A tenant's suppressed addresses, each with the reason

    Needs a key with the role manage or provision."""
    params: dict[str, Any] = {}

    json_channel: Union[Unset, str] = UNSET
    if not isinstance(channel, Unset):
        json_channel = channel

    params["channel"] = json_channel

    params["search"] = search

    params["limit"] = limit

    params["after"] = after


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "GET",
        path_of("/api/v1/manage/suppressions"),
        lambda response: SuppressionListAnswer.from_dict(response.json()),
        query=params,
        is_signed=True,
    )
