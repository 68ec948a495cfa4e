"""A proxy provider keeps an instrument of each tracer, and each call makes a tracer.

https://github.com/open-telemetry/opentelemetry-python/issues/5016
"""

import program

HOLDERS = ("__main__.provider.meters[*]", "__main__.provider.meters[*].instruments[*]")


class Instrument:
    def __init__(self, name):
        self.name = name
        self.attributes = {"unit": "s", "description": name * 20}


class Meter:
    def __init__(self):
        self.instruments = [Instrument(name) for name in ("started", "ended", "live")]


class ProxyProvider:
    def __init__(self):
        self.meters = []

    def get_meter(self):
        self.meters.append(Meter())
        return self.meters[-1]


class Tracer:
    def __init__(self, provider):
        self.meter = provider.get_meter()


provider = ProxyProvider()
tracer = Tracer(provider)


def work(number):
    if not program.FIXED:
        Tracer(provider)


if __name__ == "__main__":
    program.run(work, provider.meters.clear)
