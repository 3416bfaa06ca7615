from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.template_export_answer_data_files import TemplateExportAnswerDataFiles





T = TypeVar("T", bound="TemplateExportAnswerData")



@_attrs_define
class TemplateExportAnswerData:
    """ 
        Attributes:
            files (TemplateExportAnswerDataFiles): Files by path: a folder for each event type, a file for each channel and
                language, as in the example
     """

    files: 'TemplateExportAnswerDataFiles'
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.template_export_answer_data_files import TemplateExportAnswerDataFiles
        files = self.files.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "files": files,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.template_export_answer_data_files import TemplateExportAnswerDataFiles
        d = dict(src_dict)
        files = TemplateExportAnswerDataFiles.from_dict(d.pop("files"))




        template_export_answer_data = cls(
            files=files,
        )


        template_export_answer_data.additional_properties = d
        return template_export_answer_data

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
