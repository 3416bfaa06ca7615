package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"belfry.dev/client-go"
	"belfry.dev/client-go/management"
)

func main() {
	ctx := context.Background()
	client := belfry.NewManagement(belfry.Options{
		BaseURL:       os.Getenv("BELFRY_MANAGE_URL"),
		APIKey:        os.Getenv("BELFRY_MANAGE_KEY"),
		WebhookSecret: os.Getenv("BELFRY_WEBHOOK_SECRET"), // only if your tenant has one
	})
	label := map[string]string{"": "Offers", "de": "Angebote"}
	_, err := client.CategoryPut(ctx, "offers", management.CategoryPutJSONRequestBody{Label: label})
	check(err)

	pulled, err := client.BundlePull(ctx)
	check(err)
	files := pulled.Data.Files
	files["order.confirmed/EMAIL.md"] = "---\nsubject: Your order\n---\n# Thank you\n"
	dryRun := management.BundleApplyParams{DryRun: belfry.Ptr(true)}
	planned, err := client.BundleApply(ctx, management.BundleApplyJSONRequestBody{Files: files}, dryRun)
	check(err)
	fmt.Println("added:", planned.Data.Added)
	body := management.BundleApplyJSONRequestBody{Files: files, Plan: planned.Data.Plan}
	_, err = client.BundleApply(ctx, body, management.BundleApplyParams{})
	var answered *belfry.Error
	if errors.As(err, &answered) && answered.Status == 412 {
		log.Print("changed since: plan again")
	}
	check(err)

	listed, err := client.SuppressionList(ctx, management.SuppressionListParams{Channel: "EMAIL"})
	check(err)
	for _, one := range listed.Data.Items {
		fmt.Println(one.Channel, one.Address)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
