from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.topics_response import TopicsResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def list_topics(*, after: Union[Unset, str] = UNSET, limit: Union[Unset, int] = 100, ) -> Call[TopicsResponse]:
    """A tenant's topics by their keys, each with the number of its members"""
    params: dict[str, Any] = {}

    params["after"] = after

    params["limit"] = limit


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "GET",
        path_of("/api/v1/topics"),
        lambda response: TopicsResponse.from_dict(response.json()),
        query=params,
    )
