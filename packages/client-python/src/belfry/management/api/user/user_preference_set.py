from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.user_preference_set_answer import UserPreferenceSetAnswer
from ...models.user_preference_set_body import UserPreferenceSetBody
from ...models.user_preference_set_channel import check_user_preference_set_channel
from ...models.user_preference_set_channel import UserPreferenceSetChannel
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def user_preference_set(user_id: str, category: str, channel: UserPreferenceSetChannel, body: Union[UserPreferenceSetBody, Mapping[str, Any]], ) -> Call[UserPreferenceSetAnswer]:
    """Turn a category on a channel on or off for a user, or clear the choice

    Needs a key with the role manage or provision."""
    
    return Call(
        "PUT",
        path_of("/api/v1/manage/users/{user_id}/preferences/{category}/{channel}", user_id=user_id, category=category, channel=channel),
        lambda response: UserPreferenceSetAnswer.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
