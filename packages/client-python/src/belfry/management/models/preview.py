from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from typing import Union

if TYPE_CHECKING:
  from ..models.preview_blocks_item import PreviewBlocksItem





T = TypeVar("T", bound="Preview")



@_attrs_define
class Preview:
    """ 
        Attributes:
            channel (str): EMAIL, SMS, PUSH, DEVICE or CHAT
            kind (str):
            missing (list[str]): Names that have no value
            subject (Union[Unset, str]):
            html (Union[Unset, str]):
            text (Union[Unset, str]):
            segments (Union[Unset, int]): Segments of a short message
            encoding (Union[Unset, str]):
            title (Union[Unset, str]):
            body (Union[Unset, str]):
            blocks (Union[Unset, list['PreviewBlocksItem']]):
            url (Union[Unset, str]):
            warnings (Union[Unset, list[str]]):
     """

    channel: str
    kind: str
    missing: list[str]
    subject: Union[Unset, str] = UNSET
    html: Union[Unset, str] = UNSET
    text: Union[Unset, str] = UNSET
    segments: Union[Unset, int] = UNSET
    encoding: Union[Unset, str] = UNSET
    title: Union[Unset, str] = UNSET
    body: Union[Unset, str] = UNSET
    blocks: Union[Unset, list['PreviewBlocksItem']] = UNSET
    url: Union[Unset, str] = UNSET
    warnings: Union[Unset, list[str]] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.preview_blocks_item import PreviewBlocksItem
        channel = self.channel

        kind = self.kind

        missing = self.missing



        subject = self.subject

        html = self.html

        text = self.text

        segments = self.segments

        encoding = self.encoding

        title = self.title

        body = self.body

        blocks: Union[Unset, list[dict[str, Any]]] = UNSET
        if not isinstance(self.blocks, Unset):
            blocks = []
            for blocks_item_data in self.blocks:
                blocks_item = blocks_item_data.to_dict()
                blocks.append(blocks_item)



        url = self.url

        warnings: Union[Unset, list[str]] = UNSET
        if not isinstance(self.warnings, Unset):
            warnings = self.warnings




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "channel": channel,
            "kind": kind,
            "missing": missing,
        })
        if subject is not UNSET:
            field_dict["subject"] = subject
        if html is not UNSET:
            field_dict["html"] = html
        if text is not UNSET:
            field_dict["text"] = text
        if segments is not UNSET:
            field_dict["segments"] = segments
        if encoding is not UNSET:
            field_dict["encoding"] = encoding
        if title is not UNSET:
            field_dict["title"] = title
        if body is not UNSET:
            field_dict["body"] = body
        if blocks is not UNSET:
            field_dict["blocks"] = blocks
        if url is not UNSET:
            field_dict["url"] = url
        if warnings is not UNSET:
            field_dict["warnings"] = warnings

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.preview_blocks_item import PreviewBlocksItem
        d = dict(src_dict)
        channel = d.pop("channel")

        kind = d.pop("kind")

        missing = cast(list[str], d.pop("missing"))


        subject = d.pop("subject", UNSET)

        html = d.pop("html", UNSET)

        text = d.pop("text", UNSET)

        segments = d.pop("segments", UNSET)

        encoding = d.pop("encoding", UNSET)

        title = d.pop("title", UNSET)

        body = d.pop("body", UNSET)

        blocks = []
        _blocks = d.pop("blocks", UNSET)
        for blocks_item_data in (_blocks or []):
            blocks_item = PreviewBlocksItem.from_dict(blocks_item_data)



            blocks.append(blocks_item)


        url = d.pop("url", UNSET)

        warnings = cast(list[str], d.pop("warnings", UNSET))


        preview = cls(
            channel=channel,
            kind=kind,
            missing=missing,
            subject=subject,
            html=html,
            text=text,
            segments=segments,
            encoding=encoding,
            title=title,
            body=body,
            blocks=blocks,
            url=url,
            warnings=warnings,
        )


        preview.additional_properties = d
        return preview

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
