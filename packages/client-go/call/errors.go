package call

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Error is an answer without success. Distinguish errors by Status.
type Error struct {
	Status int
	// Name such as "Validation Error".
	Name string
	// Messages has one line for each fault. A 422 names each fault's field.
	Messages []string
	// RetryAfter is 0 if the answer named no time.
	RetryAfter time.Duration
	// TraceID of the request. Give it when you ask for help.
	TraceID string
}

func (e *Error) Error() string {
	return fmt.Sprintf("belfry: %d: %s", e.Status, strings.Join(e.Messages, "; "))
}

// NetworkError means that no answer arrived. Belfry may have got the request.
type NetworkError struct {
	what  string
	cause error
}

func (e *NetworkError) Error() string { return "belfry: no answer to " + e.what }

func (e *NetworkError) Unwrap() error { return e.cause }

func errorOf(response *http.Response, text []byte) *Error {
	header := response.Header
	result := &Error{Status: response.StatusCode, TraceID: header.Get("X-Trace-Id")}
	var body struct {
		Error   string
		Message json.RawMessage
	}
	_ = json.Unmarshal(text, &body)
	result.Name = body.Error
	if json.Unmarshal(body.Message, &result.Messages) != nil {
		message := fmt.Sprintf("unexpected answer with status %d", response.StatusCode)
		_ = json.Unmarshal(body.Message, &message)
		result.Messages = []string{message}
	}
	// Measured by the clock of the answer, because the clock of this machine may be wrong.
	now, _ := http.ParseTime(header.Get("Date"))
	if at, err := http.ParseTime(header.Get("Retry-After")); err == nil && !now.IsZero() {
		result.RetryAfter = max(0, at.Sub(now))
	} else if seconds, err := time.ParseDuration(header.Get("Retry-After") + "s"); err == nil {
		result.RetryAfter = max(0, seconds)
	}
	return result
}
