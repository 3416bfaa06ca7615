from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.broadcast_response import BroadcastResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def pause_broadcast(broadcast_id: str, ) -> Call[BroadcastResponse]:
    """Pause a broadcast: nothing more is sent until it is resumed

    Messages that are on their way to a provider at that moment, about one second's worth, are still
    delivered. Send no body; if a signature is needed, sign the empty text."""
    
    return Call(
        "POST",
        path_of("/api/v1/broadcasts/{broadcast_id}/pause", broadcast_id=broadcast_id),
        lambda response: BroadcastResponse.from_dict(response.json()),
        is_signed=True,
    )
