from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.users_batch_request_users_item import UsersBatchRequestUsersItem





T = TypeVar("T", bound="UsersBatchRequest")



@_attrs_define
class UsersBatchRequest:
    """ 
        Attributes:
            users (list['UsersBatchRequestUsersItem']): Users with the fields of PUT and their userIds; if a userId is
                repeated, the last one counts
     """

    users: list['UsersBatchRequestUsersItem']
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.users_batch_request_users_item import UsersBatchRequestUsersItem
        users = []
        for users_item_data in self.users:
            users_item = users_item_data.to_dict()
            users.append(users_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "users": users,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.users_batch_request_users_item import UsersBatchRequestUsersItem
        d = dict(src_dict)
        users = []
        _users = d.pop("users")
        for users_item_data in (_users):
            users_item = UsersBatchRequestUsersItem.from_dict(users_item_data)



            users.append(users_item)


        users_batch_request = cls(
            users=users,
        )


        users_batch_request.additional_properties = d
        return users_batch_request

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
