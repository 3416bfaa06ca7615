from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.history_response import HistoryResponse
from ...models.list_notifications_view import check_list_notifications_view
from ...models.list_notifications_view import ListNotificationsView
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def list_notifications(tenant_id: str, user_id: str, *, limit: Union[Unset, int] = 50, offset: Union[Unset, int] = 0, view: Union[Unset, ListNotificationsView] = UNSET, category: Union[Unset, str] = UNSET, ) -> Call[HistoryResponse]:
    """Fetch the notification history

    Returns one user's inbox: the in-app notifications (PUSH) in the order in which their events were
    accepted, newest first. A snoozed one is ordered by the time at which it returns."""
    params: dict[str, Any] = {}

    params["limit"] = limit

    params["offset"] = offset

    json_view: Union[Unset, str] = UNSET
    if not isinstance(view, Unset):
        json_view = view

    params["view"] = json_view

    params["category"] = category


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "GET",
        path_of("/api/v1/notifications/{tenant_id}/{user_id}", tenant_id=tenant_id, user_id=user_id),
        lambda response: HistoryResponse.from_dict(response.json()),
        query=params,
    )
