from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.template_create_body_channels_item import check_template_create_body_channels_item
from ..models.template_create_body_channels_item import TemplateCreateBodyChannelsItem
from ..models.template_create_body_starter import check_template_create_body_starter
from ..models.template_create_body_starter import TemplateCreateBodyStarter
from ..types import UNSET, Unset
from typing import cast
from typing import Union






T = TypeVar("T", bound="TemplateCreateBody")



@_attrs_define
class TemplateCreateBody:
    """ 
        Attributes:
            event_type (str): as the tenant's events name it
            channels (list[TemplateCreateBodyChannelsItem]): on which, as EMAIL,SMS,PUSH,DEVICE,CHAT
            starter (Union[Unset, TemplateCreateBodyStarter]): one of welcome, verify-address, one-time-code, password-
                reset, receipt, order-on-its-way, payment-failed, comment-digest
     """

    event_type: str
    channels: list[TemplateCreateBodyChannelsItem]
    starter: Union[Unset, TemplateCreateBodyStarter] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        event_type = self.event_type

        channels = []
        for channels_item_data in self.channels:
            channels_item: str = channels_item_data
            channels.append(channels_item)



        starter: Union[Unset, str] = UNSET
        if not isinstance(self.starter, Unset):
            starter = self.starter



        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "eventType": event_type,
            "channels": channels,
        })
        if starter is not UNSET:
            field_dict["starter"] = starter

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        event_type = d.pop("eventType")

        channels = []
        _channels = d.pop("channels")
        for channels_item_data in (_channels):
            channels_item = check_template_create_body_channels_item(channels_item_data)



            channels.append(channels_item)


        _starter = d.pop("starter", UNSET)
        starter: Union[Unset, TemplateCreateBodyStarter]
        if isinstance(_starter,  Unset):
            starter = UNSET
        else:
            starter = check_template_create_body_starter(_starter)




        template_create_body = cls(
            event_type=event_type,
            channels=channels,
            starter=starter,
        )


        template_create_body.additional_properties = d
        return template_create_body

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
