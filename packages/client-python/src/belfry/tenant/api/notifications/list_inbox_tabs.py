from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.inbox_tabs_response import InboxTabsResponse
from typing import cast


def list_inbox_tabs(tenant_id: str, user_id: str, ) -> Call[InboxTabsResponse]:
    """List the tabs of an inbox

    Returns the categories of the items in one user's inbox, each with its unread count, and whether any
    item is archived or snoozed. An item whose event type has no category is in none of them."""
    
    return Call(
        "GET",
        path_of("/api/v1/notifications/{tenant_id}/{user_id}/tabs", tenant_id=tenant_id, user_id=user_id),
        lambda response: InboxTabsResponse.from_dict(response.json()),
    )
