"""A shop whose orders listen to price changes, and never stop listening."""


class Prices:
    """Tells listeners about changes."""

    def __init__(self):
        self.listeners = []

    def listen(self, listener):
        self.listeners.append(listener)


PRICES = Prices()


class Order:
    """An order that follows the prices until it is paid."""

    def __init__(self):
        self.lines = [0.0] * 100
        PRICES.listen(self.update)

    def update(self, price):
        self.lines.append(price)

    def pay(self):
        return sum(self.lines)


def sell():
    """Sell one thing."""
    return Order().pay()
