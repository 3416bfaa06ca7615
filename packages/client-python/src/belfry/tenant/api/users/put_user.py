from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.user_request import UserRequest
from ...models.user_response import UserResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def put_user(user_id: str, body: Union[UserRequest, Mapping[str, Any]], ) -> Call[UserResponse]:
    """Replace a user's entry; fields that are not given are deleted

    It applies to every event that is dispatched from then on."""
    
    return Call(
        "PUT",
        path_of("/api/v1/users/{user_id}", user_id=user_id),
        lambda response: UserResponse.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
