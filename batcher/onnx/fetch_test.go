//go:build linux

package onnx

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fetchScript runs the script that fetches the library with an npm of its own, which makes a package by the shell commands
// of pack. system is what uname says there, empty for this machine. It returns what the script says and whether it succeeded.
func fetchScript(t *testing.T, system, pack string, environment ...string) (string, bool) {
	t.Helper()
	bin := t.TempDir()
	npm := "#!/bin/sh\nfor f in linux/x64/libonnxruntime.so.1 linux/arm64/libonnxruntime.so.1 " +
		"darwin/arm64/libonnxruntime.1.dylib win32/x64/DirectML.dll; do\n" +
		"f=package/bin/napi-v6/$f; mkdir -p ${f%/*}\n" + pack + "\ndone\ntar -czf package.tgz package\nrm -r package\n"
	if err := os.WriteFile(filepath.Join(bin, "npm"), []byte(npm), 0o700); err != nil {
		t.Fatal(err)
	}
	if system != "" {
		script := "#!/bin/sh\ncase $1 in -s) echo " + strings.Replace(system, " ", ";; *) echo ", 1) + ";; esac\n"
		if err := os.WriteFile(filepath.Join(bin, "uname"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(bin, "cygpath"), []byte("#!/bin/sh\necho \"$2\"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("../../scripts/fetch-onnxruntime.sh")
	c.Env = append(environment, "PATH="+bin+":"+os.Getenv("PATH"))
	out, err := c.CombinedOutput()
	return string(out), err == nil
}

// The script says why it installs nothing, and leaves nothing behind.
func TestFetchRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	for want, c := range map[string]struct {
		system      string
		pack        string
		environment []string
	}{
		"neither XDG_CACHE_HOME nor HOME":        {"", ":", nil},
		"nor HOME is set":                        {"", ":", []string{"HOME=", "XDG_CACHE_HOME="}},
		"not an absolute path":                   {"", ":", []string{"XDG_CACHE_HOME=here"}},
		"cannot make " + file + "/.cache":        {"", ":", []string{"HOME=" + file}},
		"is a link in the package":               {"", "ln -s " + file + " $f", []string{"XDG_CACHE_HOME=" + cache}},
		"the package lacks it":                   {"", ":", []string{"XDG_CACHE_HOME=" + cache}},
		"another SHA-256":                        {"", "echo else >$f", []string{"XDG_CACHE_HOME=" + cache}},
		"npm pack onnxruntime-node@1.29.0 faile": {"", "exit 3", []string{"XDG_CACHE_HOME=" + cache}},

		"darwin/arm64/libonnxruntime.1.dylib has another SHA-256": {"Darwin arm64", "echo else >$f", []string{"HOME=" + cache}},
		"win32/x64/DirectML.dll has another SHA-256":              {"MINGW64_NT-10.0 x86_64", "echo else >$f", []string{"LOCALAPPDATA=" + cache}},
		"there is no library for Darwin on x64":                   {"Darwin x86_64", ":", []string{"HOME=" + cache}},
		"LOCALAPPDATA is not set":                                 {"MSYS_NT-10.0 x86_64", ":", nil},
	} {
		if out, ok := fetchScript(t, c.system, c.pack, c.environment...); ok || !strings.Contains(out, want) {
			t.Errorf("%s: %v, %s", want, ok, out)
		}
	}
	if left, err := os.ReadDir(filepath.Join(cache, "tesla", "onnxruntime-1.29.0")); err != nil || len(left) > 0 {
		t.Errorf("%v, left behind: %v", err, left)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("what the link leads to was touched: %v, %v", info, err)
	}
}
