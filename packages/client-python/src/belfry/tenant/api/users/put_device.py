from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.device_request import DeviceRequest
from ...models.device_response import DeviceResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def put_device(user_id: str, device_id: str, body: Union[DeviceRequest, Mapping[str, Any]], ) -> Call[DeviceResponse]:
    """Register a user's device, or register it again

    A token that another user of the tenant registered moves to this user. A user has at most 20
    devices: beyond them, the one that was not registered again for longest is deleted, browsers that
    registered themselves before any other. Register a device again at each start of the app."""
    
    return Call(
        "PUT",
        path_of("/api/v1/users/{user_id}/devices/{device_id}", user_id=user_id, device_id=device_id),
        lambda response: DeviceResponse.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
