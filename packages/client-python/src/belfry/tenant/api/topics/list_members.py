from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.members_response import MembersResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def list_members(key: str, *, after: Union[Unset, str] = UNSET, limit: Union[Unset, int] = 100, search: Union[Unset, str] = UNSET, ) -> Call[MembersResponse]:
    """The user ids in a topic, in the order of their bytes"""
    params: dict[str, Any] = {}

    params["after"] = after

    params["limit"] = limit

    params["search"] = search


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "GET",
        path_of("/api/v1/topics/{key}/members", key=key),
        lambda response: MembersResponse.from_dict(response.json()),
        query=params,
    )
