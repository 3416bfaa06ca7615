from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from typing import cast, Union

if TYPE_CHECKING:
  from ..models.device import Device





T = TypeVar("T", bound="DevicesResponseData")



@_attrs_define
class DevicesResponseData:
    """ 
        Attributes:
            devices (list['Device']): The one that was registered last comes first
            web_push_key (Union[None, str]): The `applicationServerKey` with which a browser subscribes; null if the tenant
                has no Web Push
     """

    devices: list['Device']
    web_push_key: Union[None, str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.device import Device
        devices = []
        for devices_item_data in self.devices:
            devices_item = devices_item_data.to_dict()
            devices.append(devices_item)



        web_push_key: Union[None, str]
        web_push_key = self.web_push_key


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "devices": devices,
            "webPushKey": web_push_key,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.device import Device
        d = dict(src_dict)
        devices = []
        _devices = d.pop("devices")
        for devices_item_data in (_devices):
            devices_item = Device.from_dict(devices_item_data)



            devices.append(devices_item)


        def _parse_web_push_key(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        web_push_key = _parse_web_push_key(d.pop("webPushKey"))


        devices_response_data = cls(
            devices=devices,
            web_push_key=web_push_key,
        )


        devices_response_data.additional_properties = d
        return devices_response_data

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
