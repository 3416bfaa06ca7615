from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from typing import Union

if TYPE_CHECKING:
  from ..models.webhook_attempt import WebhookAttempt





T = TypeVar("T", bound="WebhookAttemptsResponse")



@_attrs_define
class WebhookAttemptsResponse:
    """ 
        Attributes:
            success (bool): Always true
            data (list['WebhookAttempt']): Attempts of the newest message first, and each message's newest attempt first
            next_ (Union[Unset, str]): Pass it as `after` to get the next page; absent on the last page. Other pages may
                have fewer than `limit` items, too
     """

    success: bool
    data: list['WebhookAttempt']
    next_: Union[Unset, str] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.webhook_attempt import WebhookAttempt
        success = self.success

        data = []
        for data_item_data in self.data:
            data_item = data_item_data.to_dict()
            data.append(data_item)



        next_ = self.next_


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "success": success,
            "data": data,
        })
        if next_ is not UNSET:
            field_dict["next"] = next_

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.webhook_attempt import WebhookAttempt
        d = dict(src_dict)
        success = d.pop("success")

        data = []
        _data = d.pop("data")
        for data_item_data in (_data):
            data_item = WebhookAttempt.from_dict(data_item_data)



            data.append(data_item)


        next_ = d.pop("next", UNSET)

        webhook_attempts_response = cls(
            success=success,
            data=data,
            next_=next_,
        )


        webhook_attempts_response.additional_properties = d
        return webhook_attempts_response

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
