// Package belfry is the client for Belfry. Each call retries temporary failures, at most 3 times, with the same key.
package belfry

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"belfry.dev/client-go/call"
	"belfry.dev/client-go/management"
	"belfry.dev/client-go/tenant"
)

// Options of a client. BaseURL and APIKey are needed.
type Options = call.Sender

// Error is an answer without success; NetworkError means that no answer arrived.
type (
	Error        = call.Error
	NetworkError = call.NetworkError
)

// Key and TraceID are options of one call.
var (
	Key     = call.Key
	TraceID = call.TraceID
)

// Client has the calls of a backend.
type Client struct{ tenant.Calls }

// New returns a client for one tenant.
func New(options Options) *Client { return &Client{tenant.Calls{Sender: &options}} }

// NewManagement returns a client for pipelines. The key has the role manage or provision.
func NewManagement(options Options) *management.Calls {
	options.SignsTime = true
	if options.Timeout == 0 {
		options.Timeout = time.Minute // publishing compiles every language of a template
	}
	return &management.Calls{Sender: &options}
}

// Triggered is an event that Belfry has stored and will dispatch.
type Triggered struct {
	ID, Message, TraceID string
	// Replayed tells whether an earlier call with the same key created the event.
	Replayed bool
	Warnings []string
}

// Trigger sends an event. Without the option Key, every call creates its own event, and its retries deliver nothing twice.
func (c *Client) Trigger(ctx context.Context, event tenant.TriggerRequest, options ...call.Option) (Triggered, error) {
	var answer tenant.TriggerResponse
	header, err := c.Sender.Do(ctx, call.Call{
		Method: http.MethodPost, Path: "/api/v1/events/trigger", Body: event,
		IsSigned: true, KeyHeader: "X-Idempotency-Key",
	}, &answer, options...)
	return Triggered{
		ID: header.Get("X-Event-Id"), TraceID: header.Get("X-Trace-Id"), Message: answer.Message,
		Replayed: header.Get("Idempotency-Replayed") == "true", Warnings: answer.Warnings,
	}, err
}

// TriggerBatch sends up to 100 events. Check every StatusCode of the results, which are in the same order.
func (c *Client) TriggerBatch(
	ctx context.Context, events []tenant.TriggerBatchRequest_Events, options ...call.Option,
) ([]tenant.TriggerBatchResponse_Results, error) {
	keyed := append([]tenant.TriggerBatchRequest_Events{}, events...)
	for at := range keyed {
		if keyed[at].IdempotencyKey == "" {
			keyed[at].IdempotencyKey = rand.Text()
		}
	}
	var answer tenant.TriggerBatchResponse
	_, err := c.Sender.Do(ctx, call.Call{
		Method: http.MethodPost, Path: "/api/v1/events/trigger-batch", IsSigned: true,
		Body: tenant.TriggerBatchRequest{Events: keyed},
	}, &answer, options...)
	return answer.Results, err
}

// UploadAttachment stores a file. Events can name its id in Email.Attachments within 24 hours.
func (c *Client) UploadAttachment(
	ctx context.Context, name, contentType string, data []byte, options ...call.Option,
) (answer tenant.AttachmentResponse, err error) {
	_, err = c.Sender.Do(ctx, call.Call{
		Method: http.MethodPost, Path: "/api/v1/attachments", Body: data, IsSigned: true,
		Header:  http.Header{"Content-Type": {contentType}, "X-File-Name": {url.PathEscape(name)}},
		Timeout: 20 * time.Second, // longer than Belfry allows for an upload
	}, &answer, options...)
	return answer, err
}

// VerifyWebhook reads a webhook's raw body into message, if Belfry has signed it with this secret within 5 minutes.
func VerifyWebhook(secret string, body []byte, header http.Header, message any) error {
	webhook, err := standardwebhooks.NewWebhook(secret)
	if err == nil && strings.TrimPrefix(secret, "whsec_") == "" {
		err = errors.New("belfry: no webhook secret") // the library accepts the empty key, which everybody knows
	}
	if err == nil {
		err = webhook.Verify(body, header)
	}
	if err == nil {
		err = json.Unmarshal(body, message)
	}
	return err
}

// Ptr returns a pointer to a value, for optional fields.
func Ptr[T any](value T) *T { return &value }
