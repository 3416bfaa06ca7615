from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
import datetime






T = TypeVar("T", bound="WebhookSecretResponse")



@_attrs_define
class WebhookSecretResponse:
    """ 
        Attributes:
            success (bool): Always true
            secret (str): The secret that verifies messages, as defined by Standard Webhooks. Shown only once
            previous_secret_until (datetime.datetime): The previous secret also signs until this time; ISO 8601, UTC
     """

    success: bool
    secret: str
    previous_secret_until: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        success = self.success

        secret = self.secret

        previous_secret_until = self.previous_secret_until.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "success": success,
            "secret": secret,
            "previousSecretUntil": previous_secret_until,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        success = d.pop("success")

        secret = d.pop("secret")

        previous_secret_until = isoparse(d.pop("previousSecretUntil"))




        webhook_secret_response = cls(
            success=success,
            secret=secret,
            previous_secret_until=previous_secret_until,
        )


        webhook_secret_response.additional_properties = d
        return webhook_secret_response

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
