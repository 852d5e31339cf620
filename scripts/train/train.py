"""Trains a net on shards of positions.

The learning rate warms up, then follows a cosine that reaches its floor at --end by the clock, so that a run ends when
it must, whatever else the machine does, or after --positions, so that runs compare, or after --seconds of training
in all runs together; a run's first step, which compiles, does not count. A run that is stopped resumes from its checkpoint; batch
size and rate may change then. With --until it stops by itself at that time, leaves a checkpoint and ends with exit code 75. With
--positions and as many --threads it repeats bit for bit, stopped or not.

  policy   cross-entropy of the played move over the legal moves
  value    cross-entropy of the expected score w + d/2 against sigmoid(cp/350)
  draw     cross-entropy of d against whether the game was drawn, a small weight; who won is not learned, for a hundred positions
           share it, and are soon known by heart
  sigma    exponential likelihood log s + |d|/s, whose optimum is the mean of |d|: d = q two plies later - q now

With --teacher all but sigma are cross-entropies against another checkpoint's net, so that positions need no labels
(Hinton, Vinyals and Dean 2015), or with --trust below 1 against a mixture of both. On a CUDA device the net is compiled.
"""
import argparse
import csv
import ctypes
import math
import os
import signal
import sys
import time

import numpy as np
import torch

import data
import model
from native import check_blas, keep_memory

WEIGHTS = {"policy": 1.0, "value": 3.0, "draw": 0.3, "sigma": 0.1}
WARMUP = 300  # steps
CLIP = 1.0
STOPPED = 75  # exit code of a run that --until stopped


def predictions(net, b):
    """log-probabilities of (w, d, l) [n, 3], sigma [n], log-probabilities of the moves [n, m]; illegal ones have none."""
    wdl, sigma, logits = net(b["hot"], b["codes"], b["attacks"])
    move, promotion = logits.split((4096, 24), 1)
    move = move.gather(1, b["moves"]).float()
    promotion = torch.nn.functional.pad(promotion, (0, 1)).gather(1, b["promotion"]).float()
    return wdl.log_softmax(1), sigma[:, 0], (move + promotion).masked_fill(~b["legal"], -1e9).log_softmax(1)


def losses(net, b, teacher=None, trust=1.0):
    """A dict of mean losses and figures of a batch; the share `trust` of the targets is the teacher's."""
    log_w, sigma, move = predictions(net, b)

    def expected(log_w):
        p = log_w.exp()
        return p[:, 0] + p[:, 1] / 2

    def binary(p, target):
        p = p.clamp(1e-6, 1 - 1e-6)
        return -(target * p.log() + (1 - target) * (1 - p).log()).mean()

    known = ~b["change"].isnan()
    change = b["change"].nan_to_num()

    def mean(x):
        return (x * known).sum() / known.sum()

    mine, draw, value, drawn = expected(log_w), log_w[:, 1].exp(), b["value"], (b["result"] == 1).float()
    parts = {"policy": torch.nn.functional.nll_loss(move, b["played"])}
    if teacher is not None:
        with torch.no_grad():
            their_w, _, their_move = predictions(teacher, b)
        parts["policy"] = torch.lerp(parts["policy"], -(their_move.exp() * move).sum(1).mean(), trust)
        value, drawn = torch.lerp(value, expected(their_w), trust), torch.lerp(drawn, their_w[:, 1].exp(), trust)
    return {**parts,
            "value": binary(mine, value),
            "draw": binary(draw, drawn),
            "sigma": mean(sigma.log() + change / sigma),
            "mse": ((mine - value) ** 2).mean().detach(),
            "top1": (move.argmax(1) == b["played"]).float().mean(),
            "change": mean(change)}


class Team:
    """Processes of one thread each, with a copy of the net and a share of each batch. All take the same steps, because they add up
    their gradients in the same order. On two cores this is 1.2 and 1.4 times as fast, in batches of 512 and 1,024, as one process
    with two threads."""

    def __init__(self, size, numbers):
        # Two buffers take turns, so that a process that is a step ahead does not overwrite what others still read.
        self.shared, self.turn = torch.zeros(2, size, numbers + 2).share_memory_(), 0
        self.barrier = torch.multiprocessing.get_context("spawn").Barrier(size)

    def mean(self, rank, grads, *two):
        """Replaces grads [numbers] by the mean over all processes, and returns the two numbers that the first process passed."""
        ours, self.turn = self.shared[self.turn], 1 - self.turn
        ours[rank, :-2], ours[rank, -2:] = grads, torch.tensor(two)
        self.barrier.wait()
        grads.copy_(ours[:, :-2].mean(0))
        return ours[0, -2:].tolist()


