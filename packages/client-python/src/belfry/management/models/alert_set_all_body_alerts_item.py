from typing import Literal, cast

AlertSetAllBodyAlertsItem = Literal['cap-reached', 'dead-letters', 'endpoint-disabled', 'failure-rate', 'provider-paused']

ALERT_SET_ALL_BODY_ALERTS_ITEM_VALUES: set[AlertSetAllBodyAlertsItem] = { 'cap-reached', 'dead-letters', 'endpoint-disabled', 'failure-rate', 'provider-paused',  }

def check_alert_set_all_body_alerts_item(value: str) -> AlertSetAllBodyAlertsItem:
    if value in ALERT_SET_ALL_BODY_ALERTS_ITEM_VALUES:
        return cast(AlertSetAllBodyAlertsItem, value)
    raise TypeError(f"Unexpected value {value!r}. Expected one of {ALERT_SET_ALL_BODY_ALERTS_ITEM_VALUES!r}")
