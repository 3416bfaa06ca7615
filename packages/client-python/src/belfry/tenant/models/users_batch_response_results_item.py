from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from typing import cast, Union
from typing import Union






T = TypeVar("T", bound="UsersBatchResponseResultsItem")



@_attrs_define
class UsersBatchResponseResultsItem:
    """ 
        Attributes:
            user_id (Union[None, str]): The user id as it was sent; null if there was none
            success (bool): false: nothing was changed for this item
            message (Union[Unset, list[str]]): All faults of the item, each with its field
     """

    user_id: Union[None, str]
    success: bool
    message: Union[Unset, list[str]] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        user_id: Union[None, str]
        user_id = self.user_id

        success = self.success

        message: Union[Unset, list[str]] = UNSET
        if not isinstance(self.message, Unset):
            message = self.message




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "userId": user_id,
            "success": success,
        })
        if message is not UNSET:
            field_dict["message"] = message

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_user_id(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        user_id = _parse_user_id(d.pop("userId"))


        success = d.pop("success")

        message = cast(list[str], d.pop("message", UNSET))


        users_batch_response_results_item = cls(
            user_id=user_id,
            success=success,
            message=message,
        )


        users_batch_response_results_item.additional_properties = d
        return users_batch_response_results_item

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
