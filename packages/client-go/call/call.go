// Package call sends one call of the API and retries it. Package belfry is built on it.
package call

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Call is one call, as the generated methods make it.
type Call struct {
	Method, Path string
	// Segments replace each %s of Path.
	Segments []any
	// Query is a struct with JSON tags.
	Query any
	// Body is sent as JSON. Bytes are sent as they are; their content type is in Header.
	Body      any
	Header    http.Header
	IsSigned  bool
	KeyHeader string
	// Timeout of one try, if it is longer than the client's.
	Timeout time.Duration
}

// Option changes one call.
type Option func(*Call)

// Key sets the idempotency key. Without it, each call has a key of its own.
func Key(key string) Option { return func(c *Call) { c.Header.Set(c.KeyHeader, key) } }

// TraceID sets the trace id.
func TraceID(id string) Option { return func(c *Call) { c.Header.Set("X-Trace-Id", id) } }

// encode returns the path with the query, the body, and whether a second try does no harm if Belfry may have carried
// out the first one.
func (c Call) encode() (path string, body []byte, isRepeatable bool, err error) {
	segments := make([]any, len(c.Segments))
	for at, one := range c.Segments {
		segment := url.PathEscape(fmt.Sprint(one))
		switch segment {
		case "", ".", "..":
			return "", nil, false, fmt.Errorf("belfry: %q cannot be part of a path: HTTP clients remove it", segment)
		case "batch": // a user with this id must not get the path of the batch call
			segment = "%62atch"
		}
		segments[at] = segment
	}
	body, isRaw := c.Body.([]byte)
	if c.Body != nil && !isRaw {
		if body, err = json.Marshal(c.Body); err != nil {
			return "", nil, false, err
		}
	}
	text, _ := json.Marshal(c.Query)
	fields, query := map[string]json.RawMessage{}, url.Values{}
	_ = json.Unmarshal(text, &fields)
	for name, value := range fields {
		plain := string(value)
		_ = json.Unmarshal(value, &plain)
		query.Set(name, plain)
	}
	_ = json.Unmarshal(body, &fields)
	isRepeatable = c.Method == http.MethodGet || c.Method == http.MethodPost || string(fields["dryRun"]) == "true" ||
		// These name the state on which a change is based: a second try would find the change of the first one.
		fields["revision"] == nil && fields["plan"] == nil && fields["basedOnVersion"] == nil
	path = fmt.Sprintf(c.Path, segments...)
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path, body, isRepeatable, nil
}
