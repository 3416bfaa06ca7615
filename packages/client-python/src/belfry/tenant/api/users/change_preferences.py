from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.change_preferences_request import ChangePreferencesRequest
from ...models.preferences_response import PreferencesResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def change_preferences(user_id: str, body: Union[ChangePreferencesRequest, Mapping[str, Any]], ) -> Call[PreferencesResponse]:
    """Change a user's preferences

    Changes all given cells, or none if one is invalid. The others keep their values. It applies to
    every event that is dispatched from then on. An off in one cell always wins over an on in another
    cell, and a required category cannot be turned off."""
    
    return Call(
        "PATCH",
        path_of("/api/v1/users/{user_id}/preferences", user_id=user_id),
        lambda response: PreferencesResponse.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
