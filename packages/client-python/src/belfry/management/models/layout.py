from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
import datetime

if TYPE_CHECKING:
  from ..models.layout_footer_texts_type_0 import LayoutFooterTextsType0





T = TypeVar("T", bound="Layout")



@_attrs_define
class Layout:
    """ 
        Attributes:
            tenant_id (str):
            version (int): 0: the platform's, untouched
            content (Union[None, str]): MJML with {{ $content }} directly in an mj-column; empty: the platform's
            logo_url (Union[None, str]): https; '' for none
            primary_color (Union[None, str]): of buttons and links, #rrggbb; '' for the platform's
            background_color (Union[None, str]): behind the content, #rrggbb
            text_color (Union[None, str]): of words, #rrggbb
            footer_text (Union[None, str]): below the content, with links as Markdown; '' for none
            address (Union[None, str]): the sender's postal address; '' for none
            footer_texts (Union['LayoutFooterTextsType0', None]): The text below by language
            saved_by (Union[None, str]):
            saved_at (Union[None, datetime.datetime]): When it was published; ISO 8601, UTC
     """

    tenant_id: str
    version: int
    content: Union[None, str]
    logo_url: Union[None, str]
    primary_color: Union[None, str]
    background_color: Union[None, str]
    text_color: Union[None, str]
    footer_text: Union[None, str]
    address: Union[None, str]
    footer_texts: Union['LayoutFooterTextsType0', None]
    saved_by: Union[None, str]
    saved_at: Union[None, datetime.datetime]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.layout_footer_texts_type_0 import LayoutFooterTextsType0
        tenant_id = self.tenant_id

        version = self.version

        content: Union[None, str]
        content = self.content

        logo_url: Union[None, str]
        logo_url = self.logo_url

        primary_color: Union[None, str]
        primary_color = self.primary_color

        background_color: Union[None, str]
        background_color = self.background_color

        text_color: Union[None, str]
        text_color = self.text_color

        footer_text: Union[None, str]
        footer_text = self.footer_text

        address: Union[None, str]
        address = self.address

        footer_texts: Union[None, dict[str, Any]]
        if isinstance(self.footer_texts, LayoutFooterTextsType0):
            footer_texts = self.footer_texts.to_dict()
        else:
            footer_texts = self.footer_texts

        saved_by: Union[None, str]
        saved_by = self.saved_by

        saved_at: Union[None, str]
        if isinstance(self.saved_at, datetime.datetime):
            saved_at = self.saved_at.isoformat()
        else:
            saved_at = self.saved_at


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "tenantId": tenant_id,
            "version": version,
            "content": content,
            "logoUrl": logo_url,
            "primaryColor": primary_color,
            "backgroundColor": background_color,
            "textColor": text_color,
            "footerText": footer_text,
            "address": address,
            "footerTexts": footer_texts,
            "savedBy": saved_by,
            "savedAt": saved_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.layout_footer_texts_type_0 import LayoutFooterTextsType0
        d = dict(src_dict)
        tenant_id = d.pop("tenantId")

        version = d.pop("version")

        def _parse_content(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        content = _parse_content(d.pop("content"))


        def _parse_logo_url(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        logo_url = _parse_logo_url(d.pop("logoUrl"))


        def _parse_primary_color(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        primary_color = _parse_primary_color(d.pop("primaryColor"))


        def _parse_background_color(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        background_color = _parse_background_color(d.pop("backgroundColor"))


        def _parse_text_color(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        text_color = _parse_text_color(d.pop("textColor"))


        def _parse_footer_text(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        footer_text = _parse_footer_text(d.pop("footerText"))


        def _parse_address(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        address = _parse_address(d.pop("address"))


        def _parse_footer_texts(data: object) -> Union['LayoutFooterTextsType0', None]:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                footer_texts_type_0 = LayoutFooterTextsType0.from_dict(data)



                return footer_texts_type_0
            except: # noqa: E722
                pass
            return cast(Union['LayoutFooterTextsType0', None], data)

        footer_texts = _parse_footer_texts(d.pop("footerTexts"))


        def _parse_saved_by(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        saved_by = _parse_saved_by(d.pop("savedBy"))


        def _parse_saved_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                saved_at_type_0 = isoparse(data)



                return saved_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        saved_at = _parse_saved_at(d.pop("savedAt"))


        layout = cls(
            tenant_id=tenant_id,
            version=version,
            content=content,
            logo_url=logo_url,
            primary_color=primary_color,
            background_color=background_color,
            text_color=text_color,
            footer_text=footer_text,
            address=address,
            footer_texts=footer_texts,
            saved_by=saved_by,
            saved_at=saved_at,
        )


        layout.additional_properties = d
        return layout

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
