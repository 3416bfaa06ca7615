package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"belfry.dev/client-go"
	"belfry.dev/client-go/tenant"
)

func main() {
	if err := run(context.Background(), os.Getenv("BELFRY_TENANT_ID")); err != nil {
		var answered *belfry.Error
		if errors.As(err, &answered) && answered.Status == 422 {
			log.Print(answered.Messages)
		}
		log.Fatal(err)
	}
}

func run(ctx context.Context, tenantID string) error {
	client := belfry.New(belfry.Options{
		BaseURL:       os.Getenv("BELFRY_URL"),
		APIKey:        os.Getenv("BELFRY_API_KEY"),
		WebhookSecret: os.Getenv("BELFRY_WEBHOOK_SECRET"), // only if your tenant has one
	})
	triggered, err := client.Trigger(ctx, tenant.TriggerRequest{
		EventType: "global.success",
		Payload:   tenant.TriggerRequest_Payload{UserId: "user-1"},
		Variables: map[string]any{"title": "Paid", "message": "Thank you."},
	}, belfry.Key("payment-4711"))
	if err != nil {
		return err
	}
	event, err := client.ShowEvent(ctx, triggered.ID)
	if err != nil {
		return err
	}
	fmt.Println(event.Status)
	page, err := client.ListNotifications(ctx, tenantID, "user-1", tenant.ListNotificationsParams{Limit: belfry.Ptr(5)})
	if err != nil {
		return err
	}
	for _, item := range page.Data {
		fmt.Println(item.Title)
		if item.Status != "UNREAD" {
			continue
		}
		if _, err := client.MarkNotificationRead(ctx, tenantID, "user-1", item.Id); err != nil {
			return err
		}
	}
	return nil
}
