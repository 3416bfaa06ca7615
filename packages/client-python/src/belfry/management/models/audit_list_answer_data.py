from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from dateutil.parser import isoparse
from typing import cast
from typing import Union
import datetime

if TYPE_CHECKING:
  from ..models.audit_entry import AuditEntry





T = TypeVar("T", bound="AuditListAnswerData")



@_attrs_define
class AuditListAnswerData:
    """ 
        Attributes:
            entries (list['AuditEntry']):
            next_ (Union[Unset, str]): Give it as `before` for what is older
            searched_to (Union[Unset, datetime.datetime]): When the oldest entry that was looked at was written; ISO 8601,
                UTC
     """

    entries: list['AuditEntry']
    next_: Union[Unset, str] = UNSET
    searched_to: Union[Unset, datetime.datetime] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.audit_entry import AuditEntry
        entries = []
        for entries_item_data in self.entries:
            entries_item = entries_item_data.to_dict()
            entries.append(entries_item)



        next_ = self.next_

        searched_to: Union[Unset, str] = UNSET
        if not isinstance(self.searched_to, Unset):
            searched_to = self.searched_to.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "entries": entries,
        })
        if next_ is not UNSET:
            field_dict["next"] = next_
        if searched_to is not UNSET:
            field_dict["searchedTo"] = searched_to

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.audit_entry import AuditEntry
        d = dict(src_dict)
        entries = []
        _entries = d.pop("entries")
        for entries_item_data in (_entries):
            entries_item = AuditEntry.from_dict(entries_item_data)



            entries.append(entries_item)


        next_ = d.pop("next", UNSET)

        _searched_to = d.pop("searchedTo", UNSET)
        searched_to: Union[Unset, datetime.datetime]
        if isinstance(_searched_to,  Unset):
            searched_to = UNSET
        else:
            searched_to = isoparse(_searched_to)




        audit_list_answer_data = cls(
            entries=entries,
            next_=next_,
            searched_to=searched_to,
        )


        audit_list_answer_data.additional_properties = d
        return audit_list_answer_data

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
