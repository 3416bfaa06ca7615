from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import Union






T = TypeVar("T", bound="UserImportBody")



@_attrs_define
class UserImportBody:
    """ 
        Attributes:
            file (str): columns user, category (a key or *), channel (or *), or a heading that names them
            parts (Union[Unset, int]): into how many shares the rows are divided, 1 to 100; default: 1
            part (Union[Unset, int]): the number of the share to write; each call reads the whole file; default: 1
     """

    file: str
    parts: Union[Unset, int] = UNSET
    part: Union[Unset, int] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        file = self.file

        parts = self.parts

        part = self.part


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "file": file,
        })
        if parts is not UNSET:
            field_dict["parts"] = parts
        if part is not UNSET:
            field_dict["part"] = part

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        file = d.pop("file")

        parts = d.pop("parts", UNSET)

        part = d.pop("part", UNSET)

        user_import_body = cls(
            file=file,
            parts=parts,
            part=part,
        )


        user_import_body.additional_properties = d
        return user_import_body

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
