from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.move_request import MoveRequest
from ...models.move_response import MoveResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def move_event(event_id: str, body: Union[MoveRequest, Mapping[str, Any]], ) -> Call[MoveResponse]:
    """Change when a scheduled event is sent; a time in the past means now"""
    
    return Call(
        "PATCH",
        path_of("/api/v1/events/{event_id}", event_id=event_id),
        lambda response: MoveResponse.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
