from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.device_request_environment import check_device_request_environment
from ..models.device_request_environment import DeviceRequestEnvironment
from ..models.device_request_kind import check_device_request_kind
from ..models.device_request_kind import DeviceRequestKind
from ..types import UNSET, Unset
from typing import cast
from typing import cast, Union
from typing import Union

if TYPE_CHECKING:
  from ..models.device_request_subscription import DeviceRequestSubscription





T = TypeVar("T", bound="DeviceRequest")



@_attrs_define
class DeviceRequest:
    """ 
        Attributes:
            kind (DeviceRequestKind): The service that delivers to the device
            subscription (Union[Unset, DeviceRequestSubscription]): Only with `webpush`: the browser's PushSubscription as
                JSON
            application_server_key (Union[Unset, str]): Only with `webpush`: the public key with which the browser
                subscribed; default: the current one, which is stored with the device
            token (Union[Unset, str]): Only with `fcm` and `apns`: the token that the device got from Google or Apple
            environment (Union[Unset, DeviceRequestEnvironment]): Only with `apns`: the environment of the app's build;
                default: production
            name (Union[None, Unset, str]): A name for people, such as `Firefox on Linux`
     """

    kind: DeviceRequestKind
    subscription: Union[Unset, 'DeviceRequestSubscription'] = UNSET
    application_server_key: Union[Unset, str] = UNSET
    token: Union[Unset, str] = UNSET
    environment: Union[Unset, DeviceRequestEnvironment] = UNSET
    name: Union[None, Unset, str] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.device_request_subscription import DeviceRequestSubscription
        kind: str = self.kind

        subscription: Union[Unset, dict[str, Any]] = UNSET
        if not isinstance(self.subscription, Unset):
            subscription = self.subscription.to_dict()

        application_server_key = self.application_server_key

        token = self.token

        environment: Union[Unset, str] = UNSET
        if not isinstance(self.environment, Unset):
            environment = self.environment


        name: Union[None, Unset, str]
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "kind": kind,
        })
        if subscription is not UNSET:
            field_dict["subscription"] = subscription
        if application_server_key is not UNSET:
            field_dict["applicationServerKey"] = application_server_key
        if token is not UNSET:
            field_dict["token"] = token
        if environment is not UNSET:
            field_dict["environment"] = environment
        if name is not UNSET:
            field_dict["name"] = name

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.device_request_subscription import DeviceRequestSubscription
        d = dict(src_dict)
        kind = check_device_request_kind(d.pop("kind"))




        _subscription = d.pop("subscription", UNSET)
        subscription: Union[Unset, DeviceRequestSubscription]
        if isinstance(_subscription,  Unset):
            subscription = UNSET
        else:
            subscription = DeviceRequestSubscription.from_dict(_subscription)




        application_server_key = d.pop("applicationServerKey", UNSET)

        token = d.pop("token", UNSET)

        _environment = d.pop("environment", UNSET)
        environment: Union[Unset, DeviceRequestEnvironment]
        if isinstance(_environment,  Unset):
            environment = UNSET
        else:
            environment = check_device_request_environment(_environment)




        def _parse_name(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        name = _parse_name(d.pop("name", UNSET))


        device_request = cls(
            kind=kind,
            subscription=subscription,
            application_server_key=application_server_key,
            token=token,
            environment=environment,
            name=name,
        )


        device_request.additional_properties = d
        return device_request

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
