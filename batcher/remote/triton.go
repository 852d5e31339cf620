package remote

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tesla/batcher"
	"tesla/eut"
)

// Export writes a model repository for NVIDIA Triton: dir/model/1/model.onnx is the graph of the net,
// dir/model/config.pbtxt its configuration.
func Export(dir, model string, net *eut.Net) error {
	folder := filepath.Join(dir, model)
	if err := os.MkdirAll(filepath.Join(folder, "1"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "1", "model.onnx"), net.Graph, 0o644); err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "name: %q\nplatform: \"onnxruntime_onnx\"\nmax_batch_size: 0\n", model)
	fmt.Fprintf(&text, "input [{ name: %q data_type: TYPE_INT32 dims: [ -1, %d ] }]\n", batcher.GraphInput, net.Row())
	for _, o := range batcher.GraphOutputs {
		fmt.Fprintf(&text, "output [{ name: %q data_type: TYPE_FP32 dims: [ -1, %d ] }]\n", o.Name, o.Columns)
	}
	text.WriteString("instance_group [{ kind: KIND_GPU }]\n")
	return os.WriteFile(filepath.Join(folder, "config.pbtxt"), []byte(text.String()), 0o644)
}
