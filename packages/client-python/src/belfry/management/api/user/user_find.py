from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.user_find_answer import UserFindAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def user_find(*, search: str, limit: Union[Unset, int] = UNSET, ) -> Call[UserFindAnswer]:
    """Find a tenant's users by the beginning of their id or email address, in upper or lower case

    `ann` finds `anna@example.com` and the user `ann-1`. The user of this very id comes first, then the
    others by their ids. Every character stands for itself, `%` and `_` too. Users that events alone
    name are found by their id. `event search` finds a phone number, by its end. Needs a key with the
    role manage or provision."""
    params: dict[str, Any] = {}

    params["search"] = search

    params["limit"] = limit


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "GET",
        path_of("/api/v1/manage/users/find"),
        lambda response: UserFindAnswer.from_dict(response.json()),
        query=params,
        is_signed=True,
    )
