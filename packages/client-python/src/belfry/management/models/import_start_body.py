from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.import_start_body_kind import check_import_start_body_kind
from ..models.import_start_body_kind import ImportStartBodyKind
from ..types import UNSET, Unset
from typing import cast
from typing import Union






T = TypeVar("T", bound="ImportStartBody")



@_attrs_define
class ImportStartBody:
    """ 
        Attributes:
            kind (ImportStartBodyKind): users or members
            file (str): the text of a CSV file, or a part of it: at most 500000 characters
            topic (Union[Unset, str]): of members: the topic, which is made where there is none
            more (Union[Unset, bool]): further parts of the file follow
     """

    kind: ImportStartBodyKind
    file: str
    topic: Union[Unset, str] = UNSET
    more: Union[Unset, bool] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        kind: str = self.kind

        file = self.file

        topic = self.topic

        more = self.more


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "kind": kind,
            "file": file,
        })
        if topic is not UNSET:
            field_dict["topic"] = topic
        if more is not UNSET:
            field_dict["more"] = more

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = check_import_start_body_kind(d.pop("kind"))




        file = d.pop("file")

        topic = d.pop("topic", UNSET)

        more = d.pop("more", UNSET)

        import_start_body = cls(
            kind=kind,
            file=file,
            topic=topic,
            more=more,
        )


        import_start_body.additional_properties = d
        return import_start_body

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
