from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.template_copy_body_to_channel import check_template_copy_body_to_channel
from ..models.template_copy_body_to_channel import TemplateCopyBodyToChannel
from ..types import UNSET, Unset
from typing import cast
from typing import Union






T = TypeVar("T", bound="TemplateCopyBody")



@_attrs_define
class TemplateCopyBody:
    """ 
        Attributes:
            to_event_type (str): event type of the copy
            to_channel (Union[Unset, TemplateCopyBodyToChannel]): channel of the copy, with the same parts; default: the
                same channel
            to_tenant (Union[Unset, str]): tenant that gets the copy, for operators only; default: the same tenant
     """

    to_event_type: str
    to_channel: Union[Unset, TemplateCopyBodyToChannel] = UNSET
    to_tenant: Union[Unset, str] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        to_event_type = self.to_event_type

        to_channel: Union[Unset, str] = UNSET
        if not isinstance(self.to_channel, Unset):
            to_channel = self.to_channel


        to_tenant = self.to_tenant


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "toEventType": to_event_type,
        })
        if to_channel is not UNSET:
            field_dict["toChannel"] = to_channel
        if to_tenant is not UNSET:
            field_dict["toTenant"] = to_tenant

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        to_event_type = d.pop("toEventType")

        _to_channel = d.pop("toChannel", UNSET)
        to_channel: Union[Unset, TemplateCopyBodyToChannel]
        if isinstance(_to_channel,  Unset):
            to_channel = UNSET
        else:
            to_channel = check_template_copy_body_to_channel(_to_channel)




        to_tenant = d.pop("toTenant", UNSET)

        template_copy_body = cls(
            to_event_type=to_event_type,
            to_channel=to_channel,
            to_tenant=to_tenant,
        )


        template_copy_body.additional_properties = d
        return template_copy_body

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
