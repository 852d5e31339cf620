//go:build cgo

package onnx

/*
#cgo linux LDFLAGS: -ldl
#include <stdint.h>
#include <stdlib.h>

#ifdef _WIN32
#include <stdio.h>
#include <windows.h>

static void *open_library(const char *path) {
	wchar_t wide[32768];
	if (!MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, 32768)) return 0;
	return LoadLibraryExW(wide, 0, LOAD_WITH_ALTERED_SEARCH_PATH); // with DirectML.dll beside it
}

static const char *reason(void) {
	static char text[32];
	snprintf(text, sizeof text, "error %lu of Windows", GetLastError());
	return text;
}

static void *symbol(void *library, const char *name) { return (void *)GetProcAddress(library, name); }
#else
#include <dlfcn.h>

static void *open_library(const char *path) { return dlopen(path, RTLD_LAZY); }
static const char *reason(void) { return dlerror(); }
static void *symbol(void *library, const char *name) { return dlsym(library, name); }
#endif

// The head of OrtApiBase of onnxruntime_c_api.h, which does not change between versions.
typedef struct {
	const void *(*get_api)(uint32_t version);
	const char *(*get_version)(void);
} api_base;

// inspect loads the library at path and never unloads it. It returns 0 if the library has the requested version of the
// API, 1 if it cannot be loaded, 2 if it is not ONNX Runtime, 3 if it lacks the API. text is the version, or the
// loader's reason.
static int inspect(const char *path, uint32_t api, const char **text) {
	void *library = open_library(path);
	if (!library) {
		*text = reason();
		return 1;
	}
	const api_base *(*entry)(void) = (const api_base *(*)(void))symbol(library, "OrtGetApiBase");
	const api_base *base = entry ? entry() : 0;
	if (!base) {
		*text = "";
		return 2;
	}
	*text = base->get_version();
	return base->get_api(api) ? 0 : 3;
}
*/
import "C"

import (
	"fmt"
	"unsafe"
)

const (
	ortAPI    = 24     // the API that the Go binding asks for
	oldestORT = "1.24" // the first version that has it
)

// inspectLibrary loads the library at path, and is an error if it cannot be used. The binding would unload a library
// that it refuses, and the text of its version would be gone.
func inspectLibrary(path string) error {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var text *C.char
	switch C.inspect(name, ortAPI, &text) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("ONNX Runtime: loading %s: %s; %s", path, C.GoString(text), fetchHint)
	case 2:
		return fmt.Errorf("ONNX Runtime: %s: another library, without OrtGetApiBase; %s", path, fetchHint)
	default:
		return fmt.Errorf("ONNX Runtime: %s is version %s, want %s or later; %s", path, C.GoString(text), oldestORT, fetchHint)
	}
}
