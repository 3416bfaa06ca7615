from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.user_list_answer import UserListAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def user_list(*, after: Union[Unset, str] = UNSET, limit: Union[Unset, int] = UNSET, ) -> Call[UserListAnswer]:
    """List a tenant's users by id, including users that only events name; `next` is set if there are more

    Needs a key with the role manage or provision."""
    params: dict[str, Any] = {}

    params["after"] = after

    params["limit"] = limit


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "GET",
        path_of("/api/v1/manage/users"),
        lambda response: UserListAnswer.from_dict(response.json()),
        query=params,
        is_signed=True,
    )
