from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import Union






T = TypeVar("T", bound="OutboxMessageAttachmentsItem")



@_attrs_define
class OutboxMessageAttachmentsItem:
    """ 
        Attributes:
            name (str):
            type_ (str):
            bytes_ (int):
            sha256 (str): In hex
            cid (Union[Unset, str]): The id by which the HTML shows the file
     """

    name: str
    type_: str
    bytes_: int
    sha256: str
    cid: Union[Unset, str] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        name = self.name

        type_ = self.type_

        bytes_ = self.bytes_

        sha256 = self.sha256

        cid = self.cid


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "name": name,
            "type": type_,
            "bytes": bytes_,
            "sha256": sha256,
        })
        if cid is not UNSET:
            field_dict["cid"] = cid

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        type_ = d.pop("type")

        bytes_ = d.pop("bytes")

        sha256 = d.pop("sha256")

        cid = d.pop("cid", UNSET)

        outbox_message_attachments_item = cls(
            name=name,
            type_=type_,
            bytes_=bytes_,
            sha256=sha256,
            cid=cid,
        )


        outbox_message_attachments_item.additional_properties = d
        return outbox_message_attachments_item

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
