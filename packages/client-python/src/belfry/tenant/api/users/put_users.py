from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.users_batch_request import UsersBatchRequest
from ...models.users_batch_response import UsersBatchResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def put_users(body: Union[UsersBatchRequest, Mapping[str, Any]], ) -> Call[UsersBatchResponse]:
    """Store many users

    The valid users are stored together, even if others are invalid. There is a result for each."""
    
    return Call(
        "POST",
        path_of("/api/v1/users/batch"),
        lambda response: UsersBatchResponse.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
