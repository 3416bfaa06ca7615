from typing import Literal, cast

ListWebhookMessagesStatus = Literal['accepted', 'failed', 'queued', 'sending', 'skipped', 'waiting']

LIST_WEBHOOK_MESSAGES_STATUS_VALUES: set[ListWebhookMessagesStatus] = { 'accepted', 'failed', 'queued', 'sending', 'skipped', 'waiting',  }

def check_list_webhook_messages_status(value: str) -> ListWebhookMessagesStatus:
    if value in LIST_WEBHOOK_MESSAGES_STATUS_VALUES:
        return cast(ListWebhookMessagesStatus, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {LIST_WEBHOOK_MESSAGES_STATUS_VALUES!r}")
