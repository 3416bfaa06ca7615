from typing import Literal, cast

ListNotificationsView = Literal['all', 'archived', 'inbox', 'snoozed']

LIST_NOTIFICATIONS_VIEW_VALUES: set[ListNotificationsView] = { 'all', 'archived', 'inbox', 'snoozed',  }

def check_list_notifications_view(value: str) -> ListNotificationsView:
    if value in LIST_NOTIFICATIONS_VIEW_VALUES:
        return cast(ListNotificationsView, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {LIST_NOTIFICATIONS_VIEW_VALUES!r}")
