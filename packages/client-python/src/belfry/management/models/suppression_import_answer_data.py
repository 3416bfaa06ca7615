from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.suppression_import_answer_data_ignored_columns_item import SuppressionImportAnswerDataIgnoredColumnsItem





T = TypeVar("T", bound="SuppressionImportAnswerData")



@_attrs_define
class SuppressionImportAnswerData:
    """ 
        Attributes:
            lines (int): Lines without the heading and empty ones
            added (int): Addresses that were not suppressed before
            already_there (int): These were suppressed before: they keep their reason and time
            repeated (int): Addresses that more than one line named
            left_out (int): Bad lines
            faults (list[str]): Faults of bad lines, each with its number: at most 50, and how many more
            ignored_columns (list['SuppressionImportAnswerDataIgnoredColumnsItem']): Columns that the first line names and
                that are not read: at most 50
     """

    lines: int
    added: int
    already_there: int
    repeated: int
    left_out: int
    faults: list[str]
    ignored_columns: list['SuppressionImportAnswerDataIgnoredColumnsItem']
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.suppression_import_answer_data_ignored_columns_item import SuppressionImportAnswerDataIgnoredColumnsItem
        lines = self.lines

        added = self.added

        already_there = self.already_there

        repeated = self.repeated

        left_out = self.left_out

        faults = self.faults



        ignored_columns = []
        for ignored_columns_item_data in self.ignored_columns:
            ignored_columns_item = ignored_columns_item_data.to_dict()
            ignored_columns.append(ignored_columns_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "lines": lines,
            "added": added,
            "alreadyThere": already_there,
            "repeated": repeated,
            "leftOut": left_out,
            "faults": faults,
            "ignoredColumns": ignored_columns,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.suppression_import_answer_data_ignored_columns_item import SuppressionImportAnswerDataIgnoredColumnsItem
        d = dict(src_dict)
        lines = d.pop("lines")

        added = d.pop("added")

        already_there = d.pop("alreadyThere")

        repeated = d.pop("repeated")

        left_out = d.pop("leftOut")

        faults = cast(list[str], d.pop("faults"))


        ignored_columns = []
        _ignored_columns = d.pop("ignoredColumns")
        for ignored_columns_item_data in (_ignored_columns):
            ignored_columns_item = SuppressionImportAnswerDataIgnoredColumnsItem.from_dict(ignored_columns_item_data)



            ignored_columns.append(ignored_columns_item)


        suppression_import_answer_data = cls(
            lines=lines,
            added=added,
            already_there=already_there,
            repeated=repeated,
            left_out=left_out,
            faults=faults,
            ignored_columns=ignored_columns,
        )


        suppression_import_answer_data.additional_properties = d
        return suppression_import_answer_data

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
