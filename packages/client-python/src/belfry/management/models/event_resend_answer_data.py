from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="EventResendAnswerData")



@_attrs_define
class EventResendAnswerData:
    """ 
        Attributes:
            tenant_id (str):
            id (str):
            new_event (str): Belfry's id of the new event
     """

    tenant_id: str
    id: str
    new_event: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        tenant_id = self.tenant_id

        id = self.id

        new_event = self.new_event


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "tenantId": tenant_id,
            "id": id,
            "newEvent": new_event,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        tenant_id = d.pop("tenantId")

        id = d.pop("id")

        new_event = d.pop("newEvent")

        event_resend_answer_data = cls(
            tenant_id=tenant_id,
            id=id,
            new_event=new_event,
        )


        event_resend_answer_data.additional_properties = d
        return event_resend_answer_data

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
