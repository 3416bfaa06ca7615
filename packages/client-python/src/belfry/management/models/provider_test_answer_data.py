from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast, Union






T = TypeVar("T", bound="ProviderTestAnswerData")



@_attrs_define
class ProviderTestAnswerData:
    """ 
        Attributes:
            provider_id (str):
            kind (str):
            name (str):
            class_ (str):
            reason (str):
            message_id (Union[None, str]): The vendor's, when it accepted the message
            vendor_status (Union[None, str]):
            vendor_answer (Union[None, str]): Its first KB
            retry_after_seconds (Union[None, int]):
     """

    provider_id: str
    kind: str
    name: str
    class_: str
    reason: str
    message_id: Union[None, str]
    vendor_status: Union[None, str]
    vendor_answer: Union[None, str]
    retry_after_seconds: Union[None, int]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        provider_id = self.provider_id

        kind = self.kind

        name = self.name

        class_ = self.class_

        reason = self.reason

        message_id: Union[None, str]
        message_id = self.message_id

        vendor_status: Union[None, str]
        vendor_status = self.vendor_status

        vendor_answer: Union[None, str]
        vendor_answer = self.vendor_answer

        retry_after_seconds: Union[None, int]
        retry_after_seconds = self.retry_after_seconds


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "providerId": provider_id,
            "kind": kind,
            "name": name,
            "class": class_,
            "reason": reason,
            "messageId": message_id,
            "vendorStatus": vendor_status,
            "vendorAnswer": vendor_answer,
            "retryAfterSeconds": retry_after_seconds,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        provider_id = d.pop("providerId")

        kind = d.pop("kind")

        name = d.pop("name")

        class_ = d.pop("class")

        reason = d.pop("reason")

        def _parse_message_id(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        message_id = _parse_message_id(d.pop("messageId"))


        def _parse_vendor_status(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        vendor_status = _parse_vendor_status(d.pop("vendorStatus"))


        def _parse_vendor_answer(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        vendor_answer = _parse_vendor_answer(d.pop("vendorAnswer"))


        def _parse_retry_after_seconds(data: object) -> Union[None, int]:
            if data is None:
                return data
            return cast(Union[None, int], data)

        retry_after_seconds = _parse_retry_after_seconds(d.pop("retryAfterSeconds"))


        provider_test_answer_data = cls(
            provider_id=provider_id,
            kind=kind,
            name=name,
            class_=class_,
            reason=reason,
            message_id=message_id,
            vendor_status=vendor_status,
            vendor_answer=vendor_answer,
            retry_after_seconds=retry_after_seconds,
        )


        provider_test_answer_data.additional_properties = d
        return provider_test_answer_data

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
