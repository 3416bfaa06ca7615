from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.user_response import UserResponse
from typing import cast


def show_user(user_id: str, ) -> Call[UserResponse]:
    """Show a user's stored entry"""
    
    return Call(
        "GET",
        path_of("/api/v1/users/{user_id}", user_id=user_id),
        lambda response: UserResponse.from_dict(response.json()),
    )
