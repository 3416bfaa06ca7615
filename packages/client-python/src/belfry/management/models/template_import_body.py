from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.template_import_body_files import TemplateImportBodyFiles





T = TypeVar("T", bound="TemplateImportBody")



@_attrs_define
class TemplateImportBody:
    """ 
        Attributes:
            files (TemplateImportBodyFiles): Files by path: a folder for each event type, a file for each channel and
                language, as in the example
     """

    files: 'TemplateImportBodyFiles'
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.template_import_body_files import TemplateImportBodyFiles
        files = self.files.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "files": files,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.template_import_body_files import TemplateImportBodyFiles
        d = dict(src_dict)
        files = TemplateImportBodyFiles.from_dict(d.pop("files"))




        template_import_body = cls(
            files=files,
        )


        template_import_body.additional_properties = d
        return template_import_body

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
