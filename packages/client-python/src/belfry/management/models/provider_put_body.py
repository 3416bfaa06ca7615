from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.provider_put_body_only import check_provider_put_body_only
from ..models.provider_put_body_only import ProviderPutBodyOnly
from ..types import UNSET, Unset
from typing import cast
from typing import cast, Union
from typing import Union

if TYPE_CHECKING:
  from ..models.provider_put_body_settings import ProviderPutBodySettings





T = TypeVar("T", bound="ProviderPutBody")



@_attrs_define
class ProviderPutBody:
    """ 
        Attributes:
            kind (str): as sandbox, sendgrid, vonage
            settings (ProviderPutBodySettings): a JSON object, by the kind's own schema
            id (Union[Unset, str]): gives this account the name; default: the one that has it
            position (Union[Unset, int]): from 0: the order in which they are used
            max_per_second (Union[None, Unset, int]): calls, over all replicas; or none
            active (Union[Unset, bool]): send through it; default: as it was, and a new one is not active
            untested (Union[Unset, bool]): activate it although no test of these settings was accepted
            keep_secrets (Union[Unset, bool]): secrets that are left out stay as stored; refused where they would go to
                another server
            only (Union[Unset, ProviderPutBodyOnly]): new: refused where the name is taken
     """

    kind: str
    settings: 'ProviderPutBodySettings'
    id: Union[Unset, str] = UNSET
    position: Union[Unset, int] = UNSET
    max_per_second: Union[None, Unset, int] = UNSET
    active: Union[Unset, bool] = UNSET
    untested: Union[Unset, bool] = UNSET
    keep_secrets: Union[Unset, bool] = UNSET
    only: Union[Unset, ProviderPutBodyOnly] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.provider_put_body_settings import ProviderPutBodySettings
        kind = self.kind

        settings = self.settings.to_dict()

        id = self.id

        position = self.position

        max_per_second: Union[None, Unset, int]
        if isinstance(self.max_per_second, Unset):
            max_per_second = UNSET
        else:
            max_per_second = self.max_per_second

        active = self.active

        untested = self.untested

        keep_secrets = self.keep_secrets

        only: Union[Unset, str] = UNSET
        if not isinstance(self.only, Unset):
            only = self.only



        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "kind": kind,
            "settings": settings,
        })
        if id is not UNSET:
            field_dict["id"] = id
        if position is not UNSET:
            field_dict["position"] = position
        if max_per_second is not UNSET:
            field_dict["maxPerSecond"] = max_per_second
        if active is not UNSET:
            field_dict["active"] = active
        if untested is not UNSET:
            field_dict["untested"] = untested
        if keep_secrets is not UNSET:
            field_dict["keepSecrets"] = keep_secrets
        if only is not UNSET:
            field_dict["only"] = only

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.provider_put_body_settings import ProviderPutBodySettings
        d = dict(src_dict)
        kind = d.pop("kind")

        settings = ProviderPutBodySettings.from_dict(d.pop("settings"))




        id = d.pop("id", UNSET)

        position = d.pop("position", UNSET)

        def _parse_max_per_second(data: object) -> Union[None, Unset, int]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, int], data)

        max_per_second = _parse_max_per_second(d.pop("maxPerSecond", UNSET))


        active = d.pop("active", UNSET)

        untested = d.pop("untested", UNSET)

        keep_secrets = d.pop("keepSecrets", UNSET)

        _only = d.pop("only", UNSET)
        only: Union[Unset, ProviderPutBodyOnly]
        if isinstance(_only,  Unset):
            only = UNSET
        else:
            only = check_provider_put_body_only(_only)




        provider_put_body = cls(
            kind=kind,
            settings=settings,
            id=id,
            position=position,
            max_per_second=max_per_second,
            active=active,
            untested=untested,
            keep_secrets=keep_secrets,
            only=only,
        )


        provider_put_body.additional_properties = d
        return provider_put_body

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
