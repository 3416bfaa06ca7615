from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from typing import Union

if TYPE_CHECKING:
  from ..models.event_report_email_attachments_item import EventReportEmailAttachmentsItem





T = TypeVar("T", bound="EventReportEmail")



@_attrs_define
class EventReportEmail:
    """ The `email` of the request as Belfry read it; absent if the request had none

        Attributes:
            from_name (Union[Unset, str]):
            reply_to (Union[Unset, str]):
            cc (Union[Unset, list[str]]):
            bcc (Union[Unset, list[str]]):
            attachments (Union[Unset, list['EventReportEmailAttachmentsItem']]):
     """

    from_name: Union[Unset, str] = UNSET
    reply_to: Union[Unset, str] = UNSET
    cc: Union[Unset, list[str]] = UNSET
    bcc: Union[Unset, list[str]] = UNSET
    attachments: Union[Unset, list['EventReportEmailAttachmentsItem']] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.event_report_email_attachments_item import EventReportEmailAttachmentsItem
        from_name = self.from_name

        reply_to = self.reply_to

        cc: Union[Unset, list[str]] = UNSET
        if not isinstance(self.cc, Unset):
            cc = self.cc



        bcc: Union[Unset, list[str]] = UNSET
        if not isinstance(self.bcc, Unset):
            bcc = self.bcc



        attachments: Union[Unset, list[dict[str, Any]]] = UNSET
        if not isinstance(self.attachments, Unset):
            attachments = []
            for attachments_item_data in self.attachments:
                attachments_item = attachments_item_data.to_dict()
                attachments.append(attachments_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if from_name is not UNSET:
            field_dict["fromName"] = from_name
        if reply_to is not UNSET:
            field_dict["replyTo"] = reply_to
        if cc is not UNSET:
            field_dict["cc"] = cc
        if bcc is not UNSET:
            field_dict["bcc"] = bcc
        if attachments is not UNSET:
            field_dict["attachments"] = attachments

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.event_report_email_attachments_item import EventReportEmailAttachmentsItem
        d = dict(src_dict)
        from_name = d.pop("fromName", UNSET)

        reply_to = d.pop("replyTo", UNSET)

        cc = cast(list[str], d.pop("cc", UNSET))


        bcc = cast(list[str], d.pop("bcc", UNSET))


        attachments = []
        _attachments = d.pop("attachments", UNSET)
        for attachments_item_data in (_attachments or []):
            attachments_item = EventReportEmailAttachmentsItem.from_dict(attachments_item_data)



            attachments.append(attachments_item)


        event_report_email = cls(
            from_name=from_name,
            reply_to=reply_to,
            cc=cc,
            bcc=bcc,
            attachments=attachments,
        )


        event_report_email.additional_properties = d
        return event_report_email

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
