from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.change_notification_request import ChangeNotificationRequest
from ...models.mark_read_response import MarkReadResponse
from typing import cast


def change_notification(tenant_id: str, user_id: str, notification_id: str, body: Union[ChangeNotificationRequest, Mapping[str, Any]], ) -> Call[MarkReadResponse]:
    """Archive, snooze or mark a notification

    Sets whether an item is read, archived or snoozed. A change that is already made is answered 200,
    too."""
    
    return Call(
        "PATCH",
        path_of("/api/v1/notifications/{tenant_id}/{user_id}/{notification_id}", tenant_id=tenant_id, user_id=user_id, notification_id=notification_id),
        lambda response: MarkReadResponse.from_dict(response.json()),
        body=body,
    )
