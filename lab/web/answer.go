package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
)

// problem is an error with the status that it is answered with.
type problem struct {
	status int
	err    error
}

func (p *problem) Error() string { return p.err.Error() }

func (p *problem) Unwrap() error { return p.err }

// badRequest is a problem of what was sent.
func badRequest(format string, args ...any) error {
	return &problem{http.StatusBadRequest, fmt.Errorf(format, args...)}
}

// handler answers a request, unless it returns an error, which then is the answer.
type handler func(w http.ResponseWriter, r *http.Request) error

// ServeHTTP implements http.Handler.
func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h(w, r); err != nil {
		fail(w, err)
	}
}

// fail answers with an error: {"error": TEXT} and the status of the problem, 500 where it is none.
func fail(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	var p *problem
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		status, err = http.StatusRequestEntityTooLarge, fmt.Errorf("more than %d MiB were sent: at most %d MiB are taken, so split the file", mostBody>>20, mostBody>>20)
	case errors.As(err, &p):
		status = p.status
	}
	write(w, status, map[string]string{"error": err.Error()})
}

// answer answers with JSON.
func answer(w http.ResponseWriter, v any) error {
	write(w, http.StatusOK, v)
	return nil
}

func write(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil { // a NaN in v, for one
		status, text = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written"}`)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text) // the browser is gone where this fails
}

// read reads the body of a request, one JSON value without unknown fields.
func read(r *http.Request, into any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &problem{http.StatusUnsupportedMediaType, errors.New("the body must be application/json")}
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return &problem{http.StatusBadRequest, fmt.Errorf("reading the body: %w", err)}
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return badRequest("there is more than one value in the body")
	}
	return nil
}
