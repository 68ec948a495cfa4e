"""A method that gathers an episode's log-probabilities in an attribute, then learns."""

import torch

import leakgraph


class Agent:
    def __init__(self):
        self.policy = torch.nn.Sequential(
            torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 4)
        )
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=1e-3)
        self.log_probabilities = []

    def play(self):
        for _ in range(12):
            choice = torch.distributions.Categorical(
                logits=self.policy(torch.randn(64))
            )
            self.log_probabilities.append(choice.log_prob(choice.sample()))
        found = leakgraph.findings()
        self.optimizer.zero_grad()
        (-sum(self.log_probabilities)).backward()
        self.optimizer.step()
        self.log_probabilities.clear()
        return found


agent = Agent()
agent.play()
print(agent.play())
