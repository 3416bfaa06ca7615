from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import Union






T = TypeVar("T", bound="ImportAddBody")



@_attrs_define
class ImportAddBody:
    """ 
        Attributes:
            part (int): the number of this part; the first part came with the start of the import
            file (str): the text of a CSV file, or a part of it: at most 500000 characters
            more (Union[Unset, bool]): further parts of the file follow
     """

    part: int
    file: str
    more: Union[Unset, bool] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        part = self.part

        file = self.file

        more = self.more


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "part": part,
            "file": file,
        })
        if more is not UNSET:
            field_dict["more"] = more

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        part = d.pop("part")

        file = d.pop("file")

        more = d.pop("more", UNSET)

        import_add_body = cls(
            part=part,
            file=file,
            more=more,
        )


        import_add_body.additional_properties = d
        return import_add_body

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
