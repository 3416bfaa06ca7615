from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.webhook_attempt import WebhookAttempt
  from ..models.webhook_message import WebhookMessage





T = TypeVar("T", bound="WebhookMessageResponse")



@_attrs_define
class WebhookMessageResponse:
    """ 
        Attributes:
            success (bool): Always true
            data (WebhookMessage):
            payload (str): The JSON that is posted
            attempts (list['WebhookAttempt']): Attempts of this message and of messages with the same headerId, newest
                first; at most 100
     """

    success: bool
    data: 'WebhookMessage'
    payload: str
    attempts: list['WebhookAttempt']
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.webhook_attempt import WebhookAttempt
        from ..models.webhook_message import WebhookMessage
        success = self.success

        data = self.data.to_dict()

        payload = self.payload

        attempts = []
        for attempts_item_data in self.attempts:
            attempts_item = attempts_item_data.to_dict()
            attempts.append(attempts_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "success": success,
            "data": data,
            "payload": payload,
            "attempts": attempts,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.webhook_attempt import WebhookAttempt
        from ..models.webhook_message import WebhookMessage
        d = dict(src_dict)
        success = d.pop("success")

        data = WebhookMessage.from_dict(d.pop("data"))




        payload = d.pop("payload")

        attempts = []
        _attempts = d.pop("attempts")
        for attempts_item_data in (_attempts):
            attempts_item = WebhookAttempt.from_dict(attempts_item_data)



            attempts.append(attempts_item)


        webhook_message_response = cls(
            success=success,
            data=data,
            payload=payload,
            attempts=attempts,
        )


        webhook_message_response.additional_properties = d
        return webhook_message_response

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
