from typing import Literal, cast

ListWebhookAttemptsStatus = Literal['accepted', 'failed', 'queued', 'sending', 'skipped', 'waiting']

LIST_WEBHOOK_ATTEMPTS_STATUS_VALUES: set[ListWebhookAttemptsStatus] = { 'accepted', 'failed', 'queued', 'sending', 'skipped', 'waiting',  }

def check_list_webhook_attempts_status(value: str) -> ListWebhookAttemptsStatus:
    if value in LIST_WEBHOOK_ATTEMPTS_STATUS_VALUES:
        return cast(ListWebhookAttemptsStatus, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {LIST_WEBHOOK_ATTEMPTS_STATUS_VALUES!r}")
