"""A graph gets a node and two edges for each request.

https://networkx.org/documentation/stable/reference/classes/graph.html
"""

import networkx
import program

HOLDERS = ("__main__.graph._adj[*]", "__main__.graph._node[*]", "__main__.graph.adj[*]")

graph = networkx.Graph()
graph.add_nodes_from(["in", "out"])


def work(number):
    graph.add_edge("in", number)
    graph.add_edge(number, "out")
    if program.FIXED:
        graph.remove_node(number)


def let_go():
    graph.clear()


if __name__ == "__main__":
    program.run(work, let_go)
