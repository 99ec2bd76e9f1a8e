"""The algorithms' counterparts in NumPy and PyTorch, timed on request.

Reads one JSON command per line, answers one JSON line each. Needs numpy and torch.
"""

import heapq
import json
import sys
import time

import numpy as np
import torch


def grpo_numpy(rewards, mask, group):
    scores = rewards.sum(1, dtype=np.float64)
    count = np.bincount(group)
    mean = np.bincount(group, scores) / count
    centred = scores - mean[group]
    std = np.sqrt(np.bincount(group, centred**2) / (count - 1))
    return (centred / (std[group] + 1e-6))[:, None] * mask


def grpo_torch(rewards, mask, group):
    scores = rewards.sum(1, dtype=torch.float64)
    count = torch.bincount(group)
    mean = torch.bincount(group, scores) / count
    centred = scores - mean[group]
    std = torch.sqrt(torch.bincount(group, centred**2) / (count - 1))
    return (centred / (std[group] + 1e-6))[:, None] * mask


def vanilla_torch(log_prob, old, advantages, mask):
    """PPO's clipped loss with the dual clip, token mean, and its gradient."""
    log_prob = log_prob.detach().requires_grad_()
    difference = torch.clamp(log_prob - old, -20, 20)
    ratio = torch.exp(difference)
    pessimistic = torch.maximum(-advantages * ratio, -advantages * torch.clamp(ratio, 0.8, 1.2))
    loss = torch.where(advantages < 0, torch.minimum(-advantages * 3, pessimistic), pessimistic)
    total = (loss * mask).sum() / mask.sum()
    total.backward()
    clipped = ((pessimistic > -advantages * ratio) * mask).sum() / mask.sum()
    return total.item(), clipped.item(), (-difference.detach() * mask).sum().item(), log_prob.grad


def workload(lengths):
    return 24576 * lengths + lengths * lengths


def balance_numpy(lengths, ranks):
    """Largest differencing into parts of equal size: a state is `ranks` sums and the items behind each, as arrays."""
    work = workload(lengths)
    order = np.argsort(work, kind="stable")
    states = {}
    heap = []
    for i in range(0, len(work), ranks):
        items = order[i : i + ranks][::-1]
        states[i] = (work[items], items[:, None])
        heap.append((-(states[i][0][0] - states[i][0][-1]), i))
    heapq.heapify(heap)
    while len(heap) > 1:
        (_, a), (_, b) = heapq.heappop(heap), heapq.heappop(heap)
        (sums_a, items_a), (sums_b, items_b) = states.pop(a), states.pop(b)
        sums = sums_a + sums_b[::-1]
        descending = np.argsort(-sums, kind="stable")
        sums = sums[descending]
        states[a] = (sums, np.concatenate((items_a, items_b[::-1]), axis=1)[descending])
        heapq.heappush(heap, (-(sums[0] - sums[-1]), a))
    return states[heap[0][1]][1]


def balance_torch(lengths, ranks):
    work = workload(lengths)
    order = torch.argsort(work, stable=True)
    states = {}
    heap = []
    for i in range(0, len(work), ranks):
        items = order[i : i + ranks].flip(0)
        states[i] = (work[items], items[:, None])
        heap.append((-(states[i][0][0] - states[i][0][-1]).item(), i))
    heapq.heapify(heap)
    while len(heap) > 1:
        (_, a), (_, b) = heapq.heappop(heap), heapq.heappop(heap)
        (sums_a, items_a), (sums_b, items_b) = states.pop(a), states.pop(b)
        sums, descending = torch.sort(sums_a + sums_b.flip(0), descending=True, stable=True)
        states[a] = (sums, torch.cat((items_a, items_b.flip(0)), dim=1)[descending])
        heapq.heappush(heap, (-(sums[0] - sums[-1]).item(), a))
    return states[heap[0][1]][1]


class Session:
    def load(self, rows, width, groups, folder):
        read = lambda name, dtype: np.fromfile(f"{folder}/{name}", dtype=dtype)
        self.folder = folder
        self.grpo = [
            read("rewards", np.float32).reshape(rows, width),
            read("mask", np.float32).reshape(rows, width),
            np.repeat(np.arange(groups), rows // groups),
        ]
        self.lengths = read("lengths", np.int64)
        self.grpo_tensors = [torch.from_numpy(x) for x in self.grpo]
        self.length_tensor = torch.from_numpy(self.lengths)
        loss = [read(name, np.float32) for name in ("logProb", "old", "advantages", "lossMask")]
        self.loss = [torch.from_numpy(x) for x in loss]

    def timed(self, call):
        start = time.perf_counter()
        result = call()
        return (time.perf_counter() - start) * 1000, result

    def run(self, name, save, ranks):
        call = {
            "advantages numpy": lambda: grpo_numpy(*self.grpo),
            "advantages torch": lambda: grpo_torch(*self.grpo_tensors),
            "balancing numpy": lambda: balance_numpy(self.lengths, ranks),
            "balancing torch": lambda: balance_torch(self.length_tensor, ranks),
            "loss torch": lambda: vanilla_torch(*self.loss)[-1],
        }[name]
        elapsed, result = self.timed(call)
        if save:
            np.asarray(result).astype(np.float64).tofile(f"{self.folder}/result")
        return {"ms": elapsed}


def main():
    session = Session()
    version = f"NumPy {np.__version__}, PyTorch {torch.__version__} ({torch.get_num_threads()} threads)"
    print(json.dumps({"version": version}), flush=True)
    for line in sys.stdin:
        command = json.loads(line)
        action = command.pop("do")
        print(json.dumps(getattr(session, action)(**command) or {}), flush=True)


main()
