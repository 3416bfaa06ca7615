from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.preferences_response import PreferencesResponse
from typing import cast


def show_preferences(user_id: str, ) -> Call[PreferencesResponse]:
    """A user's preferences, where and when each was set, and the categories

    Works for any user id, because a tenant need not have stored its users."""
    
    return Call(
        "GET",
        path_of("/api/v1/users/{user_id}/preferences", user_id=user_id),
        lambda response: PreferencesResponse.from_dict(response.json()),
    )
