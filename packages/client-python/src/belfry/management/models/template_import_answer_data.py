from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from typing import Union






T = TypeVar("T", bound="TemplateImportAnswerData")



@_attrs_define
class TemplateImportAnswerData:
    """ 
        Attributes:
            published (Union[Unset, list[str]]): Of another text, or with other settings, which make no version
            unchanged (Union[Unset, list[str]]): The same as they are
            checked (Union[Unset, list[str]]): Of a dry run: all
            added (Union[Unset, list[str]]): Of a dry run: those of which nothing is published
            changed (Union[Unset, list[str]]): Of a dry run: those that differ from what is published
            same (Union[Unset, list[str]]): Of a dry run
            warnings (Union[Unset, list[str]]): Of each file with a warning: its path and the warning; left out: none
     """

    published: Union[Unset, list[str]] = UNSET
    unchanged: Union[Unset, list[str]] = UNSET
    checked: Union[Unset, list[str]] = UNSET
    added: Union[Unset, list[str]] = UNSET
    changed: Union[Unset, list[str]] = UNSET
    same: Union[Unset, list[str]] = UNSET
    warnings: Union[Unset, list[str]] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        published: Union[Unset, list[str]] = UNSET
        if not isinstance(self.published, Unset):
            published = self.published



        unchanged: Union[Unset, list[str]] = UNSET
        if not isinstance(self.unchanged, Unset):
            unchanged = self.unchanged



        checked: Union[Unset, list[str]] = UNSET
        if not isinstance(self.checked, Unset):
            checked = self.checked



        added: Union[Unset, list[str]] = UNSET
        if not isinstance(self.added, Unset):
            added = self.added



        changed: Union[Unset, list[str]] = UNSET
        if not isinstance(self.changed, Unset):
            changed = self.changed



        same: Union[Unset, list[str]] = UNSET
        if not isinstance(self.same, Unset):
            same = self.same



        warnings: Union[Unset, list[str]] = UNSET
        if not isinstance(self.warnings, Unset):
            warnings = self.warnings




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if published is not UNSET:
            field_dict["published"] = published
        if unchanged is not UNSET:
            field_dict["unchanged"] = unchanged
        if checked is not UNSET:
            field_dict["checked"] = checked
        if added is not UNSET:
            field_dict["added"] = added
        if changed is not UNSET:
            field_dict["changed"] = changed
        if same is not UNSET:
            field_dict["same"] = same
        if warnings is not UNSET:
            field_dict["warnings"] = warnings

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        published = cast(list[str], d.pop("published", UNSET))


        unchanged = cast(list[str], d.pop("unchanged", UNSET))


        checked = cast(list[str], d.pop("checked", UNSET))


        added = cast(list[str], d.pop("added", UNSET))


        changed = cast(list[str], d.pop("changed", UNSET))


        same = cast(list[str], d.pop("same", UNSET))


        warnings = cast(list[str], d.pop("warnings", UNSET))


        template_import_answer_data = cls(
            published=published,
            unchanged=unchanged,
            checked=checked,
            added=added,
            changed=changed,
            same=same,
            warnings=warnings,
        )


        template_import_answer_data.additional_properties = d
        return template_import_answer_data

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
