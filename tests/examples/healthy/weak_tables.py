"""Tables with weak keys whose entries go: the program keeps a parent, whose entry has
its children; a value has what its own key has; a finalizer and a callback do not have
their objects.
"""

import weakref

import leakgraph


class Node:
    def __init__(self, number):
        self.text = "x" * 6000 + str(number)

    def gone(self, reference):
        pass


children = weakref.WeakKeyDictionary()
texts = weakref.WeakKeyDictionary()
watched = {}
root = Node(0)
children[root] = {"nodes": [Node(number) for number in range(250)]}
for node in children[root]["nodes"]:
    children[node] = {"of": root}
    texts[node] = {"text": node.text, "itself": weakref.ref(node)}
    watched[id(node)] = weakref.ref(node, root.gone)
    weakref.finalize(node, watched.pop, id(node), None)
del node

print(leakgraph.findings())
