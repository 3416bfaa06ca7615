from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.mark_read_response import MarkReadResponse
from typing import cast


def delete_notification(tenant_id: str, user_id: str, notification_id: str, ) -> Call[MarkReadResponse]:
    """Delete a notification

    Takes no body. The item's texts and links are erased, and it is in no list any more; the event's
    timeline shows this. It counts as read."""
    
    return Call(
        "DELETE",
        path_of("/api/v1/notifications/{tenant_id}/{user_id}/{notification_id}", tenant_id=tenant_id, user_id=user_id, notification_id=notification_id),
        lambda response: MarkReadResponse.from_dict(response.json()),
    )
