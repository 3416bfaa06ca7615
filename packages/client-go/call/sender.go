package call

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// A 429 that asks for a longer wait means a daily limit, so the call fails at once.
const longestWait = 65 * time.Second

// Sender sends calls. Everything below APIKey may be left out.
type Sender struct {
	BaseURL, APIKey string
	// WebhookSecret signs the calls, if the tenant has one.
	WebhookSecret string
	// Timeout of one try. Default: 10 s, for management 60 s.
	Timeout time.Duration
	// Retries after the first try. Default: 3. A negative number means none.
	Retries    int
	HTTPClient *http.Client
	// SignsTime is set for management.
	SignsTime bool
}

// Do sends a call until it succeeds or a retry cannot help, reads the JSON of its answer into answer, and returns the
// answer's header. All tries have the same key. It ends at once if ctx does, also in a pause.
func (s *Sender) Do(ctx context.Context, c Call, answer any, options ...Option) (http.Header, error) {
	header := http.Header{"X-Api-Key": {s.APIKey}, "Content-Type": {"application/json"}}
	for name, values := range c.Header {
		header[name] = values
	}
	if c.Header = header; c.KeyHeader != "" {
		Key(rand.Text())(&c)
	}
	for _, option := range options {
		option(&c)
	}
	path, body, isRepeatable, err := c.encode()
	if err != nil {
		return nil, err
	}
	if body == nil {
		header.Del("Content-Type")
	}
	for retry := 0; ; retry++ {
		header, err := s.try(ctx, c, path, body, answer)
		if err == nil {
			return header, nil
		}
		pause := s.pause(err, retry)
		var refused *Error
		isRefused := errors.As(err, &refused) && refused.Status == http.StatusTooManyRequests
		if pause < 0 || retry >= cmp.Or(s.Retries, 3) || !isRefused && !isRepeatable {
			return nil, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *Sender) try(ctx context.Context, c Call, path string, body []byte, answer any) (http.Header, error) {
	limited, cancel := context.WithTimeout(ctx, max(cmp.Or(s.Timeout, 10*time.Second), c.Timeout))
	defer cancel()
	url := strings.TrimRight(s.BaseURL, "/") + path
	request, err := http.NewRequestWithContext(limited, c.Method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if request.Header = c.Header.Clone(); s.WebhookSecret != "" && c.IsSigned {
		s.sign(request, body)
	}
	client := *cmp.Or(s.HTTPClient, http.DefaultClient)
	// Redirects are not followed, so that the API key is not sent to another address.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	var text []byte
	response, err := client.Do(request)
	if err == nil {
		defer response.Body.Close()
		text, err = io.ReadAll(response.Body)
	}
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		// Only the beginning of the path, because the rest and the query may contain user ids.
		parts := strings.Split(path, "/")
		return nil, &NetworkError{c.Method + " " + strings.Join(parts[:min(4, len(parts))], "/"), err}
	}
	if response.StatusCode/100 != 2 || json.Unmarshal(text, answer) != nil {
		return nil, errorOf(response, text)
	}
	return response.Header, nil
}

func (s *Sender) sign(request *http.Request, body []byte) {
	mac := hmac.New(sha256.New, []byte(s.WebhookSecret))
	if s.SignsTime {
		at := fmt.Sprint(time.Now().Unix())
		request.Header.Set("X-Service-Timestamp", at)
		fmt.Fprintf(mac, "%s.%s.%s.", at, request.Method, request.URL.RequestURI())
	}
	mac.Write(body)
	request.Header.Set("X-Service-Signature", fmt.Sprintf("%x", mac.Sum(nil)))
}

// pause returns the time until the next try. It is negative if a retry cannot help.
func (s *Sender) pause(err error, retry int) time.Duration {
	var answered *Error
	var unanswered *NetworkError
	switch {
	case errors.As(err, &answered) && answered.Status == http.StatusTooManyRequests && answered.RetryAfter > 0:
		if answered.RetryAfter > longestWait {
			return -1
		}
		return answered.RetryAfter
	case answered != nil && answered.Status < 500 && answered.Status != http.StatusTooManyRequests,
		answered == nil && !errors.As(err, &unanswered):
		return -1
	}
	// From half to all of the pause, so that many clients do not retry at the same moment.
	pause := min(500*time.Millisecond<<min(retry, 4), 8*time.Second)
	return pause/2 + mathrand.N(pause/2)
}