@torch.no_grad()
def evaluate(net, games, rows, size=1024):
    """Mean held-out figures over rows, beside the constant predictions' sigma likelihood."""
    total, seen = {}, 0
    for at in range(0, len(rows), size):
        part = rows[at:at + size]
        with torch.autocast(games.device.type, dtype=torch.bfloat16):
            found = losses(net, data.batch(games, games.records(part)))
        for k, v in found.items():
            total[k] = total.get(k, 0.0) + v.item() * len(part)
        seen += len(part)
    mean = {k: v / seen for k, v in total.items()}
    mean["sigma_constant"] = math.log(mean["change"]) + 1
    return mean


def flattened(net):
    """All parameters of a net as one tensor; from now on the parameters are views of it."""
    flat = torch.nn.utils.parameters_to_vector(net.parameters()).detach()
    torch.nn.utils.vector_to_parameters(flat, net.parameters())
    return flat


class Run:
    """Everything that a checkpoint holds."""

    def __init__(self, args):
        torch.manual_seed(args.seed)
        self.device, self.trust = args.device, args.trust
        self.net = model.EUT(model.size_of(args.size)).to(args.device)
        compiled = torch.compile if args.device == "cuda" else lambda net: net
        self.forward = compiled(self.net)
        self.teacher = compiled(model.load(args.teacher)[0].to(args.device)) if args.teacher else None
        self.flat, parameters = flattened(self.net), list(self.net.parameters())
        self.grads = torch.zeros_like(self.flat)
        for p, grad in zip(parameters, self.grads.split([p.numel() for p in parameters])):
            p.grad = grad.view_as(p)
        decay = [p for p in parameters if p.dim() > 1]
        rest = [p for p in parameters if p.dim() <= 1]
        groups = [{"params": decay, "weight_decay": 0.01}, {"params": rest, "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(groups, lr=args.lr, betas=(0.9, 0.99))
        self.average = model.EUT(self.net.size).to(args.device).eval()
        self.average.load_state_dict(self.net.state_dict())
        self.flat_average = flattened(self.average)
        self.step, self.positions, self.epochs, self.seconds = 0, 0, 0.0, 0.0
        self.path = f"{args.out}/checkpoint.pt"
        if os.path.exists(self.path):
            state = torch.load(self.path, map_location=args.device)
            self.net.load_state_dict(state["net"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.average.load_state_dict(state["average"])
            self.step, self.positions = state["step"], state["training"]["positions"]
            self.epochs, self.seconds = state["training"]["epochs"], state["training"].get("seconds", 0.0)

    def save(self, args, figures):
        state = {"net": self.net.state_dict(), "optimizer": self.optimizer.state_dict(),
                 "average": self.average.state_dict(), "step": self.step, "size": args.size,
                 "training": {"steps": self.step, "batch": args.batch, "seed": args.seed, "epochs": round(self.epochs, 3),
                              "positions": self.positions, "seconds": round(self.seconds, 1), "weights": WEIGHTS,
                              "teacher": args.teacher and [os.path.basename(args.teacher), args.trust], "held_out": figures}}
        torch.save(state, self.path + ".new")
        os.replace(self.path + ".new", self.path)

    @torch.no_grad()
    def update_average(self):
        decay = min(0.999, (1 + self.step) / (10 + self.step))
        self.flat_average.lerp_(self.flat, 1 - decay)

    def learn(self, batch):
        """Computes the gradients of a batch and returns its losses."""
        with torch.autocast(self.device, dtype=torch.bfloat16):
            parts = losses(self.forward, batch, self.teacher, self.trust)
        self.grads.zero_()
        sum(weight * parts[name] for name, weight in WEIGHTS.items()).backward()
        return parts

    def take_step(self, lr):
        """Takes a step along the gradients."""
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        norm = self.grads.norm()
        self.grads.mul_((CLIP / (norm + 1e-6)).clamp(max=1)).masked_fill_(~norm.isfinite(), 0)
        self.optimizer.step()
        self.step += 1
        self.update_average()


class Log:
    """The output of a run: its messages, its checkpoints, the figures of a held-out sample in log.csv, and at the end those of all held-out
    positions."""

    def __init__(self, args, games, step):
        self.args, self.games = args, games
        self.held = np.random.default_rng(0).permutation(games.held)  # so that of each part of it as much is known
        self.file = open(f"{args.out}/log.csv", "a", newline="")
        self.mean, self.since, self.from_step = {}, time.time(), step
        print(f"train {games.train} held out {len(games.held)} resumed at step {step}", flush=True)

    def note(self, run, parts, lr, done, stopped):
        """To be called after each step."""
        for k, v in parts.items():
            v = v.detach()
            self.mean[k] = self.mean.get(k, v) * 0.98 + v * 0.02
        at = f"step {run.step} epoch {run.epochs:.3f}"
        if run.step % 100 == 0:
            print(at, f"lr {lr:.2e}", *(f"{k} {v.item():.4f}" for k, v in self.mean.items()), flush=True)
        passed = time.time() - self.since
        if not done and not stopped and run.step != WARMUP and passed < self.args.report:
            return
        speed = (run.step - self.from_step) * self.args.batch / passed
        sample = evaluate(run.average, self.games, self.held[:8192])
        figures = evaluate(run.average, self.games, self.held) if done else sample
        run.save(self.args, figures)
        writer = csv.writer(self.file)
        if self.file.tell() == 0:
            writer.writerow(["time", "step", "epoch", "lr", "positions_per_second", *sample])
        writer.writerow([int(time.time()), run.step, f"{run.epochs:.4f}", f"{lr:.3e}", f"{speed:.0f}",
                         *(f"{v:.5f}" for v in sample.values())])
        self.file.flush()
        print("HELD", at, f"{speed:.0f} pos/s", *(f"{k} {v:.4f}" for k, v in figures.items()), flush=True)
        self.since, self.from_step = time.time(), run.step


def progress(args, run):
    """The share of the schedule that has passed, by positions, seconds or the clock; 1 or more at its end."""
    if args.positions:
        return run.positions / args.positions
    if args.seconds:
        return run.seconds / args.seconds
    return (time.time() - args.start) / (args.end - args.start)


def train(rank, args, team):
    """Trains, alone or as one of a team, the first of which logs."""
    torch.set_num_threads(1)
    keep_memory()
    if team and sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: none outlives the process that began them
    games = data.Games(args.data, args.device)
    run = Run(args)
    log = Log(args, games, run.step) if rank == 0 else None
    if not args.end and progress(args, run) >= 1:
        return  # before

    before, began = run.seconds, None
    for batch in data.stream(games, args.batch, args.seed, run.positions, rank, args.threads):
        parts = run.learn(batch)
        run.positions += args.batch
        run.epochs += args.batch / games.train
        now = time.time()
        began = began or now
        run.seconds = before + now - began
        done, stopped = min(1.0, progress(args, run)), bool(args.until and now >= args.until)
        if team:
            done, stopped = team.mean(rank, run.grads, done, stopped)  # by the first one's clock
        lr = args.lr * min(1.0, (run.step + 1) / WARMUP) * (0.01 + 0.99 * (1 + math.cos(math.pi * done)) / 2)
        run.take_step(lr)
        if log:
            log.note(run, parts, lr, done == 1, stopped)
        if done == 1 or stopped:
            break


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of shards, see prepare")
    parser.add_argument("--out", required=True, help="folder for checkpoint.pt and log.csv")
    parser.add_argument("--size", default="S", help="S, M or L, with changes: S,latents=16,blocks=2; see model.Size")
    parser.add_argument("--start", type=float, default=time.time(), help="unix time at which the schedule starts")
    stop = parser.add_mutually_exclusive_group(required=True)
    stop.add_argument("--end", type=float, help="unix time at which training ends")
    stop.add_argument("--positions", type=int, help="positions after which training ends")
    stop.add_argument("--seconds", type=float, help="seconds of training after which it ends, of all runs together")
    parser.add_argument("--until", type=float, help="unix time at which this run stops, to be resumed, if training has not ended")
    parser.add_argument("--lr", type=float, default=7e-3)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--teacher", help="checkpoint of a net to learn from instead of labels")
    parser.add_argument("--trust", type=float, default=1.0, help="share of the targets that are the teacher's, the rest are labels")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--threads", type=int, default=min(4, os.cpu_count()), help="CPU threads, each a process of its own")
    parser.add_argument("--report", type=float, default=120, help="seconds between held-out figures and checkpoints")
    args = parser.parse_args()
    check_blas()
    os.makedirs(args.out, exist_ok=True)
    if args.device == "cuda":
        args.threads = 1
    if args.threads == 1:
        train(0, args, None)
    else:
        team = Team(args.threads, sum(p.numel() for p in model.EUT(model.size_of(args.size)).parameters()))
        torch.multiprocessing.spawn(train, (args, team), args.threads)
    if args.until and time.time() >= args.until:
        sys.exit(STOPPED)


if __name__ == "__main__":
    main()
