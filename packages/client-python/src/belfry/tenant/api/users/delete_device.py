from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.device_response import DeviceResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def delete_device(user_id: str, device_id: str, ) -> Call[DeviceResponse]:
    """Remove a user's device: nothing more is sent to it

     Send no body; if a signature is needed, sign the empty text."""
    
    return Call(
        "DELETE",
        path_of("/api/v1/users/{user_id}/devices/{device_id}", user_id=user_id, device_id=device_id),
        lambda response: DeviceResponse.from_dict(response.json()),
        is_signed=True,
    )
