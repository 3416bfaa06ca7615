from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from typing import Union






T = TypeVar("T", bound="MembersChangeRequest")



@_attrs_define
class MembersChangeRequest:
    """ At most 1000 user ids in all; no id may be in both lists

        Attributes:
            add (Union[Unset, list[str]]): User ids; one that is in the topic already stays in it
            remove (Union[Unset, list[str]]): User ids; one that is not in the topic changes nothing
     """

    add: Union[Unset, list[str]] = UNSET
    remove: Union[Unset, list[str]] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        add: Union[Unset, list[str]] = UNSET
        if not isinstance(self.add, Unset):
            add = self.add



        remove: Union[Unset, list[str]] = UNSET
        if not isinstance(self.remove, Unset):
            remove = self.remove




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if add is not UNSET:
            field_dict["add"] = add
        if remove is not UNSET:
            field_dict["remove"] = remove

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        add = cast(list[str], d.pop("add", UNSET))


        remove = cast(list[str], d.pop("remove", UNSET))


        members_change_request = cls(
            add=add,
            remove=remove,
        )


        members_change_request.additional_properties = d
        return members_change_request

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
