"""A list of log-probabilities in a function that runs, before backward()."""

import torch

import leakgraph


def episode(policy):
    log_probabilities, entropies = [], []
    for _ in range(12):
        choice = torch.distributions.Categorical(logits=policy(torch.randn(64)))
        log_probabilities.append(choice.log_prob(choice.sample()))
        entropies.append(choice.entropy())
    found = leakgraph.findings()
    (-sum(log_probabilities) - 0.01 * sum(entropies)).backward()
    return found


policy = torch.nn.Sequential(
    torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 4)
)
episode(policy)
print(episode(policy))
