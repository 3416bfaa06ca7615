// A program around centrifuge-go for the tests of the realtime gateway: test/clients/programs.ts says what it speaks.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/centrifugal/centrifuge-go"
)

type settings struct {
	URL      string   `json:"url"`
	Protocol string   `json:"protocol"`
	Token    string   `json:"token"`
	Channels []string `json:"channels"`
}

type command struct {
	Command string          `json:"command"`
	ID      int             `json:"id"`
	Token   string          `json:"token"`
	Method  string          `json:"method"`
	Data    json.RawMessage `json:"data"`
}

var printing sync.Mutex

func say(event string, fields map[string]any) {
	if fields == nil {
		fields = map[string]any{}
	}
	fields["event"] = event
	line, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	printing.Lock()
	defer printing.Unlock()
	fmt.Println(string(line))
}

func main() {
	var with settings
	if err := json.Unmarshal([]byte(os.Args[1]), &with); err != nil {
		panic(err)
	}
	tokens := make(chan string)
	config := centrifuge.Config{
		Token:             with.Token,
		MinReconnectDelay: 20 * time.Millisecond,
		MaxReconnectDelay: 200 * time.Millisecond,
		GetToken: func(centrifuge.ConnectionTokenEvent) (string, error) {
			say("token", nil)
			return <-tokens, nil
		},
	}
	create := centrifuge.NewJsonClient
	if with.Protocol == "protobuf" {
		create = centrifuge.NewProtobufClient
	}
	client := create(with.URL, config)
	client.OnConnected(func(event centrifuge.ConnectedEvent) {
		say("connected", map[string]any{"client": event.ClientID})
	})
	client.OnConnecting(func(event centrifuge.ConnectingEvent) {
		say("connecting", map[string]any{"code": event.Code})
	})
	client.OnDisconnected(func(event centrifuge.DisconnectedEvent) {
		say("disconnected", map[string]any{"code": event.Code, "reason": event.Reason})
	})
	client.OnMessage(func(event centrifuge.MessageEvent) {
		say("message", map[string]any{"data": json.RawMessage(event.Data)})
	})
	client.OnError(func(event centrifuge.ErrorEvent) {
		say("error", map[string]any{"message": event.Error.Error()})
	})
	for _, channel := range with.Channels {
		subscribe(client, channel)
	}
	// It tries again after an error.
	_ = client.Connect()

	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one command
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			panic(err)
		}
		switch one.Command {
		case "token":
			tokens <- one.Token
		case "rpc":
			go call(client, one)
		}
	}
}

func subscribe(client *centrifuge.Client, channel string) {
	subscription, err := client.NewSubscription(channel, centrifuge.SubscriptionConfig{
		MinResubscribeDelay: 20 * time.Millisecond,
		MaxResubscribeDelay: 200 * time.Millisecond,
	})
	if err != nil {
		panic(err)
	}
	subscription.OnSubscribed(func(event centrifuge.SubscribedEvent) {
		say("subscribed", map[string]any{
			"channel": channel, "wasRecovering": event.WasRecovering, "recovered": event.Recovered,
		})
	})
	subscription.OnUnsubscribed(func(event centrifuge.UnsubscribedEvent) {
		say("unsubscribed", map[string]any{"channel": channel, "code": event.Code})
	})
	subscription.OnPublication(func(event centrifuge.PublicationEvent) {
		say("publication", map[string]any{
			"channel": channel, "offset": event.Offset, "tags": event.Tags, "data": json.RawMessage(event.Data),
		})
	})
	if err := subscription.Subscribe(); err != nil {
		panic(err)
	}
}

func call(client *centrifuge.Client, one command) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	result, err := client.RPC(ctx, one.Method, one.Data)
	var refused *centrifuge.Error
	if errors.As(err, &refused) {
		say("answer", map[string]any{"id": one.ID, "code": refused.Code, "message": refused.Message})
	} else if err != nil {
		say("answer", map[string]any{"id": one.ID, "code": -1, "message": err.Error()})
	} else {
		say("answer", map[string]any{"id": one.ID, "data": json.RawMessage(result.Data)})
	}
}
