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
  from ..models.draft_actions_type_0_item import DraftActionsType0Item
  from ..models.draft_settings import DraftSettings





T = TypeVar("T", bound="Draft")



@_attrs_define
class Draft:
    """ The draft of one variant, which is not in use

        Attributes:
            template_id (str):
            tenant_id (str):
            event_type (str): the template's event type
            channel (str): EMAIL, SMS, PUSH, DEVICE or CHAT
            locale (str): Empty: the default variant
            content (str):
            subject (Union[None, str]):
            title (Union[None, str]):
            format_ (Union[None, str]):
            url (Union[None, str]):
            settings (DraftSettings): Settings that publishing applies, as they were given: they are not checked yet
            revision (int): Changes with every save
            based_on_version (int): The published version that the draft was begun from
            source_version (Union[None, int]): Version that a translation was made from
            saved_by (Union[None, str]):
            saved_at (datetime.datetime): When it was saved; ISO 8601, UTC
            actions (Union[None, Unset, list['DraftActionsType0Item']]): buttons of PUSH; up to two
     """

    template_id: str
    tenant_id: str
    event_type: str
    channel: str
    locale: str
    content: str
    subject: Union[None, str]
    title: Union[None, str]
    format_: Union[None, str]
    url: Union[None, str]
    settings: 'DraftSettings'
    revision: int
    based_on_version: int
    source_version: Union[None, int]
    saved_by: Union[None, str]
    saved_at: datetime.datetime
    actions: Union[None, Unset, list['DraftActionsType0Item']] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.draft_actions_type_0_item import DraftActionsType0Item
        from ..models.draft_settings import DraftSettings
        template_id = self.template_id

        tenant_id = self.tenant_id

        event_type = self.event_type

        channel = self.channel

        locale = self.locale

        content = self.content

        subject: Union[None, str]
        subject = self.subject

        title: Union[None, str]
        title = self.title

        format_: Union[None, str]
        format_ = self.format_

        url: Union[None, str]
        url = self.url

        settings = self.settings.to_dict()

        revision = self.revision

        based_on_version = self.based_on_version

        source_version: Union[None, int]
        source_version = self.source_version

        saved_by: Union[None, str]
        saved_by = self.saved_by

        saved_at = self.saved_at.isoformat()

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
            "templateId": template_id,
            "tenantId": tenant_id,
            "eventType": event_type,
            "channel": channel,
            "locale": locale,
            "content": content,
            "subject": subject,
            "title": title,
            "format": format_,
            "url": url,
            "settings": settings,
            "revision": revision,
            "basedOnVersion": based_on_version,
            "sourceVersion": source_version,
            "savedBy": saved_by,
            "savedAt": saved_at,
        })
        if actions is not UNSET:
            field_dict["actions"] = actions

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.draft_actions_type_0_item import DraftActionsType0Item
        from ..models.draft_settings import DraftSettings
        d = dict(src_dict)
        template_id = d.pop("templateId")

        tenant_id = d.pop("tenantId")

        event_type = d.pop("eventType")

        channel = d.pop("channel")

        locale = d.pop("locale")

        content = d.pop("content")

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


        settings = DraftSettings.from_dict(d.pop("settings"))




        revision = d.pop("revision")

        based_on_version = d.pop("basedOnVersion")

        def _parse_source_version(data: object) -> Union[None, int]:
            if data is None:
                return data
            return cast(Union[None, int], data)

        source_version = _parse_source_version(d.pop("sourceVersion"))


        def _parse_saved_by(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        saved_by = _parse_saved_by(d.pop("savedBy"))


        saved_at = isoparse(d.pop("savedAt"))




        def _parse_actions(data: object) -> Union[None, Unset, list['DraftActionsType0Item']]:
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
                    actions_type_0_item = DraftActionsType0Item.from_dict(actions_type_0_item_data)



                    actions_type_0.append(actions_type_0_item)

                return actions_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, Unset, list['DraftActionsType0Item']], data)

        actions = _parse_actions(d.pop("actions", UNSET))


        draft = cls(
            template_id=template_id,
            tenant_id=tenant_id,
            event_type=event_type,
            channel=channel,
            locale=locale,
            content=content,
            subject=subject,
            title=title,
            format_=format_,
            url=url,
            settings=settings,
            revision=revision,
            based_on_version=based_on_version,
            source_version=source_version,
            saved_by=saved_by,
            saved_at=saved_at,
            actions=actions,
        )


        draft.additional_properties = d
        return draft

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
