from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.event_resend_body_channels_item import check_event_resend_body_channels_item
from ..models.event_resend_body_channels_item import EventResendBodyChannelsItem
from ..types import UNSET, Unset
from typing import cast
from typing import Union






T = TypeVar("T", bound="EventResendBody")



@_attrs_define
class EventResendBody:
    """ 
        Attributes:
            channels (Union[Unset, list[EventResendBodyChannelsItem]]): send it on these channels only; default: on all
                channels of the event
     """

    channels: Union[Unset, list[EventResendBodyChannelsItem]] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        channels: Union[Unset, list[str]] = UNSET
        if not isinstance(self.channels, Unset):
            channels = []
            for channels_item_data in self.channels:
                channels_item: str = channels_item_data
                channels.append(channels_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if channels is not UNSET:
            field_dict["channels"] = channels

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        channels = []
        _channels = d.pop("channels", UNSET)
        for channels_item_data in (_channels or []):
            channels_item = check_event_resend_body_channels_item(channels_item_data)



            channels.append(channels_item)


        event_resend_body = cls(
            channels=channels,
        )


        event_resend_body.additional_properties = d
        return event_resend_body

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
