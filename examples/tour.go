package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"slices"
	"time"

	"belfry.dev/client-go"
	"belfry.dev/client-go/tenant"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel() // a context that ends ends a call at once, also in a pause between two tries
	client := belfry.New(belfry.Options{BaseURL: os.Getenv("BELFRY_URL"), APIKey: os.Getenv("BELFRY_API_KEY")})

	// A topic: everybody who follows a release. A repeated call changes nothing.
	readers := []string{"reader-1", "reader-2"}
	changed, err := client.ChangeMembers(ctx, "release-notes", tenant.MembersChangeRequest{Add: readers})
	check(err)
	fmt.Println("members:", changed.Members)

	// One event to all of them, in the background. The same key again sends nothing more.
	broadcast, err := client.CreateBroadcast(ctx, tenant.BroadcastRequest{
		Topics:    []string{"release-notes"},
		EventType: "global.info",
		Variables: map[string]any{"title": "Release 7", "message": "Dark mode is here."},
	}, belfry.Key("release-7"))
	check(err)
	for broadcast.Data.State != "done" {
		time.Sleep(500 * time.Millisecond)
		broadcast, err = client.ShowBroadcast(ctx, broadcast.Data.Id)
		check(err)
	}
	fmt.Println("people:", broadcast.Data.Expanded)

	// Many events in one call. Each has a status of its own.
	var reminders []tenant.TriggerBatchRequest_Events
	for _, user := range readers {
		reminders = append(reminders, tenant.TriggerBatchRequest_Events{
			EventType:    "global.info",
			Payload:      tenant.TriggerBatchRequest_Events_Payload{UserId: user},
			Variables:    map[string]any{"title": "Tomorrow"},
			CancelKey:    "appointment-9",
			DelaySeconds: belfry.Ptr(3600),
		})
	}
	results, err := client.TriggerBatch(ctx, reminders)
	check(err)
	fmt.Println("scheduled:", results[0].StatusCode, results[1].StatusCode)
	cancelled, err := client.CancelEvents(ctx, tenant.CancelRequest{CancelKeys: []string{"appointment-9"}})
	check(err)
	fmt.Println("cancelled:", len(cancelled.Cancelled))

	// A token for one user's browser and its inbox.
	token, err := client.CreateRealtimeToken(ctx, tenant.RealtimeTokenRequest{UserId: "reader-1"})
	check(err)
	fmt.Println("inbox:", slices.Contains(token.Channels, "personal#reader-1"))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
