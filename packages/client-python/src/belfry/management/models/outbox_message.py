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
  from ..models.outbox_message_attachments_item import OutboxMessageAttachmentsItem
  from ..models.outbox_message_headers import OutboxMessageHeaders





T = TypeVar("T", bound="OutboxMessage")



@_attrs_define
class OutboxMessage:
    """ 
        Attributes:
            id (str):
            event_id (str):
            channel (str):
            to (str):
            subject (Union[None, str]):
            html (Union[None, str]):
            text (str):
            segments (Union[None, int]): Segments of a text message
            created_at (datetime.datetime): When the sandbox provider received it; ISO 8601, UTC
            headers (Union[Unset, OutboxMessageHeaders]): An email's header fields, except those for addresses and parts
            attachments (Union[Unset, list['OutboxMessageAttachmentsItem']]): An email's attached files
     """

    id: str
    event_id: str
    channel: str
    to: str
    subject: Union[None, str]
    html: Union[None, str]
    text: str
    segments: Union[None, int]
    created_at: datetime.datetime
    headers: Union[Unset, 'OutboxMessageHeaders'] = UNSET
    attachments: Union[Unset, list['OutboxMessageAttachmentsItem']] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.outbox_message_attachments_item import OutboxMessageAttachmentsItem
        from ..models.outbox_message_headers import OutboxMessageHeaders
        id = self.id

        event_id = self.event_id

        channel = self.channel

        to = self.to

        subject: Union[None, str]
        subject = self.subject

        html: Union[None, str]
        html = self.html

        text = self.text

        segments: Union[None, int]
        segments = self.segments

        created_at = self.created_at.isoformat()

        headers: Union[Unset, dict[str, Any]] = UNSET
        if not isinstance(self.headers, Unset):
            headers = self.headers.to_dict()

        attachments: Union[Unset, list[dict[str, Any]]] = UNSET
        if not isinstance(self.attachments, Unset):
            attachments = []
            for attachments_item_data in self.attachments:
                attachments_item = attachments_item_data.to_dict()
                attachments.append(attachments_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "eventId": event_id,
            "channel": channel,
            "to": to,
            "subject": subject,
            "html": html,
            "text": text,
            "segments": segments,
            "createdAt": created_at,
        })
        if headers is not UNSET:
            field_dict["headers"] = headers
        if attachments is not UNSET:
            field_dict["attachments"] = attachments

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.outbox_message_attachments_item import OutboxMessageAttachmentsItem
        from ..models.outbox_message_headers import OutboxMessageHeaders
        d = dict(src_dict)
        id = d.pop("id")

        event_id = d.pop("eventId")

        channel = d.pop("channel")

        to = d.pop("to")

        def _parse_subject(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        subject = _parse_subject(d.pop("subject"))


        def _parse_html(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        html = _parse_html(d.pop("html"))


        text = d.pop("text")

        def _parse_segments(data: object) -> Union[None, int]:
            if data is None:
                return data
            return cast(Union[None, int], data)

        segments = _parse_segments(d.pop("segments"))


        created_at = isoparse(d.pop("createdAt"))




        _headers = d.pop("headers", UNSET)
        headers: Union[Unset, OutboxMessageHeaders]
        if isinstance(_headers,  Unset):
            headers = UNSET
        else:
            headers = OutboxMessageHeaders.from_dict(_headers)




        attachments = []
        _attachments = d.pop("attachments", UNSET)
        for attachments_item_data in (_attachments or []):
            attachments_item = OutboxMessageAttachmentsItem.from_dict(attachments_item_data)



            attachments.append(attachments_item)


        outbox_message = cls(
            id=id,
            event_id=event_id,
            channel=channel,
            to=to,
            subject=subject,
            html=html,
            text=text,
            segments=segments,
            created_at=created_at,
            headers=headers,
            attachments=attachments,
        )


        outbox_message.additional_properties = d
        return outbox_message

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
