from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.devices_response import DevicesResponse
from typing import cast


def list_devices(user_id: str, ) -> Call[DevicesResponse]:
    """List a user's devices, and the key with which a browser subscribes"""
    
    return Call(
        "GET",
        path_of("/api/v1/users/{user_id}/devices", user_id=user_id),
        lambda response: DevicesResponse.from_dict(response.json()),
    )
