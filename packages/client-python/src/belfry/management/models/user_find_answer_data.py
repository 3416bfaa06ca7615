from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.user_find_answer_data_users_item import UserFindAnswerDataUsersItem





T = TypeVar("T", bound="UserFindAnswerData")



@_attrs_define
class UserFindAnswerData:
    """ 
        Attributes:
            users (list['UserFindAnswerDataUsersItem']):
            more (bool): There are more: search with more of the beginning
     """

    users: list['UserFindAnswerDataUsersItem']
    more: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.user_find_answer_data_users_item import UserFindAnswerDataUsersItem
        users = []
        for users_item_data in self.users:
            users_item = users_item_data.to_dict()
            users.append(users_item)



        more = self.more


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "users": users,
            "more": more,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.user_find_answer_data_users_item import UserFindAnswerDataUsersItem
        d = dict(src_dict)
        users = []
        _users = d.pop("users")
        for users_item_data in (_users):
            users_item = UserFindAnswerDataUsersItem.from_dict(users_item_data)



            users.append(users_item)


        more = d.pop("more")

        user_find_answer_data = cls(
            users=users,
            more=more,
        )


        user_find_answer_data.additional_properties = d
        return user_find_answer_data

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
