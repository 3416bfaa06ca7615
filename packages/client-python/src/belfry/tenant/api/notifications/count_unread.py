from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.unread_count_response import UnreadCountResponse
from typing import cast


def count_unread(tenant_id: str, user_id: str, ) -> Call[UnreadCountResponse]:
    """Count the unread notifications

    Counts one user's inbox. Archived and snoozed items do not count."""
    
    return Call(
        "GET",
        path_of("/api/v1/notifications/{tenant_id}/{user_id}/unread-count", tenant_id=tenant_id, user_id=user_id),
        lambda response: UnreadCountResponse.from_dict(response.json()),
    )
