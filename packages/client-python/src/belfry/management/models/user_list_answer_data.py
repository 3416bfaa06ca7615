from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from typing import Union

if TYPE_CHECKING:
  from ..models.user_list_answer_data_users_item import UserListAnswerDataUsersItem





T = TypeVar("T", bound="UserListAnswerData")



@_attrs_define
class UserListAnswerData:
    """ 
        Attributes:
            users (list['UserListAnswerDataUsersItem']):
            next_ (Union[Unset, str]): Give it as `after` for the next page
     """

    users: list['UserListAnswerDataUsersItem']
    next_: Union[Unset, str] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.user_list_answer_data_users_item import UserListAnswerDataUsersItem
        users = []
        for users_item_data in self.users:
            users_item = users_item_data.to_dict()
            users.append(users_item)



        next_ = self.next_


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "users": users,
        })
        if next_ is not UNSET:
            field_dict["next"] = next_

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.user_list_answer_data_users_item import UserListAnswerDataUsersItem
        d = dict(src_dict)
        users = []
        _users = d.pop("users")
        for users_item_data in (_users):
            users_item = UserListAnswerDataUsersItem.from_dict(users_item_data)



            users.append(users_item)


        next_ = d.pop("next", UNSET)

        user_list_answer_data = cls(
            users=users,
            next_=next_,
        )


        user_list_answer_data.additional_properties = d
        return user_list_answer_data

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
