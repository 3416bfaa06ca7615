from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import Union






T = TypeVar("T", bound="TemplatePublishBody")



@_attrs_define
class TemplatePublishBody:
    """ 
        Attributes:
            locale (Union[Unset, str]): a language of it, as de or de-AT; default: the variant without one
            revision (Union[Unset, int]): the draft's that was last seen, 0: none yet; refused where another is there
            based_on_version (Union[Unset, int]): publish over this version, though the draft began with another
            source_version (Union[Unset, int]): of a translation: the version of the default that it says the same as
     """

    locale: Union[Unset, str] = UNSET
    revision: Union[Unset, int] = UNSET
    based_on_version: Union[Unset, int] = UNSET
    source_version: Union[Unset, int] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        locale = self.locale

        revision = self.revision

        based_on_version = self.based_on_version

        source_version = self.source_version


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if locale is not UNSET:
            field_dict["locale"] = locale
        if revision is not UNSET:
            field_dict["revision"] = revision
        if based_on_version is not UNSET:
            field_dict["basedOnVersion"] = based_on_version
        if source_version is not UNSET:
            field_dict["sourceVersion"] = source_version

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        locale = d.pop("locale", UNSET)

        revision = d.pop("revision", UNSET)

        based_on_version = d.pop("basedOnVersion", UNSET)

        source_version = d.pop("sourceVersion", UNSET)

        template_publish_body = cls(
            locale=locale,
            revision=revision,
            based_on_version=based_on_version,
            source_version=source_version,
        )


        template_publish_body.additional_properties = d
        return template_publish_body

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
