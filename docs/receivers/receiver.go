// A receiver of Stillup's webhooks: prints each event whose signature is right, once. SIGNING_SECRET is
// the webhook's signing secret, and PORT is where to listen, 8485 if nothing else is said.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// No message of Stillup comes near it.
const mostBytes = 1 << 20

func main() {
	log.SetFlags(0)
	key, err := signingKey(os.Getenv("SIGNING_SECRET"))
	if err != nil {
		log.Fatal("SIGNING_SECRET must be a webhook's signing secret: whsec_ and base64.")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "8485"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("receiving on http://%s/\n", listener.Addr())
	server := &http.Server{Handler: &receiver{key: key}, ReadTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}

// signingKey gives the key that a signing secret holds.
func signingKey(secret string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err == nil && len(key) == 0 {
		err = errors.New("a signing secret is never empty")
	}
	return key, err
}

// verify gives an error unless the message was signed with this key within five minutes of now.
func verify(key []byte, headers http.Header, body []byte) error {
	id := headers.Get("webhook-id")
	timestamp := headers.Get("webhook-timestamp")
	signatures := headers.Get("webhook-signature")
	if id == "" || timestamp == "" || signatures == "" {
		return errors.New("bad signature: a header is missing")
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return errors.New("bad signature: the timestamp is not a number")
	}
	if age := time.Now().Unix() - seconds; age > 300 || age < -300 {
		return errors.New("bad signature: the message is too old or too new")
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	expected := base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// Several while a secret is being replaced. One of them is enough.
	for _, entry := range strings.Split(signatures, " ") {
		version, signature, _ := strings.Cut(entry, ",")
		if version == "v1" && hmac.Equal([]byte(signature), []byte(expected)) {
			return nil
		}
	}
	return errors.New("bad signature: none is by this secret")
}

type receiver struct {
	key []byte
	// A real receiver keeps these in its database, where they survive a restart: a unique column will do.
	seen sync.Map
}

func (r *receiver) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(writer, request.Body, mostBytes))
	if err != nil {
		http.Error(writer, "the body must be complete, and of at most 1 MiB", http.StatusRequestEntityTooLarge)
		return
	}
	err = verify(r.key, request.Header, body)
	if err == nil {
		err = r.take(request.Header.Get("webhook-id"), body)
	}
	if err != nil {
		fmt.Println("refused,", err)
		http.Error(writer, err.Error(), http.StatusBadRequest)
		return
	}
	writer.WriteHeader(http.StatusNoContent)
}

// take prints the event. A real receiver puts it into a queue here and answers at once: the work comes later.
func (r *receiver) take(id string, body []byte) error {
	var event bytes.Buffer
	if err := json.Compact(&event, body); err != nil {
		return err
	}
	if _, isRepetition := r.seen.LoadOrStore(id, true); !isRepetition {
		fmt.Println("verified", event.String())
	}
	return nil
}
