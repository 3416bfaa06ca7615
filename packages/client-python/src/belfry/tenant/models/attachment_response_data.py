from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
import datetime






T = TypeVar("T", bound="AttachmentResponseData")



@_attrs_define
class AttachmentResponseData:
    """ 
        Attributes:
            id (str): The id that triggers name
            name (str):
            type_ (str): The media type of Content-Type, in its usual spelling
            bytes_ (int):
            expires_at (datetime.datetime): It is deleted if no event has named it by this time; ISO 8601, UTC
     """

    id: str
    name: str
    type_: str
    bytes_: int
    expires_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        name = self.name

        type_ = self.type_

        bytes_ = self.bytes_

        expires_at = self.expires_at.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "name": name,
            "type": type_,
            "bytes": bytes_,
            "expiresAt": expires_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        name = d.pop("name")

        type_ = d.pop("type")

        bytes_ = d.pop("bytes")

        expires_at = isoparse(d.pop("expiresAt"))




        attachment_response_data = cls(
            id=id,
            name=name,
            type_=type_,
            bytes_=bytes_,
            expires_at=expires_at,
        )


        attachment_response_data.additional_properties = d
        return attachment_response_data

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
