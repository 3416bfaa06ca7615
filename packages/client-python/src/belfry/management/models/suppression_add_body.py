from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.suppression_add_body_channel import check_suppression_add_body_channel
from ..models.suppression_add_body_channel import SuppressionAddBodyChannel
from typing import cast






T = TypeVar("T", bound="SuppressionAddBody")



@_attrs_define
class SuppressionAddBody:
    """ 
        Attributes:
            channel (SuppressionAddBodyChannel): EMAIL or SMS or CHAT
            addresses (list[str]): Email addresses, in any case; or phone numbers, as +12025550123. At most 10000
     """

    channel: SuppressionAddBodyChannel
    addresses: list[str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        channel: str = self.channel

        addresses = self.addresses




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "channel": channel,
            "addresses": addresses,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        channel = check_suppression_add_body_channel(d.pop("channel"))




        addresses = cast(list[str], d.pop("addresses"))


        suppression_add_body = cls(
            channel=channel,
            addresses=addresses,
        )


        suppression_add_body.additional_properties = d
        return suppression_add_body

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
