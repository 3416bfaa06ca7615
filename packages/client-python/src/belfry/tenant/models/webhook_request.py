from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.webhook_request_types_item import check_webhook_request_types_item
from ..models.webhook_request_types_item import WebhookRequestTypesItem
from ..types import UNSET, Unset
from typing import cast
from typing import cast, Union
from typing import Union






T = TypeVar("T", bound="WebhookRequest")



@_attrs_define
class WebhookRequest:
    """ The endpoint with this URL. Absent fields keep their values; a new endpoint gets all types

        Attributes:
            url (str): An https URL without credentials and fragment; a query is allowed. The host must be public, otherwise
                the answer is 422
            types (Union[Unset, list[WebhookRequestTypesItem]]): Types of messages that it gets; an empty list means all,
                including types that are added later
            description (Union[None, Unset, str]): A description for your team; null or empty means none
            active (Union[Unset, bool]): false stops the creation and sending of its messages. true ends a pause and enables
                a disabled endpoint
     """

    url: str
    types: Union[Unset, list[WebhookRequestTypesItem]] = UNSET
    description: Union[None, Unset, str] = UNSET
    active: Union[Unset, bool] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        url = self.url

        types: Union[Unset, list[str]] = UNSET
        if not isinstance(self.types, Unset):
            types = []
            for types_item_data in self.types:
                types_item: str = types_item_data
                types.append(types_item)



        description: Union[None, Unset, str]
        if isinstance(self.description, Unset):
            description = UNSET
        else:
            description = self.description

        active = self.active


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "url": url,
        })
        if types is not UNSET:
            field_dict["types"] = types
        if description is not UNSET:
            field_dict["description"] = description
        if active is not UNSET:
            field_dict["active"] = active

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        url = d.pop("url")

        types = []
        _types = d.pop("types", UNSET)
        for types_item_data in (_types or []):
            types_item = check_webhook_request_types_item(types_item_data)



            types.append(types_item)


        def _parse_description(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        description = _parse_description(d.pop("description", UNSET))


        active = d.pop("active", UNSET)

        webhook_request = cls(
            url=url,
            types=types,
            description=description,
            active=active,
        )


        webhook_request.additional_properties = d
        return webhook_request

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
