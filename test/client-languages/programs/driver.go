// Makes the calls that it reads, a line each, and prints what came of each.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"

	"belfry.dev/client-go"
)

type command struct {
	Client, Call, Key string
	Args              []json.RawMessage
	Options           struct {
		BaseURL       string `json:"base_url"`
		APIKey        string `json:"api_key"`
		WebhookSecret string `json:"webhook_secret"`
	}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	cancel := func() {}
	for lines.Scan() {
		if lines.Text() == `"cancel"` {
			cancel()
			continue
		}
		var one command
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			panic(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		cancel = stop
		go func() {
			answer, err := run(ctx, one)
			tell(answer, err)
		}()
	}
	cancel()
}

func run(ctx context.Context, one command) (any, error) {
	options := belfry.Options{
		BaseURL: one.Options.BaseURL, APIKey: one.Options.APIKey, WebhookSecret: one.Options.WebhookSecret,
	}
	var client any = belfry.New(options)
	if one.Client == "management" {
		client = belfry.NewManagement(options)
	}
	method := reflect.ValueOf(client).MethodByName(one.Call)
	given := []reflect.Value{reflect.ValueOf(ctx)}
	for at := 1; at < method.Type().NumIn()-1; at++ {
		value := reflect.New(method.Type().In(at))
		if at <= len(one.Args) {
			if err := json.Unmarshal(one.Args[at-1], value.Interface()); err != nil {
				return nil, err
			}
		}
		given = append(given, value.Elem())
	}
	if one.Key != "" {
		given = append(given, reflect.ValueOf(belfry.Key(one.Key)))
	}
	results := method.Call(given)
	err, _ := results[1].Interface().(error)
	return results[0].Interface(), err
}

func tell(answer any, err error) {
	result := map[string]any{"answer": answer}
	var answered *belfry.Error
	var unanswered *belfry.NetworkError
	switch {
	case errors.As(err, &answered):
		result = map[string]any{"error": map[string]any{
			"kind": "answer", "text": err.Error(), "status": answered.Status, "error": answered.Name,
			"messages": answered.Messages, "retry_after": answered.RetryAfter.Seconds(), "trace_id": answered.TraceID,
		}}
	case errors.As(err, &unanswered):
		result = map[string]any{"error": map[string]any{"kind": "network", "text": err.Error()}}
	case errors.Is(err, context.Canceled):
		result = map[string]any{"error": map[string]any{"kind": "cancelled"}}
	case err != nil:
		result = map[string]any{"error": map[string]any{"kind": err.Error()}}
	}
	line, err := json.Marshal(result)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
}
