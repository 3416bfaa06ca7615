from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.erasure_response import ErasureResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def erase_user(user_id: str, ) -> Call[ErasureResponse]:
    """Erase a user

    Addresses, preferences and memberships of topics are deleted at once; everything else is deleted in
    the background, one user of a tenant at a time. While an erasure of the user is open, the answer is
    that one. Waiting messages are no longer sent. Suppressed addresses stay suppressed. Stop sending to
    the user first: events that are accepted meanwhile may stay. Send no body; if a signature is needed,
    sign the empty text."""
    
    return Call(
        "DELETE",
        path_of("/api/v1/users/{user_id}", user_id=user_id),
        lambda response: ErasureResponse.from_dict(response.json()),
        is_signed=True,
    )
