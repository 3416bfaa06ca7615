package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"belfry.dev/client-go"
	"belfry.dev/client-go/tenant"
)

func main() {
	client := belfry.New(belfry.Options{
		BaseURL:       os.Getenv("BELFRY_URL"),
		APIKey:        os.Getenv("BELFRY_API_KEY"),
		WebhookSecret: os.Getenv("BELFRY_WEBHOOK_SECRET"), // signs every call that needs it
	})
	event, err := client.Trigger(context.Background(), tenant.TriggerRequest{
		EventType: "global.info",
		Payload:   tenant.TriggerRequest_Payload{UserId: "user-1"},
		Variables: map[string]any{"title": "Grüße", "message": "From Go"},
	}, belfry.Key("sample-go-1"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(event.Message)
}
