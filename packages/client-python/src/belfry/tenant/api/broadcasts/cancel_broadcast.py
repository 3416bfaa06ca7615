from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.broadcast_response import BroadcastResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def cancel_broadcast(broadcast_id: str, ) -> Call[BroadcastResponse]:
    """Cancel a broadcast: nothing more is sent after the answer

    A call to a provider that is in progress may still deliver. Belfry counts in the background how many
    events reached nobody (`cancelled`) and for how many it was too late (`tooLate`); both are final
    once the state is cancelled. Send no body; if a signature is needed, sign the empty text."""
    
    return Call(
        "POST",
        path_of("/api/v1/broadcasts/{broadcast_id}/cancel", broadcast_id=broadcast_id),
        lambda response: BroadcastResponse.from_dict(response.json()),
        is_signed=True,
    )
