from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.mark_all_read_response import MarkAllReadResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def mark_all_notifications_read(tenant_id: str, user_id: str, *, category: Union[Unset, str] = UNSET, ) -> Call[MarkAllReadResponse]:
    """Mark the whole inbox as read

    Takes no body. Snoozed items stay unread."""
    params: dict[str, Any] = {}

    params["category"] = category


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "PUT",
        path_of("/api/v1/notifications/{tenant_id}/{user_id}/read", tenant_id=tenant_id, user_id=user_id),
        lambda response: MarkAllReadResponse.from_dict(response.json()),
        query=params,
    )
