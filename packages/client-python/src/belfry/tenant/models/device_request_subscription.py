from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from typing import cast, Union
from typing import Union

if TYPE_CHECKING:
  from ..models.device_request_subscription_keys import DeviceRequestSubscriptionKeys





T = TypeVar("T", bound="DeviceRequestSubscription")



@_attrs_define
class DeviceRequestSubscription:
    """ Only with `webpush`: the browser's PushSubscription as JSON

        Attributes:
            endpoint (str):
            keys (DeviceRequestSubscriptionKeys):
            expiration_time (Union[None, Unset, int]):
     """

    endpoint: str
    keys: 'DeviceRequestSubscriptionKeys'
    expiration_time: Union[None, Unset, int] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.device_request_subscription_keys import DeviceRequestSubscriptionKeys
        endpoint = self.endpoint

        keys = self.keys.to_dict()

        expiration_time: Union[None, Unset, int]
        if isinstance(self.expiration_time, Unset):
            expiration_time = UNSET
        else:
            expiration_time = self.expiration_time


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "endpoint": endpoint,
            "keys": keys,
        })
        if expiration_time is not UNSET:
            field_dict["expirationTime"] = expiration_time

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.device_request_subscription_keys import DeviceRequestSubscriptionKeys
        d = dict(src_dict)
        endpoint = d.pop("endpoint")

        keys = DeviceRequestSubscriptionKeys.from_dict(d.pop("keys"))




        def _parse_expiration_time(data: object) -> Union[None, Unset, int]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, int], data)

        expiration_time = _parse_expiration_time(d.pop("expirationTime", UNSET))


        device_request_subscription = cls(
            endpoint=endpoint,
            keys=keys,
            expiration_time=expiration_time,
        )


        device_request_subscription.additional_properties = d
        return device_request_subscription

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
