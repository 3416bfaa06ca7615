from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast, Union






T = TypeVar("T", bound="UserImportAnswerDataIgnoredColumnsItem")



@_attrs_define
class UserImportAnswerDataIgnoredColumnsItem:
    """ 
        Attributes:
            column (str): Its name in the first line; empty: it has none
            suggestion (Union[None, str]): The known column that was probably meant
     """

    column: str
    suggestion: Union[None, str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        column = self.column

        suggestion: Union[None, str]
        suggestion = self.suggestion


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "column": column,
            "suggestion": suggestion,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        column = d.pop("column")

        def _parse_suggestion(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        suggestion = _parse_suggestion(d.pop("suggestion"))


        user_import_answer_data_ignored_columns_item = cls(
            column=column,
            suggestion=suggestion,
        )


        user_import_answer_data_ignored_columns_item.additional_properties = d
        return user_import_answer_data_ignored_columns_item

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
