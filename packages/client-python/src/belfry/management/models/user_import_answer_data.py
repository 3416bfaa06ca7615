from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.user_import_answer_data_ignored_columns_item import UserImportAnswerDataIgnoredColumnsItem





T = TypeVar("T", bound="UserImportAnswerData")



@_attrs_define
class UserImportAnswerData:
    """ 
        Attributes:
            lines (int): Lines without the heading and empty ones
            turned_off (int): Cells that this import turned off
            already_off (int): These were off before: they keep their source and time
            ignored_columns (list['UserImportAnswerDataIgnoredColumnsItem']): Columns that the first line names and that are
                not read: at most 50
     """

    lines: int
    turned_off: int
    already_off: int
    ignored_columns: list['UserImportAnswerDataIgnoredColumnsItem']
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.user_import_answer_data_ignored_columns_item import UserImportAnswerDataIgnoredColumnsItem
        lines = self.lines

        turned_off = self.turned_off

        already_off = self.already_off

        ignored_columns = []
        for ignored_columns_item_data in self.ignored_columns:
            ignored_columns_item = ignored_columns_item_data.to_dict()
            ignored_columns.append(ignored_columns_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "lines": lines,
            "turnedOff": turned_off,
            "alreadyOff": already_off,
            "ignoredColumns": ignored_columns,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.user_import_answer_data_ignored_columns_item import UserImportAnswerDataIgnoredColumnsItem
        d = dict(src_dict)
        lines = d.pop("lines")

        turned_off = d.pop("turnedOff")

        already_off = d.pop("alreadyOff")

        ignored_columns = []
        _ignored_columns = d.pop("ignoredColumns")
        for ignored_columns_item_data in (_ignored_columns):
            ignored_columns_item = UserImportAnswerDataIgnoredColumnsItem.from_dict(ignored_columns_item_data)



            ignored_columns.append(ignored_columns_item)


        user_import_answer_data = cls(
            lines=lines,
            turned_off=turned_off,
            already_off=already_off,
            ignored_columns=ignored_columns,
        )


        user_import_answer_data.additional_properties = d
        return user_import_answer_data

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
