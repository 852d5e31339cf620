// Takes the memory of the first GPU and holds it until it is killed, so that others have to do without.
//
//     cc -o memory memory.c -ldl
//     ./memory 64        takes all but less than 64 MiB
//
// It needs the driver alone, and asks for plain memory. It prints "full" when it has done.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef int (*call)();

static void *driver;

static call function(const char *name) {
	call f = (call)dlsym(driver, name);
	if (!f) {
		fprintf(stderr, "memory: the driver has no %s\n", name);
		exit(1);
	}
	return f;
}

static void check(int error, const char *what) {
	if (!error) return;
	fprintf(stderr, "memory: %s: error %d of the driver\n", what, error);
	exit(1);
}

int main(int count, char **words) {
	if (!(driver = dlopen("libcuda.so.1", RTLD_NOW))) {
		fprintf(stderr, "memory: %s\n", dlerror());
		return 1;
	}
	int device;
	void *context;
	check(function("cuInit")(0), "cuInit");
	check(function("cuDeviceGet")(&device, 0), "cuDeviceGet");
	check(function("cuDevicePrimaryCtxRetain")(&context, device), "cuDevicePrimaryCtxRetain");
	check(function("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
	call allocate = function("cuMemAlloc_v2");
	unsigned long long block;
	size_t least = (size_t)(count > 1 ? atoi(words[1]) : 64) << 20, taken = 0;
	if (least < 1 << 20) least = 1 << 20;
	// Large blocks first, then smaller ones, until not even the least fits.
	for (size_t size = (size_t)1 << 34; size >= least; size /= 2)
		while (!allocate(&block, size)) taken += size;
	printf("full: %zu MiB taken\n", taken >> 20);
	fflush(stdout);
	for (;;) pause();
}
