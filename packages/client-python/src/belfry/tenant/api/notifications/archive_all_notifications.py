from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.archive_all_response import ArchiveAllResponse
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def archive_all_notifications(tenant_id: str, user_id: str, *, category: Union[Unset, str] = UNSET, ) -> Call[ArchiveAllResponse]:
    """Archive the whole inbox

    Takes no body. Unread items become read; snoozed items stay snoozed."""
    params: dict[str, Any] = {}

    params["category"] = category


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "PUT",
        path_of("/api/v1/notifications/{tenant_id}/{user_id}/archived", tenant_id=tenant_id, user_id=user_id),
        lambda response: ArchiveAllResponse.from_dict(response.json()),
        query=params,
    )
