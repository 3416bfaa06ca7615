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
  from ..models.trigger_batch_request_events_item_email_attachments_item_type_1 import TriggerBatchRequestEventsItemEmailAttachmentsItemType1





T = TypeVar("T", bound="TriggerBatchRequestEventsItemEmail")



@_attrs_define
class TriggerBatchRequestEventsItemEmail:
    """ Envelope of the mail. Each field that is set replaces that of the template. Absent and null mean the same; an empty
    list means nobody. Part of the automatic deduplication key

        Attributes:
            from_name (Union[None, Unset, str]): The display name next to the sender's address, which comes from the
                provider
            reply_to (Union[None, Unset, str]):
            cc (Union[None, Unset, list[str]]): Addresses that get a visible copy. Not allowed for a mail with an
                unsubscribe link, because the link belongs to the recipient
            bcc (Union[None, Unset, list[str]]): Addresses that get a hidden copy, with the same rule
            attachments (Union[Unset, list[Union['TriggerBatchRequestEventsItemEmailAttachmentsItemType1', str]]]): Files of
                `POST /api/v1/attachments`: at most 10, together at most 20 MiB and your provider's limit. With `cid`, the
                mail's HTML shows the file as `<img src="cid:…">`
     """

    from_name: Union[None, Unset, str] = UNSET
    reply_to: Union[None, Unset, str] = UNSET
    cc: Union[None, Unset, list[str]] = UNSET
    bcc: Union[None, Unset, list[str]] = UNSET
    attachments: Union[Unset, list[Union['TriggerBatchRequestEventsItemEmailAttachmentsItemType1', str]]] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.trigger_batch_request_events_item_email_attachments_item_type_1 import TriggerBatchRequestEventsItemEmailAttachmentsItemType1
        from_name: Union[None, Unset, str]
        if isinstance(self.from_name, Unset):
            from_name = UNSET
        else:
            from_name = self.from_name

        reply_to: Union[None, Unset, str]
        if isinstance(self.reply_to, Unset):
            reply_to = UNSET
        else:
            reply_to = self.reply_to

        cc: Union[None, Unset, list[str]]
        if isinstance(self.cc, Unset):
            cc = UNSET
        elif isinstance(self.cc, list):
            cc = self.cc


        else:
            cc = self.cc

        bcc: Union[None, Unset, list[str]]
        if isinstance(self.bcc, Unset):
            bcc = UNSET
        elif isinstance(self.bcc, list):
            bcc = self.bcc


        else:
            bcc = self.bcc

        attachments: Union[Unset, list[Union[dict[str, Any], str]]] = UNSET
        if not isinstance(self.attachments, Unset):
            attachments = []
            for attachments_item_data in self.attachments:
                attachments_item: Union[dict[str, Any], str]
                if isinstance(attachments_item_data, TriggerBatchRequestEventsItemEmailAttachmentsItemType1):
                    attachments_item = attachments_item_data.to_dict()
                else:
                    attachments_item = attachments_item_data
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
        from ..models.trigger_batch_request_events_item_email_attachments_item_type_1 import TriggerBatchRequestEventsItemEmailAttachmentsItemType1
        d = dict(src_dict)
        def _parse_from_name(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        from_name = _parse_from_name(d.pop("fromName", UNSET))


        def _parse_reply_to(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        reply_to = _parse_reply_to(d.pop("replyTo", UNSET))


        def _parse_cc(data: object) -> Union[None, Unset, list[str]]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                cc_type_0 = cast(list[str], data)

                return cc_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, Unset, list[str]], data)

        cc = _parse_cc(d.pop("cc", UNSET))


        def _parse_bcc(data: object) -> Union[None, Unset, list[str]]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                bcc_type_0 = cast(list[str], data)

                return bcc_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, Unset, list[str]], data)

        bcc = _parse_bcc(d.pop("bcc", UNSET))


        attachments = []
        _attachments = d.pop("attachments", UNSET)
        for attachments_item_data in (_attachments or []):
            def _parse_attachments_item(data: object) -> Union['TriggerBatchRequestEventsItemEmailAttachmentsItemType1', str]:
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    attachments_item_type_1 = TriggerBatchRequestEventsItemEmailAttachmentsItemType1.from_dict(data)



                    return attachments_item_type_1
                except: # noqa: E722
                    pass
                return cast(Union['TriggerBatchRequestEventsItemEmailAttachmentsItemType1', str], data)

            attachments_item = _parse_attachments_item(attachments_item_data)

            attachments.append(attachments_item)


        trigger_batch_request_events_item_email = cls(
            from_name=from_name,
            reply_to=reply_to,
            cc=cc,
            bcc=bcc,
            attachments=attachments,
        )


        trigger_batch_request_events_item_email.additional_properties = d
        return trigger_batch_request_events_item_email

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
