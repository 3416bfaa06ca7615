from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
from typing import Union
import datetime

if TYPE_CHECKING:
  from ..models.template_version_actions_type_0_item import TemplateVersionActionsType0Item





T = TypeVar("T", bound="TemplateVersion")



@_attrs_define
class TemplateVersion:
    """ 
        Attributes:
            version (int):
            locale (str): Empty: the default variant
            subject (Union[None, str]):
            title (Union[None, str]):
            format_ (Union[None, str]):
            url (Union[None, str]):
            created_by (Union[None, str]):
            created_at (datetime.datetime): When it was published; ISO 8601, UTC
            actions (Union[None, Unset, list['TemplateVersionActionsType0Item']]): buttons of PUSH; up to two
     """

    version: int
    locale: str
    subject: Union[None, str]
    title: Union[None, str]
    format_: Union[None, str]
    url: Union[None, str]
    created_by: Union[None, str]
    created_at: datetime.datetime
    actions: Union[None, Unset, list['TemplateVersionActionsType0Item']] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.template_version_actions_type_0_item import TemplateVersionActionsType0Item
        version = self.version

        locale = self.locale

        subject: Union[None, str]
        subject = self.subject

        title: Union[None, str]
        title = self.title

        format_: Union[None, str]
        format_ = self.format_

        url: Union[None, str]
        url = self.url

        created_by: Union[None, str]
        created_by = self.created_by

        created_at = self.created_at.isoformat()

        actions: Union[None, Unset, list[dict[str, Any]]]
        if isinstance(self.actions, Unset):
            actions = UNSET
        elif isinstance(self.actions, list):
            actions = []
            for actions_type_0_item_data in self.actions:
                actions_type_0_item = actions_type_0_item_data.to_dict()
                actions.append(actions_type_0_item)


        else:
            actions = self.actions


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "version": version,
            "locale": locale,
            "subject": subject,
            "title": title,
            "format": format_,
            "url": url,
            "createdBy": created_by,
            "createdAt": created_at,
        })
        if actions is not UNSET:
            field_dict["actions"] = actions

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.template_version_actions_type_0_item import TemplateVersionActionsType0Item
        d = dict(src_dict)
        version = d.pop("version")

        locale = d.pop("locale")

        def _parse_subject(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        subject = _parse_subject(d.pop("subject"))


        def _parse_title(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        title = _parse_title(d.pop("title"))


        def _parse_format_(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        format_ = _parse_format_(d.pop("format"))


        def _parse_url(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        url = _parse_url(d.pop("url"))


        def _parse_created_by(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        created_by = _parse_created_by(d.pop("createdBy"))


        created_at = isoparse(d.pop("createdAt"))




        def _parse_actions(data: object) -> Union[None, Unset, list['TemplateVersionActionsType0Item']]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                actions_type_0 = []
                _actions_type_0 = data
                for actions_type_0_item_data in (_actions_type_0):
                    actions_type_0_item = TemplateVersionActionsType0Item.from_dict(actions_type_0_item_data)



                    actions_type_0.append(actions_type_0_item)

                return actions_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, Unset, list['TemplateVersionActionsType0Item']], data)

        actions = _parse_actions(d.pop("actions", UNSET))


        template_version = cls(
            version=version,
            locale=locale,
            subject=subject,
            title=title,
            format_=format_,
            url=url,
            created_by=created_by,
            created_at=created_at,
            actions=actions,
        )


        template_version.additional_properties = d
        return template_version

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
