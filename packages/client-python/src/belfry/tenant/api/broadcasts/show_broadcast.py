from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.broadcast_response import BroadcastResponse
from typing import cast


def show_broadcast(broadcast_id: str, ) -> Call[BroadcastResponse]:
    """Show how far a broadcast is"""
    
    return Call(
        "GET",
        path_of("/api/v1/broadcasts/{broadcast_id}", broadcast_id=broadcast_id),
        lambda response: BroadcastResponse.from_dict(response.json()),
    )
