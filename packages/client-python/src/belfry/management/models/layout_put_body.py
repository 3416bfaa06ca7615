from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from typing import cast, Union
from typing import Union

if TYPE_CHECKING:
  from ..models.layout_put_body_footer_texts import LayoutPutBodyFooterTexts





T = TypeVar("T", bound="LayoutPutBody")



@_attrs_define
class LayoutPutBody:
    """ 
        Attributes:
            content (Union[None, Unset, str]): MJML with {{ $content }} directly in an mj-column; empty: the platform's
            logo_url (Union[None, Unset, str]): https; '' for none
            primary_color (Union[None, Unset, str]): of buttons and links, #rrggbb; '' for the platform's
            background_color (Union[None, Unset, str]): behind the content, #rrggbb
            text_color (Union[None, Unset, str]): of words, #rrggbb
            footer_text (Union[None, Unset, str]): below the content, with links as Markdown; '' for none
            address (Union[None, Unset, str]): the sender's postal address; '' for none
            footer_texts (Union[Unset, LayoutPutBodyFooterTexts]): shown below the content, by language, for other languages
                than the default
            based_on_version (Union[Unset, int]): the version that the editor began with, 0: none; refused over another
     """

    content: Union[None, Unset, str] = UNSET
    logo_url: Union[None, Unset, str] = UNSET
    primary_color: Union[None, Unset, str] = UNSET
    background_color: Union[None, Unset, str] = UNSET
    text_color: Union[None, Unset, str] = UNSET
    footer_text: Union[None, Unset, str] = UNSET
    address: Union[None, Unset, str] = UNSET
    footer_texts: Union[Unset, 'LayoutPutBodyFooterTexts'] = UNSET
    based_on_version: Union[Unset, int] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.layout_put_body_footer_texts import LayoutPutBodyFooterTexts
        content: Union[None, Unset, str]
        if isinstance(self.content, Unset):
            content = UNSET
        else:
            content = self.content

        logo_url: Union[None, Unset, str]
        if isinstance(self.logo_url, Unset):
            logo_url = UNSET
        else:
            logo_url = self.logo_url

        primary_color: Union[None, Unset, str]
        if isinstance(self.primary_color, Unset):
            primary_color = UNSET
        else:
            primary_color = self.primary_color

        background_color: Union[None, Unset, str]
        if isinstance(self.background_color, Unset):
            background_color = UNSET
        else:
            background_color = self.background_color

        text_color: Union[None, Unset, str]
        if isinstance(self.text_color, Unset):
            text_color = UNSET
        else:
            text_color = self.text_color

        footer_text: Union[None, Unset, str]
        if isinstance(self.footer_text, Unset):
            footer_text = UNSET
        else:
            footer_text = self.footer_text

        address: Union[None, Unset, str]
        if isinstance(self.address, Unset):
            address = UNSET
        else:
            address = self.address

        footer_texts: Union[Unset, dict[str, Any]] = UNSET
        if not isinstance(self.footer_texts, Unset):
            footer_texts = self.footer_texts.to_dict()

        based_on_version = self.based_on_version


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if content is not UNSET:
            field_dict["content"] = content
        if logo_url is not UNSET:
            field_dict["logoUrl"] = logo_url
        if primary_color is not UNSET:
            field_dict["primaryColor"] = primary_color
        if background_color is not UNSET:
            field_dict["backgroundColor"] = background_color
        if text_color is not UNSET:
            field_dict["textColor"] = text_color
        if footer_text is not UNSET:
            field_dict["footerText"] = footer_text
        if address is not UNSET:
            field_dict["address"] = address
        if footer_texts is not UNSET:
            field_dict["footerTexts"] = footer_texts
        if based_on_version is not UNSET:
            field_dict["basedOnVersion"] = based_on_version

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.layout_put_body_footer_texts import LayoutPutBodyFooterTexts
        d = dict(src_dict)
        def _parse_content(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        content = _parse_content(d.pop("content", UNSET))


        def _parse_logo_url(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        logo_url = _parse_logo_url(d.pop("logoUrl", UNSET))


        def _parse_primary_color(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        primary_color = _parse_primary_color(d.pop("primaryColor", UNSET))


        def _parse_background_color(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        background_color = _parse_background_color(d.pop("backgroundColor", UNSET))


        def _parse_text_color(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        text_color = _parse_text_color(d.pop("textColor", UNSET))


        def _parse_footer_text(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        footer_text = _parse_footer_text(d.pop("footerText", UNSET))


        def _parse_address(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        address = _parse_address(d.pop("address", UNSET))


        _footer_texts = d.pop("footerTexts", UNSET)
        footer_texts: Union[Unset, LayoutPutBodyFooterTexts]
        if isinstance(_footer_texts,  Unset):
            footer_texts = UNSET
        else:
            footer_texts = LayoutPutBodyFooterTexts.from_dict(_footer_texts)




        based_on_version = d.pop("basedOnVersion", UNSET)

        layout_put_body = cls(
            content=content,
            logo_url=logo_url,
            primary_color=primary_color,
            background_color=background_color,
            text_color=text_color,
            footer_text=footer_text,
            address=address,
            footer_texts=footer_texts,
            based_on_version=based_on_version,
        )


        layout_put_body.additional_properties = d
        return layout_put_body

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
