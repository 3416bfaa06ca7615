from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from typing import Union

if TYPE_CHECKING:
  from ..models.webhook import Webhook





T = TypeVar("T", bound="WebhookPutResponse")



@_attrs_define
class WebhookPutResponse:
    """ 
        Attributes:
            success (bool): Always true
            data (Webhook):
            secret (Union[Unset, str]): The secret that verifies messages, as defined by Standard Webhooks. Shown only once,
                if the endpoint is new
     """

    success: bool
    data: 'Webhook'
    secret: Union[Unset, str] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.webhook import Webhook
        success = self.success

        data = self.data.to_dict()

        secret = self.secret


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "success": success,
            "data": data,
        })
        if secret is not UNSET:
            field_dict["secret"] = secret

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.webhook import Webhook
        d = dict(src_dict)
        success = d.pop("success")

        data = Webhook.from_dict(d.pop("data"))




        secret = d.pop("secret", UNSET)

        webhook_put_response = cls(
            success=success,
            data=data,
            secret=secret,
        )


        webhook_put_response.additional_properties = d
        return webhook_put_response

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
