from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.mark_read_response import MarkReadResponse
from typing import cast


def mark_notification_read(tenant_id: str, user_id: str, notification_id: str, ) -> Call[MarkReadResponse]:
    """Mark a notification as read

    Takes no body. Marking an item that is already read changes nothing and is answered 200."""
    
    return Call(
        "PUT",
        path_of("/api/v1/notifications/{tenant_id}/{user_id}/{notification_id}/read", tenant_id=tenant_id, user_id=user_id, notification_id=notification_id),
        lambda response: MarkReadResponse.from_dict(response.json()),
    )
