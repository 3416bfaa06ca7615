package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

func main() {
	body, err := json.Marshal(map[string]any{
		"eventType": "global.info",
		"payload":   map[string]any{"userId": "user-1"},
		"variables": map[string]any{"title": "Grüße", "message": "From Go"},
	})
	if err != nil {
		log.Fatal(err)
	}
	mac := hmac.New(sha256.New, []byte(os.Getenv("BELFRY_WEBHOOK_SECRET")))
	mac.Write(body)

	url := os.Getenv("BELFRY_URL") + "/api/v1/events/trigger"
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Api-Key", os.Getenv("BELFRY_API_KEY"))
	request.Header.Set("X-Idempotency-Key", "sample-go-1")
	request.Header.Set("X-Service-Signature", hex.EncodeToString(mac.Sum(nil)))

	client := &http.Client{Timeout: 10 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.StatusCode, string(answer))
	if response.StatusCode != http.StatusOK {
		os.Exit(1)
	}
}
