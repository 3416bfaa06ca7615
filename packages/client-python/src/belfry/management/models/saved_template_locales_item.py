from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="SavedTemplateLocalesItem")



@_attrs_define
class SavedTemplateLocalesItem:
    """ 
        Attributes:
            locale (str):
            version (int): 0: there is only a draft
            outdated (bool): The default variant was published again after this one was made from it
            draft (bool):
     """

    locale: str
    version: int
    outdated: bool
    draft: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        locale = self.locale

        version = self.version

        outdated = self.outdated

        draft = self.draft


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "locale": locale,
            "version": version,
            "outdated": outdated,
            "draft": draft,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        locale = d.pop("locale")

        version = d.pop("version")

        outdated = d.pop("outdated")

        draft = d.pop("draft")

        saved_template_locales_item = cls(
            locale=locale,
            version=version,
            outdated=outdated,
            draft=draft,
        )


        saved_template_locales_item.additional_properties = d
        return saved_template_locales_item

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
