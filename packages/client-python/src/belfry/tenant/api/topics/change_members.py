from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.members_change_request import MembersChangeRequest
from ...models.members_change_response import MembersChangeResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def change_members(key: str, body: Union[MembersChangeRequest, Mapping[str, Any]], ) -> Call[MembersChangeResponse]:
    """Add users to a topic and remove users from it; adding the first one creates the topic

    Makes all of the changes or none. Adding a user that is in the topic, or removing one that is not,
    changes nothing, so a call can be repeated. The users need not be stored."""
    
    return Call(
        "PATCH",
        path_of("/api/v1/topics/{key}/members", key=key),
        lambda response: MembersChangeResponse.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
