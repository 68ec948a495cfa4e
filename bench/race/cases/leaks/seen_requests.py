"""A crawler remembers the fingerprint of each request, to make none twice.

https://docs.scrapy.org/en/latest/topics/settings.html#dupefilter-class
"""

import hashlib

import program

HOLDERS = ("__main__.dupefilter.fingerprints[*]",)


class DupeFilter:
    def __init__(self):
        self.fingerprints = set()

    def seen(self, url):
        fingerprint = hashlib.sha256(url.encode()).hexdigest()
        found = fingerprint in self.fingerprints
        if not program.FIXED:
            self.fingerprints.add(fingerprint)
        return found


dupefilter = DupeFilter()


def work(number):
    for page in range(10):
        dupefilter.seen(f"http://host/{number}/{page}")


if __name__ == "__main__":
    program.run(work, dupefilter.fingerprints.clear)
