from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.broadcasts_response import BroadcastsResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def list_broadcasts(*, limit: Union[Unset, int] = 50, after: Union[Unset, str] = UNSET, ) -> Call[BroadcastsResponse]:
    """List a tenant's broadcasts, the newest first"""
    params: dict[str, Any] = {}

    params["limit"] = limit

    params["after"] = after


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "GET",
        path_of("/api/v1/broadcasts"),
        lambda response: BroadcastsResponse.from_dict(response.json()),
        query=params,
    )
