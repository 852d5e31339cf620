"""Writes report.md and report.json of a run of scripts/train-gpu.sh: what was trained, how fast, and the held-out figures."""
import argparse
import json
import os
import platform

import torch

CHECKPOINTS = {"teacher": "teacher/checkpoint.pt", "student": "student/checkpoint.pt", "nnue policy": "policy/best.pt"}
FIGURES = {"policy": "policy cross-entropy, nats", "top1": "played move first", "top3": "among the first 3", "top5": "among the first 5",
           "top10": "among the first 10", "value_mse": "expected score, mean squared error",
           "value_correlation": "expected score, correlation", "wdl": "WDL cross-entropy", "sigma": "sigma likelihood",
           "positions": "held-out positions"}


def net(folder, path):
    """The facts and figures of one net, or None where it is not trained yet."""
    if not os.path.exists(f"{folder}/{path}"):
        return None
    state = torch.load(f"{folder}/{path}", map_location="cpu")
    training, figures = state["training"], f"{folder}/{os.path.dirname(path)}.json"
    found = {"size": state.get("size", f"{training.get('hidden')} columns"), "training": training}
    found["positions_per_second"] = round(training["positions"] / max(training.get("seconds", 0), 1))
    if os.path.exists(figures):
        with open(figures, encoding="utf-8") as f:
            found["figures"] = json.load(f)
    elif "net" in training:  # nnue's
        found["figures"] = training["held_out"]
    return found


def table(nets):
    """A Markdown table with a column for each net."""
    def row(title, cell):
        return f"| {title} | " + " | ".join(map(cell, nets.values())) + " |"

    def figure(key):
        return lambda n: f"{n['figures'][key]:.5g}" if key in n.get("figures", {}) else ""

    rows = ["| | " + " | ".join(nets) + " |", "|---" * (len(nets) + 1) + "|", row("size", lambda n: n["size"])]
    rows += [row(key, lambda n, key=key: str(n["training"].get(key, ""))) for key in ("steps", "batch", "positions", "epochs", "seconds")]
    rows.append(row("positions a second", lambda n: str(n["positions_per_second"])))
    return rows + [row(title, figure(key)) for key, title in FIGURES.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="that of the run")
    parser.add_argument("out", help="folder of the report")
    args = parser.parse_args()
    nets = {name: net(args.folder, path) for name, path in CHECKPOINTS.items()}
    nets = {name: n for name, n in nets.items() if n}
    with open(f"{args.folder}/shards/manifest.json", encoding="utf-8") as f:
        positions = json.load(f)["positions"]
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else platform.machine()
    facts = {"device": device, "cores": os.cpu_count(), "pytorch": torch.__version__, "positions": positions, "nets": nets}
    with open(f"{args.out}/report.json", "w", encoding="utf-8") as f:
        json.dump(facts, f, indent=1)
    lines = ["# Training run", "", f"{device}, {facts['cores']} cores, PyTorch {torch.__version__}; {positions} positions.",
             "Every 40th game is held out. nnue's policy is measured on a sample of the first file.", "", *table(nets)]
    with open(f"{args.out}/report.md", "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
