from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.suppression_import_answer_data import SuppressionImportAnswerData





T = TypeVar("T", bound="SuppressionImportAnswer")



@_attrs_define
class SuppressionImportAnswer:
    """ 
        Attributes:
            success (bool): Always true
            data (SuppressionImportAnswerData):
     """

    success: bool
    data: 'SuppressionImportAnswerData'
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.suppression_import_answer_data import SuppressionImportAnswerData
        success = self.success

        data = self.data.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "success": success,
            "data": data,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.suppression_import_answer_data import SuppressionImportAnswerData
        d = dict(src_dict)
        success = d.pop("success")

        data = SuppressionImportAnswerData.from_dict(d.pop("data"))




        suppression_import_answer = cls(
            success=success,
            data=data,
        )


        suppression_import_answer.additional_properties = d
        return suppression_import_answer

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
