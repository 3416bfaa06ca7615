from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.broadcast_response import BroadcastResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def resume_broadcast(broadcast_id: str, ) -> Call[BroadcastResponse]:
    """Resume a paused broadcast where it stopped

    If the reason for the pause still holds, such as a missing provider, the broadcast pauses again.
    Send no body; if a signature is needed, sign the empty text."""
    
    return Call(
        "POST",
        path_of("/api/v1/broadcasts/{broadcast_id}/resume", broadcast_id=broadcast_id),
        lambda response: BroadcastResponse.from_dict(response.json()),
        is_signed=True,
    )
