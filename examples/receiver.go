package main

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log"
	"net/http"
	"os"
	"path/filepath"

	"belfry.dev/client-go"
)

const maxBytes = 256 * 1024

func main() {
	secret, inbox, port := os.Getenv("BELFRY_SIGNING_SECRET"), os.Getenv("INBOX"), os.Getenv("PORT")
	if secret == "" {
		log.Fatal("no secret")
	}
	if err := os.MkdirAll(inbox, 0o700); err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /{$}", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBytes)) // the bytes that were signed
		if err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		var message json.RawMessage // or a struct with the fields that you need
		if err := belfry.VerifyWebhook(secret, body, r.Header, &message); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		err = keep(filepath.Join(inbox, r.Header.Get("webhook-id")+".json"), body)
		if err != nil && !errors.Is(err, fs.ErrExist) { // ErrExist: sent a second time
			log.Print(err)
			w.WriteHeader(http.StatusInternalServerError) // not kept: Belfry sends it again
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}

// In earnest: a row whose primary key is the id. Another process works on what is kept.
func keep(path string, body []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(body)
	return errors.Join(err, file.Close())
}
