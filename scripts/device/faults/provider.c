// A library in place of ONNX Runtime's, which makes a provider fail while a file is there.
//
//     cc -shared -fPIC -I FOLDER_OF_ONNXRUNTIME_C_API_H -o provider.so provider.c -ldl
//
// It loads the library that REAL_ONNXRUNTIME names and passes everything on to it. While the file that FAULT names is there,
// a run of a net does not reach it. The first letter of the file says what happens: e: the run is an error, as of a
// provider that has died; m: an error, as of a device without memory; h: the run does not return until the file is gone.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "onnxruntime_c_api.h"

static const OrtApi *real;
static OrtApi api;
static OrtApiBase base;

// fault is the first letter of the file, or 0 where there is none.
static char fault(void) {
	char letter = 0;
	const char *path = getenv("FAULT");
	int file = path ? open(path, O_RDONLY) : -1;
	if (file < 0) return 0;
	if (read(file, &letter, 1) != 1) letter = 0;
	close(file);
	return letter;
}

// failure is the error that a run has to return, or 0.
static OrtStatus *failure(void) {
	char letter = fault();
	if (letter == 'e') return real->CreateStatus(ORT_EP_FAIL, "a fault that was asked for: the provider has died");
	if (letter == 'm') return real->CreateStatus(ORT_RUNTIME_EXCEPTION, "a fault that was asked for: out of memory");
	while (letter == 'h') {
		usleep(20000);
		letter = fault();
	}
	return 0;
}

static OrtStatus *run(OrtSession *session, const OrtRunOptions *options, const char *const *names, const OrtValue *const *in,
	size_t inputs, const char *const *wanted, size_t outputs, OrtValue **out) {
	OrtStatus *status = failure();
	return status ? status : real->Run(session, options, names, in, inputs, wanted, outputs, out);
}

static OrtStatus *run_bound(OrtSession *session, const OrtRunOptions *options, const OrtIoBinding *binding) {
	OrtStatus *status = failure();
	return status ? status : real->RunWithBinding(session, options, binding);
}

static const OrtApiBase *real_base(void) {
	const char *path = getenv("REAL_ONNXRUNTIME");
	void *library = path ? dlopen(path, RTLD_LAZY) : 0;
	const OrtApiBase *(*entry)(void) = library ? (const OrtApiBase *(*)(void))dlsym(library, "OrtGetApiBase") : 0;
	if (!entry) fprintf(stderr, "provider.so: REAL_ONNXRUNTIME names no ONNX Runtime\n");
	return entry ? entry() : 0;
}

static const OrtApi *get_api(uint32_t version) {
	if (!(real = real_base()->GetApi(version))) return 0;
	api = *real;
	api.Run = run;
	api.RunWithBinding = run_bound;
	return &api;
}

const OrtApiBase *OrtGetApiBase(void) {
	const OrtApiBase *below = real_base();
	if (!below) return 0;
	base.GetApi = get_api;
	base.GetVersionString = below->GetVersionString;
	return &base;
}
