"""Trains the value or the policy net on shards of positions.

The rate warms up, then follows a cosine to a hundredth, by positions (--epochs), by the clock (--end), so that a run
ends when it must, whatever else the machine does, or by the seconds of training in all runs together (--seconds). A run
that is stopped resumes from its checkpoint; with --until it stops by itself at that time and ends with exit code 75.
Held-out games are every 40th; the weights averaged over steps that do best on a sample of them are best.pt. Runs by
positions repeat bit for bit with the same number of threads.

With --trust the policy's target is that share of a soft one, and the label for the rest (Hinton, Vinyals and Dean 2015): a
teacher's policy, which prepare -teacher has written, to the --power, and exp(score / --tau) with the scores of all moves that
prepare -scores has written, multiplied. Figures are against labels.
"""
import argparse
import csv
import math
import os
import sys
import time

import numpy as np
import torch

import data
import export
import nets
from native import keep_memory

WARMUP = 200  # steps
STOPPED = 75  # exit code of a run that --until stopped


def save(path, state):
    torch.save(state, path + ".new")
    os.replace(path + ".new", path)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", choices=["value", "policy"])
    parser.add_argument("--data", required=True, help="folder of shards, see prepare")
    parser.add_argument("--out", required=True, help="folder for checkpoint.pt, best.pt and log.csv")
    parser.add_argument("--hidden", type=int, default=512)
    parser.add_argument("--buckets", type=int, default=8, help="king buckets of the value net: 1, 4 or 8")
    parser.add_argument("--epochs", type=float, default=30)
    parser.add_argument("--start", type=float, default=time.time(), help="unix time at which the schedule starts")
    parser.add_argument("--end", type=float, help="unix time at which training ends, instead of --epochs")
    parser.add_argument("--seconds", type=float, help="seconds of training, of all runs together, instead of --epochs")
    parser.add_argument("--until", type=float, help="unix time at which this run stops, to be resumed, if training has not ended")
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--drop", type=float, default=0.0, help="share of the hidden layer that each position drops")
    parser.add_argument("--decay", type=float, default=0.1, help="weight decay, multiplied by the learning rate")
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--begin", metavar="FILE", help="begin with the net of a net file (.tesla), not with random weights")
    parser.add_argument("--trust", type=float, default=0.0, help="share of the policy's target that is a teacher's or of scores")
    parser.add_argument("--tau", type=float, default=0.0, help="temperature of scores in that share; 0: it has no scores")
    parser.add_argument("--power", type=float, help="power of a teacher's policy in that share; 0: it has none (default with --tau)")
    parser.add_argument("--limit", type=int, default=0, help="train on the first N positions only; 0: all")
    parser.add_argument("--report", type=float, default=60, help="seconds between held-out figures and checkpoints")
    args = parser.parse_args()
    if args.trust and args.net == "value":
        parser.error("--trust is for the policy net")
    if args.power is None:
        args.power = 1.0 if args.trust and not args.tau else 0.0
    if (args.tau or args.power) and not args.trust or args.trust and not (args.tau or args.power) or min(args.tau, args.power) < 0:
        parser.error("--trust wants --tau or --power above 0, and they want --trust")
    if args.drop and args.net == "value":
        parser.error("--drop is for the policy net")
    return args


def progress(args, seen, train, seconds):
    """The share of the schedule that has passed, by positions seen, seconds or the clock; 1 or more at its end."""
    if args.seconds:
        return seconds / args.seconds
    if args.end:
        return (time.time() - args.start) / (args.end - args.start)
    return seen / (args.epochs * train)


def main():
    args = arguments()
    keep_memory()
    os.makedirs(args.out, exist_ok=True)
    moves, begin = args.net == "policy", ""
    if args.begin:
        net = export.net_of(args.begin, moves)
        begin = export.short_hash(args.begin)
    elif moves:
        net = nets.Policy(args.hidden, args.seed)
    else:
        net = nets.Value(args.hidden, args.buckets, args.seed)
    net.decay, net.drop, net.trust = args.decay, args.drop, args.trust
    shards = data.Shards(args.data, quiet=not moves, limit=args.limit,
                         parts=["teacher"] * (args.power > 0) + ["scores"] * (args.tau > 0))
    held = data.held_out(shards, file=0, quiet=not moves)
    sample = np.random.default_rng(0).choice(len(held), min(30000, len(held)), replace=False)
    sample = data.Positions(held[np.sort(sample)], moves)
    path, seen, best, before = f"{args.out}/checkpoint.pt", 0, math.inf, 0.0
    if os.path.exists(path):
        state = torch.load(path)
        net.load(state["net"])
        seen, best, before = state["seen"], state["best"], state["training"].get("seconds", 0.0)
    print(f"train {shards.train} held out {len(held)} resumed at position {seen}", flush=True)
    log = open(f"{args.out}/log.csv", "a", newline="")
    writer, began, last_seen, mean = csv.writer(log), time.time(), seen, {}
    last = began
    for _, _, pool, index in shards.batches(args.batch, args.seed, seen):
        now = time.time()
        seconds, stopped = before + now - began, bool(args.until and mean and now >= args.until)
        passed = progress(args, seen, shards.train, seconds)
        done = passed >= 1
        rate = args.lr * (0.01 + 0.99 * (1 + math.cos(math.pi * min(passed, 1))) / 2)
        rate *= min(1.0, (net.steps + 1) / WARMUP)
        if not done and not stopped:
            records, beside = pool.take(np.sort(index))
            batch = data.Positions(records, moves, data.soft_target(beside, args.tau, args.power) if args.trust else None)
            for k, v in net.step(batch, batch.all, rate).items():
                mean[k] = mean.get(k, v) * 0.98 + v * 0.02
            seen += args.batch
        if done or stopped or time.time() - last > args.report:
            speed = (seen - last_seen) / (time.time() - last)
            figures = net.evaluate(sample, sample.all)
            training = {"net": args.net, "hidden": net.hidden, "buckets": getattr(net, "buckets", 0),
                        "seed": args.seed, "batch": args.batch, "lr": args.lr, "decay": args.decay, "drop": args.drop,
                        "trust": args.trust, "tau": args.tau, "power": args.power, "begin": begin, "steps": net.steps, "positions": seen,
                        "epochs": round(seen / shards.train, 2), "seconds": round(seconds, 1), "held_out": figures}
            state = {"net": net.state(), "seen": seen, "best": min(best, figures[args.net]), "training": training}
            save(path, state)
            if figures[args.net] < best:
                best = min(best, figures[args.net])
                average = {k: p.average for k, p in net.parameters.items()}
                save(f"{args.out}/best.pt", {"average": average, "training": training})
            if log.tell() == 0:
                writer.writerow(["time", "step", "epoch", "lr", "positions_per_second", *mean,
                                 *("held_" + k for k in figures)])
            writer.writerow([int(time.time()), net.steps, f"{seen / shards.train:.3f}", f"{rate:.3e}", f"{speed:.0f}",
                             *(f"{v:.5f}" for v in (*mean.values(), *figures.values()))])
            log.flush()
            print(f"step {net.steps} epoch {seen / shards.train:.2f} lr {rate:.2e} {speed:.0f} pos/s train "
                  + " ".join(f"{k} {v:.5f}" for k, v in mean.items()) + " HELD "
                  + " ".join(f"{k} {v:.5f}" for k, v in figures.items()), flush=True)
            last, last_seen = time.time(), seen
        if done:
            break
        if stopped:
            sys.exit(STOPPED)


if __name__ == "__main__":
    main()
