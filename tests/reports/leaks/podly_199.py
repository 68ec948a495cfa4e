"""A session's map of identities keeps each object that it has loaded, and they it.

https://github.com/podly-pure-podcasts/podly_pure_podcasts/issues/199
"""

import program

HOLDERS = ("__main__.session.identity_map[*]",)


class Session:
    def __init__(self):
        self.identity_map = {}

    def load(self, kind, key, **values):
        found = self.identity_map[kind, (key,)] = kind(self, key, **values)
        return found


class Segment:
    def __init__(self, session, key, episode, text):
        self.state = {"session": session, "key": (Segment, (key,))}
        self.episode = episode
        self.text = text
        episode.segments.append(self)


class Episode:
    def __init__(self, session, key):
        self.state = {"session": session, "key": (Episode, (key,))}
        self.segments = []


session = Session()


def work(number):
    episode = session.load(Episode, number)
    for index in range(3):
        text = f"{number} {index} " + "said " * 60
        session.load(Segment, (number, index), episode=episode, text=text)
    if program.FIXED:
        session.identity_map.clear()


if __name__ == "__main__":
    program.run(work, session.identity_map.clear)
