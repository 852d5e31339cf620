package remote

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tesla/batcher"
	"tesla/internal/output"
	"tesla/models/eut"
)

// Export writes a model repository for NVIDIA Triton: dir/model/1/model.onnx is the graph of the net,
// dir/model/config.pbtxt its configuration.
func Export(dir, model string, net *eut.Net) error {
	folder := filepath.Join(dir, model)
	config, graph := filepath.Join(folder, "config.pbtxt"), filepath.Join(folder, "1", "model.onnx")
	err := output.Folder(filepath.Dir(graph))
	if err == nil {
		err = output.Check(config, isConfig)
	}
	ours := output.Same(net.Graph)
	if _, missing := os.Stat(config); err == nil && missing == nil { // it is of an earlier export, and so is the graph
		ours = output.Any
	}
	if err == nil {
		err = output.WriteBytes(graph, ours, net.Graph)
	}
	if err != nil {
		return err
	}
	var text strings.Builder
	text.WriteString(exported)
	fmt.Fprintf(&text, "name: %q\nplatform: \"onnxruntime_onnx\"\nmax_batch_size: 0\n", model)
	fmt.Fprintf(&text, "input [{ name: %q data_type: TYPE_INT32 dims: [ -1, %d ] }]\n", batcher.GraphInput, net.Row())
	for _, o := range batcher.GraphOutputs {
		fmt.Fprintf(&text, "output [{ name: %q data_type: TYPE_FP32 dims: [ -1, %d ] }]\n", o.Name, o.Columns)
	}
	text.WriteString("instance_group [{ kind: KIND_GPU }]\n")
	return output.WriteBytes(config, isConfig, []byte(text.String()))
}

// exported is the first line of a configuration.
const exported = "# written by tesla serve --export\n"

// isConfig recognizes a configuration of an earlier export.
var isConfig = output.Begins(exported)
