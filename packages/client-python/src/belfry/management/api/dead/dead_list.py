from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.dead_list_answer import DeadListAnswer
from ...models.dead_list_channel import check_dead_list_channel
from ...models.dead_list_channel import DeadListChannel
from ...models.dead_list_class import check_dead_list_class
from ...models.dead_list_class import DeadListClass
from ...types import UNSET, Unset
from dateutil.parser import isoparse
from typing import cast
from typing import Union
import datetime


def dead_list(*, channel: Union[Unset, DeadListChannel] = UNSET, class_: Union[Unset, DeadListClass] = UNSET, provider: Union[Unset, str] = UNSET, since: Union[Unset, datetime.datetime] = UNSET, until: Union[Unset, datetime.datetime] = UNSET, ) -> Call[DeadListAnswer]:
    """Groups by tenant, channel, provider and error class, with counts and examples

    Needs a key with the role manage or provision."""
    params: dict[str, Any] = {}

    json_channel: Union[Unset, str] = UNSET
    if not isinstance(channel, Unset):
        json_channel = channel

    params["channel"] = json_channel

    json_class_: Union[Unset, str] = UNSET
    if not isinstance(class_, Unset):
        json_class_ = class_

    params["class"] = json_class_

    params["provider"] = provider

    json_since: Union[Unset, str] = UNSET
    if not isinstance(since, Unset):
        json_since = since.isoformat()
    params["since"] = json_since

    json_until: Union[Unset, str] = UNSET
    if not isinstance(until, Unset):
        json_until = until.isoformat()
    params["until"] = json_until


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "GET",
        path_of("/api/v1/manage/dead-letters"),
        lambda response: DeadListAnswer.from_dict(response.json()),
        query=params,
        is_signed=True,
    )
