//go:build cgo && linux

package onnx

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Where functions stand in OrtApi of onnxruntime_c_api.h. It only grows at its end, so that these places never change.
enum { error_message = 2, create_tensor = 49, create_memory_info = 68, release_status = 93, release_memory_info = 94,
	release_value = 96, add_run_config_entry = 165 };

// reason is the message of a status, to be freed, or 0 if all is well. It releases the status.
static char *reason(void *const *api, void *status) {
	if (!status) return 0;
	char *text = strdup(((const char *(*)(void *))api[error_message])(status));
	((void (*)(void *))api[release_status])(status);
	return text;
}

// make_tensor makes a tensor [rows, columns] of data that lies in memory of a kind: "Cpu" or "Cuda".
static char *make_tensor(void *const *api, const char *kind, int device, void *data, int64_t rows, int64_t columns, int type, void **out) {
	void *info = 0;
	char *failed = reason(api, ((void *(*)(const char *, int, int, int, void **))api[create_memory_info])(kind, 0, device, 0, &info));
	if (failed) return failed;
	int64_t shape[2] = {rows, columns};
	failed = reason(api, ((void *(*)(void *, void *, size_t, const int64_t *, size_t, int, void **))api[create_tensor])(
		info, data, 4 * rows * columns, shape, 2, type, out));
	((void (*)(void *))api[release_memory_info])(info);
	return failed;
}

static void destroy_tensor(void *const *api, void *tensor) { ((void (*)(void *))api[release_value])(tensor); }

static char *configure_run(void *const *api, void *options, const char *key, const char *value) {
	return reason(api, ((void *(*)(void *, const char *, const char *))api[add_run_config_entry])(options, key, value));
}

// cuda is a function of the CUDA runtime that the provider has loaded, or 0.
static void *cuda(const char *name) {
	static const char *const libraries[] = {"libcudart.so.13", "libcudart.so.12"};
	for (int i = 0; i < 2; i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
		if (library) return dlsym(library, name);
	}
	return 0;
}

// map_memory allocates memory of the host that GPUs read and write at the same address. It returns 0, or an error of CUDA.
static int map_memory(void **out, size_t bytes) {
	enum { portable = 1, mapped = 2, no_library = 999 };
	int (*alloc)(void **, size_t, unsigned) = (int (*)(void **, size_t, unsigned))cuda("cudaHostAlloc");
	return alloc ? alloc(out, bytes, portable | mapped) : no_library;
}

static void unmap_memory(void *memory) {
	int (*release)(void *) = (int (*)(void *))cuda("cudaFreeHost");
	if (release) release(memory);
}
*/
import "C"

import (
	"errors"
	"fmt"
	"strconv"
	"unsafe"

	ort "github.com/yalue/onnxruntime_go"
)

// The Go binding makes tensors in memory that Go has allocated, which a GPU cannot read. The types below add tensors in memory
// that it can read, and runs whose kernels are captured. To do so they set the only field of two structs of the binding.
var (
	_ = [unsafe.Sizeof(ort.ValueInternalData{})]byte{} == [unsafe.Sizeof(uintptr(0))]byte{}
	_ = [unsafe.Sizeof(ort.RunOptions{})]byte{} == [unsafe.Sizeof(uintptr(0))]byte{}
)

// mapped is memory of the host that a GPU reads and writes itself, so that nothing is copied before and after a run: only
// where a run does not depend on copies can its kernels be captured (see plan.Captured). On the CPU it is plain memory.
type mapped struct {
	device int // number of the GPU; -1: the CPU
	memory unsafe.Pointer
	size   int // bytes
	used   int
}

// mappedAlign is the alignment of a buffer, in bytes.
const mappedAlign = 256

// newMapped allocates memory for four buffers. counts are the lengths of the buffers, in numbers of four bytes.
func newMapped(device int, counts [4]int) (*mapped, error) {
	m := &mapped{device: device}
	for _, count := range counts {
		m.size += bytesOf(count)
	}
	if device < 0 {
		m.memory = C.aligned_alloc(mappedAlign, C.size_t(m.size))
		return m, nil
	}
	err := keepSignals(func() error {
		if code := C.map_memory(&m.memory, C.size_t(m.size)); code != 0 {
			return fmt.Errorf("%d bytes of memory that the GPU can read: error %d of CUDA", m.size, code)
		}
		return nil
	})
	return m, err
}

func bytesOf(count int) int { return (4*count + mappedAlign - 1) / mappedAlign * mappedAlign }

func (m *mapped) free() {
	if m.device < 0 {
		C.free(m.memory)
	} else {
		C.unmap_memory(m.memory)
	}
}

// take returns the next buffer, of count numbers.
func take[T int32 | float32](m *mapped, count int) []T {
	at := unsafe.Add(m.memory, m.used)
	m.used += bytesOf(count)
	return unsafe.Slice((*T)(at), count)
}

// deviceTensor is a tensor in mapped memory, as a value of the binding.
type deviceTensor struct {
	ort.Value // a tensor of the host in the same memory
	internals ort.ValueInternalData
}

func newDeviceTensor[T int32 | float32](m *mapped, data []T, rows, columns int) (ort.Value, error) {
	host, err := ort.NewTensor(ort.NewShape(int64(rows), int64(columns)), data)
	if err != nil {
		return nil, err
	}
	t := &deviceTensor{Value: host}
	kind, device := "Cuda", m.device
	if m.device < 0 {
		kind, device = "Cpu", 0
	}
	name := C.CString(kind)
	defer C.free(unsafe.Pointer(name))
	var value unsafe.Pointer
	err = failure(C.make_tensor(api(), name, C.int(device), unsafe.Pointer(&data[0]), C.int64_t(rows), C.int64_t(columns),
		C.int(ort.GetTensorElementDataType[T]()), &value))
	if err != nil {
		return nil, errors.Join(err, host.Destroy())
	}
	*(*unsafe.Pointer)(unsafe.Pointer(&t.internals)) = value
	return t, nil
}

// GetInternals is what the binding gives to ONNX Runtime.
func (t *deviceTensor) GetInternals() *ort.ValueInternalData { return &t.internals }

// Destroy frees the tensor, not its memory.
func (t *deviceTensor) Destroy() error {
	C.destroy_tensor(api(), *(*unsafe.Pointer)(unsafe.Pointer(&t.internals)))
	return t.Value.Destroy()
}

// captured are the options of runs whose kernels are captured under a number, at the first run.
func captured(number int) (*ort.RunOptions, error) {
	options, err := ort.NewRunOptions()
	if err != nil {
		return nil, err
	}
	key, value := C.CString("gpu_graph_id"), C.CString(strconv.Itoa(number))
	defer C.free(unsafe.Pointer(key))
	defer C.free(unsafe.Pointer(value))
	if err := failure(C.configure_run(api(), *(*unsafe.Pointer)(unsafe.Pointer(options)), key, value)); err != nil {
		return nil, errors.Join(err, options.Destroy())
	}
	return options, nil
}

// api is OrtApi of the library that is loaded.
func api() *unsafe.Pointer { return (*unsafe.Pointer)(environment.api) }

// failure is the error of a function that returns its reason.
func failure(reason *C.char) error {
	if reason == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(reason))
	return errors.New(C.GoString(reason))
}
