from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast, Union
from typing import Union






T = TypeVar("T", bound="TemplateTestAnswerData")



@_attrs_define
class TemplateTestAnswerData:
    """ 
        Attributes:
            tenant_id (str):
            event_type (str): the template's event type
            channel (str): EMAIL, SMS, PUSH, DEVICE or CHAT
            user_id (Union[Unset, str]): In whose inbox it is
            published (Union[Unset, bool]): false: it is shown when the page is reloaded
            provider_id (Union[Unset, str]): The provider that got it
            kind (Union[Unset, str]):
            class_ (Union[Unset, str]): accepted, or how it was refused
            reason (Union[Unset, str]):
            message_id (Union[None, Unset, str]): The vendor's
            vendor_status (Union[None, Unset, int]):
            vendor_answer (Union[None, Unset, str]):
            retry_after_seconds (Union[None, Unset, float]):
     """

    tenant_id: str
    event_type: str
    channel: str
    user_id: Union[Unset, str] = UNSET
    published: Union[Unset, bool] = UNSET
    provider_id: Union[Unset, str] = UNSET
    kind: Union[Unset, str] = UNSET
    class_: Union[Unset, str] = UNSET
    reason: Union[Unset, str] = UNSET
    message_id: Union[None, Unset, str] = UNSET
    vendor_status: Union[None, Unset, int] = UNSET
    vendor_answer: Union[None, Unset, str] = UNSET
    retry_after_seconds: Union[None, Unset, float] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        tenant_id = self.tenant_id

        event_type = self.event_type

        channel = self.channel

        user_id = self.user_id

        published = self.published

        provider_id = self.provider_id

        kind = self.kind

        class_ = self.class_

        reason = self.reason

        message_id: Union[None, Unset, str]
        if isinstance(self.message_id, Unset):
            message_id = UNSET
        else:
            message_id = self.message_id

        vendor_status: Union[None, Unset, int]
        if isinstance(self.vendor_status, Unset):
            vendor_status = UNSET
        else:
            vendor_status = self.vendor_status

        vendor_answer: Union[None, Unset, str]
        if isinstance(self.vendor_answer, Unset):
            vendor_answer = UNSET
        else:
            vendor_answer = self.vendor_answer

        retry_after_seconds: Union[None, Unset, float]
        if isinstance(self.retry_after_seconds, Unset):
            retry_after_seconds = UNSET
        else:
            retry_after_seconds = self.retry_after_seconds


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "tenantId": tenant_id,
            "eventType": event_type,
            "channel": channel,
        })
        if user_id is not UNSET:
            field_dict["userId"] = user_id
        if published is not UNSET:
            field_dict["published"] = published
        if provider_id is not UNSET:
            field_dict["providerId"] = provider_id
        if kind is not UNSET:
            field_dict["kind"] = kind
        if class_ is not UNSET:
            field_dict["class"] = class_
        if reason is not UNSET:
            field_dict["reason"] = reason
        if message_id is not UNSET:
            field_dict["messageId"] = message_id
        if vendor_status is not UNSET:
            field_dict["vendorStatus"] = vendor_status
        if vendor_answer is not UNSET:
            field_dict["vendorAnswer"] = vendor_answer
        if retry_after_seconds is not UNSET:
            field_dict["retryAfterSeconds"] = retry_after_seconds

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        tenant_id = d.pop("tenantId")

        event_type = d.pop("eventType")

        channel = d.pop("channel")

        user_id = d.pop("userId", UNSET)

        published = d.pop("published", UNSET)

        provider_id = d.pop("providerId", UNSET)

        kind = d.pop("kind", UNSET)

        class_ = d.pop("class", UNSET)

        reason = d.pop("reason", UNSET)

        def _parse_message_id(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        message_id = _parse_message_id(d.pop("messageId", UNSET))


        def _parse_vendor_status(data: object) -> Union[None, Unset, int]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, int], data)

        vendor_status = _parse_vendor_status(d.pop("vendorStatus", UNSET))


        def _parse_vendor_answer(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        vendor_answer = _parse_vendor_answer(d.pop("vendorAnswer", UNSET))


        def _parse_retry_after_seconds(data: object) -> Union[None, Unset, float]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, float], data)

        retry_after_seconds = _parse_retry_after_seconds(d.pop("retryAfterSeconds", UNSET))


        template_test_answer_data = cls(
            tenant_id=tenant_id,
            event_type=event_type,
            channel=channel,
            user_id=user_id,
            published=published,
            provider_id=provider_id,
            kind=kind,
            class_=class_,
            reason=reason,
            message_id=message_id,
            vendor_status=vendor_status,
            vendor_answer=vendor_answer,
            retry_after_seconds=retry_after_seconds,
        )


        template_test_answer_data.additional_properties = d
        return template_test_answer_data

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
