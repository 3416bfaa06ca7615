from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
import datetime






T = TypeVar("T", bound="Image")



@_attrs_define
class Image:
    """ 
        Attributes:
            id (str):
            name (str): Name of the uploaded file
            type_ (str):
            bytes_ (int):
            width (int): In pixels
            height (int):
            url (str): For a mail or a design: everybody can read it there
            created_at (datetime.datetime): When it was uploaded; ISO 8601, UTC
     """

    id: str
    name: str
    type_: str
    bytes_: int
    width: int
    height: int
    url: str
    created_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        name = self.name

        type_ = self.type_

        bytes_ = self.bytes_

        width = self.width

        height = self.height

        url = self.url

        created_at = self.created_at.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "name": name,
            "type": type_,
            "bytes": bytes_,
            "width": width,
            "height": height,
            "url": url,
            "createdAt": created_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        name = d.pop("name")

        type_ = d.pop("type")

        bytes_ = d.pop("bytes")

        width = d.pop("width")

        height = d.pop("height")

        url = d.pop("url")

        created_at = isoparse(d.pop("createdAt"))




        image = cls(
            id=id,
            name=name,
            type_=type_,
            bytes_=bytes_,
            width=width,
            height=height,
            url=url,
            created_at=created_at,
        )


        image.additional_properties = d
        return image

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
